// Shortest paths in a graph with lengths >= 0, and products with their squares.
//
// Nodes wait in buckets of distances half a mean edge wide; one whose distance falls again within its bucket follows its edges again, so
// the order costs time and never exactness (label correcting; Dial 1969, Meyer and Sanders 2003). About O(m edges) for m sources.
#pragma once
#include <cstddef>
#include <cstdint>

namespace novum {

/// Write the length of the shortest path from every source to every node, infinity where there is none; edges begin[i]..begin[i+1] leave i.
template <class Real>
void shortest_paths(const std::int64_t* begin, const std::int32_t* to, const double* length, std::size_t n, const std::int64_t* source,
                    std::size_t sources, Real* out);

/// Write sum_j P_ij^2 V_jc for some rows of P (rows, n) and the eight columns of V (n, 8). O(8 rows n).
template <class Real>
void squared_product(const Real* P, const double* V, std::size_t rows, std::size_t n, double* out);

}  // namespace novum
