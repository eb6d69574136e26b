// The tree of single linkage without small clusters: where rows fall out of a cluster, and where a cluster truly splits. O(n).
//
// A merge whose two sides both hold `least` rows or more is a split of their cluster; a smaller side falls out of it, row by row, at the
// density lambda = 1 / height of the merge.                                                                                       (1)
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace novum::cluster {

/// Clusters in the order in which they split off; number 0 holds all rows and has no parent.
struct Condensed {
    std::vector<std::int64_t> parent, size;
    std::vector<double> birth;  // the density at which it split off
};

/// (1) from children (n - 1, 2), height (n - 1,) and size (n - 1,) of a tree of merges, lower heights first. row_cluster and row_death
/// (n,): the cluster a row falls out of, and at which density.
Condensed condense(const std::int64_t* children, const double* height, const std::int64_t* size, std::size_t n, std::int64_t least,
                   std::int64_t* row_cluster, double* row_death);

}  // namespace novum::cluster
