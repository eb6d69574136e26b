// The cells of a row that were observed, with their noise made independent: R = L D L', rows of L^{-1} C and L^{-1} x (3).
#pragma once
#include <cmath>
#include <cstddef>
#include <vector>

#include "novum/runtime/simd.h"
#include "novum/sequence/kalman.h"
#include "novum/sequence/small_matrices.h"

namespace novum::kalman {

/// The pattern of observed cells that rows share, and what depends on it alone.
class ObservedCells {
  public:
    explicit ObservedCells(const System& system)
        : p(system.p), s(system.s), factors(p * p), noise(p), rows(p * s), values(p), sizes(p), diagonal_of(p) {
        cells.reserve(p);
    }

    /// Look at a row; true if the pattern is not that of the row before.
    NOVUM_INLINE bool changed(const double* x) {
        std::size_t seen = 0;
        bool same = known;
        for (std::size_t j = 0; j < p && same; ++j) {
            if (x[j] != x[j]) continue;
            same = seen < cells.size() && cells[seen] == j;
            ++seen;
        }
        if (same && seen == cells.size()) return false;
        cells.clear();
        for (std::size_t j = 0; j < p; ++j)
            if (x[j] == x[j]) cells.push_back(j);
        known = true;
        return true;
    }

    /// Factor the noise of the observed cells and transform the rows of C.
    NOVUM_INLINE void prepare(const double* C, const double* R) {
        const std::size_t k = cells.size();
        correlated = false;
        for (std::size_t i = 0; i < k; ++i)
            for (std::size_t j = 0; j < i; ++j) correlated = correlated || R[cells[i] * p + cells[j]] != 0;
        for (std::size_t i = 0; i < k; ++i) {
            noise[i] = R[cells[i] * p + cells[i]];
            for (std::size_t a = 0; a < s; ++a) rows[i * s + a] = C[cells[i] * s + a];
        }
        if (!correlated) return;
        for (std::size_t i = 0; i < k; ++i)
            for (std::size_t j = 0; j < k; ++j) factors[i * k + j] = R[cells[i] * p + cells[j]];
        factor<0>(k, factors.data(), diagonal_of.data());
        for (std::size_t i = 0; i < k; ++i) {
            noise[i] = factors[i * k + i];
            for (std::size_t j = 0; j < i; ++j) {
                const double l = factors[i * k + j];
                for (std::size_t a = 0; a < s; ++a) rows[i * s + a] -= l * rows[j * s + a];
            }
        }
    }

    /// The observed values of a row, transformed as the rows of C are.
    NOVUM_INLINE const double* transformed(const double* x) {
        const std::size_t k = cells.size();
        for (std::size_t i = 0; i < k; ++i) sizes[i] = std::abs(values[i] = x[cells[i]]);
        if (correlated)
            for (std::size_t i = 0; i < k; ++i)
                for (std::size_t j = 0; j < i; ++j) {
                    values[i] -= factors[i * k + j] * values[j];
                    sizes[i] += std::abs(factors[i * k + j]) * sizes[j];
                }
        return values.data();
    }

    /// The size of the numbers that a transformed value is made of.
    double magnitude(std::size_t i) const { return sizes[i]; }

    std::size_t count() const { return cells.size(); }
    std::size_t cell(std::size_t i) const { return cells[i]; }
    const double* row(std::size_t i) const { return rows.data() + i * s; }
    double variance(std::size_t i) const { return noise[i]; }

  private:
    std::size_t p, s;
    bool known = false, correlated = false;
    std::vector<std::size_t> cells;
    std::vector<double> factors, noise, rows, values, sizes, diagonal_of;
};

/// What an observation without noise says: nothing new (its variance is rounding), and it must then agree with what is known.
struct Exact {
    static constexpr double NOTHING = 1e-12;  // share of the variance before the row's other cells were used
    static constexpr double AGREES = 1e-6;    // of the scale of the numbers compared

    static NOVUM_INLINE bool contradicts(double innovation, double magnitude, double variance_before) {
        return std::abs(innovation) > AGREES * (std::sqrt(std::max(variance_before, 0.0)) + magnitude);
    }
};

}  // namespace novum::kalman
