#include "novum/tree_walk.h"

#include <algorithm>

#include "novum/simd.h"

namespace novum::tree {

namespace {

constexpr std::size_t TOGETHER = 8;  // rows that walk at once

NOVUM_INLINE std::int32_t next(const Walk& walk, const Step& s, double x) {
    if (s.n_words == 0) return (x != x ? s.missing_left != 0 : x <= s.threshold) ? s.left : s.right;
    if (!(x >= 0 && x < 32.0 * s.n_words)) return s.missing_left ? s.left : s.right;
    const auto code = static_cast<std::uint32_t>(x);
    return walk.word[s.words + code / 32] >> (code % 32) & 1u ? s.left : s.right;
}

}  // namespace

template <class Real>
void leaves(const Walk& walk, const Cells<Real>& X, std::int64_t* leaf) {
    const Step* step = walk.step.data();
    for (std::size_t i = 0; i < X.rows; i += TOGETHER) {
        const std::size_t k = std::min(TOGETHER, X.rows - i);
        std::int32_t at[TOGETHER] = {};
        const Real* row[TOGETHER];
        for (std::size_t r = 0; r < TOGETHER; ++r) row[r] = X.data + static_cast<std::ptrdiff_t>(i + std::min(r, k - 1)) * X.row_stride;
        for (bool moving = true; moving;) {
            moving = false;
            for (std::size_t r = 0; r < TOGETHER; ++r) {
                const Step& s = step[at[r]];
                at[r] = next(walk, s, static_cast<double>(row[r][s.feature * X.column_stride]));
                moving |= !s.leaf;
            }
        }
        for (std::size_t r = 0; r < k; ++r) leaf[i + r] = at[r];
    }
}

template <class Real, class Index>
void leaves(const Walk& walk, const Index* begin, const Index* column, const Real* value, std::size_t rows, std::vector<double>& scratch,
            std::int64_t* leaf) {
    for (std::size_t i = 0; i < rows; ++i) {
        for (Index p = begin[i]; p < begin[i + 1]; ++p) scratch[static_cast<std::size_t>(column[p])] += static_cast<double>(value[p]);
        std::int32_t at = 0;
        while (!walk.step[static_cast<std::size_t>(at)].leaf) {
            const Step& s = walk.step[static_cast<std::size_t>(at)];
            at = next(walk, s, scratch[static_cast<std::size_t>(s.feature)]);
        }
        leaf[i] = at;
        for (Index p = begin[i]; p < begin[i + 1]; ++p) scratch[static_cast<std::size_t>(column[p])] = 0.0;
    }
}

template void leaves(const Walk&, const Cells<float>&, std::int64_t*);
template void leaves(const Walk&, const Cells<double>&, std::int64_t*);
template void leaves(const Walk&, const std::int32_t*, const std::int32_t*, const float*, std::size_t, std::vector<double>&, std::int64_t*);
template void leaves(const Walk&, const std::int32_t*, const std::int32_t*, const double*, std::size_t, std::vector<double>&, std::int64_t*);
template void leaves(const Walk&, const std::int64_t*, const std::int64_t*, const float*, std::size_t, std::vector<double>&, std::int64_t*);
template void leaves(const Walk&, const std::int64_t*, const std::int64_t*, const double*, std::size_t, std::vector<double>&, std::int64_t*);

}  // namespace novum::tree
