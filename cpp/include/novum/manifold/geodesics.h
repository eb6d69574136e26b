// Shortest paths in a graph with lengths >= 0: Dijkstra with a four-way heap. O(m (edges + n log n)) for m sources.
#pragma once
#include <cstddef>
#include <cstdint>

namespace novum {

/// Write the length of the shortest path from every source to every node, infinity where there is none; edges begin[i]..begin[i+1] leave i.
template <class Real>
void shortest_paths(const std::int64_t* begin, const std::int32_t* to, const double* length, std::size_t n, const std::int64_t* source,
                    std::size_t sources, Real* out);

}  // namespace novum
