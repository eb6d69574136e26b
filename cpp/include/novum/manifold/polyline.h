// Projection of points on a polygonal line: the nearest point of any of its segments, of equal ones the first. O(n m p).
#pragma once
#include <cstddef>

namespace novum {

/// Write where on the line each of n rows is projected, `arc` (m) being the place of its m corners, and the squared distance to it.
template <class Real>
void project_on_line(const Real* X, std::size_t n, std::size_t p, const double* corners, const double* arc, std::size_t m, double* place,
                     double* distance);

}  // namespace novum
