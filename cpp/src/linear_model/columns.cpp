#include "novum/linear_model/columns.h"

#include <algorithm>

#include "novum/runtime/simd.h"

namespace novum {

namespace {

constexpr std::size_t STRIP = 1024;  // columns of a row-major design taken at once: long reads, and their sums stay near
constexpr std::size_t LANES = 16;
constexpr std::size_t TILE = 64;  // rows gathered at once: a line of every chosen column stays in the second-level cache

template <class Real>
NOVUM_INLINE void moments_by_row(const Strided<Real>& X, const double* weight, std::size_t start, std::size_t count, double* first,
                                 double* second) {
    double shift[STRIP], a[STRIP] = {}, b[STRIP] = {};
    for (std::size_t j = 0; j < count; ++j) shift[j] = static_cast<double>(X.data[start + j]);
    for (std::size_t i = 0; i < X.rows; ++i) {
        const Real* x = X.data + static_cast<std::ptrdiff_t>(i) * X.row + start;
        const double w = weight ? weight[i] : 1.0;
        for (std::size_t j = 0; j < count; ++j) {
            const double v = static_cast<double>(x[j]) - shift[j];
            a[j] += w * v;
            b[j] += w * v * v;
        }
    }
    std::copy_n(a, count, first);
    std::copy_n(b, count, second);
}

template <class Real>
NOVUM_INLINE void moments_by_column(const Real* x, const double* weight, std::size_t rows, double* first, double* second) {
    const double shift = static_cast<double>(x[0]);
    double a[LANES] = {}, b[LANES] = {};
    auto add = [&](std::size_t i, std::size_t lane) NOVUM_LAMBDA {
        const double v = static_cast<double>(x[i]) - shift, w = weight ? weight[i] : 1.0;
        a[lane] += w * v;
        b[lane] += w * v * v;
    };
    std::size_t i = 0;
    for (; i + LANES <= rows; i += LANES)
        for (std::size_t l = 0; l < LANES; ++l) add(i + l, l);
    for (; i < rows; ++i) add(i, 0);
    *first = *second = 0.0;
    for (std::size_t l = 0; l < LANES; ++l) *first += a[l], *second += b[l];
}

template <class Real, std::size_t K>
NOVUM_INLINE void products(const Compressed<Real>& X, const double* R, std::size_t stride, std::size_t start, std::size_t stop,
                           std::size_t p, double* out) {
    for (std::size_t j = start; j < stop; ++j) {
        double sum[K] = {};
        for (std::int64_t e = X.starts[j]; e < X.starts[j + 1]; ++e) {
            const double v = static_cast<double>(X.values[e]);
            const double* r = R + static_cast<std::size_t>(X.rows[e]) * stride;
            for (std::size_t t = 0; t < K; ++t) sum[t] += v * r[t];
        }
        for (std::size_t t = 0; t < K; ++t) out[t * p + j - start] = sum[t];
    }
}

}  // namespace

template <class Real>
void compressed_moments(const Compressed<Real>& X, std::span<const double> weight, std::size_t start, std::size_t stop, double* first,
                        double* second) {
    for (std::size_t j = start; j < stop; ++j) {
        double a = 0.0, b = 0.0;
        for (std::int64_t e = X.starts[j]; e < X.starts[j + 1]; ++e) {
            const double v = static_cast<double>(X.values[e]), w = weight.empty() ? 1.0 : weight[static_cast<std::size_t>(X.rows[e])];
            a += w * v;
            b += w * v * v;
        }
        first[j - start] = a;
        second[j - start] = b;
    }
}

template <class Real>
void compressed_products(const Compressed<Real>& X, const double* R, std::size_t k, std::size_t start, std::size_t stop, std::size_t p,
                         double* out) {
    std::size_t t = 0;
    for (; t + 4 <= k; t += 4) products<Real, 4>(X, R + t, k, start, stop, p, out + t * p);
    for (; t < k; ++t) products<Real, 1>(X, R + t, k, start, stop, p, out + t * p);
}

template void compressed_moments(const Compressed<float>&, std::span<const double>, std::size_t, std::size_t, double*, double*);
template void compressed_moments(const Compressed<double>&, std::span<const double>, std::size_t, std::size_t, double*, double*);
template void compressed_products(const Compressed<float>&, const double*, std::size_t, std::size_t, std::size_t, std::size_t, double*);
template void compressed_products(const Compressed<double>&, const double*, std::size_t, std::size_t, std::size_t, std::size_t, double*);

#define NOVUM_COLUMNS(Real)                                                                                                             \
    NOVUM_CLONES static void by_row(const Strided<Real>& X, const double* w, std::size_t start, std::size_t n, double* a, double* b) {  \
        moments_by_row(X, w, start, n, a, b);                                                                                           \
    }                                                                                                                                   \
    NOVUM_CLONES static void by_column(const Real* x, const double* w, std::size_t n, double* a, double* b) {                           \
        moments_by_column(x, w, n, a, b);                                                                                               \
    }                                                                                                                                   \
    template <>                                                                                                                         \
    void column_moments(const Strided<Real>& X, std::span<const double> weight, std::size_t start, std::size_t stop, double* first,     \
                        double* second) {                                                                                               \
        const double* w = weight.empty() ? nullptr : weight.data();                                                                     \
        if (X.row == 1 && X.column != 1)                                                                                                \
            for (std::size_t j = start; j < stop; ++j)                                                                                  \
                by_column(X.data + static_cast<std::ptrdiff_t>(j) * X.column, w, X.rows, first++, second++);                            \
        else                                                                                                                            \
            for (std::size_t j = start; j < stop; j += STRIP)                                                                           \
                by_row(X, w, j, std::min(STRIP, stop - j), first + (j - start), second + (j - start));                                  \
    }                                                                                                                                   \
    template <>                                                                                                                         \
    void gather_columns(const Strided<Real>& X, std::span<const std::int64_t> chosen, const double* mean, std::span<const double> root, \
                        double* out) {                                                                                                  \
        for (std::size_t top = 0; top < X.rows; top += TILE) {                                                                          \
            const std::size_t end = std::min(X.rows, top + TILE);                                                                       \
            for (std::size_t c = 0; c < chosen.size(); ++c) {                                                                           \
                const Real* x = X.data + chosen[c] * X.column;                                                                          \
                double* to = out + c * X.rows;                                                                                          \
                for (std::size_t i = top; i < end; ++i) {                                                                               \
                    const double v = static_cast<double>(x[static_cast<std::ptrdiff_t>(i) * X.row]) - mean[chosen[c]];                  \
                    to[i] = root.empty() ? v : root[i] * v;                                                                             \
                }                                                                                                                       \
            }                                                                                                                           \
        }                                                                                                                               \
    }
NOVUM_COLUMNS(float)
NOVUM_COLUMNS(double)
#undef NOVUM_COLUMNS

}  // namespace novum
