#include "novum/svm/dual_descent.h"
#include "novum/products/whole_rows.h"
#include "novum/runtime/interrupt.h"
#include "novum/svm/linear_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace novum::svm {

namespace {

constexpr std::size_t LOOK_EVERY = 256;  // rows between two looks for Ctrl-C
constexpr double STILL = 1e-12;          // slope that moves nothing
constexpr double LEAST_BEND = 1e-300;    // below it a row is zero, and one over it no number

NOVUM_INLINE double soft(double u, double e) { return std::max(u - e, 0.0) + std::min(u + e, 0.0); }

/// What a step reads of a row beside its cells, in one cache line.
struct alignas(64) Terms {
    double target, lower, upper, ridge, bend, inverse, b;
};

/// Dense rows whose weights fill whole vectors.
template <class Real, int BYTES>
struct Whole : WholeRows<Real, double, BYTES> {
    using WholeRows<Real, double, BYTES>::WholeRows;
    NOVUM_INLINE void add(std::size_t i, double d, double* w) const { WholeRows<Real, double, BYTES>::add(i, w, d); }
    NOVUM_INLINE void fetch(std::size_t) const {}
};

template <class X>
NOVUM_INLINE DualOutcome descend(const X& x, std::size_t n, std::size_t p, double constant, const DualTerms& terms,
                                 const DualLimits& limits, std::uint64_t seed, double* b, double* weights) {
    std::vector<double> padded(X::padded(p));
    std::copy(weights, weights + p, padded.begin());
    double *const w = padded.data(), of_constant = weights[p];
    std::vector<Terms> rows(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double bend = x.square(i) + constant * constant + terms.ridge[i];
        rows[i] = {terms.target[i], terms.lower[i], terms.upper[i], terms.ridge[i], bend, bend > LEAST_BEND ? 1 / bend : 0.0, b[i]};
    }
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::size_t active = n;
    double last = HUGE_VAL, first = -1;
    std::uint64_t state = seed;
    interrupt::Poller<LOOK_EVERY> poller;
    DualOutcome out{0, HUGE_VAL, false};
    while (out.epochs < limits.epochs) {
        shuffle(order.data(), active, state);
        double largest = 0, total = 0;
        for (std::size_t k = 0; k < active;) {
            poller.tick();
            const std::size_t i = order[k];
            if (k + 2 < active) x.fetch(order[k + 2]);
            Terms& row = rows[i];
            const double e = terms.epsilon, g = x.product(i, w) + (constant * of_constant - row.target + row.ridge * row.b);
            // How far the slopes to both sides, g - e below zero and g + e above, are from zero where b may move; which of it holds is
            // different from row to row, so that branches would be guessed wrong half of the time.
            const double rise = static_cast<double>(row.b < row.upper) * -(g + (row.b >= 0 ? e : -e));
            const double fall = static_cast<double>(row.b > row.lower) * (g - (row.b > 0 ? -e : e));
            const double off = std::max({rise, fall, 0.0});
            largest = std::max(largest, off);
            total += off;
            if (off <= STILL || row.inverse == 0) {
                const bool low = row.b <= row.lower, high = row.b >= row.upper;
                const bool rests =
                    off == 0 && ((low && g - e > last) || (high && g + e < -last) || (row.b == 0 && e > 0 && std::abs(g) < e - last));
                if (rests)
                    std::swap(order[k], order[--active]);
                else
                    ++k;
                continue;
            }
            ++k;
            const double to = std::min(std::max(soft(row.bend * row.b - g, e) * row.inverse, row.lower), row.upper), d = to - row.b;
            if (d == 0) continue;
            row.b = to;
            x.add(i, d, w);
            of_constant += d * constant;
        }
        ++out.epochs;
        if (first < 0) first = total;
        out.violation = limits.relative ? (first > 0 ? total / first : 0.0) : largest;
        if (out.violation <= limits.tol) {
            if (active == n) {
                out.converged = true;
                break;
            }
            active = n;  // look at everybody once more
            last = HUGE_VAL;
            continue;
        }
        last = largest;
    }
    for (std::size_t i = 0; i < n; ++i) b[i] = rows[i].b;
    std::copy(w, w + p, weights);
    weights[p] = of_constant;
    return out;
}

template <class Real>
struct OnWhole {
    template <int BYTES>
    static NOVUM_INLINE DualOutcome run(const Real* x, std::size_t n, std::size_t p, double constant, const DualTerms& terms,
                                        const DualLimits& limits, std::uint64_t seed, double* b, double* w) {
        return descend(Whole<Real, BYTES>(x, n, p), n, p, constant, terms, limits, seed, b, w);
    }
};

}  // namespace

template <class Real>
DualOutcome descend_dense(const Real* x, std::size_t n, std::size_t p, double constant, const DualTerms& terms, const DualLimits& limits,
                          std::uint64_t seed, double* b, double* w) {
    return widest<OnWhole<Real>>(x, n, p, constant, terms, limits, seed, b, w);
}

template <class Real, class Index>
DualOutcome descend_sparse(const Real* values, const Index* columns, const Index* starts, std::size_t n, std::size_t p, double constant,
                           const DualTerms& terms, const DualLimits& limits, std::uint64_t seed, double* b, double* w) {
    return descend(SparseRows<Real, Index>{values, columns, starts}, n, p, constant, terms, limits, seed, b, w);
}

#define NOVUM_DENSE(Real)                                                                                                                 \
    template DualOutcome descend_dense(const Real*, std::size_t, std::size_t, double, const DualTerms&, const DualLimits&, std::uint64_t, \
                                       double*, double*);
#define NOVUM_SPARSE(Real, Index)                                                                                                    \
    template DualOutcome descend_sparse(const Real*, const Index*, const Index*, std::size_t, std::size_t, double, const DualTerms&, \
                                        const DualLimits&, std::uint64_t, double*, double*);
NOVUM_DENSE(float)
NOVUM_DENSE(double)
NOVUM_SPARSE(float, std::int32_t)
NOVUM_SPARSE(float, std::int64_t)
NOVUM_SPARSE(double, std::int32_t)
NOVUM_SPARSE(double, std::int64_t)

}  // namespace novum::svm
