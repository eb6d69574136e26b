#include "novum/moments/scatter.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "novum/moments/column_panels.h"

namespace novum {

namespace {

using panels::CHUNK;
using panels::PANEL;
using panels::Products;

// Pack rows `row[0..count)`, each about the shift of its class and scaled by the root of its weight; adds mass and first moments.
template <class Real>
NOVUM_INLINE void pack(const Real* X, const std::int64_t* code, const double* weight, const double* shift, const std::size_t* row,
                       std::size_t count, std::size_t d, std::size_t panels, double* mass, double* first, double* packed) {
    const std::size_t whole = d / PANEL;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t c = static_cast<std::size_t>(code[row[i]]);
        const double w = weight ? weight[row[i]] : 1.0, scale = weight ? std::sqrt(w) : 1.0;
        const Real* x = X + row[i] * d;
        const double* s = shift + c * d;
        double* sum = first + c * d;
        mass[c] += w;
        for (std::size_t panel = 0; panel < whole; ++panel) {
            double* out = packed + (panel * count + i) * PANEL;
            for (std::size_t l = 0; l < PANEL; ++l) {
                const double offset = static_cast<double>(x[panel * PANEL + l]) - s[panel * PANEL + l];
                out[l] = scale * offset;
                sum[panel * PANEL + l] += w * offset;
            }
        }
        for (std::size_t j = whole * PANEL; j < panels * PANEL; ++j) {
            const double offset = j < d ? static_cast<double>(x[j]) - s[j] : 0.0;
            packed[(j / PANEL * count + i) * PANEL + j % PANEL] = scale * offset;
            if (j < d) sum[j] += w * offset;
        }
    }
}

template <class Real, class Pack>
void scatter(const Real* X, std::span<const std::int64_t> code, const double* weight, const double* shift, std::size_t d, std::size_t k,
             bool pooled, double* mass, double* first, double* second, Pack pack_chunk) {
    const std::size_t n = code.size(), panels = (d + PANEL - 1) / PANEL, stride = panels * PANEL;
    std::vector<std::size_t> begin(k + 1, 0), row;
    for (std::size_t i = 0; i < n; ++i)
        if (!weight || weight[i] > 0) ++begin[static_cast<std::size_t>(code[i]) + 1];
    for (std::size_t c = 0; c < k; ++c) begin[c + 1] += begin[c];
    row.resize(begin[k]);
    if (pooled) {  // in the order of the rows: they are read as they lie
        for (std::size_t i = 0, at = 0; i < n; ++i)
            if (!weight || weight[i] > 0) row[at++] = i;
        begin = {0, row.size()};
    } else {
        std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
        for (std::size_t i = 0; i < n; ++i)
            if (!weight || weight[i] > 0) row[next[static_cast<std::size_t>(code[i])]++] = i;
    }
    std::vector<double> sums(stride * stride), packed(CHUNK * stride);
    for (std::size_t group = 0; group + 1 < begin.size(); ++group) {
        if (begin[group] == begin[group + 1]) continue;
        std::fill(sums.begin(), sums.end(), 0.0);
        for (std::size_t top = begin[group]; top < begin[group + 1]; top += CHUNK) {
            const std::size_t count = std::min(CHUNK, begin[group + 1] - top);
            pack_chunk(X, code.data(), weight, shift, row.data() + top, count, d, panels, mass, first, packed.data());
            widest<Products>(packed.data(), count, d, sums.data());
        }
        double* out = second + group * d * d;
        for (std::size_t i = 0; i < d; ++i) {
            out[i * d + i] += sums[i * stride + i];
            for (std::size_t j = i + 1; j < d; ++j) {
                out[i * d + j] += sums[i * stride + j];
                out[j * d + i] += sums[i * stride + j];
            }
        }
    }
}

template <class Real>
NOVUM_INLINE void fourth_powers(const Real* X, std::span<const std::int64_t> code, const double* weight, const double* mean,
                                const double* scale, std::size_t d, double* fourth) {
    for (std::size_t i = 0; i < code.size(); ++i) {
        if (weight && !(weight[i] > 0)) continue;
        const std::size_t c = static_cast<std::size_t>(code[i]);
        const double *m = mean + c * d, *s = scale + c * d;
        const Real* x = X + i * d;
        double part[8] = {};  // eight sums side by side: a compiler may not reorder one
        std::size_t j = 0;
        for (; j + 8 <= d; j += 8)
            for (std::size_t l = 0; l < 8; ++l) {
                const double z = s[j + l] * (static_cast<double>(x[j + l]) - m[j + l]);
                part[l] += z * z;
            }
        double total = 0;
        for (; j < d; ++j) {
            const double z = s[j] * (static_cast<double>(x[j]) - m[j]);
            total += z * z;
        }
        for (double p : part) total += p;
        fourth[c] += (weight ? weight[i] : 1.0) * total * total;
    }
}

}  // namespace

#define NOVUM_SCATTER(Real)                                                                                                         \
    NOVUM_CLONES static void pack_clone(const Real* X, const std::int64_t* code, const double* w, const double* shift,              \
                                        const std::size_t* row, std::size_t count, std::size_t d, std::size_t panels, double* mass, \
                                        double* first, double* packed) {                                                            \
        pack(X, code, w, shift, row, count, d, panels, mass, first, packed);                                                        \
    }                                                                                                                               \
    template <>                                                                                                                     \
    void class_scatter(const Real* X, std::span<const std::int64_t> code, std::span<const double> weight, const double* shift,      \
                       std::size_t d, std::size_t k, bool pooled, double* mass, double* first, double* second) {                    \
        void (*chunk)(const Real*, const std::int64_t*, const double*, const double*, const std::size_t*, std::size_t, std::size_t, \
                      std::size_t, double*, double*, double*) = pack_clone;                                                         \
        scatter(X, code, weight.empty() ? nullptr : weight.data(), shift, d, k, pooled, mass, first, second, chunk);                \
    }                                                                                                                               \
    NOVUM_CLONES static void fourth_clone(const Real* X, std::span<const std::int64_t> code, const double* w, const double* m,      \
                                          const double* s, std::size_t d, double* fourth) {                                         \
        fourth_powers(X, code, w, m, s, d, fourth);                                                                                 \
    }                                                                                                                               \
    template <>                                                                                                                     \
    void class_fourth(const Real* X, std::span<const std::int64_t> code, std::span<const double> weight, const double* mean,        \
                      const double* scale, std::size_t d, double* fourth) {                                                         \
        fourth_clone(X, code, weight.empty() ? nullptr : weight.data(), mean, scale, d, fourth);                                    \
    }
NOVUM_SCATTER(float)
NOVUM_SCATTER(double)
#undef NOVUM_SCATTER

}  // namespace novum
