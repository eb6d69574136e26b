#include "novum/svm/crammer_singer.h"
#include "novum/runtime/interrupt.h"
#include "novum/svm/linear_rows.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

namespace novum::svm {

namespace {

constexpr std::size_t LOOK_EVERY = 64;  // rows between two looks for Ctrl-C
constexpr double STILL = 1e-12;         // change that moves nothing

/// Solve (3) for one row: `B` are its terms, `y` its class; returns the variables in `b`.
void settle(const double* B, std::size_t k, std::size_t y, double A, double C, std::vector<double>& D, double* b) {
    for (std::size_t m = 0; m < k; ++m) D[m] = B[m] + (m == y ? A * C : 0.0);
    std::sort(D.begin(), D.end(), std::greater<>());
    // those of the r largest terms are below their bounds; beta falls as long as the next one would be below it as well
    double beta = D[0] - A * C;
    std::size_t r = 1;
    for (; r < k && beta < static_cast<double>(r) * D[r]; ++r) beta += D[r];
    beta /= static_cast<double>(r);
    for (std::size_t m = 0; m < k; ++m) b[m] = std::min(m == y ? C : 0.0, (beta - B[m]) / A);
}

template <class X>
CrammerSingerOutcome descend(const X& x, std::size_t n, std::size_t p, double constant, const CrammerSinger& problem, double* w) {
    const std::size_t k = problem.classes, stride = p + 1;
    std::vector<double> square(n), b(n * k, 0.0), slope(k), B(k), D(k), to(k);
    std::vector<std::uint32_t> order;
    for (std::size_t i = 0; i < n; ++i) {
        square[i] = x.square(i) + constant * constant;
        if (problem.price[i] > 0 && square[i] > 0) order.push_back(static_cast<std::uint32_t>(i));
    }
    std::size_t active = order.size();
    double loose = std::max(1.0, 10 * problem.tol);  // rows that violate less are passed over
    std::uint64_t state = problem.seed;
    interrupt::Poller<LOOK_EVERY> poller;
    CrammerSingerOutcome out{0, 0, order.empty()};
    while (!out.converged && out.epochs < problem.epochs) {
        shuffle(order.data(), active, state);
        const bool all = active == order.size();
        double largest = 0;
        for (std::size_t s = 0; s < active;) {
            poller.tick();
            const std::size_t i = order[s], y = static_cast<std::size_t>(problem.label[i]);
            if (s + 2 < active) x.fetch(order[s + 2]);
            double* own = b.data() + i * k;
            double high = -HUGE_VAL, low = HUGE_VAL;
            for (std::size_t m = 0; m < k; ++m) {
                slope[m] = x.product(i, w + m * stride) + constant * w[m * stride + p] + (m == y ? 0.0 : 1.0);
                high = std::max(high, slope[m]);
                if (own[m] < (m == y ? problem.price[i] : 0.0)) low = std::min(low, slope[m]);
            }
            const double off = high - low;  // all variables at their bounds leave nothing to move: -inf
            largest = std::max(largest, off);
            if (off < 0.1 * loose) {
                std::swap(order[s], order[--active]);
                continue;
            }
            ++s;
            if (off <= STILL) continue;
            for (std::size_t m = 0; m < k; ++m) B[m] = slope[m] - square[i] * own[m];
            settle(B.data(), k, y, square[i], problem.price[i], D, to.data());
            for (std::size_t m = 0; m < k; ++m) {
                const double d = to[m] - own[m];
                if (std::abs(d) <= STILL * problem.price[i]) continue;
                own[m] = to[m];
                x.add(i, d, w + m * stride);
                w[m * stride + p] += d * constant;
            }
        }
        ++out.epochs;
        out.violation = largest;
        if (largest >= loose) continue;
        if (all && loose <= problem.tol) {
            out.converged = true;
        } else {
            active = order.size();  // look at everybody once more, more closely
            loose = std::max(problem.tol, loose / 2);
        }
    }
    return out;
}

}  // namespace

template <class Real>
CrammerSingerOutcome crammer_singer_dense(const Real* x, std::size_t n, std::size_t p, double constant, const CrammerSinger& problem,
                                          double* w) {
    return descend(DenseRows<Real>{x, p}, n, p, constant, problem, w);
}

template <class Real, class Index>
CrammerSingerOutcome crammer_singer_sparse(const Real* values, const Index* columns, const Index* starts, std::size_t n, std::size_t p,
                                           double constant, const CrammerSinger& problem, double* w) {
    return descend(SparseRows<Real, Index>{values, columns, starts}, n, p, constant, problem, w);
}

#define NOVUM_DENSE(Real) \
    template CrammerSingerOutcome crammer_singer_dense(const Real*, std::size_t, std::size_t, double, const CrammerSinger&, double*);
#define NOVUM_SPARSE(Real, Index)                                                                                                  \
    template CrammerSingerOutcome crammer_singer_sparse(const Real*, const Index*, const Index*, std::size_t, std::size_t, double, \
                                                        const CrammerSinger&, double*);
NOVUM_DENSE(float)
NOVUM_DENSE(double)
NOVUM_SPARSE(float, std::int32_t)
NOVUM_SPARSE(float, std::int64_t)
NOVUM_SPARSE(double, std::int32_t)
NOVUM_SPARSE(double, std::int64_t)

}  // namespace novum::svm
