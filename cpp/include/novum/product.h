// Rows times a narrow matrix: what projections and linear predictions cost. BLAS is at home with square matrices; here the matrix
// stays in the first-level cache and every row is read once.
#pragma once
#include <cstddef>

namespace novum {

/// out (n, k) = x (n, p) m (p, k) + offset (k,), sums in Real in the order of the columns of x. O(n p k).
template <class Real>
void narrow_product(const Real* x, std::size_t n, std::size_t p, const Real* m, std::size_t k, const Real* offset, Real* out);

}  // namespace novum
