// Row-major tiles: what every block of data becomes before a kernel sees it. O(rows x columns).
#pragma once
#include <cstddef>
#include <span>

namespace novum {

/// Write `columns[j][i * strides[j]]`, i < rows, to `out[i * columns.size() + j]`: columns become rows, cache line by cache line.
template <class From, class To>
void pack_columns(std::span<const From* const> columns, std::span<const std::ptrdiff_t> strides, std::size_t rows, To* out);

/// Return whether every value is finite. One add per value: NaN and infinity survive a sum, so a finite sum proves the block.
template <class Real>
bool all_finite(std::span<const Real> values);

/// Return the sum of the squares of the values; NaN or infinity where one is not finite, or where it overflows.
double sum_of_squares(std::span<const double> values);

}  // namespace novum
