// The register kernel of all products of a network: eight rows by up to three vectors of columns.
//
//     tile[r][c] = start[c] + sum_k a[r][k] b[k][c]        in the order of k                                     (1)
//
// A long sum is cut into strips whose rows of b stay in the first-level cache for all tiles; a tile goes on where it was (`more`).
// `a` is read along its rows (forward and backward passes) or across them (gradients, where k counts the rows of a batch).
#pragma once
#include "novum/neural_network/layout.h"
#include "novum/runtime/panels.h"

namespace novum::neural_network {

constexpr std::size_t STRIP = 128;  // terms: of three vectors of columns 24 kB

/// The end of the strip that begins at k; a short rest goes with the strip before it.
constexpr std::size_t strip_end(std::size_t k, std::size_t depth) { return depth - k <= STRIP + STRIP / 2 ? depth : k + STRIP; }

/// (1) for R rows and V vectors, written to out.
template <int BYTES, class Real, bool ACROSS, int R, int V>
NOVUM_INLINE void sums(const Real* a, std::size_t stride, std::size_t depth, const Real* b, std::size_t pitch, const Real* start, bool more,
                       Real* out, std::size_t out_pitch) {
    using S = panel::Simd<Real, BYTES>;
    typename S::V s[R][V];
    for (int v = 0; v < V; ++v) {
        const typename S::V first = start ? S::load(start + v * S::LANES) : typename S::V{};
        for (int r = 0; r < R; ++r) s[r][v] = more ? S::load(out + static_cast<std::size_t>(r) * out_pitch + v * S::LANES) : first;
    }
    for (std::size_t k = 0; k < depth; ++k) {
        typename S::V column[V];
        for (int v = 0; v < V; ++v) column[v] = S::load(b + k * pitch + v * S::LANES);
        for (int r = 0; r < R; ++r) {
            const Real cell = ACROSS ? a[k * stride + static_cast<std::size_t>(r)] : a[static_cast<std::size_t>(r) * stride + k];
            for (int v = 0; v < V; ++v) s[r][v] += cell * column[v];
        }
    }
    for (int r = 0; r < R; ++r)
        for (int v = 0; v < V; ++v) S::store(out + static_cast<std::size_t>(r) * out_pitch + v * S::LANES, s[r][v]);
}

/// (1) for eight rows; narrower vectors come with half the registers, which four rows fill.
template <int BYTES, class Real, bool ACROSS, int V>
NOVUM_INLINE void eight_rows(const Real* a, std::size_t stride, std::size_t depth, const Real* b, std::size_t pitch, const Real* start,
                             bool more, Real* out, std::size_t out_pitch) {
    constexpr int ROWS = BYTES == 64 ? 8 : 4;
    for (std::size_t r = 0; r < TILE; r += ROWS)
        sums<BYTES, Real, ACROSS, ROWS, V>(a + (ACROSS ? r : r * stride), stride, depth, b, pitch, start, more, out + r * out_pitch,
                                           out_pitch);
}

/// Call f with the number of vectors that a panel is wide, as a constant.
template <int BYTES, class Real, class F>
NOVUM_INLINE void by_width(std::size_t width, F&& f) {
    constexpr std::size_t LANES = BYTES / sizeof(Real), PER_UNIT = LANES >= TILE ? 1 : TILE / LANES;
    if constexpr (PER_UNIT == 1) {
        if (width == 3 * LANES)
            f(std::integral_constant<int, 3>{});
        else if (width == 2 * LANES)
            f(std::integral_constant<int, 2>{});
        else
            f(std::integral_constant<int, 1>{});
    } else {
        f(std::integral_constant<int, PER_UNIT>{});
    }
}

}  // namespace novum::neural_network
