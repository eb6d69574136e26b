// k-means one row at a time: the nearest center moves towards the row.
//
//   c_j <- c_j + step (x - c_j),   j the nearest center, the first of equals                                                         (1)
//   step = 2 rate w                      the gradient of w |x - c_j|^2 for a fixed rate, or                                          (2)
//   step = w / (mass_j + w)              the mean of all rows that j has won, mass_j their weight, which grows by w                  (3)
#pragma once
#include <cstddef>
#include <cstdint>

namespace novum::kmeans {

/// (1) for the rows of x (n, d) in their order, by (2) where rate > 0, else by (3). Return the sum of w |x - c_j|^2 before every move.
template <class Real>
double online(const Real* x, const double* weight, std::size_t n, std::size_t d, double rate, double* centers, std::size_t k, double* mass,
              std::int32_t* label);

}  // namespace novum::kmeans
