#include "novum/moments/design.h"

#include <cmath>

#include "novum/runtime/simd.h"

namespace novum {

namespace {

constexpr std::size_t LANES = 8;  // partial sums of a dot product: one AVX-512 register of doubles

template <class Real>
NOVUM_INLINE void shift_row(const Real* x, const double* shift, double scale, std::size_t n, double* out) {
    for (std::size_t j = 0; j < n; ++j) out[j] = scale * (static_cast<double>(x[j]) - shift[j]);
}

template <class Real, class Target>
NOVUM_INLINE void design_rows(const Real* X, const Target* y, const double* weight, const double* shift, std::size_t rows, std::size_t p,
                              std::size_t q, double* out) {
    for (std::size_t i = 0; i < rows; ++i, out += p + q + 1) {
        const double scale = weight ? std::sqrt(weight[i]) : 1.0;
        shift_row(X + i * p, shift, scale, p, out);
        shift_row(y + i * q, shift + p, scale, q, out + p);
        out[p + q] = scale;
    }
}

template <class Real>
NOVUM_INLINE double shifted_dot(const Real* x, const double* shift, const double* b, std::size_t p) {
    double lane[LANES] = {};
    std::size_t j = 0;
    for (; j + LANES <= p; j += LANES)
        for (std::size_t l = 0; l < LANES; ++l) lane[l] += (static_cast<double>(x[j + l]) - shift[j + l]) * b[j + l];
    double total = 0;
    for (; j < p; ++j) total += (static_cast<double>(x[j]) - shift[j]) * b[j];
    for (double v : lane) total += v;
    return total;
}

template <class Real, class Target>
NOVUM_INLINE void residual_rows(const Real* X, const Target* y, const double* shift, const double* coef, std::size_t rows, std::size_t p,
                                std::size_t q, double* residual) {
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t k = 0; k < q; ++k)
            residual[i * q + k] = (static_cast<double>(y[i * q + k]) - shift[p + k]) - shifted_dot(X + i * p, shift, coef + k * p, p);
}

template <class Real>
NOVUM_INLINE void correlate_rows(const Real* X, const double* residual, const double* shift, std::size_t rows, std::size_t p, std::size_t q,
                                 double* out) {
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t k = 0; k < q; ++k) {
            const double r = residual[i * q + k];
            const Real* x = X + i * p;
            double* g = out + k * p;
            for (std::size_t j = 0; j < p; ++j) g[j] += r * (static_cast<double>(x[j]) - shift[j]);
        }
}

}  // namespace

#define NOVUM_DESIGN(Real, Target)                                                                                                        \
    NOVUM_CLONES static void design_clone(const Real* X, const Target* y, const double* w, const double* s, std::size_t n, std::size_t p, \
                                          std::size_t q, double* out) {                                                                   \
        design_rows(X, y, w, s, n, p, q, out);                                                                                            \
    }                                                                                                                                     \
    NOVUM_CLONES static void residual_clone(const Real* X, const Target* y, const double* s, const double* b, std::size_t n,              \
                                            std::size_t p, std::size_t q, double* out) {                                                  \
        residual_rows(X, y, s, b, n, p, q, out);                                                                                          \
    }                                                                                                                                     \
    template <>                                                                                                                           \
    void shifted_design(const Real* X, const Target* y, std::span<const double> weight, std::span<const double> shift, std::size_t rows,  \
                        std::size_t p, std::size_t q, double* out) {                                                                      \
        design_clone(X, y, weight.empty() ? nullptr : weight.data(), shift.data(), rows, p, q, out);                                      \
    }                                                                                                                                     \
    template <>                                                                                                                           \
    void residuals(const Real* X, const Target* y, std::span<const double> shift, std::span<const double> coef, std::size_t rows,         \
                   std::size_t p, std::size_t q, double* residual) {                                                                      \
        residual_clone(X, y, shift.data(), coef.data(), rows, p, q, residual);                                                            \
    }
NOVUM_DESIGN(float, float)
NOVUM_DESIGN(float, double)
NOVUM_DESIGN(double, float)
NOVUM_DESIGN(double, double)
#undef NOVUM_DESIGN

#define NOVUM_CORRELATE(Real)                                                                                                              \
    NOVUM_CLONES static void correlate_clone(const Real* X, const double* r, const double* s, std::size_t n, std::size_t p, std::size_t q, \
                                             double* out) {                                                                                \
        correlate_rows(X, r, s, n, p, q, out);                                                                                             \
    }                                                                                                                                      \
    template <>                                                                                                                            \
    void correlate(const Real* X, const double* residual, std::span<const double> shift, std::size_t rows, std::size_t p, std::size_t q,   \
                   double* out) {                                                                                                          \
        correlate_clone(X, residual, shift.data(), rows, p, q, out);                                                                       \
    }
NOVUM_CORRELATE(float)
NOVUM_CORRELATE(double)
#undef NOVUM_CORRELATE

}  // namespace novum
