// What rounding may have done to a filter of factors with cells that have no noise: whether such a cell carries information is then a
// question of how exact its variance is, and rounding of one row is carried into the next as any other deviation.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "novum/runtime/simd.h"
#include "novum/sequence/small_matrices.h"

namespace novum::kalman {

/// Of a cell: the standard error of its innovation as a share of the deviation that it should have. Negative where it had no information:
struct Doubt {
    static constexpr double REDUNDANT = -1;    // it agrees with what is known, to rounding
    static constexpr double DISAGREES = -2;    // ... not quite to rounding
    static constexpr double CONTRADICTS = -3;  // not at all: the log-density is -inf
    static constexpr double FAR = 100;         // standard errors that count as nothing
    static constexpr double AGREES = 1e-6;     // of the scale of the numbers compared
};

/// Covariances of the errors of the factor's rows (E) and of the mean (M), carried by the filter's own maps: a cell with the gain K leads
/// to (I - K c') E (I - K c')', a step to A E A', and each adds EPS^2 of the squares of the numbers that it sums.
class Rounding {
  public:
    Rounding(std::size_t s, const double* start, const double* m, const double* S)
        : s(s), E(s * s), M(s * s), half(s * s), turned(s * s), deviation(s), sizes(s), column(s) {
        if (start) {
            std::copy(start, start + s * s, E.begin());
            std::copy(start + s * s, start + 2 * s * s, M.begin());
        }
        for (std::size_t a = 0; a < s; ++a) {
            E[a * s + a] += square(EPS * row_norm(S, a));
            M[a * s + a] += square(EPS * m[a]);
            sizes[a] = std::abs(m[a]);
        }
    }

    /// The size of c'S, had nothing cancelled, for the factor at hand.
    NOVUM_INLINE double reach(const double* c, const double* S) {
        double sum = 0;
        for (std::size_t a = 0; a < s; ++a)
            if (c[a] != 0) sum += std::abs(c[a]) * row_norm(S, a);
        return sum;
    }

    NOVUM_INLINE double of_factor(const double* c) const { return along(c, E.data()); }
    NOVUM_INLINE double of_mean(const double* c, const double* m, double magnitude) const {
        return along(c, M.data()) + square(EPS * (magnitude + product_size(c, m)));
    }

    /// After a cell: m and S are those behind it, `before` is c'S had nothing cancelled, `ratio` is v / F^{1/2}, F its variance.
    NOVUM_INLINE void cell(const double* c, const double* K, const double* m, const double* S, double before, double magnitude,
                           double ratio, double F) {
        const double unsure = along(c, E.data()) / F, of_value = magnitude + product_size(c, m);
        pass(c, K, E.data());
        pass(c, K, M.data());
        for (std::size_t a = 0; a < s; ++a) {
            const double rows = square(row_norm(S, a));
            E[a * s + a] += EPS * EPS * (rows + square(K[a] * before));
            M[a * s + a] += EPS * EPS * (square(m[a]) + square(K[a] * of_value)) + rows * unsure * ratio * ratio;
        }
        for (std::size_t i = 0; i < s * s; ++i) M[i] += ratio * ratio * E[i];
    }

    /// After a step, from m and S: the distribution at hand becomes that of the next row.
    NOVUM_INLINE void step(const double* A, const double* b, const double* Q, const double* m, const double* S) {
        for (std::size_t a = 0; a < s; ++a) deviation[a] = row_norm(S, a);
        for (auto* errors : {&E, &M}) {
            product<0>(s, A, errors->data(), half.data());
            product_transposed<0>(s, half.data(), A, errors->data());
        }
        for (std::size_t a = 0; a < s; ++a) {
            double rows = 0;
            sizes[a] = b ? std::abs(b[a]) : 0;
            for (std::size_t k = 0; k < s; ++k) {
                rows += std::abs(A[a * s + k]) * deviation[k];
                sizes[a] += std::abs(A[a * s + k] * m[k]);
            }
            E[a * s + a] += EPS * EPS * (rows * rows + Q[a * s + a]);
            M[a * s + a] += EPS * EPS * sizes[a] * sizes[a];
        }
    }

    /// Whether row a of the factor is nothing but rounding.
    NOVUM_INLINE bool is_nothing(const double* S, std::size_t a) const { return row_norm(S, a) <= Doubt::FAR * std::sqrt(E[a * s + a]); }

    /// The largest standard error of a state's mean, as a share of the sizes of the state.
    NOVUM_INLINE double of_states(const double* m, const double* S) const {
        double largest = 0;
        for (std::size_t a = 0; a < s; ++a) {
            const double size = std::max({std::abs(m[a]), row_norm(S, a), sizes[a]});
            if (size > 0) largest = std::max(largest, std::sqrt(M[a * s + a]) / size);
        }
        return largest;
    }

  private:
    std::size_t s;
    std::vector<double> E, M, half, turned, deviation, sizes, column;  // sizes: of the terms whose sum the mean is

    static NOVUM_INLINE double square(double value) { return value * value; }

    NOVUM_INLINE double row_norm(const double* S, std::size_t a) const {
        double sum = 0;
        for (std::size_t b = 0; b < s; ++b) sum += S[a * s + b] * S[a * s + b];
        return std::sqrt(sum);
    }

    NOVUM_INLINE double product_size(const double* c, const double* m) const {
        double sum = 0;
        for (std::size_t a = 0; a < s; ++a) sum += std::abs(c[a] * m[a]);
        return sum;
    }

    NOVUM_INLINE double along(const double* c, const double* errors) const {
        double sum = 0;
        for (std::size_t a = 0; a < s; ++a)
            if (c[a] != 0)
                for (std::size_t b = 0; b < s; ++b) sum += c[a] * c[b] * errors[a * s + b];
        return std::max(sum, 0.0);
    }

    /// errors <- (I - K c') errors (I - K c')'.
    NOVUM_INLINE void pass(const double* c, const double* K, double* errors) {
        double both = 0;
        for (std::size_t a = 0; a < s; ++a) {
            column[a] = 0;
            for (std::size_t b = 0; b < s; ++b) column[a] += errors[a * s + b] * c[b];
            both += c[a] * column[a];
        }
        for (std::size_t a = 0; a < s; ++a)
            for (std::size_t b = 0; b < s; ++b) errors[a * s + b] += K[a] * K[b] * both - K[a] * column[b] - column[a] * K[b];
    }
};

}  // namespace novum::kalman
