// Gaussian mixtures on a block of rows: responsibilities and the weighted moments they make, in one pass. docs/theory/mixtures.md.
//
//   l[n,k] = constant[k] - 1/2 |U_k' (x[n] - mean[k])|^2                                                                      (2)
//   total[n] = log sum_k exp l[n,k],   r[n,k] = exp(l[n,k] - total[n])                                                        (3)
//   mass[k] = sum w r,   first[k] = sum w r (x - mean[k]),   second[k] = sum w r (x - mean[k]) (x - mean[k])'                 (4)
//
// Everything is in double whatever the rows are. A tile of rows stays in cache from (2) to (4).
#pragma once
#include <cstddef>
#include <cstdint>

namespace novum::mixture {

enum class Kind { full = 0, tied = 1, diagonal = 2 };

struct Gaussians {
    Kind kind;
    std::size_t k, d;
    const double* mean;      // (k, d)
    const double* factor;    // upper triangular U, U U' the precision: full (k, d, d), tied (d, d); diagonal (k, d): its square root
    const double* constant;  // (k,)
    const double* center;    // (d,): tied rows are whitened about it
};

template <class Real>
struct Rows {
    const Real* x;  // (n, d)
    std::size_t n;
    const double* weight;  // (n,), or null for ones; a row of weight zero is not looked at
};

struct Sums {
    double* mass;               // (k,)
    double* first;              // (k, d)
    double* second;             // full (k, d, d); diagonal (k, d): its diagonal; tied: not written
    double log_likelihood = 0;  // sum w total
    double information = 0;     // sum w r log r
};

/// Adds (4) of all rows, with responsibilities by (3). O(n k d^2), diagonal O(n k d).
template <class Real>
void statistics(Rows<Real> rows, const Gaussians& gaussians, Sums& sums);

/// Adds (4) with given responsibilities (n, k), about `shift` (k, d).
template <class Real>
void moments(Rows<Real> rows, Kind kind, std::size_t k, std::size_t d, const double* shift, const double* responsibility, Sums& sums);

/// Writes what is not null of: l (n, k), r (n, k), total (n,), argmax_k l (n,).
template <class Real>
struct Answers {
    Real *joint, *posterior, *total;
    std::int64_t* label;
};
template <class Real>
void evaluate(Rows<Real> rows, const Gaussians& gaussians, Answers<Real> answers);

}  // namespace novum::mixture
