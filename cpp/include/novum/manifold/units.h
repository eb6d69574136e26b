// Self-organising maps: the two units nearest to every row, and steps that move units towards rows.
//
//   nearest u = argmin_u |x - w_u|^2, of equal ones the first; the second nearest likewise among the others                   (1)
//   w_v <- w_v + eta_t exp(-g(u, v) / (2 sigma_t^2)) (x - w_v),   g the squared distance of units on the lattice              (2)
//   eta_t = eta / (1 + 2 t / T),   sigma_t = sigma / (1 + 2 t / T)                                                             (3)
#pragma once
#include <cstddef>
#include <cstdint>

namespace novum {

/// (1) for n rows against m units: numbers and squared distances, (n, 2) each; a map of one unit is its own second. O(n m p).
template <class Real>
void nearest_units(const Real* X, std::size_t n, std::size_t p, const double* units, std::size_t m, std::int32_t* number, double* distance);

/// (2) and (3) for the rows in `order`, one after the other, from step `first` of `total`. O(steps m p).
template <class Real>
void online_steps(const Real* X, std::size_t p, const std::int64_t* order, std::size_t steps, double* units, std::size_t m,
                  const double* lattice, double eta, double sigma, std::size_t first, std::size_t total);

}  // namespace novum
