#include "novum/runtime/tiles.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "novum/runtime/simd.h"

namespace novum {

namespace {

constexpr std::size_t ROWS_AT_A_TIME = 16;  // one or two cache lines of a column
constexpr std::size_t LANES = 16;           // independent partial sums: hides the latency of an add

// The sum of x * 0: zero when every x is finite, NaN otherwise. It cannot overflow, so no second look is needed.
template <class Real>
NOVUM_INLINE Real sum_of_zeros(const Real* x, std::size_t n) {
    Real lane[LANES] = {};
    std::size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (std::size_t l = 0; l < LANES; ++l) lane[l] += x[i + l] * Real(0);
    Real total = 0;
    for (; i < n; ++i) total += x[i] * Real(0);
    for (Real v : lane) total += v;
    return total;
}

NOVUM_CLONES float sum_of_zeros_f32(const float* x, std::size_t n) { return sum_of_zeros(x, n); }
NOVUM_CLONES double sum_of_zeros_f64(const double* x, std::size_t n) { return sum_of_zeros(x, n); }

NOVUM_CLONES double squares_f64(const double* x, std::size_t n) {
    double lane[LANES] = {};
    std::size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (std::size_t l = 0; l < LANES; ++l) lane[l] += x[i + l] * x[i + l];
    double total = 0;
    for (; i < n; ++i) total += x[i] * x[i];
    for (double v : lane) total += v;
    return total;
}

}  // namespace

double sum_of_squares(std::span<const double> values) { return squares_f64(values.data(), values.size()); }

template <class From, class To>
void pack_columns(std::span<const From* const> columns, std::span<const std::ptrdiff_t> strides, std::size_t rows, To* out) {
    const std::size_t d = columns.size();
    for (std::size_t top = 0; top < rows; top += ROWS_AT_A_TIME) {
        const std::size_t bottom = std::min(rows, top + ROWS_AT_A_TIME);
        for (std::size_t j = 0; j < d; ++j) {
            const From* column = columns[j];
            const std::ptrdiff_t stride = strides[j];
            for (std::size_t i = top; i < bottom; ++i) out[i * d + j] = static_cast<To>(column[static_cast<std::ptrdiff_t>(i) * stride]);
        }
    }
}

template <>
bool all_finite(std::span<const float> values) {
    return sum_of_zeros_f32(values.data(), values.size()) == 0.0f;
}
template <>
bool all_finite(std::span<const double> values) {
    return sum_of_zeros_f64(values.data(), values.size()) == 0.0;
}

#define NOVUM_PACK(From, To) \
    template void pack_columns<From, To>(std::span<const From* const>, std::span<const std::ptrdiff_t>, std::size_t, To*);
NOVUM_PACK(float, float)
NOVUM_PACK(double, double)
#undef NOVUM_PACK

}  // namespace novum
