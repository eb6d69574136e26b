// Agglomeration along the edges of a graph: only clusters that an edge links may merge. A heap of edges; O(m log m) merges of lists.
#pragma once
#include <cstddef>
#include <cstdint>

#include "novum/cluster/hierarchy.h"

namespace novum::cluster {

struct Edge {
    std::int64_t a, b;
    double weight;
};

/// Merge clusters of n rows along `m` edges until `stop` clusters are left or no edge is. Complete, average (weighted by sizes) and single
/// linkage update the weights of edges that two merged clusters share; Ward computes n_a n_b / (n_a + n_b) |c_a - c_b|^2 from `rows` (n, d)
/// and needs no weights. Children (n - stop, 2) lower number first, height likewise. Return how many merges were made.
std::size_t constrained(Linkage linkage, const Edge* edges, std::size_t m, const double* rows, std::size_t n, std::size_t d,
                        std::size_t stop, std::int64_t* children, double* height);

}  // namespace novum::cluster
