// The best split of a node from its histograms. With G, H the sums of gradients and curvatures of a set of rows and l2 the penalty,
//
//     value(G, H) = -G / (H + l2),  cut to the bounds of the node                                           (1)
//     loss(G, H)  = G value(G, H)                    twice what the quadratic model of the loss falls by    (2)
//     gain        = loss(parent) - loss(left) - loss(right)                                                 (3)
//
// A column is cut after every bin, rows without a value going right and then left; categories are first ordered by G / (H + 10), and the
// smaller end of that order goes left (Fisher 1958). O(bins) per column, O(bins log bins) for categories.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>

#include "novum/trees/histograms.h"

namespace novum::splits {

/// What a node may be split into.
struct Rules {
    double l2;
    double least_curvature;  // on either side
    std::uint32_t least_rows;
    double gradient_unit, curvature_unit;  // what one unit of fixed point stands for
};

/// A column of codes.
struct Column {
    const std::byte* histogram;
    std::size_t width;
    std::int32_t bins;  // without the one for missing values, which is number width' = `missing`
    std::uint8_t missing;
    bool has_missing, categorical;
    std::int8_t monotone;  // -1, 0, 1
};

/// A set of rows.
struct Sums {
    std::int64_t gradient = 0, curvature = 0;
    std::uint32_t rows = 0;
};

struct Node {
    Sums sums;
    double value;  // (1), of the node itself
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

struct Split {
    double gain = 0;  // (3); zero where there is no split
    std::int32_t feature = -1;
    std::uint8_t bin = 0;  // codes up to it go left
    bool missing_left = false, categorical = false;
    std::uint32_t categories[8] = {};  // bit set of codes that go left
    Sums left;
    bool goes_left(std::uint8_t code, std::uint8_t missing) const {
        if (code == missing) return missing_left;
        return categorical ? (categories[code / 32] >> (code % 32)) & 1 : code <= bin;
    }
};

/// (1), in units of the target.
double value(const Sums& sums, const Rules& rules, double low, double high);

/// Replace `best` by the best split of this column, number `feature`, if that gains more.
void search(const Column& column, std::int32_t feature, const Node& node, const Rules& rules, Split& best);

}  // namespace novum::splits
