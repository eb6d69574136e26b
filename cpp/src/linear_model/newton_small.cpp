#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "novum/linear_model/newton.h"
#include "novum/runtime/interrupt.h"
#include "novum/runtime/simd.h"

namespace novum {

namespace {

constexpr double SUFFICIENT = 1e-4;                                      // of the fall that the slope promises
constexpr double ROUNDING = 1e-14;                                       // relative fall that is not to be distinguished from none
constexpr double DEFINITE = 4 * std::numeric_limits<double>::epsilon();  // share of a diagonal entry that elimination must leave
constexpr int HALVINGS = 40;

// The solution of A x = b for a positive definite A (m^2, of which the lower triangle is read and overwritten), in place of b; false where
// A is not definite beyond rounding.
NOVUM_CLONES bool solve(double* A, double* b, std::size_t m) {
    for (std::size_t j = 0; j < m; ++j) {
        double* row = A + j * m;
        for (std::size_t k = 0; k < j; ++k) {  // row j of the factor, and of the forward substitution
            const double* other = A + k * m;
            double sum = row[k];
            for (std::size_t l = 0; l < k; ++l) sum -= row[l] * other[l];
            row[k] = sum / other[k];
        }
        const double least = DEFINITE * static_cast<double>(m) * row[j];
        double square = row[j], right = b[j];
        for (std::size_t l = 0; l < j; ++l) {
            square -= row[l] * row[l];
            right -= row[l] * b[l];
        }
        if (!(square > least)) return false;
        row[j] = std::sqrt(square);
        b[j] = right / row[j];
    }
    for (std::size_t j = m; j-- > 0;) {
        b[j] /= A[j * m + j];
        for (std::size_t l = 0; l < j; ++l) b[l] -= A[j * m + l] * b[j];
    }
    return true;
}

double largest(const std::vector<double>& values) {
    double out = 0;
    for (double v : values) out = std::max(out, std::fabs(v));
    return out;
}

struct Point {
    std::vector<double> theta, gradient, hessian;
    double objective = 0;
};

}  // namespace

template <class Real>
LineMinimum line_newton(const Real* X, LineTarget target, LineModel model, std::size_t rows, std::size_t p, double mass,
                        const double* penalty, const LineLimits& limits, double* theta) {
    const std::size_t m = p + 1;
    const auto evaluate = [&](Point& at) {
        interrupt::poll();
        model.theta = at.theta.data();
        at.objective = line_pass(X, target, model, rows, p, at.gradient.data(), at.hessian.data()) / mass;
        for (std::size_t j = 0; j < m; ++j) {
            at.objective += 0.5 * penalty[j] * at.theta[j] * at.theta[j];
            at.gradient[j] = at.gradient[j] / mass + penalty[j] * at.theta[j];
        }
        for (double& v : at.hessian) v /= mass;
        for (std::size_t j = 0; j < m; ++j) at.hessian[j * m + j] += penalty[j];
    };
    Point now{std::vector<double>(theta, theta + m), std::vector<double>(m), std::vector<double>(m * m)}, then = now;
    std::vector<double> step(m);
    evaluate(now);
    const double enough = std::max(limits.tol, limits.share * largest(now.gradient));
    LineMinimum out{now.objective, 0, false, std::isfinite(now.objective)};
    while (out.sound && out.n_iter < limits.most && !(largest(now.gradient) <= enough)) {
        std::transform(now.gradient.begin(), now.gradient.end(), step.begin(), std::negate<>());
        if (!solve(now.hessian.data(), step.data(), m)) {
            out.sound = false;
            break;
        }
        double slope = 0, length = 1;
        for (std::size_t j = 0; j < m; ++j) slope += step[j] * now.gradient[j];
        bool found = false;
        for (int k = 0; k < HALVINGS && !found; ++k, length /= 2) {
            for (std::size_t j = 0; j < m; ++j) then.theta[j] = now.theta[j] + length * step[j];
            evaluate(then);
            found = then.objective <= now.objective + SUFFICIENT * length * slope;
            if (!found && -length * slope <= ROUNDING * std::max(std::fabs(now.objective), 1.0)) {  // only the slopes can tell
                found = largest(then.gradient) < largest(now.gradient);
                break;
            }
        }
        if (!found) {  // no step lowers the objective: this is the minimum, to rounding
            out.converged = true;
            break;
        }
        std::swap(now, then);
        ++out.n_iter;
    }
    out.converged = out.converged || largest(now.gradient) <= enough;
    out.objective = now.objective;
    std::copy(now.theta.begin(), now.theta.end(), theta);
    return out;
}

template LineMinimum line_newton(const float*, LineTarget, LineModel, std::size_t, std::size_t, double, const double*, const LineLimits&,
                                 double*);
template LineMinimum line_newton(const double*, LineTarget, LineModel, std::size_t, std::size_t, double, const double*, const LineLimits&,
                                 double*);

}  // namespace novum
