// Products of packed columns: the register kernel behind every Gram matrix.
//
// A chunk of rows is packed panel by panel, PANEL columns side by side and within a panel row by row; columns beyond the last are
// zero. `Products` adds the upper triangle of the products of all columns to `sums` (stride panels * PANEL).
#pragma once
#include <cstddef>
#include <cstring>

#include "novum/simd.h"

namespace novum::gram_panels {

constexpr std::size_t PANEL = 8;    // columns side by side: one AVX-512 vector of doubles
constexpr std::size_t CHUNK = 256;  // rows packed at a time: 100 columns of them fill a quarter of the second-level cache

template <int BYTES>
struct Lanes {
    typedef double V __attribute__((vector_size(BYTES)));
    static constexpr std::size_t WIDTH = BYTES / 8;
    static constexpr std::size_t ROWS = BYTES == 64 ? 8 : 4;           // columns of the left panel taken at once
    static constexpr std::size_t PANELS = BYTES == 64 ? 3 : 1;         // panels on the right that the registers can hold
    static constexpr std::size_t VECTORS = PANEL / WIDTH;              // of a panel
    // Through memcpy: GCC drops `aligned` from a vector type of dependent size, and an aligned move would fault.
    static NOVUM_INLINE V load(const double* from) {
        V v;
        std::memcpy(&v, from, sizeof v);
        return v;
    }
    static NOVUM_INLINE void store(double* to, V v) { std::memcpy(to, &v, sizeof v); }
};

// Add to `sums` (row stride `stride`) the products of ROWS columns of panel `a` with the columns of P panels from `b` on.
// The loops over registers are unrolled by force: an accumulator that is indexed at run time would live in memory.
template <int BYTES, std::size_t P>
NOVUM_INLINE void multiply(const double* a, const double* b, std::size_t rows, double* sums, std::size_t stride) {
    using L = Lanes<BYTES>;
    using V = typename L::V;
    constexpr std::size_t N = P * L::VECTORS;
    V total[L::ROWS][N] = {};
    for (std::size_t k = 0; k < rows; ++k, a += PANEL, b += PANEL) {
        V right[N];
#pragma GCC unroll 8
        for (std::size_t v = 0; v < N; ++v) right[v] = L::load(b + v / L::VECTORS * rows * PANEL + v % L::VECTORS * L::WIDTH);
#pragma GCC unroll 8
        for (std::size_t i = 0; i < L::ROWS; ++i) {
#pragma GCC unroll 8
            for (std::size_t v = 0; v < N; ++v) total[i][v] += a[i] * right[v];
        }
    }
#pragma GCC unroll 8
    for (std::size_t i = 0; i < L::ROWS; ++i) {
#pragma GCC unroll 8
        for (std::size_t v = 0; v < N; ++v) {
            double* place = sums + i * stride + v * L::WIDTH;
            L::store(place, L::load(place) + total[i][v]);
        }
    }
}

// The upper triangle of the products of all panels of one chunk.
struct Products {
    template <int BYTES>
    static NOVUM_INLINE void run(const double* packed, std::size_t rows, std::size_t panels, double* sums) {
        using L = Lanes<BYTES>;
        const std::size_t stride = panels * PANEL;
        for (std::size_t i = 0; i < stride; i += L::ROWS) {
            const double* left = packed + i / PANEL * rows * PANEL + i % PANEL;
            std::size_t panel = i / PANEL;
            auto right = [&] { return packed + panel * rows * PANEL; };
            auto place = [&] { return sums + i * stride + panel * PANEL; };
            for (; panel + L::PANELS <= panels; panel += L::PANELS) multiply<BYTES, L::PANELS>(left, right(), rows, place(), stride);
            for (; panel < panels; ++panel) multiply<BYTES, 1>(left, right(), rows, place(), stride);
        }
    }
};

}  // namespace novum::gram_panels
