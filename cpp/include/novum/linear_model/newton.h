// One pass of Newton's method over a block of rows for losses of a line: value, gradient and Hessian from one read of the rows.
// Formulas: src/novum/linear_model/newton/losses, sums: src/novum/linear_model/newton/objective.py, eq. (1) and (2).
#pragma once
#include <cstddef>

namespace novum {

/// Losses l(y, eta, s) by the linear predictor eta = b'x + a. Log link: poisson, gamma, tweedie (of any other power but zero).
enum class LineLoss { squares, poisson, gamma, tweedie, huber };

struct LineTarget {
    const double* y;
    const double* weight;  // null for ones; rows of weight zero are left out
    double middle, unit;   // the loss sees (y - middle) / unit
};

struct LineModel {
    LineLoss loss;
    double parameter;                                                                          // the power of tweedie, epsilon of huber
    const double* theta;                                                                       // [b, a], with huber [b, a, s]
    std::size_t length(std::size_t p) const { return p + (loss == LineLoss::huber ? 2 : 1); }  // of theta
};

/// Returns the sum of the losses and writes, where not null, the sums of gradients (m) and Hessians (m^2, both triangles) by theta, m its
/// length. O(rows p), with the Hessian O(rows p^2 / 2).
template <class Real>
double line_pass(const Real* X, LineTarget target, LineModel model, std::size_t rows, std::size_t p, double* gradient, double* hessian);

}  // namespace novum
