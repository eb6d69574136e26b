// Trees of a forest, grown from codes: every column becomes ranks of 16 bits once, and all trees read these.
//
//     code(x)   rank of x among the values of its column; of runs of values where there are more than 2^16                 (1)
// A node with more than a few rows cuts its range of codes into 256 bins and looks at the cuts between them; a smaller one looks at
// every cut, by comparing all pairs of its rows: m^2 steps without a branch, many at a time, are fewer than a sort takes.       (2)
// The threshold lies midway between the largest value that went left and the least that went right, so rows and thresholds agree. (3)
// Draws are those of the exact grower, so where a node is searched whole both grow the same tree. O(rows columns_tried depth) per tree.
// Cells are numbers, none missing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "novum/trees/columns.h"
#include "novum/trees/criteria.h"
#include "novum/trees/exact_grower.h"

namespace novum::coded {

inline constexpr std::size_t CODES = 65536, BINS = 256;

/// The codes (1) of a table, and the values that they stand for.
struct Codes {
    std::size_t rows, columns;
    std::vector<std::uint16_t> code;        // (columns, rows)
    std::vector<std::vector<double>> low;   // per column and code: the least value
    std::vector<std::vector<double>> high;  // and the largest; empty where both are the same

    explicit Codes(const tree::Table& table);
    /// Code one column; different columns may be coded at the same time.
    void encode(std::size_t j);
    /// The same of a column that stands in bytes, whose values rise with them: value[b] for byte b. Nothing is sorted.
    void encode(std::size_t j, const std::uint8_t* byte, const double* value);
    /// The values of some rows of a column, as they lie in the table.
    void values(std::size_t j, const std::uint32_t* row, std::size_t m, double* out) const;
    double largest(std::size_t j, std::size_t c) const { return high[j].empty() ? low[j][c] : high[j][c]; }

  private:
    tree::Table table;
};

/// What leaves predict, one output: codes of classes or numbers.
struct Target {
    tree::Criterion criterion = tree::Criterion::Gini;  // gini, entropy or squared
    std::size_t rows = 0, classes = 0;                  // classes 0: numbers
    const std::int32_t* code = nullptr;
    const double* y = nullptr;
    std::vector<double> x_log_x;  // of whole numbers, for the entropy of two classes
};

/// Grow a tree on the rows of positive weight (null: all, with weight one). `settings.max_leaves` and `settings.monotone` are not used.
tree::Grown grow(const Codes& codes, const Target& target, const double* weight, const tree::Settings& settings);

}  // namespace novum::coded
