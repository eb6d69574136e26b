// Linear-Gaussian factor models with missing cells: x = mean + W z + noise, row by row. docs/theory/pca.md, eq. (16) to (18).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace novum {

/// The model: loadings W (p x q), one noise variance per column. NaN in the data marks a missing cell.
struct FactorModel {
    const double* mean;
    const double* loadings;
    const double* noise;
    std::size_t p, q;
};

/// Sums over the rows of a block; T = (q + 1)(q + 2) / 2 entries of an upper triangle row by row.
struct FactorSums {
    double* second;      // (p + 1, T): sum of w E[(z, 1)(z, 1)'] over the rows where the column is observed; last: over all rows
    double* cross;       // (p, q + 1): sum of w (x - mean) E[(z, 1)]
    double* square;      // (p): sum of w (x - mean)^2
    double* likelihood;  // (1): sum of w log p(observed cells)
};

/// Add the sums (18) of the rows, visited in `order`: rows with the same missing cells side by side share a factorisation.
/// O(q^3 + observed q^2) per pattern and O(observed q + q^2) per row.
template <class Real>
void factor_sums(const Real* X, const std::int64_t* order, std::span<const double> weight, std::size_t rows, const FactorModel& model,
                 const FactorSums& sums);

/// Write per row the posterior mean (rows x q) of z, (16), and log p(observed cells), (17); where `covariance` is not null also
/// the posterior covariance (rows x q x q).
template <class Real>
void factor_posterior(const Real* X, std::size_t rows, const FactorModel& model, double* mean, double* likelihood, double* covariance);

}  // namespace novum
