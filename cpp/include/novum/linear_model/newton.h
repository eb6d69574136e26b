// One pass of Newton's method over a block of rows for losses of a line: value, gradient and Hessian from one read of the rows.
// Formulas: src/novum/linear_model/newton/losses, sums: src/novum/linear_model/newton/objective.py, eq. (1) and (2).
#pragma once
#include <cstddef>

namespace novum {

/// Losses l(y, eta, s) by the linear predictor eta = b'x + a. Log link: poisson, gamma, tweedie (of any other power but zero).
/// squared_hinge: max(0, 1 - y eta)^2 with y of -1 and +1; squared_insensitive: max(0, |y - eta| - epsilon)^2.
enum class LineLoss { squares, poisson, gamma, tweedie, huber, squared_hinge, squared_insensitive };

struct LineTarget {
    const double* y;
    const double* weight;  // null for ones; rows of weight zero are left out
    double middle, unit;   // the loss sees (y - middle) / unit
};

struct LineModel {
    LineLoss loss;
    double parameter;     // the power of tweedie, epsilon of huber and of squared_insensitive
    const double* theta;  // [b, a], with huber [b, a, s]
    double constant = 1;  // what stands in the column of a
    std::size_t length(std::size_t p) const { return p + (loss == LineLoss::huber ? 2 : 1); }  // of theta
};

/// Returns the sum of the losses and writes, where not null, the sums of gradients (m) and Hessians (m^2, both triangles) by theta, m its
/// length. O(rows p), with the Hessian O(rows p^2 / 2).
template <class Real>
double line_pass(const Real* X, LineTarget target, LineModel model, std::size_t rows, std::size_t p, double* gradient, double* hessian);

struct LineMinimum {
    double objective;
    std::size_t n_iter;
    bool converged;
    bool sound;  // false where the objective is not finite, or its Hessian not definite
};

/// When to stop: slopes of at most `tol`, or of at most `share` of the first ones, or so many steps.
struct LineLimits {
    double tol, share;
    std::size_t most;
};

/// Minimise the sum of losses / mass + sum_j penalty_j theta_j^2 / 2 by Newton's method with halved steps, from and to `theta` (p + 1), on
/// one thread: for tables so small that a pass is shorter than a call.
template <class Real>
LineMinimum line_newton(const Real* X, LineTarget target, LineModel model, std::size_t rows, std::size_t p, double mass,
                        const double* penalty, const LineLimits& limits, double* theta);

}  // namespace novum
