// One pass of logistic regression over a block of rows. docs/theory/logistic_regression.md, eq. (2) to (6).
//
// Rows are [x, constant]; theta has p + 1 entries per class, the last for the constant. y holds codes 0..K-1, weights may be absent.
#pragma once
#include <cstddef>
#include <cstdint>

namespace novum {

struct Labels {
    const std::int64_t* code;
    const double* weight;  // null for ones
};

/// Two classes, dense rows: returns the loss (2), adds the gradient (3) to `gradient` (p + 1), and, where not null, writes the Hessian
/// (4) to `hessian` ((p + 1)^2, both triangles) and w s (1 - s) of every row to `curvature`. O(rows p), with the Hessian O(rows p^2 / 2).
template <class Real>
double binary_pass(const Real* X, Labels labels, const double* theta, double constant, std::size_t rows, std::size_t p, double* gradient,
                   double* hessian, double* curvature);

/// Adds the product of the Hessian and v to `out` (p + 1), from the curvature of every row: one read of the rows. O(rows p).
template <class Real>
void binary_product(const Real* X, const double* curvature, const double* v, double constant, std::size_t rows, std::size_t p, double* out);

/// A block of CSR rows; `indptr` has rows + 1 entries and may begin anywhere.
template <class Real, class Index>
struct Csr {
    const Real* data;
    const Index* indices;
    const Index* indptr;
    std::size_t rows, p;
};

/// As binary_pass, for sparse rows and without the Hessian. O(nonzeros).
template <class Real, class Index>
double binary_pass(Csr<Real, Index> X, Labels labels, const double* theta, double constant, double* gradient, double* curvature);

/// As binary_product, for sparse rows; those without curvature are not read.
template <class Real, class Index>
void binary_product(Csr<Real, Index> X, const double* curvature, const double* v, double constant, double* out);

/// Adds sum w x_j^2 over the rows to `out` (p): the diagonal of the products of sparse columns. O(nonzeros).
template <class Real, class Index>
void csr_squares(Csr<Real, Index> X, const double* weight, double* out);

/// Several classes: turns scores (rows, K) into w (P - Y) in place, writes P to `probability` where not null; returns the loss (5).
double softmax_pass(double* score, Labels labels, std::size_t rows, std::size_t k, double* probability);

/// Turns products S = [x, c] V' (rows, K) into w (P o S - P (P . S)) in place: the inner part of the Hessian's product, eq. (6).
void softmax_product(double* product, const double* probability, const double* weight, std::size_t rows, std::size_t k);

/// Two classes: loss, residual w (s - t) and curvature of rows whose scores are given, for solvers that keep the scores themselves.
double binary_rows(const double* score, Labels labels, std::size_t rows, double* residual, double* curvature);

}  // namespace novum
