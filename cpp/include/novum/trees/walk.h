// Rows walked down a tree: x <= threshold, or a category of the set, goes left; a missing cell where the node says.
//
// O(depth) per row. Several rows walk together, so that one waits for memory while the others go on.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace novum::tree {

/// A node as walks read it: half a cache line.
struct Step {
    double threshold;
    std::int32_t child[2];  // right, left
    std::int32_t feature;
    std::uint32_t words;    // begin of its set of categories; sets have `n_words` words
    std::uint16_t n_words;  // 0: numbers
    std::uint8_t missing_left, leaf;
};

struct Walk {
    std::vector<Step> step;
    std::vector<std::uint32_t> word;
    std::size_t columns = 0, depth = 0;
};

/// A dense table of any strides, in cells.
template <class Real>
struct Cells {
    const Real* data;
    std::ptrdiff_t row_stride, column_stride;
    std::size_t rows;
};

/// Write the leaf of every row.
template <class Real>
void leaves(const Walk& walk, const Cells<Real>& X, std::int64_t* leaf);

/// Write the leaf of every row of a CSR matrix; `scratch` is a row of zeros with as many cells as columns, and is left so.
template <class Real, class Index>
void leaves(const Walk& walk, const Index* begin, const Index* column, const Real* value, std::size_t rows, std::vector<double>& scratch,
            std::int64_t* leaf);

}  // namespace novum::tree
