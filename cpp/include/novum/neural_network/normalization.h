// Batch normalization of the sums of a layer before their activation. O(rows x columns) a pass.
//
//     x = (z - mean) / sqrt(variance + eps),    y = scale x + shift,    mean and variance over the rows of the batch            (1)
//     d shift = sum dy,   d scale = sum dy x,   dz = scale / sqrt(variance + eps) (dy - d shift / n - x d scale / n)             (2)
//     for new rows (1) uses  running <- (1 - rate) running + rate batch,  the variance with divisor n - 1                      (3)
#pragma once
#include <cstddef>

namespace novum::neural_network {

constexpr double NORM_EPSILON = 1e-5, NORM_RATE = 0.1;  // PyTorch's

/// Rows of one layer.
template <class Real>
struct Sheet {
    Real* z;  // z, then y; or dy, then dz
    Real* x;
    std::size_t rows, pitch;
};

/// What (1) and (2) know of every column.
template <class Real>
struct Moments {
    Real *mean, *inverse, *scale, *shift, *scale_sum, *shift_sum, *running_mean, *running_variance;
};

/// Mean and 1 / sqrt(variance + eps) of columns [begin, end), and (3).
template <class Real>
void column_moments(const Sheet<Real>& sheet, std::size_t begin, std::size_t end, const Moments<Real>& moments);

/// (1) for all rows of the sheet and columns [0, columns).
template <class Real>
void normalize(const Sheet<Real>& sheet, std::size_t columns, const Moments<Real>& moments);

/// (1) with what (3) has gathered.
template <class Real>
void normalize_new(const Sheet<Real>& sheet, std::size_t columns, const Moments<Real>& moments);

/// The sums of (2) for columns [begin, end).
template <class Real>
void column_errors(const Sheet<Real>& sheet, std::size_t begin, std::size_t end, const Moments<Real>& moments);

/// (2) for all rows of the sheet, `count` of them in the batch.
template <class Real>
void pull_back_normalized(const Sheet<Real>& sheet, std::size_t columns, std::size_t count, const Moments<Real>& moments);

}  // namespace novum::neural_network
