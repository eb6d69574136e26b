// Stochastic (sub)gradient descent for linear functions f(x) = w'x + b: one epoch over rows in a given order.
//
//   g_i = c_i L'(f(x_i), y_i)                                slope of the loss, clipped, times the weight of the row      (1)
//   w <- max(0, 1 - eta (1 - rho) alpha) w - eta m sum_B g_i x_i      one step over a batch B; m = 1/|B|, or 1             (2)
//   b <- b - decay eta m sum_B g_i                                                                                         (3)
//   eta = eta0,  or  eta0 / (t0 + t - 1)^power at step t = 1, 2, ...;  passive-aggressive:                                 (4)
//         w <- w + tau y x,  tau = min(eta0, L / |x|^2)  or  L / (|x|^2 + 1 / (2 eta0))                                    (5)
//   L1: u = sum of eta rho alpha over the steps so far is what every weight owes; a row's weights pay the part they still
//       owe, toward zero and never across it (Tsuruoka, Tsujii, Ananiadou 2009)                                            (6)
//   average of w over the steps t >= first                                                                                 (7)
//
// w = s v with a scale s, so (2) costs O(entries of x) even where rows are sparse. (7) the same way: with C = sum of s over the
// steps so far, sum_t w_t = C v + z, where a change of v by delta takes C delta off z.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "novum/runtime/rng.h"

namespace novum::sgd {

enum class Loss { Hinge, Sign, SquaredHinge, Log, ModifiedHuber, Squared, Huber, Insensitive, SquaredInsensitive };
enum class Rate { Constant, Power, Passive1, Passive2 };

/// What stays the same over the epochs.
struct Plan {
    Loss loss;
    double epsilon;  // edge of the hinge, or half the width of the tube
    Rate rate;
    double eta0, power, t0;
    double alpha, rho;  // strength of the penalty and share of its L1 part; alpha = 0: none
    double decay;       // of the steps of the intercept; 0: no intercept
    std::size_t batch;
    bool mean;     // m of (2) is 1/|B|
    double first;  // step at which (7) begins; 0: never
};

template <class Real>
struct State {
    std::span<Real> w;        // (d,)
    std::span<double> total;  // (d,): sum of w over the averaged steps; empty: none
    std::span<Real> paid;     // (d,): what every weight has paid of (6), with its sign; empty: no L1 part
    double intercept, intercept_total, owed, t;
    double updates;  // rows that changed w
};

template <class Real>
struct DenseRows {
    const Real* x;
    std::size_t n, d;
};

template <class Real, class Index>
struct SparseRows {
    const Real* value;
    const Index* column;
    const Index* start;
};

/// One epoch over the rows named by `order`; returns the sum of loss and penalty met on the way. O(entries). `c` may be null.
template <class Real, class Rows>
double epoch(const Rows& rows, const double* y, const double* c, std::span<const std::int64_t> order, const Plan& plan, State<Real>& state);

/// When epochs end: after `most`, after one without an update if `clean`, or when the objective was not below the best by tol for
/// `patience` epochs; an adaptive rate is divided by SLOWER instead, until it is SLOWEST.
struct Stopping {
    std::size_t most;
    double tol;
    bool watched;  // whether tol counts
    std::size_t patience;
    bool clean, adaptive;
};
inline constexpr double SLOWER = 5, SLOWEST = 1e-6;

/// The mean objective and the updates of every epoch; `finite` is false where the last of them ran out of numbers.
struct Course {
    std::vector<double> objective, updates;
    bool finite = true;
};

/// Epochs over the rows named by `chosen`, each in an order of its own where there is a stream (whose iteration is the step at which
/// the epoch begins), until they are to stop.
template <class Real, class Rows>
Course descend(const Rows& rows, const double* y, const double* c, std::span<const std::int64_t> chosen, const rng::Stream* stream,
               Plan plan, const Stopping& stopping, State<Real>& state);

/// The order of an epoch: a uniform permutation (Fisher and Yates), whatever the order of the file. O(n).
void shuffle(const rng::Stream& stream, std::span<std::int64_t> order);

}  // namespace novum::sgd
