#include "novum/trees/walk.h"

#include <algorithm>

#include "novum/runtime/simd.h"

namespace novum::tree {

namespace {

constexpr std::size_t TOGETHER = 8;  // rows that walk at once

NOVUM_INLINE std::int32_t next(const Walk& walk, const Step& s, double x) {
    if (s.n_words == 0) {
        const bool left = (x <= s.threshold) | ((x != x) & (s.missing_left != 0));  // no branch: half of them would be guessed wrong
        return s.child[left];
    }
    if (!(x >= 0 && x < 32.0 * s.n_words)) return s.child[s.missing_left];
    const auto code = static_cast<std::uint32_t>(x);
    return s.child[walk.word[s.words + code / 32] >> (code % 32) & 1u];
}

}  // namespace

template <class Real>
void leaves(const Walk& walk, const Cells<Real>& X, std::int64_t* leaf) {
    const Step* step = walk.step.data();
    struct Lane {
        const Real* row;
        std::size_t index;
        std::int32_t at;
    } lane[TOGETHER];
    std::size_t begun = 0, active = 0;
    const auto begin = [&](Lane& one) {
        one = {X.data + static_cast<std::ptrdiff_t>(begun) * X.row_stride, begun, 0};
        ++begun;
    };
    while (active < TOGETHER && begun < X.rows) begin(lane[active++]);
    while (active > 0) {
        for (std::size_t r = 0; r < active;) {
            const Step& s = step[lane[r].at];
            if (!s.leaf) {
                lane[r].at = next(walk, s, static_cast<double>(lane[r].row[s.feature * X.column_stride]));
                ++r;
                continue;
            }
            leaf[lane[r].index] = lane[r].at;
            if (begun < X.rows)
                begin(lane[r]);
            else
                lane[r] = lane[--active];
        }
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
template void leaves(const Walk&, const std::int32_t*, const std::int32_t*, const double*, std::size_t, std::vector<double>&,
                     std::int64_t*);
template void leaves(const Walk&, const std::int64_t*, const std::int64_t*, const float*, std::size_t, std::vector<double>&, std::int64_t*);
template void leaves(const Walk&, const std::int64_t*, const std::int64_t*, const double*, std::size_t, std::vector<double>&,
                     std::int64_t*);

}  // namespace novum::tree
