// Rows times a narrow matrix: what projections and linear predictions cost. BLAS is at home with square matrices; here the matrix
// stays in the first-level cache and every row is read once.
#pragma once
#include <cstddef>
#include <cstdint>

namespace novum {

/// out (n, k) = x (n, p) m (p, k) + offset (k,), sums in Real in the order of the columns of x. O(n p k).
template <class Real>
void narrow_product(const Real* x, std::size_t n, std::size_t p, const Real* m, std::size_t k, const Real* offset, Real* out);

/// label[i] = the column of the largest value of row i of x m + offset, the first of equals; with `threshold` (or null) cells of x count
/// as one if they exceed it and else as zero. The values are those of `narrow_product` and are not kept. Returns whether all are
/// finite; labels mean nothing where not. O(n p k).
template <class Real>
bool narrow_best(const Real* x, std::size_t n, std::size_t p, const Real* m, std::size_t k, const Real* offset, const double* threshold,
                 std::int64_t* label);

}  // namespace novum
