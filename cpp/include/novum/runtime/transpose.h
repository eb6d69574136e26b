// Rows turned into columns while they are shifted and scaled: kernels that hold a row per lane read them without shuffles.
//
//   out[t, r] = (x[r, t] - origin[t]) scale                                                                                 (1)
//
// Squares of B x B numbers are turned in registers, by log2 B rounds in which lanes l and rows i with (l xor i) a power of two trade.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "novum/runtime/simd.h"

namespace novum::transpose {

template <int S, class V, int... J>
NOVUM_INLINE void trade(V& a, V& b, std::integer_sequence<int, J...>) {
    constexpr int B = sizeof...(J);
    const V low = __builtin_shufflevector(a, b, ((J & S) ? B + J - S : J)...);
    const V high = __builtin_shufflevector(a, b, ((J & S) ? B + J : J + S)...);
    a = low;
    b = high;
}

template <int S, int B, class V>
NOVUM_INLINE void rounds(V (&v)[B]) {
    for (int i = 0; i < B; ++i)
        if (!(i & S)) trade<S>(v[i], v[i | S], std::make_integer_sequence<int, B>{});
    if constexpr (2 * S < B) rounds<2 * S, B>(v);
}

/// (1) of B rows, the first of which is number r, and B columns from t on; `at(r)` is where row r begins.
template <class To, int B, class At>
NOVUM_INLINE void square(At at, std::size_t r, std::size_t t, const To* origin, To scale, To* out, std::size_t stride) {
    using From = std::remove_cvref_t<decltype(*at(r))>;
    typedef From Row __attribute__((vector_size(B * sizeof(From))));
    typedef To V __attribute__((vector_size(B * sizeof(To))));
    V shift, v[B];
    std::memcpy(&shift, origin + t, sizeof shift);
    for (int i = 0; i < B; ++i) {
        Row row;
        std::memcpy(&row, at(r + static_cast<std::size_t>(i)) + t, sizeof row);
        v[i] = (__builtin_convertvector(row, V) - shift) * scale;
    }
    rounds<1, B>(v);
    for (int i = 0; i < B; ++i) std::memcpy(out + (t + static_cast<std::size_t>(i)) * stride + r, &v[i], sizeof(V));
}

/// (1) number by number.
template <class To, class At>
NOVUM_INLINE void one_by_one(At at, std::size_t first, std::size_t rows, std::size_t d, const To* origin, To scale, To* out,
                             std::size_t stride) {
    for (std::size_t r = first; r < rows; ++r)
        for (std::size_t t = 0; t < d; ++t) out[t * stride + r] = (static_cast<To>(at(r)[t]) - origin[t]) * scale;
}

/// (1) of `rows` rows of d columns in squares of B; the last square of a row overlaps the one before it.
template <class To, int B, class At>
NOVUM_INLINE void in_squares(At at, std::size_t rows, std::size_t d, const To* origin, To scale, To* out, std::size_t stride) {
    std::size_t r = 0;
    for (; r + B <= rows; r += B)
        for (std::size_t t = 0; t < d; t += B) square<To, B>(at, r, std::min(t, d - B), origin, scale, out, stride);
    one_by_one(at, r, rows, d, origin, scale, out, stride);
}

/// (1) of `rows` rows of d columns; `at(r)` is where row r begins, stride >= rows.
template <class To, int BYTES, class At>
NOVUM_INLINE void columns(At at, std::size_t rows, std::size_t d, const To* origin, To scale, To* out, std::size_t stride) {
    constexpr int LANES = BYTES / static_cast<int>(sizeof(To)), WIDE = std::min(8, LANES);
    if (d >= WIDE) return in_squares<To, WIDE>(at, rows, d, origin, scale, out, stride);
    if constexpr (WIDE > 4)
        if (d >= 4) return in_squares<To, 4>(at, rows, d, origin, scale, out, stride);
    one_by_one(at, 0, rows, d, origin, scale, out, stride);
}

}  // namespace novum::transpose
