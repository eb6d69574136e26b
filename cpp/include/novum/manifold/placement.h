// New points among fixed ones, each where its own stress is least.
//
//   f(z) = sum_j (|z - p_j| - D_j)^2,   u_j = (z - p_j) / d_j,   r_j = D_j / d_j,   d_j = |z - p_j|                          (1)
//   Guttman:  t(z) = mean p + 1/n sum_j r_j (z - p_j),   grad f = 2 n (z - t)                                              (2)
//   Newton:   z <- z - M^-1 (z - t),   M = (1 - mean r) I + 1/n sum_j r_j u_j u_j',   2 n M the Hessian of f                (3)
//
// (2) never raises f and leads to a minimum, at a rate that may be slow; (3) ends the way in a few steps where M is positive definite
// and f falls, else (2) goes on.
#pragma once
#include <cstddef>

namespace novum {

/// Where to stop: steps, and the least move of a coordinate that counts.
struct Patience {
    std::size_t steps;
    double least;
};

/// Move the rows of z (rows, q) from where they are to minima of (1); D (rows, n), P (q, n) by coordinate. O(rows n q^2 steps).
void place(const double* D, const double* P, std::size_t rows, std::size_t n, std::size_t q, Patience patience, double* z);

}  // namespace novum
