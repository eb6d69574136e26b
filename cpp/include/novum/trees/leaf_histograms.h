// What a pass of a fold adds to trees that grow elsewhere: the histograms of some leaves over one block of coded rows.
//
//     leaf[i]  goes on from the node where row i was last seen to the leaf it is in now                                   (1)
//     cell[s, j, b, :] = sum over the rows of leaf s with code b in column j of their channels                            (2)
// Channels are whole numbers, so blocks may be added in any order: a pair of gradient and curvature, or the weight of the row at
// its class. O(depth grown since) per row for (1), O(rows of the wanted leaves) per column for (2).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "novum/trees/histogram_grower.h"
#include "novum/trees/histograms.h"

namespace novum::leaves {

/// Rows sorted by the wanted leaf they are in: those of slot s are rows[begin[s]] .. rows[begin[s + 1] - 1].
struct Sorted {
    std::vector<std::uint32_t> rows;
    std::vector<std::size_t> begin;
};

/// (1) for all rows; `leaf` holds node numbers, or -1 for a row that this tree has not drawn, and nodes are a sound tree.
void advance(const grower::Record* nodes, const grower::Bitset* sets, const std::uint32_t* words, std::size_t n, std::uint8_t missing,
             std::int32_t* leaf);

/// Sort rows by slot[leaf[i]]; rows of slot -1 or leaf -1 are left out.
Sorted sort(const std::int32_t* leaf, std::size_t n, const std::int32_t* slot, std::size_t slots);

/// Coded rows: `width` above every code, a multiple of four.
struct Coded {
    const std::uint32_t* words;
    std::size_t n, d, width;
};

/// (2) of pairs; cells of shape (slots, d, width), counts too.
void add_pairs(const Coded& coded, const Sorted& sorted, const histograms::Pair* pairs, histograms::Cell* cells, std::uint32_t* counts);

/// (2) of weights at classes; cells of shape (slots, d, width, classes), all zero before.
void add_classes(const Coded& coded, const Sorted& sorted, const std::int32_t* code, const std::int32_t* weight, std::size_t classes,
                 std::int64_t* cells, std::uint32_t* counts);

}  // namespace novum::leaves
