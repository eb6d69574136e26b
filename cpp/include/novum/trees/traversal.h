// Values of many trees for many rows. Nodes are packed into 16 bytes, children side by side, and a leaf leads to itself, so eight rows walk
// down a tree together without a branch that the processor would guess wrong. O(rows trees depth).
#pragma once
#include <cstddef>
#include <cstdint>

namespace novum::traversal {

/// feature | flags; a row goes to left + (x > threshold), where the flags say what NaN does and whether x is a category.
struct Node {
    double threshold;  // in a leaf +infinity; at a categorical node the number of its set of categories
    std::uint32_t feature;
    std::uint32_t left;
};
static_assert(sizeof(Node) == 16);

inline constexpr std::uint32_t MISSING_LEFT = 1u << 31, CATEGORICAL = 1u << 30, FEATURE_MASK = CATEGORICAL - 1;

/// Trees one after another: tree t begins at node root[t] and adds to output t mod outputs.
struct Trees {
    const Node* nodes;
    const double* value;        // of every node
    const std::uint32_t* sets;  // 8 words for each set of categories that go left
    const std::int64_t* root;
    std::size_t trees, outputs;
    bool categorical;  // whether any node is
};

/// out[i * outputs + k] += values of the trees of output k for row-major rows x, in the order of the trees.
template <class Real>
void add_values(const Trees& trees, const Real* x, std::size_t rows, std::size_t d, double* out);

/// out[i * width + k] += value[leaf * width + k] of every tree, in their order: leaves that hold several numbers each.
template <class Real>
void add_rows(const Trees& trees, std::size_t width, const Real* x, std::size_t rows, std::size_t d, double* out);

/// out[i * trees + t] = the leaf of row i in tree t, counted from the tree's root.
template <class Real>
void leaves(const Trees& trees, const Real* x, std::size_t rows, std::size_t d, std::int64_t* out);

/// Whether every child lies within its tree's nodes and every feature below d: what a walk relies on.
bool sound(const Trees& trees, std::size_t nodes, std::size_t sets, std::size_t d);

}  // namespace novum::traversal
