// What a tree wants of its leaves: sums over a node, its impurity, and the best place to cut a sorted sequence of its rows.
//
// With weight W of a node, W_k of class k in it and p_k = W_k / W:
//     gini       1 - sum_k p_k^2                          entropy    -sum_k p_k log2 p_k                     (3)
//     squared    sum w (y - mean)^2 / W                   absolute   sum w |y - median| / W                  (4)
//     poisson    sum w (y log(y / mean) - y + mean) / W                                                      (5)
// averaged over the outputs. A cut into L and R has the gain W I - W_L I_L - W_R I_R, up to terms that all cuts share:
//     squared, and gini of two classes    (S_L W - W_L S)^2 / (W_L W_R),   S the sum of w y                  (6)
//     gini       sum_k W_Lk^2 / W_L + sum_k W_Rk^2 / W_R                                                     (7)
//     entropy    sum_k W_Lk log W_Lk - W_L log W_L + the same for R                                          (8)
//     poisson    S_L log(S_L / W_L) + the same for R;   absolute  minus the errors about the two medians     (9)
// One pass over the sequence, O(1) per row and O(outputs classes) per place; absolute error O(log m) per row.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace novum::tree {

enum class Criterion { Gini, Entropy, Squared, Absolute, Poisson };

/// The targets and weights of all rows.
struct Target {
    Criterion criterion = Criterion::Gini;
    std::size_t rows = 0, outputs = 1;
    std::size_t stride = 1;              // sums per output: the most classes, or 1
    std::vector<std::size_t> classes;    // per output; empty for a regression
    const std::int32_t* code = nullptr;  // (rows, outputs) of a classification
    const double* y = nullptr;           // (rows, outputs) of a regression
    const double* weight = nullptr;      // (rows,), or null for ones
    std::vector<std::uint8_t> binary;    // codes of one output with two classes, for the shortest loop
    std::vector<double> pairs;           // (rows, 2): the weight of a row, and again if it is of the second of two classes
    std::vector<std::uint32_t> y_rank;   // (outputs, rows): ranks of the targets, for medians
    std::vector<double> log_table;       // i log i of whole weights

    bool classification() const { return !classes.empty(); }
    std::size_t sums() const { return outputs * stride; }
    double weight_of(std::size_t i) const { return weight ? weight[i] : 1.0; }
    double x_log_x(double w) const;
    /// Fill what is derived from the rest.
    void prepare();
};

/// A node in sums.
struct Summary {
    double weight = 0, impurity = 0;
    bool pure = true;  // all targets are equal
};

/// Room that one thread needs; grows as needed.
struct Scratch {
    std::vector<std::uint32_t> entries, other, ranks, groups, columns;
    std::vector<std::uint64_t> keys, more_keys;
    std::vector<std::int32_t> codes;
    std::vector<double> values, targets, left_sums, right_sums, total, errors, medians, tree_weight, tree_moment, sorted_y, tail;
};

/// (3) to (5) of some rows, and their sums: weights of classes, or of w y (medians for absolute errors).
Summary summarize(const Target& target, const std::uint32_t* row, std::size_t m, double* sums, Scratch& scratch);

/// The difference of gains below which rounding decides: the order of additions must not choose between equal cuts.
double margin_of(const Target& target, const Summary& summary, const double* sums);

/// What a cut must respect. `sign` 1 requires that values do not fall from left to right, -1 that they do not rise.
struct Limits {
    std::size_t least_rows = 1;
    double least_weight = 0;
    double margin = 0;  // gains must differ by more than this to differ
    int sign = 0;
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

struct Cut {
    double gain = -std::numeric_limits<double>::infinity();
    std::size_t position = 0;  // present entries that go left
    bool missing_left = false;
    double middle = 0;  // between the values of both sides, where a sign was requested
};

/// A sequence of entries as in tree_columns.h (1): `present` sorted ones, then `missing` ones.
struct Sequence {
    const std::uint32_t* entry;
    std::size_t present, missing;
};

/// Make `scratch` ready for cuts of these rows: only absolute errors need it.
void prepare_node(const Target& target, const std::uint32_t* row, std::size_t m, std::vector<std::uint32_t>& local_rank);

/// The first best cut of a sequence; `sums` and `weight` are the node's own, `local_rank` from `prepare_node`.
Cut best_cut(const Target& target, const Sequence& sequence, const double* sums, double weight, const Limits& limits,
             const std::vector<std::uint32_t>& local_rank, Scratch& scratch);

}  // namespace novum::tree
