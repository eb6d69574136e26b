// The design matrix of a linear model, block by block: shifted, weighted, with the targets beside it. docs/theory/least_squares.md.
#pragma once
#include <cstddef>
#include <span>

namespace novum {

/// Fill row i of `out` (rows x (p + q + 1)) with sqrt(w_i) [x_i - shift_x, y_i - shift_y, 1]; eq. (3). O(rows (p + q)).
/// Empty `weight` means ones. `shift` holds p + q values.
template <class Real, class Target>
void shifted_design(const Real* X, const Target* y, std::span<const double> weight, std::span<const double> shift, std::size_t rows,
                    std::size_t p, std::size_t q, double* out);

/// Write w_i (y_i - x_i b - a) to `residual` (rows x q) for coefficients b (q x p) about the shift; return nothing. eq. (6).
template <class Real, class Target>
void residuals(const Real* X, const Target* y, std::span<const double> shift, std::span<const double> coef, std::size_t rows, std::size_t p,
               std::size_t q, double* residual);

/// Add r_i (x_i - shift) over the rows to `out` (q x p), r (rows x q): the gradient of the fit; eq. (7).
template <class Real>
void correlate(const Real* X, const double* residual, std::span<const double> shift, std::size_t rows, std::size_t p, std::size_t q,
               double* out);

}  // namespace novum
