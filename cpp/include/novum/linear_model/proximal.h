// Coordinate descent on the quadratic model of a penalised loss. docs/theory/logistic_regression.md, eq. (9).
//
//   minimise over d   g'd + 1/2 d'Hd + sum_j l2_j (w_j d_j + d_j^2 / 2) + sum_j l1_j |w_j + d_j|
// One coordinate at a time: w_j + d_j <- S(w_j + d_j - q_j / h_j, l1_j / h_j), q = the model's slope, h its curvature, S soft thresholding.
#pragma once
#include <cstddef>
#include <cstdint>

namespace novum {

/// The coordinates that may move: m of them.
struct Coordinates {
    const double* slope;  // g + l2 w
    const double* value;  // w
    const double* l1;
    const double* l2;
    double* step;  // d, as it is at the start, brought up to date
    std::size_t count;
};

/// H given (m, m). Sweeps until no coordinate violates its optimality by more than `tol`; returns the sweeps.
int descend_gram(const double* hessian, Coordinates at, double tol, int max_sweeps);

/// H = X' diag(r) X from columns of a CSC matrix; `which[j]` is a column, or p for the constant one. `bent` = r o (X d), kept up to date.
template <class Real, class Index>
int descend_columns(const Real* data, const Index* indices, const Index* indptr, std::size_t rows, std::size_t p, const std::int64_t* which,
                    double constant, const double* curvature, Coordinates at, double* bent, double tol, int max_sweeps);

/// The same from a dense column-major matrix.
template <class Real>
int descend_columns(const Real* X, std::size_t rows, std::size_t p, const std::int64_t* which, double constant, const double* curvature,
                    Coordinates at, double* bent, double tol, int max_sweeps);

}  // namespace novum
