// Stress of points against given dissimilarities, and the step that lowers it.
//
//   d_ij = |z_i - z_j|,   stress_i = sum_j (d_ij - D_ij)^2,   square_i = sum_j d_ij^2                                       (1)
//   Guttman:  z_i <- 1/n sum_j D_ij / d_ij (z_i - z_j)                                                                     (2)
//   disparities: the non-decreasing sequence nearest to the distances in the order of the dissimilarities                  (3)
#pragma once
#include <cstddef>
#include <cstdint>

namespace novum {

/// (1) and (2) for rows begin to end of n points with q coordinates, Z (q, n) by coordinate; D row-major (n, n). O((end - begin) n q).
void guttman_rows(const double* D, const double* Z, std::size_t n, std::size_t q, std::size_t begin, std::size_t end, double* moved,
                  double* stress, double* square);

/// (3): `first` and `second` name the pairs by rising dissimilarity, `group` the begin of each run of equal ones (groups + 1 entries).
/// Disparities are scaled to a sum of squares `total` over the pairs and written to both triangles of D. O(pairs q).
void disparities(const double* Z, std::size_t n, std::size_t q, const std::int32_t* first, const std::int32_t* second, std::size_t pairs,
                 const std::int64_t* group, std::size_t groups, double total, double* D);

}  // namespace novum
