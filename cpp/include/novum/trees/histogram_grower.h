// Best-first growth of one tree over codes in memory: the leaf whose best split gains most is split next, until enough leaves are there.
//
// Rows of a node lie together, with their gradients; a split moves them apart in order. Only the smaller child's histogram is made, the
// other is the parent's less that (histograms.h). Threads share rows and columns of several leaves at a time: of the one that is split
// next, and, where its rows are too few for all threads, of those that will most likely follow. What is made ahead waits until its leaf
// is the best, so the tree is the same; sums are whole numbers, so it does not depend on the threads. O(n d) for a level,
// O(leaves d bins) for the searches.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "novum/runtime/team.h"
#include "novum/trees/histogram_splits.h"
#include "novum/trees/histograms.h"

namespace novum::grower {

/// One node as Python sees it (a structured array of the same layout).
struct Record {
    double value;      // what a row of a leaf is given, times the learning rate
    double threshold;  // filled in from the bin edges
    double gain;
    std::int32_t feature;  // -1 in a leaf
    std::uint32_t left, right, count, depth, bitset;
    std::uint8_t is_leaf, missing_left, categorical, bin;
    std::uint32_t reserved;
};
static_assert(sizeof(Record) == 56);

struct Bitset {
    std::uint32_t words[8];
};

/// What the grower knows of the columns; arrays of d.
struct Columns {
    std::size_t d, width;
    std::uint8_t missing;
    std::vector<std::int32_t> bins;
    std::vector<std::uint8_t> has_missing, categorical;
    std::vector<std::int8_t> monotone;
    std::vector<std::vector<std::uint32_t>> together;  // sets of columns that may follow each other on a path; empty: all
};

struct Settings {
    double l2, least_curvature, learning_rate, feature_share;
    std::uint32_t least_rows;
    std::uint32_t most_leaves;  // 0: no limit
    std::uint32_t most_depth;   // 0: no limit
    std::uint64_t seed;
};

/// Return the columns that the node of `key` (node_key.h) of tree `tree` may be split by, given those its path allows: a share of them at
/// random.
std::vector<std::uint32_t> drawn_columns(const std::vector<std::uint32_t>& allowed, double share, std::uint64_t seed, std::uint32_t tree,
                                         std::uint64_t key);

/// Return the leaf of the row with code word words[group * stride + row], which is below node `at`. Nodes must be a sound tree: children
/// after their parents.
inline std::uint32_t leaf_of(const Record* nodes, const Bitset* sets, const std::uint32_t* words, std::size_t stride, std::size_t row,
                             std::uint8_t missing, std::uint32_t at = 0) {
    while (!nodes[at].is_leaf) {
        const Record& node = nodes[at];
        const auto feature = static_cast<std::size_t>(node.feature);
        const auto code = static_cast<std::uint8_t>(words[feature / bins::GROUP * stride + row] >> (8 * (feature % bins::GROUP)));
        bool left = code <= node.bin;
        if (code == missing)
            left = node.missing_left;
        else if (node.categorical)
            left = (sets[node.bitset].words[code / 32] >> (code % 32)) & 1;
        at = left ? node.left : node.right;
    }
    return at;
}

class Grower {
  public:
    /// `words`: bins::encode's output, n words per group of columns; it must outlive the object.
    Grower(const std::uint32_t* words, std::size_t n, Columns columns, Settings settings, Team& team);

    ~Grower();
    Grower(const Grower&) = delete;
    Grower& operator=(const Grower&) = delete;

    /// Grow a tree on the pairs of all rows, which are moved about. Returns the number of nodes.
    std::size_t grow(histograms::Pair* pairs, double gradient_unit, double curvature_unit, std::uint32_t tree);

    const std::vector<Record>& nodes() const { return records; }
    const std::vector<Bitset>& bitsets() const { return sets; }

    /// raw[i] += value of the leaf of row i.
    void add_values(double* raw);

    /// Replace the value of every leaf by learning_rate times the `level` quantile of target - raw over its rows (weighted if weight is not
    /// null): the middle of the interval where every point of one is as good.
    void refit_quantiles(const double* target, const double* raw, const double* weight, double level);

  private:
    struct Children;

    struct Node {
        std::size_t begin = 0, end = 0;
        int side = 0;
        bool whole = false;  // the root: its rows are in their own order
        std::uint32_t number = 0;
        std::uint32_t depth = 0;
        std::uint64_t key = 0;
        splits::Node sums;
        splits::Split best;
        std::byte* histogram = nullptr;
        std::vector<std::uint32_t> sets;        // indices into columns.together that the path leaves open
        std::vector<std::uint32_t> candidates;  // columns to look at
        std::unique_ptr<Children> children;     // made ahead; theirs once the node is split
        std::size_t rows() const { return end - begin; }
    };

    struct Children {
        Node left, right;
    };

    /// A histogram to be made: that of `built`, to be taken from that of `rest` if there is one, and the best splits of those that may be
    /// split.
    struct Examination {
        Node *built, *rest;
        bool look_built, look_rest;
        std::size_t cuts = 1;              // runs of rows that are added up apart
        std::size_t first = 0;             // of its parts
        std::vector<splits::Split> found;  // for built, for rest, column after column
    };

    void root(histograms::Pair* pairs);
    void part_sums(Node& node);
    void attach(std::uint32_t number);
    // histogram_rounds.cpp
    void expand(std::span<Node* const> nodes, bool last);
    void partition(std::span<Node* const> nodes);
    void examine(std::vector<Examination>& all);
    void build(const Node& node, std::size_t group, std::size_t begin, std::size_t end, int worker, std::byte* out);
    void look(const Node& node, std::size_t first, std::size_t last, splits::Split* found) const;
    void finish(Examination& one, std::size_t first, std::size_t last);
    bool may_split(const Node& node) const;
    void follow(const Node& parent, Node& child, std::int32_t feature) const;
    std::vector<std::uint32_t> candidates(const Node& node) const;
    std::byte* take_buffer();

    const std::uint32_t* words;
    std::size_t n, groups;
    Columns columns;
    Settings settings;
    Team& team;
    splits::Rules rules{};
    std::uint32_t tree = 0;
    std::vector<std::uint32_t> order[2];  // rows of the nodes, in turns from one to the other
    std::vector<histograms::Pair> spare;
    histograms::Pair* pair_side[2] = {nullptr, nullptr};
    std::vector<std::uint8_t> goes;  // of every place: whether its row goes left
    std::vector<std::unique_ptr<std::byte[]>> buffers;
    std::vector<std::byte*> free_buffers;
    std::vector<std::byte> scratch, parts;
    std::vector<Node> tree_nodes;
    std::vector<Record> records;
    std::vector<Bitset> sets;
};

}  // namespace novum::grower
