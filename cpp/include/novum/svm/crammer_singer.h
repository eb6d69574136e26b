// One problem for all classes (Crammer and Singer 2001), by descent over the rows of its dual (Keerthi et al. 2008).
//
//   minimise  sum_k |w_k|^2 / 2 + sum_i C_i max_m (w_m'x'_i - w_{y_i}'x'_i + [m != y_i])                                      (1)
//   dual: w_m = sum_i b_im x'_i   over   sum_m b_im = 0,  b_im <= C_i [m = y_i]                                               (2)
//
// x' is the row with the constant at its end. A step solves (2) for the variables of one row: with A = |x'_i|^2 and
// B_m = w_m'x'_i + [m != y_i] - A b_im,
//
//   b_im = min(C_i [m = y_i], (beta - B_m) / A),   beta such that they add up to zero                                         (3)
//
// Rows whose variables rest are passed over until all of them do.
#pragma once
#include <cstddef>
#include <cstdint>

namespace novum::svm {

struct CrammerSinger {
    const std::int64_t* label;  // (n) class of every row
    const double* price;        // (n) C_i; a row with 0 is left out
    std::size_t classes;
    double tol;  // of the largest violation of the slopes
    std::int64_t epochs;
    std::uint64_t seed;
};

struct CrammerSingerOutcome {
    std::int64_t epochs;
    double violation;
    bool converged;
};

/// Dense rows, n of p numbers; `w` (classes, p + 1, that of the constant last) starts at zero. O(n p classes) an epoch.
template <class Real>
CrammerSingerOutcome crammer_singer_dense(const Real* x, std::size_t n, std::size_t p, double constant, const CrammerSinger& problem,
                                          double* w);

/// The same of compressed rows. O(nonzeros classes) an epoch.
template <class Real, class Index>
CrammerSingerOutcome crammer_singer_sparse(const Real* values, const Index* columns, const Index* starts, std::size_t n, std::size_t p,
                                           double constant, const CrammerSinger& problem, double* w);

}  // namespace novum::svm
