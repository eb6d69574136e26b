#include "novum/linear_model/logistic.h"

#include <algorithm>

namespace novum {

namespace {

template <class Real, class Index>
double row_dot(const Real* value, const Index* column, std::size_t count, const double* w) {
    double a = 0, b = 0;
    std::size_t j = 0;
    for (; j + 2 <= count; j += 2) {
        a += static_cast<double>(value[j]) * w[column[j]];
        b += static_cast<double>(value[j + 1]) * w[column[j + 1]];
    }
    if (j < count) a += static_cast<double>(value[j]) * w[column[j]];
    return a + b;
}

constexpr std::size_t FEW = 64;  // rows scored before they are scattered: still in the second-level cache then

// out += sum_i u_i [x_i, constant], where `slope(top, n, score)` turns the scores of n rows into their u.
template <class Real, class Index, class Slope>
void scatter(Csr<Real, Index> X, const double* theta, double constant, double* out, Slope slope) {
    double total = 0, u[FEW];
    auto value = [&](std::size_t i) { return X.data + (X.indptr[i] - X.indptr[0]); };
    auto column = [&](std::size_t i) { return X.indices + (X.indptr[i] - X.indptr[0]); };
    auto count = [&](std::size_t i) { return static_cast<std::size_t>(X.indptr[i + 1] - X.indptr[i]); };
    for (std::size_t top = 0; top < X.rows; top += FEW) {
        const std::size_t n = std::min(FEW, X.rows - top);
        for (std::size_t k = 0; k < n; ++k) u[k] = row_dot(value(top + k), column(top + k), count(top + k), theta) + constant * theta[X.p];
        slope(top, n, u);
        for (std::size_t k = 0; k < n; ++k) {
            const Real* x = value(top + k);
            const Index* at = column(top + k);
            for (std::size_t j = 0, m = count(top + k); j < m; ++j) out[at[j]] += u[k] * static_cast<double>(x[j]);
            total += u[k];
        }
    }
    out[X.p] += constant * total;
}

}  // namespace

template <class Real, class Index>
double binary_pass(Csr<Real, Index> X, Labels labels, const double* theta, double constant, double* gradient, double* curvature) {
    double loss = 0, bend[FEW];
    scatter(X, theta, constant, gradient, [&](std::size_t top, std::size_t n, double* z) {
        const Labels here{labels.code + top, labels.weight ? labels.weight + top : nullptr};
        loss += binary_rows(z, here, n, z, curvature ? curvature + top : bend);
    });
    return loss;
}

template <class Real, class Index>
void binary_product(Csr<Real, Index> X, const double* curvature, const double* v, double constant, double* out) {
    double total = 0;
    for (std::size_t i = 0; i < X.rows; ++i) {
        if (curvature[i] == 0) continue;  // squared hinges bend on one side only
        const std::size_t from = static_cast<std::size_t>(X.indptr[i] - X.indptr[0]),
                          count = static_cast<std::size_t>(X.indptr[i + 1] - X.indptr[i]);
        const Real* x = X.data + from;
        const Index* at = X.indices + from;
        const double u = curvature[i] * (row_dot(x, at, count, v) + constant * v[X.p]);
        for (std::size_t j = 0; j < count; ++j) out[at[j]] += u * static_cast<double>(x[j]);
        total += u;
    }
    out[X.p] += constant * total;
}

template <class Real, class Index>
void csr_squares(Csr<Real, Index> X, const double* weight, double* out) {
    for (std::size_t i = 0; i < X.rows; ++i) {
        const double w = weight ? weight[i] : 1.0;
        for (Index j = X.indptr[i] - X.indptr[0]; j < X.indptr[i + 1] - X.indptr[0]; ++j) {
            const double x = static_cast<double>(X.data[j]);
            out[X.indices[j]] += w * x * x;
        }
    }
}

#define NOVUM_SPARSE(Real, Index)                                                                   \
    template double binary_pass(Csr<Real, Index>, Labels, const double*, double, double*, double*); \
    template void binary_product(Csr<Real, Index>, const double*, const double*, double, double*);  \
    template void csr_squares(Csr<Real, Index>, const double*, double*);
NOVUM_SPARSE(float, std::int32_t)
NOVUM_SPARSE(float, std::int64_t)
NOVUM_SPARSE(double, std::int32_t)
NOVUM_SPARSE(double, std::int64_t)
#undef NOVUM_SPARSE

}  // namespace novum
