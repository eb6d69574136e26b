#include "novum/moments/diagonal.h"

#include <cstring>

#include "novum/runtime/simd.h"

namespace novum {

namespace {

constexpr std::size_t CLASSES = 4, ROWS = 2;  // a block of accumulators that leaves registers for the operands

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

template <class Real, int BYTES>
struct Vector {
    typedef Real V __attribute__((vector_size(BYTES)));
    static constexpr std::size_t WIDTH = BYTES / sizeof(Real);
    static NOVUM_INLINE V load(const Real* from) {  // through memcpy: the rows of X are aligned to nothing
        V v;
        std::memcpy(&v, from, sizeof v);
        return v;
    }
};

// Squared distances of R rows to K classes, every load of a class shared by the rows and every load of a row by the classes.
template <int BYTES, std::size_t R, std::size_t K, class Real>
NOVUM_INLINE void distances(const Real* x, const Real* mean, const Real* precision, std::size_t d, Real (&out)[R][K]) {
    using S = Vector<Real, BYTES>;
    typename S::V total[R][K] = {};
    std::size_t j = 0;
    for (; j + S::WIDTH <= d; j += S::WIDTH) {
        typename S::V row[R];
#pragma GCC unroll 4
        for (std::size_t r = 0; r < R; ++r) row[r] = S::load(x + r * d + j);
#pragma GCC unroll 4
        for (std::size_t c = 0; c < K; ++c) {
            const typename S::V m = S::load(mean + c * d + j), p = S::load(precision + c * d + j);
#pragma GCC unroll 4
            for (std::size_t r = 0; r < R; ++r) {
                const typename S::V t = row[r] - m;
                total[r][c] += t * t * p;
            }
        }
    }
    for (std::size_t r = 0; r < R; ++r)
        for (std::size_t c = 0; c < K; ++c) {
            Real sum = 0;
            for (std::size_t l = 0; l < S::WIDTH; ++l) sum += total[r][c][l];
            for (std::size_t i = j; i < d; ++i) {
                const Real t = x[r * d + i] - mean[c * d + i];
                sum += t * t * precision[c * d + i];
            }
            out[r][c] = sum;
        }
}

template <class Real>
struct LogDensity {
    template <int BYTES, std::size_t R>
    static NOVUM_INLINE void rows(const Real* x, std::size_t d, std::size_t k, const Real* mean, const Real* precision,
                                  const double* constant, Real* out) {
        std::size_t c = 0;
        for (; c + CLASSES <= k; c += CLASSES) {
            Real squared[R][CLASSES];
            distances<BYTES>(x, mean + c * d, precision + c * d, d, squared);
            for (std::size_t r = 0; r < R; ++r)
                for (std::size_t l = 0; l < CLASSES; ++l) out[r * k + c + l] = value(constant[c + l], squared[r][l]);
        }
        for (; c < k; ++c) {
            Real squared[R][1];
            distances<BYTES>(x, mean + c * d, precision + c * d, d, squared);
            for (std::size_t r = 0; r < R; ++r) out[r * k + c] = value(constant[c], squared[r][0]);
        }
    }
    static NOVUM_INLINE Real value(double constant, Real squared) {
        return static_cast<Real>(constant - 0.5 * static_cast<double>(squared));
    }
    template <int BYTES>
    static NOVUM_INLINE int run(const Real* X, std::size_t n, std::size_t d, std::size_t k, const Real* mean, const Real* precision,
                                const double* constant, Real* out) {
        std::size_t i = 0;
        for (; i + ROWS <= n; i += ROWS) rows<BYTES, ROWS>(X + i * d, d, k, mean, precision, constant, out + i * k);
        for (; i < n; ++i) rows<BYTES, 1>(X + i * d, d, k, mean, precision, constant, out + i * k);
        return 0;
    }
};

}  // namespace

#define NOVUM_GAUSSIAN(Real)                                                                                                          \
    NOVUM_CLONES static void moments_clone(const Real* X, const std::int64_t* code, std::size_t n, const double* w, const double* s,  \
                                           std::size_t d, double* mass, double* first, double* second) {                              \
        moments(X, code, n, w, s, d, mass, first, second);                                                                            \
    }                                                                                                                                 \
    template <>                                                                                                                       \
    void class_moments(const Real* X, std::span<const std::int64_t> code, std::span<const double> weight, const double* shift,        \
                       std::size_t d, std::size_t, double* mass, double* first, double* second) {                                     \
        moments_clone(X, code.data(), code.size(), weight.empty() ? nullptr : weight.data(), shift, d, mass, first, second);          \
    }                                                                                                                                 \
    template <>                                                                                                                       \
    void diagonal_log_density(const Real* X, std::size_t rows, std::size_t d, std::size_t k, const Real* mean, const Real* precision, \
                              const double* constant, Real* out) {                                                                    \
        widest<LogDensity<Real>>(X, rows, d, k, mean, precision, constant, out);                                                      \
    }
NOVUM_GAUSSIAN(float)
NOVUM_GAUSSIAN(double)
#undef NOVUM_GAUSSIAN

}  // namespace novum
