#include "novum/moments/gram.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "novum/moments/column_panels.h"
#include "novum/runtime/simd.h"

namespace novum {

namespace {

using panels::CHUNK;
using panels::Lanes;
using panels::PANEL_OF;
using panels::Products;

// Pack the rows of the design: panel by panel, within it row by row. Columns beyond the last are zero.
template <class Real, class Target, class Packed>
NOVUM_INLINE void pack(const Real* X, const Target* y, const double* weight, const double* shift, std::size_t rows, std::size_t p,
                       std::size_t q, std::size_t panels, Packed* packed) {
    constexpr std::size_t PANEL = PANEL_OF<Packed>;
    const auto offset = [shift](auto value, std::size_t c)
                            NOVUM_LAMBDA { return static_cast<Packed>(value) - static_cast<Packed>(shift[c]); };
    const std::size_t whole = p / PANEL;
    for (std::size_t k = 0; k < rows; ++k) {
        const Packed scale = weight ? static_cast<Packed>(std::sqrt(weight[k])) : Packed(1);
        const Real* x = X + k * p;
        for (std::size_t panel = 0; panel < whole; ++panel) {
            Packed* out = packed + (panel * rows + k) * PANEL;
            for (std::size_t l = 0; l < PANEL; ++l) out[l] = scale * offset(x[panel * PANEL + l], panel * PANEL + l);
        }
        for (std::size_t c = whole * PANEL; c < panels * PANEL; ++c) {
            Packed value = 0;
            if (c < p)
                value = scale * offset(x[c], c);
            else if (c < p + q)
                value = scale * offset(y[k * q + c - p], c);
            else if (c == p + q)
                value = scale;
            packed[(c / PANEL * rows + k) * PANEL + c % PANEL] = value;
        }
    }
}

// Sums of the packed columns of one chunk, times the roots of the weights.
struct Firsts {
    template <int BYTES, class Packed>
    static NOVUM_INLINE void run(const Packed* packed, const double* weight, std::size_t rows, std::size_t panels, double* first) {
        using L = Lanes<BYTES, Packed>;
        constexpr std::size_t PANEL = L::PANEL;
        for (std::size_t panel = 0; panel < panels; ++panel, first += PANEL) {
            typename L::V total[L::VECTORS] = {};
            for (std::size_t k = 0; k < rows; ++k, packed += PANEL) {
                const Packed scale = weight ? static_cast<Packed>(std::sqrt(weight[k])) : Packed(1);
#pragma GCC unroll 8
                for (std::size_t v = 0; v < L::VECTORS; ++v) total[v] += scale * L::load(packed + v * L::WIDTH);
            }
#pragma GCC unroll 8
            for (std::size_t v = 0; v < L::VECTORS; ++v) L::add(first + v * L::WIDTH, total[v]);
        }
    }
};

template <class Packed, class Real, class Target, class Pack>
void gram(const Real* X, const Target* y, const double* weight, const double* shift, std::size_t rows, std::size_t p, std::size_t q,
          double* out, Pack pack_chunk) {
    // Where x and y fill their panels, the column of ones would cost a panel of its own: its products are added apart.
    constexpr std::size_t PANEL = PANEL_OF<Packed>;
    const std::size_t columns = p + q + 1;
    const bool apart = p + q > 0 && (p + q) % PANEL == 0;
    const std::size_t panels = (columns - apart + PANEL - 1) / PANEL, stride = panels * PANEL;
    std::vector<double> sums(stride * stride), first(apart ? stride : 0);
    std::vector<Packed> packed(CHUNK * stride);
    double total = 0;
    for (std::size_t top = 0; top < rows; top += CHUNK) {
        const std::size_t count = std::min(CHUNK, rows - top);
        pack_chunk(X + top * p, y + top * q, weight ? weight + top : nullptr, shift, count, p, q, panels, packed.data());
        widest<Products>(packed.data(), count, columns - apart, sums.data());
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

#define NOVUM_GRAM(Real, Target)                                                                                                        \
    NOVUM_CLONES static void pack_clone(const Real* X, const Target* y, const double* w, const double* s, std::size_t n, std::size_t p, \
                                        std::size_t q, std::size_t panels, double* packed) {                                            \
        pack(X, y, w, s, n, p, q, panels, packed);                                                                                      \
    }                                                                                                                                   \
    template <>                                                                                                                         \
    void shifted_gram(const Real* X, const Target* y, std::span<const double> weight, std::span<const double> shift, std::size_t rows,  \
                      std::size_t p, std::size_t q, double* out) {                                                                      \
        void (*chunk)(const Real*, const Target*, const double*, const double*, std::size_t, std::size_t, std::size_t, std::size_t,     \
                      double*) = pack_clone;                                                                                            \
        gram<double>(X, y, weight.empty() ? nullptr : weight.data(), shift.data(), rows, p, q, out, chunk);                             \
    }
NOVUM_GRAM(float, float)
NOVUM_GRAM(float, double)
NOVUM_GRAM(double, float)
NOVUM_GRAM(double, double)
#undef NOVUM_GRAM

NOVUM_CLONES static void pack_single(const float* X, const float* y, const double* w, const double* s, std::size_t n, std::size_t p,
                                     std::size_t q, std::size_t panels, float* packed) {
    pack(X, y, w, s, n, p, q, panels, packed);
}

void single_gram(const float* X, std::span<const double> weight, std::span<const double> shift, std::size_t rows, std::size_t p,
                 double* out) {
    void (*chunk)(const float*, const float*, const double*, const double*, std::size_t, std::size_t, std::size_t, std::size_t, float*) =
        pack_single;
    gram<float>(X, static_cast<const float*>(nullptr), weight.empty() ? nullptr : weight.data(), shift.data(), rows, p, 0, out, chunk);
}

}  // namespace novum
