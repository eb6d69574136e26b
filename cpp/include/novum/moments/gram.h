// Products of the columns of a design matrix, formed while its rows are in cache. docs/theory/least_squares.md, eq. (4).
#pragma once
#include <cstddef>
#include <span>

namespace novum {

/// Write D'D to `out` ((p + q + 1)^2, both triangles), D the rows of shifted_design (design.h). O(rows (p + q)^2 / 2).
/// Never stores D: a chunk of its rows is packed into panels of columns, and every pair of panels is multiplied in registers.
template <class Real, class Target>
void shifted_gram(const Real* X, const Target* y, std::span<const double> weight, std::span<const double> shift, std::size_t rows,
                  std::size_t p, std::size_t q, double* out);

/// The same without targets, in single precision within CHUNK rows (panels.h) and in double precision between them.
void single_gram(const float* X, std::span<const double> weight, std::span<const double> shift, std::size_t rows, std::size_t p,
                 double* out);

}  // namespace novum
