// Block coordinate descent for several targets that share their columns. docs/theory/penalised_regression.md, eqs. (17) to (19).
//
//     minimise  1/2 |Y - X W|^2 + l1 sum_j |W_j| + l2/2 |W|^2,   W_j the q coefficients of column j            (17)
//     W_j <- max(0, 1 - l1 / |z|) z / (|x_j|^2 + l2),   z = x_j'R + |x_j|^2 W_j                                  (18)
//     gap = primal(W) - dual(theta R),   theta = min(1, l1 / max_j |x_j'R - l2 W_j|)                             (19)
#pragma once
#include <cstddef>
#include <span>

#include "novum/linear_model/descent.h"

namespace novum {

/// Minimise (17) given G = X'X (m x m), C = X'Y (m x q) and yy = |Y|^2. O(m q) per block that moves, O(q) else. `W` (m x q) is the start
/// and the result; `gradient` (m x q) receives C - G W.
Descent descend_blocks(const double* G, std::size_t m, std::size_t q, const double* C, double yy, Penalty penalty, Stopping stopping,
                       double* W, double* gradient);

}  // namespace novum
