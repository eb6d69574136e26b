// The columns of a table, sorted once for all nodes and all trees that will ask for them.
//
//     order[j]   rows of column j by rising value, missing ones last; NEW marks the first row of every distinct value      (1)
//     rank[j]    the number of distinct values below, row by row                                                          (2)
// O(n) per column: radix sort of integer keys that order as the numbers do. A category's rank is its code.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace novum::tree {

// An entry of (1): the row and two marks. So a table has at most 2^30 - 1 rows.
inline constexpr std::uint32_t NEW = 1u << 31, MISSING = 1u << 30, ROW = MISSING - 1;
inline constexpr std::uint32_t NO_RANK = 0xFFFFFFFFu;

/// A table in the caller's memory: dense of any strides, or compressed by column with rows rising (cells not stored are 0).
struct Table {
    std::size_t rows = 0, columns = 0;
    const void* cells = nullptr;                       // dense
    std::ptrdiff_t row_stride = 0, column_stride = 0;  // in cells
    bool single = false;                               // float32
    const std::int64_t* begin = nullptr;               // sparse: (columns + 1)
    const std::int32_t* row = nullptr;
    const double* value = nullptr;

    bool sparse() const { return begin != nullptr; }
    double at(std::size_t i, std::size_t j) const;
};

enum class Layout { Values, Order, Ranks };

/// A table with its columns sorted.
class Columns {
  public:
    /// `levels[j]` is 0 for a column of numbers, else the number of categories, coded 0, 1, ...; other codes are missing.
    Columns(const Table& table, std::vector<std::int32_t> levels, Layout layout);

    /// Sort column j; different columns may be sorted at the same time.
    void sort(std::size_t j);

    std::size_t rows() const { return table.rows; }
    std::size_t columns() const { return table.columns; }
    bool categorical(std::size_t j) const { return levels[j] > 0; }
    /// The value of a cell, with NaN for what counts as missing.
    double value(std::size_t i, std::size_t j) const { return clean(table.at(i, j), j); }
    /// Values of some rows of a column. `sorted` says that rows rise.
    void values(std::size_t j, const std::uint32_t* row, std::size_t m, double* out) const;
    /// Ranks of some rows of a column.
    void ranks(std::size_t j, const std::uint32_t* row, std::size_t m, std::uint32_t* out) const;

    const Table table;
    const std::vector<std::int32_t> levels;
    const Layout layout;
    std::vector<std::uint32_t> order;      // (columns, rows)
    std::vector<std::uint32_t> rank;       // (columns, rows), or one per stored cell
    std::vector<std::uint32_t> zero_rank;  // sparse: of the cells that are not stored
    std::vector<std::uint32_t> distinct;   // per column
    std::vector<std::uint8_t> gaps;        // per column: whether a cell is missing

  private:
    double clean(double x, std::size_t j) const { return levels[j] > 0 && !(x >= 0 && x < levels[j]) ? __builtin_nan("") : x; }
    void sort_dense(std::size_t j);
    void sort_sparse(std::size_t j);
};

/// An integer that orders as the number does; both zeros give one.
inline std::uint64_t key_of(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);
    return bits >> 63 ? ~bits : bits | (std::uint64_t(1) << 63);
}

/// Sort keys with their companions by rising key, stably; digits that all keys share cost nothing. Scratch as long as the keys.
void radix_sort(std::vector<std::uint64_t>& key, std::vector<std::uint32_t>& index, std::vector<std::uint64_t>& key_scratch,
                std::vector<std::uint32_t>& index_scratch, std::size_t m);

}  // namespace novum::tree
