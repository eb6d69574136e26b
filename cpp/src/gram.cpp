#include "novum/gram.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "novum/gram_panels.h"

namespace novum {

using gram_panels::CHUNK;
using gram_panels::PANEL;
using gram_panels::Products;

namespace {

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

template <class Real, class Target, class Pack>
void gram(const Real* X, const Target* y, const double* weight, const double* shift, std::size_t rows, std::size_t p, std::size_t q,
          double* out, Pack pack_chunk) {
    const std::size_t columns = p + q + 1, panels = (columns + PANEL - 1) / PANEL, stride = panels * PANEL;
    std::vector<double> sums(stride * stride), packed(CHUNK * stride);
    for (std::size_t top = 0; top < rows; top += CHUNK) {
        const std::size_t count = std::min(CHUNK, rows - top);
        pack_chunk(X + top * p, y + top * q, weight ? weight + top : nullptr, shift, count, p, q, panels, packed.data());
        widest<Products>(packed.data(), count, panels, sums.data());
    }
    for (std::size_t i = 0; i < columns; ++i)
        for (std::size_t j = i; j < columns; ++j) out[i * columns + j] = out[j * columns + i] = sums[i * stride + j];
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
