// Coordinate descent on the dual of L2-penalised logistic regression of two classes. docs/theory/logistic_regression.md, eq. (17) to (19).
//
//   minimise over 0 <= a_i <= c_i   1/2 |w|^2 + sum_i a_i log a_i + (c_i - a_i) log(c_i - a_i),   w = sum_i a_i y_i x'_i,  y_i = -1 or 1
// One row at a time: a_i = c_i s(u), where u solves u + |x'_i|^2 (c_i s(u) - a_i) + y_i w'x'_i = 0 and s is the logistic function.
#pragma once
#include <cstdint>

#include "novum/linear_model/logistic.h"

namespace novum {

/// How the constant column takes part: not at all, as a column like the others, or as an intercept without a penalty, which follows
/// the rows by Newton's steps b <- b + sum_i y_i a_i / sum_i a_i (1 - a_i / c_i), PARTS times an epoch.
enum class Intercept { none, penalised, free };

/// What the dual variables add up to, kept from epoch to epoch; all zero at the start.
struct DualSums {
    double excess;  // sum_i y_i a_i: minus the slope of the loss in an intercept
    double bend;    // sum_i a_i (1 - a_i / c_i): its curvature
};

/// One turn of every row in `order`. `a` holds the dual variables (rows), `w` (p + 1) ends with the coefficient of the constant;
/// c_i = strength times the row's weight. Returns sqrt(sum_i (change of a_i)^2 |x'_i|^2): how far w moved if the rows were orthogonal.
/// Deterministic, serial. O(nonzeros).
template <class Real, class Index>
double dual_epoch(Csr<Real, Index> X, Labels labels, double strength, double constant, Intercept intercept, const std::int64_t* order,
                  DualSums& sums, double* a, double* w);

}  // namespace novum
