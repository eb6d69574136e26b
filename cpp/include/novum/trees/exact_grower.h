// The exact grower: a binary tree by the best cut of every column at every node.
//
//     node      rows start:end of `rows`, and the same places in every sorted column                                 (10)
//     split     rows with x <= threshold, or with a category of a set, go left; missing ones to the side of larger gain (11)
//     accept    W_t/W (I - W_L/W_t I_L - W_R/W_t I_R) >= min_decrease                                                 (12)
// Columns that were sorted once stay sorted: a split divides each of them stably, O(m) per column and node. Where few
// columns are tried at a node, its rows are sorted by rank afresh, O(m) per tried column (radix) or O(m log m) if m is small.
// Draws are Philox numbers of (seed, node, column), so threads and the order of growing change nothing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <vector>

#include "novum/trees/columns.h"
#include "novum/trees/criteria.h"

namespace novum::tree {

struct Settings {
    bool random = false;           // one drawn threshold per column in place of the best
    std::size_t max_features = 0;  // columns tried at a node; more where all of them are constant there
    std::size_t min_split = 2, min_leaf = 1, max_depth = 0, max_leaves = 0;  // max_leaves 0: none, and depth first
    double min_weight_leaf = 0, min_decrease = 0;
    std::uint64_t seed = 0;
    std::vector<std::int8_t> monotone;  // per column, or empty
};

/// Where a node lies, while it is grown.
struct Place {
    std::size_t start = 0, end = 0;
    std::size_t depth = 0;
    std::uint64_t key = 0;  // of the node's draws: a hash of the path to it
    Summary summary;
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

/// What is kept of a node. A full tree has twice as many nodes as rows, so no more than the result needs.
struct Node {
    double threshold = -2, impurity = 0, weight = 0;
    std::int32_t left = -1, right = -1, part = -1;  // children here; or the part that holds this subtree
    std::int32_t feature = -2;
    std::uint32_t rows = 0, words = 0;  // `n_words` words from `words` on: the set of categories that go left
    std::uint16_t n_words = 0;
    bool missing_left = false;
};

/// A piece of a tree.
struct Part {
    std::deque<Node> nodes;     // grows without moving what it has
    std::deque<double> sums;    // (nodes, sums)
    std::deque<double> bounds;  // (nodes, 2) of monotone trees
    std::vector<std::uint32_t> words;
};

/// What one column offers a node.
struct Found {
    Cut cut;
    std::size_t feature = 0;
    bool constant = true;
    double threshold = 0;
    bool missing_left = false;
    std::vector<std::uint32_t> words;
};

/// A node to be split, with the columns that are not constant in it.
struct Pending {
    std::size_t node = 0;
    Place place;
    std::vector<double> sums;  // of the node
    std::vector<std::uint32_t> active;
    Found found;             // once it was searched
    std::size_t middle = 0;  // where its right child begins
    Summary left, right;
    std::vector<double> left_sums, right_sums;
    double improvement = 0;
};

/// The finished tree, node by node, parents before children.
struct Grown {
    std::vector<std::int64_t> left, right, feature, samples, word_begin;
    std::vector<double> threshold, impurity, weight, value;
    std::vector<std::uint8_t> missing_left;
    std::vector<std::uint32_t> words;
};

class Grower {
  public:
    /// `consume` takes the sorted columns for itself, so that they are held once.
    Grower(Columns& columns, Target target, Settings settings, bool consume);

    /// Grow the whole tree on this thread.
    void run();

    // The same on several threads: large nodes column by column, then subtrees.
    bool next_large(std::size_t limit);                   ///< begin the next node with more rows than `limit`; false when none is left
    void search(std::size_t part, std::size_t parts);     ///< look at a share of its columns
    bool divide();                                        ///< choose and divide its rows; false if it stays a leaf
    void partition(std::size_t part, std::size_t parts);  ///< divide a share of its columns
    std::size_t subtrees() const { return later.size(); }
    void finish(std::size_t index);  ///< grow one subtree, largest first

    /// The finished tree; what growing needed is given back first.
    Grown grown();
    std::size_t row_count() const { return rows.size(); }
    std::size_t column_count() const { return columns.columns(); }

  private:
    bool stops(const Place& place) const;
    void keep(Part& part, const Place& place, const std::vector<double>& sums) const;
    void begin(const Pending& pending, std::vector<std::uint32_t>& candidates);
    void draw(const Place& place, std::vector<std::uint32_t>& list, std::size_t from, std::size_t to) const;
    bool choose(Pending& pending, Scratch& scratch);
    void expand(Part& part, Pending& pending, Pending& left, Pending& right);
    void split_columns(const Pending& pending, std::size_t from, std::size_t to, Scratch& scratch);
    bool evaluate(Pending& pending, Scratch& scratch);
    void depth_first(Part& part, Pending root, Scratch& scratch);
    void best_first(Part& part, Pending root, Scratch& scratch);
    void mark(const Place& place, const Found& found);
    Found look(const Pending& pending, std::size_t feature, Scratch& scratch) const;
    Found look_sorted(const Place& place, const double* sums, std::size_t feature, Sequence sequence, Scratch& scratch) const;
    Found look_categories(const Place& place, const double* sums, std::size_t feature, Sequence sequence, Scratch& scratch) const;
    Found look_random(const Place& place, const double* sums, std::size_t feature, Scratch& scratch) const;
    void gather(const Pending& pending, Scratch& scratch) const;  ///< lay the targets of a node side by side, for `cut_at`
    void cut_at(const Place& place, const double* sums, const double* x, Found& found, Scratch& scratch) const;
    Limits limits_of(const Place& place, const double* sums, std::size_t feature) const;
    bool better(const Pending& pending, const Found& found) const;
    void write(const Part& part, std::size_t index, Grown& out) const;

    Columns& columns;
    Target target;
    const Settings settings;
    double total_weight = 0;
    bool sorted = false;  // (10) with sorted columns
    bool counts = false;  // whether a drawn cut needs but the rows below it and the sum of their targets
    std::vector<std::uint32_t> rows, spare;
    std::vector<std::uint32_t> order;        // (columns, rows of this tree)
    const std::uint32_t* entries = nullptr;  // of `order`, or of the columns where none is divided
    std::vector<std::uint8_t> goes_left;     // per row of the table
    std::vector<std::uint32_t> local_rank;
    Part top;
    std::vector<Pending> waiting;  // of the top, not yet begun
    std::vector<Pending> later;    // roots of subtrees
    std::vector<std::unique_ptr<Part>> parts;
    Pending current, child_left, child_right;
    std::vector<std::uint32_t> candidates;
    std::vector<Found> findings;
};

}  // namespace novum::tree
