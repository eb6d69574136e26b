// Panels of points: the layout and the register kernel behind distances to many points (k-means, neighbors) and narrow products.
//
//   score_j(x) = |c_j|^2 / 2 - x . c_j        ordered as |x - c_j| over j, at half the work                             (12)
//
// A panel holds `LANES` centers side by side: first their half norms, then one row of negated coordinates per dimension, so (12)
// is d fused multiply-adds of a broadcast coordinate. A lane adds its terms in the order of the dimensions whatever the width of
// the vector and however many rows share the loop: every kernel that scores a pair (x, c_j) gets the same bits.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "novum/runtime/simd.h"

namespace novum::panel {

constexpr std::size_t GROUP = 16;  // centers that share a bound: one AVX-512 vector of floats, two of doubles

/// A label, a row number or a column as an index.
template <class Int>
constexpr std::size_t at(Int i) {
    return static_cast<std::size_t>(i);
}

template <class Real, int BYTES>
struct Simd {
    typedef Real V __attribute__((vector_size(BYTES)));
    using Int = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;  // compares give integers of the same width
    typedef Int I __attribute__((vector_size(BYTES)));
    static constexpr int LANES = BYTES / static_cast<int>(sizeof(Real));
    // Rows and panels that fill the registers (32 with AVX-512, 16 before) with accumulators and leave room for the operands.
    static constexpr int ROWS = 6, PANELS = BYTES == 64 ? 4 : 2;
    // Through memcpy: GCC may drop `aligned` from a vector type of dependent size, and an aligned move would fault.
    static NOVUM_INLINE V load(const Real* p) {
        V v;
        std::memcpy(&v, p, sizeof v);
        return v;
    }
    static NOVUM_INLINE void store(Real* p, V v) { std::memcpy(p, &v, sizeof v); }
    static NOVUM_INLINE I load_int(const Int* p) {
        I v;
        std::memcpy(&v, p, sizeof v);
        return v;
    }
};

template <class V, int... J>
NOVUM_INLINE auto halves_min(V v, std::integer_sequence<int, J...>) {
    constexpr int H = sizeof...(J);
    auto low = __builtin_shufflevector(v, v, J...);
    auto high = __builtin_shufflevector(v, v, (J + H)...);
    return low < high ? low : high;
}

/// The least of N lanes.
template <int N, class V>
NOVUM_INLINE auto least(V v) {
    if constexpr (N == 2)
        return v[0] < v[1] ? v[0] : v[1];
    else
        return least<N / 2>(halves_min(v, std::make_integer_sequence<int, N / 2>{}));
}

template <class V, int... J>
NOVUM_INLINE auto halves_sum(V v, std::integer_sequence<int, J...>) {
    constexpr int H = sizeof...(J);
    return __builtin_shufflevector(v, v, J...) + __builtin_shufflevector(v, v, (J + H)...);
}

/// The sum of N lanes.
template <int N, class V>
NOVUM_INLINE auto total(V v) {
    if constexpr (N == 2)
        return v[0] + v[1];
    else
        return total<N / 2>(halves_sum(v, std::make_integer_sequence<int, N / 2>{}));
}

/// (12) for R rows and P neighboring panels.
template <class Real, int BYTES, int R, int P>
NOVUM_INLINE void scores(const Real* const* x, const Real* panels, std::size_t d, typename Simd<Real, BYTES>::V (&s)[R][P]) {
    using S = Simd<Real, BYTES>;
    const std::size_t stride = (d + 1) * S::LANES;
    for (int p = 0; p < P; ++p)
        for (int r = 0; r < R; ++r) s[r][p] = S::load(panels + p * stride);
    const Real* c = panels + S::LANES;
    for (std::size_t t = 0; t < d; ++t, c += S::LANES) {
        typename S::V column[P];
        for (int p = 0; p < P; ++p) column[p] = S::load(c + p * stride);
        for (int r = 0; r < R; ++r)  // a coordinate is broadcast once and needs no register afterwards
            for (int p = 0; p < P; ++p) s[r][p] += x[r][t] * column[p];
    }
}

/// Centers about an origin near their mean, packed. The origin keeps (12) accurate when the data lie far from zero, the scale (a
/// power of two, so exact) keeps its squares from over- and underflow.
template <class Real>
struct Packed {
    using Int = typename Simd<Real, 16>::Int;
    std::size_t k, d, lanes;
    std::vector<Real> origin;         // (d,)
    std::vector<double> wide_origin;  // the same numbers
    std::vector<double> centered;     // (k, d): c - origin, for exact distances
    std::vector<Real> panels;         // (panels, d + 1, lanes); padding lanes score infinity
    std::vector<Int> index;           // (panels * lanes,): which center is in a lane
    double reach = 0;                 // max |c_j - origin|
    Real scale = 1;                   // about 1 / reach

    /// `order` lists the centers in the order of the lanes (null: 0..k-1); lanes are padded to whole groups of 16.
    Packed(const double* centers, std::size_t k, std::size_t d, const std::int32_t* order, std::size_t lanes);
    const Real* panel(std::size_t p) const { return panels.data() + p * (d + 1) * lanes; }
    std::size_t count() const { return index.size() / lanes; }
};

/// The power of two that brings `size` near one, or one where there is none.
template <class Real>
Real unit(double size) {
    if (!(size > 0) || !std::isfinite(size)) return 1;
    const int most = std::numeric_limits<Real>::max_exponent - 2;
    return static_cast<Real>(std::ldexp(1.0, std::clamp(-std::ilogb(size), -most, most)));
}

}  // namespace novum::panel
