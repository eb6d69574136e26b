// Sums of distances between a row and the rows of every cluster: what a silhouette is made of. O(n d) for a row, memory O(n d).
#pragma once
#include <cstddef>
#include <cstdint>

namespace novum::cluster {

/// Rows (n, d) lie cluster by cluster, cluster c at begin[c] to begin[c + 1]. Write sum (to - from, k): the sums of the distances |.|_p, or
/// of their squares, from rows [from, to).
template <class Real>
void cluster_sums(const Real* rows, std::size_t n, std::size_t d, double p, bool squared, const std::int64_t* begin, std::size_t k,
                  std::size_t from, std::size_t to, double* sum);

}  // namespace novum::cluster
