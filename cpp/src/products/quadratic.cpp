#include "novum/products/quadratic.h"

#include <algorithm>
#include <cstring>

#include "novum/runtime/simd.h"

namespace novum {

namespace {

constexpr std::size_t W = QUADRATIC_ROWS;
static_assert(W == 16);

using Lanes = double __attribute__((vector_size(8 * sizeof(double))));  // W rows are two of these, kept in registers

// (1) of W rows that stand as columns of c.
NOVUM_CLONES void panel(const Lanes* c, std::size_t p, const double* form, Lanes* out) {
    Lanes total0{}, total1{};
    for (std::size_t k = 0; k < p; ++k) {
        Lanes inner0{}, inner1{};
        const double* row = form + k * p;
        for (std::size_t j = 0; j < k; ++j) {
            inner0 += row[j] * c[2 * j];
            inner1 += row[j] * c[2 * j + 1];
        }
        total0 += c[2 * k] * (row[k] * c[2 * k] + 2.0 * inner0);
        total1 += c[2 * k + 1] * (row[k] * c[2 * k + 1] + 2.0 * inner1);
    }
    out[0] = total0;
    out[1] = total1;
}

}  // namespace

template <class Real>
void quadratic(const Real* x, std::size_t n, std::size_t p, const double* mean, const double* form, double* scratch, double* out) {
    Lanes found[2];
    for (std::size_t start = 0; start < n; start += W) {
        const std::size_t rows = std::min(W, n - start);
        if (rows < W) std::fill(scratch, scratch + p * W, 0.0);
        for (std::size_t l = 0; l < rows; ++l)
            for (std::size_t j = 0; j < p; ++j) scratch[j * W + l] = static_cast<double>(x[(start + l) * p + j]) - mean[j];
        panel(reinterpret_cast<const Lanes*>(scratch), p, form, found);
        std::memcpy(out + start, found, rows * sizeof(double));
    }
}

template void quadratic<float>(const float*, std::size_t, std::size_t, const double*, const double*, double*, double*);
template void quadratic<double>(const double*, std::size_t, std::size_t, const double*, const double*, double*, double*);

}  // namespace novum
