#include "novum/classes/counts.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "novum/runtime/simd.h"

namespace novum {

namespace {

std::size_t at(std::int64_t code) { return static_cast<std::size_t>(code); }

template <bool BINARY, class Real>
NOVUM_INLINE double dense_counts(const Real* X, std::span<const std::int64_t> code, std::span<const double> weight, std::size_t d,
                                 double threshold, double* mass, double* count) {
    Real least = 0;
    for (std::size_t i = 0; i < code.size(); ++i) {
        const double w = weight.empty() ? 1.0 : weight[i];
        const Real* x = X + i * d;
        double* sum = count + at(code[i]) * d;
        mass[at(code[i])] += w;
        if constexpr (BINARY) {
            for (std::size_t j = 0; j < d; ++j) sum[j] += static_cast<double>(x[j]) > threshold ? w : 0.0;
        } else {
            Real low = 0;
            for (std::size_t j = 0; j < d; ++j) {
                sum[j] += w * static_cast<double>(x[j]);
                low = x[j] < low ? x[j] : low;
            }
            least = std::min(least, low);
        }
    }
    return static_cast<double>(least);
}

// The place of a cell among the categories of its column: -1 where it is missing, -2 where there is no such category.
template <class Real>
NOVUM_INLINE std::int64_t place(Real x, std::int64_t low, std::int64_t high) {
    if (std::isnan(x)) return -1;
    if (!(x >= 0) || static_cast<double>(x) >= static_cast<double>(high - low)) return -2;
    return low + static_cast<std::int64_t>(x);
}

}  // namespace

template <class Real>
std::int64_t category_counts(const Real* X, std::span<const std::int64_t> code, std::span<const double> weight, std::size_t d,
                             std::size_t k, const std::int64_t* offset, double* mass, double* count) {
    for (std::size_t i = 0; i < code.size(); ++i) {
        const double w = weight.empty() ? 1.0 : weight[i];
        const std::size_t c = at(code[i]);
        mass[c] += w;
        for (std::size_t j = 0; j < d; ++j) {
            const std::int64_t p = place(X[i * d + j], offset[j], offset[j + 1]);
            if (p == -2) return static_cast<std::int64_t>(j);
            if (p >= 0) count[at(p) * k + c] += w;
        }
    }
    return -1;
}

template <class Real>
std::int64_t category_scores(const Real* X, std::size_t rows, std::size_t d, std::size_t k, const std::int64_t* offset, const double* table,
                             const double* constant, Real* out) {
    std::vector<double> sum(k);
    for (std::size_t i = 0; i < rows; ++i) {
        std::copy(constant, constant + k, sum.begin());
        for (std::size_t j = 0; j < d; ++j) {
            const std::int64_t p = place(X[i * d + j], offset[j], offset[j + 1]);
            if (p == -2) return static_cast<std::int64_t>(j);
            if (p < 0) continue;
            const double* row = table + at(p) * k;
            for (std::size_t c = 0; c < k; ++c) sum[c] += row[c];
        }
        for (std::size_t c = 0; c < k; ++c) out[i * k + c] = static_cast<Real>(sum[c]);
    }
    return -1;
}

#define NOVUM_COUNTS(Real)                                                                                                                 \
    NOVUM_CLONES static double plain_clone(const Real* X, std::span<const std::int64_t> code, std::span<const double> w, std::size_t d,    \
                                           double* mass, double* count) {                                                                  \
        return dense_counts<false>(X, code, w, d, 0.0, mass, count);                                                                       \
    }                                                                                                                                      \
    NOVUM_CLONES static double binary_clone(const Real* X, std::span<const std::int64_t> code, std::span<const double> w, std::size_t d,   \
                                            double threshold, double* mass, double* count) {                                               \
        return dense_counts<true>(X, code, w, d, threshold, mass, count);                                                                  \
    }                                                                                                                                      \
    template <>                                                                                                                            \
    double class_counts(const Real* X, std::span<const std::int64_t> code, std::span<const double> weight, std::size_t d, Cell cell,       \
                        double* mass, double* count) {                                                                                     \
        return cell.binary ? binary_clone(X, code, weight, d, cell.threshold, mass, count) : plain_clone(X, code, weight, d, mass, count); \
    }                                                                                                                                      \
    template std::int64_t category_counts(const Real*, std::span<const std::int64_t>, std::span<const double>, std::size_t, std::size_t,   \
                                          const std::int64_t*, double*, double*);                                                          \
    template std::int64_t category_scores(const Real*, std::size_t, std::size_t, std::size_t, const std::int64_t*, const double*,          \
                                          const double*, Real*);
NOVUM_COUNTS(float)
NOVUM_COUNTS(double)
#undef NOVUM_COUNTS

}  // namespace novum
