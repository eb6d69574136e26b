// Weakest links of a tree, formulas (1) and (2) of novum/engines/trees/pruning.py. O(nodes depth log nodes) by a heap.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace novum::tree {

struct Links {
    std::vector<std::int64_t> node;
    std::vector<double> alpha, impurity;  // one more than nodes: before the first cut
};

/// `parent` of every node (-1 for node 0, else an earlier node) and the cost of every node as a leaf.
Links weakest_links(std::span<const std::int64_t> parent, std::span<const double> cost);

}  // namespace novum::tree
