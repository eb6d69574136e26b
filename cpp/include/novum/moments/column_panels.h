// Products of columns packed into panels, multiplied in registers: the inner loop behind every Gram matrix.
//
// A panel holds PANEL columns side by side, row by row; a chunk is CHUNK rows of all panels. The upper triangle of the products of all
// pairs of columns of a chunk is added to `sums`, a matrix of whole panels.
#pragma once
#include <cstddef>
#include <cstring>

#include "novum/runtime/simd.h"

namespace novum::panels {

template <class Real>
constexpr std::size_t PANEL_OF = 64 / sizeof(Real);  // columns side by side: one AVX-512 vector
constexpr std::size_t PANEL = PANEL_OF<double>;
constexpr std::size_t CHUNK = 256;  // rows packed at a time: 100 columns of them fill a quarter of the second-level cache

template <int BYTES, class Real = double>
struct Lanes {
    typedef Real V __attribute__((vector_size(BYTES)));
    static constexpr std::size_t PANEL = PANEL_OF<Real>;
    static constexpr std::size_t WIDTH = BYTES / sizeof(Real);
    static constexpr std::size_t ROWS = BYTES == 64 ? 8 : 4;    // columns of the left panel taken at once
    static constexpr std::size_t PANELS = BYTES == 64 ? 3 : 1;  // panels on the right that the registers can hold
    static constexpr std::size_t VECTORS = PANEL / WIDTH;       // of a panel
    // Through memcpy: GCC drops `aligned` from a vector type of dependent size, and an aligned move would fault.
    static NOVUM_INLINE V load(const Real* from) {
        V v;
        std::memcpy(&v, from, sizeof v);
        return v;
    }
    static NOVUM_INLINE void store(Real* to, V v) { std::memcpy(to, &v, sizeof v); }
    static NOVUM_INLINE void add(double* to, V v) {
        if constexpr (sizeof(Real) == 8) {
            store(to, load(to) + v);
        } else {
            for (std::size_t l = 0; l < WIDTH; ++l) to[l] += static_cast<double>(v[l]);
        }
    }
};

// Add to `sums` (row stride `stride`) the products of ROWS columns of panel `a` with the columns of P panels from `b` on.
// The loops over registers are unrolled by force: an accumulator that is indexed at run time would live in memory.
template <int BYTES, std::size_t P, class Real>
NOVUM_INLINE void multiply(const Real* a, const Real* b, std::size_t rows, double* sums, std::size_t stride) {
    using L = Lanes<BYTES, Real>;
    using V = typename L::V;
    constexpr std::size_t PANEL = L::PANEL;
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
        for (std::size_t v = 0; v < N; ++v) L::add(sums + i * stride + v * L::WIDTH, total[i][v]);
    }
}

/// The upper triangle of the products of the first `columns` packed columns of one chunk; call by widest<Products>.
struct Products {
    template <int BYTES, class Real>
    static NOVUM_INLINE void run(const Real* packed, std::size_t rows, std::size_t columns, double* sums) {
        using L = Lanes<BYTES, Real>;
        constexpr std::size_t PANEL = L::PANEL;
        const std::size_t panels = (columns + PANEL - 1) / PANEL, stride = panels * PANEL;
        for (std::size_t i = 0; i < columns; i += L::ROWS) {
            const Real* left = packed + i / PANEL * rows * PANEL + i % PANEL;
            std::size_t panel = i / PANEL;
            auto right = [&] { return packed + panel * rows * PANEL; };
            auto place = [&] { return sums + i * stride + panel * PANEL; };
            for (; panel + L::PANELS <= panels; panel += L::PANELS) multiply<BYTES, L::PANELS>(left, right(), rows, place(), stride);
            for (; panel < panels; ++panel) multiply<BYTES, 1>(left, right(), rows, place(), stride);
        }
    }
};

}  // namespace novum::panels
