// out[i] = (x_i - m)' A (x_i - m) for every row of a block, A symmetric. O(n p^2 / 2), serial; rows side by side in vector registers.
//
//     q = sum_k c_k (A_kk c_k + 2 sum_{j < k} A_kj c_j),   c = x - m                                     (1)
#pragma once
#include <cstddef>

namespace novum {

/// (1) for n rows of p numbers; only the lower triangle of `form` is read. `scratch` has p times QUADRATIC_ROWS places, aligned to 64
/// bytes.
inline constexpr std::size_t QUADRATIC_ROWS = 16;
template <class Real>
void quadratic(const Real* x, std::size_t n, std::size_t p, const double* mean, const double* form, double* scratch, double* out);

}  // namespace novum
