// Products and sums of dense rows with one vector of weights, for methods that step from row to row and wait for each result.
//
// The weights fill whole vectors, zeros behind the last: a weight that was stored as a part of one vector and is read as a part of another
// would make the next row wait for the store. Rows are read as they are: what of a row follows its whole vectors is the front of a vector
// that reaches into the next row.
#pragma once
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "novum/runtime/panels.h"
#include "novum/runtime/simd.h"

namespace novum {

template <class Real, class Weight, int BYTES>
struct WholeRows {
    using S = panel::Simd<Weight, BYTES>;
    using V = typename S::V;
    static constexpr std::size_t L = panel::at(S::LANES);
    const Real *x, *end;
    std::size_t d, whole;
    typename S::I kept{};  // lanes of the vector behind the whole ones

    NOVUM_INLINE WholeRows(const Real* x, std::size_t n, std::size_t d) : x(x), end(x + n * d), d(d), whole(d / L * L) {
        for (std::size_t l = 0; l < L; ++l) kept[l] = l < d - whole ? -1 : 0;
    }
    /// The length of a vector of weights.
    static std::size_t padded(std::size_t d) { return (d + L - 1) / L * L; }
    NOVUM_INLINE const Real* row(std::size_t i) const { return x + i * d; }

    static NOVUM_INLINE V load(const Real* from) {
        if constexpr (std::is_same_v<Real, Weight>) {
            return S::load(from);
        } else {
            V v;
            for (std::size_t l = 0; l < L; ++l) v[l] = static_cast<Weight>(from[l]);
            return v;
        }
    }
    NOVUM_INLINE V rest(const Real* row) const {
        if (static_cast<std::size_t>(end - row) >= whole + L) {
            V v = load(row + whole);
            typename S::I bits;
            std::memcpy(&bits, &v, sizeof bits);
            bits &= kept;
            std::memcpy(&v, &bits, sizeof v);
            return v;
        }
        Real last[L] = {};  // there is no next row
        for (std::size_t j = whole; j < d; ++j) last[j - whole] = row[j];
        return load(last);
    }
    template <class Other>
    NOVUM_INLINE Weight dot(const Real* row, Other other, V last) const {
        V s0{}, s1{}, s2{}, s3{};
        std::size_t i = 0;
        for (; i + 4 * L <= whole; i += 4 * L) {
            s0 += load(row + i) * other(i);
            s1 += load(row + i + L) * other(i + L);
            s2 += load(row + i + 2 * L) * other(i + 2 * L);
            s3 += load(row + i + 3 * L) * other(i + 3 * L);
        }
        if (i + L <= whole) s0 += load(row + i) * other(i);
        if (i + 2 * L <= whole) s1 += load(row + i + L) * other(i + L);
        if (i + 3 * L <= whole) s2 += load(row + i + 2 * L) * other(i + 2 * L);
        if (whole < d) s3 += rest(row) * last;
        return panel::total<S::LANES>(whole > L ? (s0 + s1) + (s2 + s3) : s0 + s3);  // a short row waits for one addition less
    }
    NOVUM_INLINE Weight product(std::size_t i, const Weight* w) const {
        return dot(row(i), [w](std::size_t j) NOVUM_LAMBDA { return S::load(w + j); }, whole < d ? S::load(w + whole) : V{});
    }
    NOVUM_INLINE Weight square(std::size_t i) const {
        const Real* own = row(i);
        return dot(own, [own](std::size_t j) NOVUM_LAMBDA { return load(own + j); }, rest(own));
    }
    NOVUM_INLINE void add(std::size_t i, Weight* w, Weight a) const {
        const Real* own = row(i);
        for (std::size_t j = 0; j < whole; j += L) S::store(w + j, S::load(w + j) + a * load(own + j));
        if (whole < d) S::store(w + whole, S::load(w + whole) + a * rest(own));
    }
};

}  // namespace novum
