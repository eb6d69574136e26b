#include "novum/gram.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "novum/simd.h"

namespace novum {

namespace {

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

// Pack the rows of the design: panel by panel, within it row by row. Columns beyond the last are zero.
template <class Real, class Target>
NOVUM_INLINE void pack(const Real* X, const Target* y, const double* weight, const double* shift, std::size_t rows, std::size_t p,
                       std::size_t q, std::size_t panels, double* packed) {
    const std::size_t whole = p / PANEL;
    for (std::size_t k = 0; k < rows; ++k) {
        const double scale = weight ? std::sqrt(weight[k]) : 1.0;
        const Real* x = X + k * p;
        for (std::size_t panel = 0; panel < whole; ++panel) {
            double* out = packed + (panel * rows + k) * PANEL;
            for (std::size_t l = 0; l < PANEL; ++l)
                out[l] = scale * (static_cast<double>(x[panel * PANEL + l]) - shift[panel * PANEL + l]);
        }
        for (std::size_t c = whole * PANEL; c < panels * PANEL; ++c) {
            double value = 0.0;
            if (c < p) value = scale * (static_cast<double>(x[c]) - shift[c]);
            else if (c < p + q) value = scale * (static_cast<double>(y[k * q + c - p]) - shift[c]);
            else if (c == p + q) value = scale;
            packed[(c / PANEL * rows + k) * PANEL + c % PANEL] = value;
        }
    }
}

// Sums of the packed columns of one chunk, times the roots of the weights.
struct Firsts {
    template <int BYTES>
    static NOVUM_INLINE void run(const double* packed, const double* weight, std::size_t rows, std::size_t panels, double* first) {
        using L = Lanes<BYTES>;
        for (std::size_t panel = 0; panel < panels; ++panel, first += PANEL) {
            typename L::V total[L::VECTORS] = {};
            for (std::size_t k = 0; k < rows; ++k, packed += PANEL) {
                const double scale = weight ? std::sqrt(weight[k]) : 1.0;
#pragma GCC unroll 8
                for (std::size_t v = 0; v < L::VECTORS; ++v) total[v] += scale * L::load(packed + v * L::WIDTH);
            }
#pragma GCC unroll 8
            for (std::size_t v = 0; v < L::VECTORS; ++v) L::store(first + v * L::WIDTH, L::load(first + v * L::WIDTH) + total[v]);
        }
    }
};

template <class Real, class Target, class Pack>
void gram(const Real* X, const Target* y, const double* weight, const double* shift, std::size_t rows, std::size_t p, std::size_t q,
          double* out, Pack pack_chunk) {
    // Where x and y fill their panels, the column of ones would cost a panel of its own: its products are added apart.
    const std::size_t columns = p + q + 1;
    const bool apart = p + q > 0 && (p + q) % PANEL == 0;
    const std::size_t panels = (columns - apart + PANEL - 1) / PANEL, stride = panels * PANEL;
    std::vector<double> sums(stride * stride), packed(CHUNK * stride), first(apart ? stride : 0);
    double total = 0;
    for (std::size_t top = 0; top < rows; top += CHUNK) {
        const std::size_t count = std::min(CHUNK, rows - top);
        pack_chunk(X + top * p, y + top * q, weight ? weight + top : nullptr, shift, count, p, q, panels, packed.data());
        widest<Products>(packed.data(), count, panels, sums.data());
        if (!apart) continue;
        widest<Firsts>(packed.data(), weight ? weight + top : nullptr, count, panels, first.data());
        for (std::size_t k = 0; k < count; ++k) total += weight ? weight[top + k] : 1.0;
    }
    const std::size_t inner = columns - apart;
    for (std::size_t i = 0; i < inner; ++i)
        for (std::size_t j = i; j < inner; ++j) out[i * columns + j] = out[j * columns + i] = sums[i * stride + j];
    if (!apart) return;
    for (std::size_t i = 0; i < inner; ++i) out[i * columns + inner] = out[inner * columns + i] = first[i];
    out[inner * columns + inner] = total;
}

}  // namespace

#define NOVUM_GRAM(Real, Target)                                                                                                 \
    NOVUM_CLONES static void pack_clone(const Real* X, const Target* y, const double* w, const double* s, std::size_t n,         \
                                        std::size_t p, std::size_t q, std::size_t panels, double* packed) {                      \
        pack(X, y, w, s, n, p, q, panels, packed);                                                                               \
    }                                                                                                                            \
    template <>                                                                                                                  \
    void shifted_gram(const Real* X, const Target* y, std::span<const double> weight, std::span<const double> shift,             \
                      std::size_t rows, std::size_t p, std::size_t q, double* out) {                                             \
        void (*chunk)(const Real*, const Target*, const double*, const double*, std::size_t, std::size_t, std::size_t,           \
                      std::size_t, double*) = pack_clone;                                                                        \
        gram(X, y, weight.empty() ? nullptr : weight.data(), shift.data(), rows, p, q, out, chunk);                              \
    }
NOVUM_GRAM(float, float)
NOVUM_GRAM(float, double)
NOVUM_GRAM(double, float)
NOVUM_GRAM(double, double)
#undef NOVUM_GRAM

}  // namespace novum
