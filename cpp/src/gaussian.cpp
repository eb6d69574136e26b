#include "novum/gaussian.h"

#include "novum/simd.h"

namespace novum {

namespace {

constexpr std::size_t LANES = 16;   // partial sums along the features
constexpr std::size_t CLASSES = 4;  // classes that share one load of a row

template <class Real>
NOVUM_INLINE void moments(const Real* X, const std::int64_t* code, std::size_t rows, const double* weight, const double* shift,
                          std::size_t d, double* mass, double* first, double* second) {
    for (std::size_t i = 0; i < rows; ++i) {
        const auto c = static_cast<std::size_t>(code[i]);
        const double w = weight ? weight[i] : 1.0;
        const Real* x = X + i * d;
        const double* s = shift + c * d;
        double *f = first + c * d, *g = second + c * d;
        mass[c] += w;
        for (std::size_t j = 0; j < d; ++j) {
            const double t = static_cast<double>(x[j]) - s[j], wt = w * t;
            f[j] += wt;
            g[j] += wt * t;
        }
    }
}

template <std::size_t K, class Real>
NOVUM_INLINE void distances(const Real* x, const Real* mean, const Real* precision, std::size_t d, Real* out) {
    Real lane[K][LANES] = {};
    Real rest[K] = {};
    std::size_t j = 0;
    for (; j + LANES <= d; j += LANES)
        for (std::size_t c = 0; c < K; ++c)
            for (std::size_t l = 0; l < LANES; ++l) {
                const Real t = x[j + l] - mean[c * d + j + l];
                lane[c][l] += t * t * precision[c * d + j + l];
            }
    for (; j < d; ++j)
        for (std::size_t c = 0; c < K; ++c) {
            const Real t = x[j] - mean[c * d + j];
            rest[c] += t * t * precision[c * d + j];
        }
    for (std::size_t c = 0; c < K; ++c) {
        Real total = rest[c];
        for (Real v : lane[c]) total += v;
        out[c] = total;
    }
}

template <class Real>
NOVUM_INLINE void log_density(const Real* X, std::size_t rows, std::size_t d, std::size_t k, const Real* mean,
                              const Real* precision, const double* constant, Real* out) {
    for (std::size_t i = 0; i < rows; ++i, out += k) {
        const Real* x = X + i * d;
        std::size_t c = 0;
        Real squared[CLASSES];
        for (; c + CLASSES <= k; c += CLASSES) {
            distances<CLASSES>(x, mean + c * d, precision + c * d, d, squared);
            for (std::size_t l = 0; l < CLASSES; ++l) out[c + l] = static_cast<Real>(constant[c + l] - 0.5 * static_cast<double>(squared[l]));
        }
        for (; c < k; ++c) {
            distances<1>(x, mean + c * d, precision + c * d, d, squared);
            out[c] = static_cast<Real>(constant[c] - 0.5 * static_cast<double>(squared[0]));
        }
    }
}

}  // namespace

#define NOVUM_GAUSSIAN(Real)                                                                                                 \
    NOVUM_CLONES static void moments_clone(const Real* X, const std::int64_t* code, std::size_t n, const double* w,          \
                                           const double* s, std::size_t d, double* mass, double* first, double* second) {    \
        moments(X, code, n, w, s, d, mass, first, second);                                                                   \
    }                                                                                                                        \
    NOVUM_CLONES static void density_clone(const Real* X, std::size_t n, std::size_t d, std::size_t k, const Real* mean,     \
                                           const Real* precision, const double* constant, Real* out) {                       \
        log_density(X, n, d, k, mean, precision, constant, out);                                                             \
    }                                                                                                                        \
    template <>                                                                                                              \
    void class_moments(const Real* X, std::span<const std::int64_t> code, std::span<const double> weight, const double* shift, \
                       std::size_t d, std::size_t, double* mass, double* first, double* second) {                            \
        moments_clone(X, code.data(), code.size(), weight.empty() ? nullptr : weight.data(), shift, d, mass, first, second); \
    }                                                                                                                        \
    template <>                                                                                                              \
    void diagonal_log_density(const Real* X, std::size_t rows, std::size_t d, std::size_t k, const Real* mean,               \
                              const Real* precision, const double* constant, Real* out) {                                    \
        density_clone(X, rows, d, k, mean, precision, constant, out);                                                        \
    }
NOVUM_GAUSSIAN(float)
NOVUM_GAUSSIAN(double)
#undef NOVUM_GAUSSIAN

}  // namespace novum
