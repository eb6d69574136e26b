// Coordinate descent on the dual of linear machines with a squared norm as penalty (Hsieh et al. 2008; Ho and Lin 2012).
//
//   minimise over lower_i <= b_i <= upper_i   |w|^2 / 2 + sum_i r_i b_i^2 / 2 - t_i b_i + e |b_i|,   w = sum_i b_i x'_i       (1)
//
// x' is the row with the constant at its end. Classification is e = 0, t = y, one bound at zero; r = 0 with a finite bound is the
// absolute loss, r = 1 / (2 C) without one the squared loss. A step solves (1) for one row:
//
//   g = w'x'_i - t_i + r_i b_i,   h = |x'_i|^2 + r_i,   b_i <- the point of its box nearest to  soft(h b_i - g, e) / h        (2)
//
// Rows that rest at a bound, or at zero within the dead zone e, are passed over until the others rest too.
#pragma once
#include <cstddef>
#include <cstdint>

namespace novum::svm {

struct DualTerms {
    const double *target, *lower, *upper, *ridge;
    double epsilon;
};

struct DualLimits {
    double tol;  // of the largest violation of the slopes; of their sum, as a share of the first one, where `relative`
    bool relative;
    std::int64_t epochs;
};

struct DualOutcome {
    std::int64_t epochs;
    double violation;
    bool converged;
};

/// Dense rows, n of p numbers. `b` (n) and `w` (p + 1, that of the constant last) are the start and become the optimum. O(n p) an epoch.
template <class Real>
DualOutcome descend_dense(const Real* x, std::size_t n, std::size_t p, double constant, const DualTerms& terms, const DualLimits& limits,
                          std::uint64_t seed, double* b, double* w);

/// The same of compressed rows. O(nonzeros) an epoch.
template <class Real, class Index>
DualOutcome descend_sparse(const Real* values, const Index* columns, const Index* starts, std::size_t n, std::size_t p, double constant,
                           const DualTerms& terms, const DualLimits& limits, std::uint64_t seed, double* b, double* w);

}  // namespace novum::svm
