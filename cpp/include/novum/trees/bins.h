// Numbers into one-byte codes: which of a column's bins a value lies in. Codes of four columns share a 32-bit word, word by word in rows,
// groups of columns one after another: histograms read four columns at a time, and a row's word is one load.
//
//     code(x) = number of edges below x,   `missing` for NaN                                               (1)
//     code(x) = x for a category 0 <= x < count,   `missing` for all else                                  (2)
// O(n d log bins).
#pragma once
#include <cstddef>
#include <cstdint>

namespace novum::bins {

inline constexpr std::size_t GROUP = 4;  // columns per word

/// Edges of all columns: those of column j are values[start[j]] .. values[start[j + 1] - 1], ascending. A categorical column has none,
/// and categories[j] > 0.
struct Edges {
    const double* values;
    const std::int64_t* start;
    const std::int32_t* categories;
    std::size_t d;
    std::uint8_t missing;
};

/// Write the codes of `rows` row-major rows to words out[group * stride + first + i], i = 0..rows-1; at most 255 edges per column.
template <class Real>
void encode(const Real* x, std::size_t rows, const Edges& edges, std::uint32_t* out, std::size_t stride, std::size_t first);

}  // namespace novum::bins
