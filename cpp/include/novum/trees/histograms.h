// Sums of gradients and curvatures over the rows of a node, bin by bin, in fixed point: whole numbers, so any order of the rows, any cut
// into blocks and any number of threads give the same bits.
//
//     gradient[b] = sum of g_i,  curvature[b] = sum of h_i,  count[b] = number of rows i with code b        (1)
//
// with |g_i| <= 2^30 and 0 <= h_i <= 2^30, so sums of up to 2^32 rows fit 64 bits. A row adds one 128-bit pair (g_i, h_i + 2^47): the
// count rides above the curvature in a buffer that fits the first-level cache and is emptied every 2^16 rows. O(rows) per column.
#pragma once
#include <cstddef>
#include <cstdint>

#include "novum/trees/bins.h"

namespace novum::histograms {

struct Cell {
    std::int64_t gradient, curvature;
};

/// Gradient and curvature of one row.
struct Pair {
    std::int32_t gradient, curvature;
};

inline constexpr int FRACTION_BITS = 30;  // of the largest gradient, and of the largest curvature

/// The histogram of one column lies in one run of memory: `width` cells, then `width` counts; width is a multiple of four.
inline std::size_t column_bytes(std::size_t width) { return width * (sizeof(Cell) + sizeof(std::uint32_t)); }
inline Cell* cells(std::byte* column) { return reinterpret_cast<Cell*>(column); }
inline const Cell* cells(const std::byte* column) { return reinterpret_cast<const Cell*>(column); }
inline std::uint32_t* counts(std::byte* column, std::size_t width) {
    return reinterpret_cast<std::uint32_t*>(column + width * sizeof(Cell));
}
inline const std::uint32_t* counts(const std::byte* column, std::size_t width) {
    return reinterpret_cast<const std::uint32_t*>(column + width * sizeof(Cell));
}

/// Bytes that `accumulate` needs to work in.
inline constexpr std::size_t SCRATCH = bins::GROUP * (256 * sizeof(Cell) + 64);

/// Overwrite the histograms of `columns` (1 to 4) columns of one group with (1). Row i of the node has the code word
/// words[index[i]] (words[i] where index is null) and the pair pairs[i]; every code is below `width`.
void accumulate(const std::uint32_t* words, const std::uint32_t* index, const Pair* pairs, std::size_t rows, std::size_t columns,
                std::size_t width, std::byte* scratch, std::byte* out);

/// a += b, a run of whole columns.
void add(std::byte* a, const std::byte* b, std::size_t columns, std::size_t width);

/// a -= b: the histogram of a node less that of one child is that of the other.
void subtract(std::byte* a, const std::byte* b, std::size_t columns, std::size_t width);

}  // namespace novum::histograms
