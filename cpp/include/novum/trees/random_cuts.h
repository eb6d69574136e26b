// One drawn threshold of a column: the range it is drawn from, and what lies at or below it, from values in the order of a node's rows.
#pragma once
#include <cstddef>
#include <cstdint>

namespace novum::tree {

struct ValueRange {
    double low, high;     // of the cells that are not missing; low > high where all are
    std::size_t missing;  // NaN
};

/// O(m).
ValueRange range_of(const double* x, std::size_t m);

struct Below {
    std::size_t count;
    double sum;
};

/// How many values are at most `threshold`, and the sum of their targets. O(m).
Below below(const double* x, const double* target, std::size_t m, double threshold);

/// The same by class: adds one to `count[code]` for every value at most `threshold`. O(m).
void count_below(const double* x, const std::int32_t* code, std::size_t m, double threshold, double* count);

}  // namespace novum::tree
