// Columns of a design of either layout, taken where they lie: their moments, and copies of a few of them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace novum {

/// A matrix whose element (i, j) is at data[i * row + j * column]; one of the strides is 1.
template <class Real>
struct Strided {
    const Real* data;
    std::ptrdiff_t row, column;
    std::size_t rows;
};

/// Write sum_i w_i (x_ij - s_j) and sum_i w_i (x_ij - s_j)^2 of columns `start` to `stop`, s_j the first row. O(rows x columns).
template <class Real>
void column_moments(const Strided<Real>& X, std::span<const double> weight, std::size_t start, std::size_t stop, double* first,
                    double* second);

/// Write root_i (x_ij - mean_j) for the columns j in `chosen`, one column after the other. O(rows x columns).
template <class Real>
void gather_columns(const Strided<Real>& X, std::span<const std::int64_t> chosen, const double* mean, std::span<const double> root,
                    double* out);

/// Compressed columns; column j holds entries starts[j] to starts[j + 1].
template <class Real>
struct Compressed {
    const Real* values;
    const std::int32_t* rows;
    const std::int64_t* starts;
};

/// Write sum_i w_i x_ij and sum_i w_i x_ij^2 of columns `start` to `stop`. O(entries).
template <class Real>
void compressed_moments(const Compressed<Real>& X, std::span<const double> weight, std::size_t start, std::size_t stop, double* first,
                        double* second);

/// Write x_j'R of columns `start` to `stop`, R with `k` values per row; column j goes to out[t * p + j - start]. O(k entries).
template <class Real>
void compressed_products(const Compressed<Real>& X, const double* R, std::size_t k, std::size_t start, std::size_t stop, std::size_t p,
                         double* out);

}  // namespace novum
