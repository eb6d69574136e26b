// Second moments of labelled rows, each about the shift of its class. docs/theory/discriminant_analysis.md, eq. (4).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace novum {

/// Add to `mass` (k), `first` (k x d) and `second` the sums of w, w (x - s_c) and w (x - s_c)(x - s_c)' over the rows of each
/// class c = code. `second` is (k, d, d), or one (d, d) for all classes if `pooled`. Empty `weight` means ones; a row of weight
/// zero is not looked at. O(rows d^2 / 2).
template <class Real>
void class_scatter(const Real* X, std::span<const std::int64_t> code, std::span<const double> weight, const double* shift, std::size_t d,
                   std::size_t k, bool pooled, double* mass, double* first, double* second);

/// Add to `fourth` (k) the sums of w |scale_c (x - mean_c)|^4 over the rows of each class; eq. (12). `scale` and
/// `mean` are (k, d). O(rows d).
template <class Real>
void class_fourth(const Real* X, std::span<const std::int64_t> code, std::span<const double> weight, const double* mean,
                  const double* scale, std::size_t d, double* fourth);

}  // namespace novum
