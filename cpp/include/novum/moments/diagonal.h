// Axis-aligned Gaussian classes: their moments and log-densities, block by block. docs/theory/gaussian_naive_bayes.md.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace novum {

/// Add to `mass` (k), `first` and `second` (k x d) the sums of w, w (x - shift_c) and w (x - shift_c)^2 over the rows of
/// each class c = code; eq. (3). Empty `weight` means ones. O(rows d).
template <class Real>
void class_moments(const Real* X, std::span<const std::int64_t> code, std::span<const double> weight, const double* shift, std::size_t d,
                   std::size_t k, double* mass, double* first, double* second);

/// out[i, c] = constant_c - 1/2 sum_j precision_cj (x_ij - mean_cj)^2; eq. (2). Differences before squares: no cancellation. O(rows k d).
template <class Real>
void diagonal_log_density(const Real* X, std::size_t rows, std::size_t d, std::size_t k, const Real* mean, const Real* precision,
                          const double* constant, Real* out);

}  // namespace novum
