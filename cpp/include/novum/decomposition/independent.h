// Sums that learners of independent components need of a block of rows, in one pass over it.
//
//   y = B (x - m),   products += w psi(y) y',   slopes += w psi'(y),   curvature += w psi'(y_i) y_j^2,   values += w G(y)          (1)
//
// psi = G'. O(n k (p + 2 k)).
#pragma once
#include <cstddef>

namespace novum {

enum class Contrast { logcosh = 0, exponential = 1, cube = 2, laplace = 3, student = 4 };

struct IndependentSums {
    double* products;   // (k, k)
    double* slopes;     // (k)
    double* curvature;  // (k, k), or null
    double* values;     // (k), or null
};

/// Add (1) for n rows of p columns; `parameter` is alpha of log cosh(alpha y) / alpha, or Student's degrees of freedom; weight may be null.
template <class Real>
void independent_sums(const Real* X, const double* weight, std::size_t n, std::size_t p, const double* mean, const double* B, std::size_t k,
                      Contrast contrast, double parameter, const IndependentSums& sums);

}  // namespace novum
