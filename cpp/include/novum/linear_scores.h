// Linear scores of rows for a few classes: a product with a narrow matrix, which BLAS libraries are not made for.
//
//   s[i, c] = bias[c] + sum_j x[i, j] w[j, c]                                                                             (1)
#pragma once
#include <cstddef>

namespace novum {

/// Write (1) of every row. A cell that is not finite makes the scores of its row not finite. O(n d k).
template <class Real>
void linear_scores(const Real* X, std::size_t n, std::size_t d, std::size_t k, const Real* weights, const Real* bias, Real* out);

}  // namespace novum
