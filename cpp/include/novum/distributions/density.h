// Log-densities of the standard families, fused: support, logarithms and constants in one pass. docs/theory/distributions.md.
// A table holds one row of k values per constant, k distributions side by side. Outcomes x are shared by all of them
// (out = x.size * k, row by row) or come one for each (out = x.size, a multiple of k). NaN stays NaN, minus infinity outside the support.
#pragma once
#include <cstddef>
#include <span>

namespace novum {

/// How many outcomes meet how many distributions.
struct Meeting {
    std::size_t outcomes;  // in x
    std::size_t k;         // distributions
    bool paired;           // outcome i belongs to distribution i mod k; else every outcome meets every distribution
};

/// log x!, for whole x >= 0: a table, then Stirling's series. O(1).
double log_factorial(double x);

/// power log x - rate x + norm, x > 0; `at_zero` at 0. Table: power, rate, norm, at_zero. O(out).
void gamma_log_density(const double* x, Meeting m, const double* table, double* out);

/// a log x + b log(1 - x) + norm, 0 < x < 1, and the limits at both ends. Table: a, b, norm. O(out).
void beta_log_density(const double* x, Meeting m, const double* table, double* out);

/// log p at 1, log(1 - p) at 0. Table: log p, log(1 - p). O(out).
void bernoulli_log_density(const double* x, Meeting m, const double* table, double* out);

/// x log r - r - log x!. Table: log r, r. O(out).
void poisson_log_density(const double* x, Meeting m, const double* table, double* out);

/// log C(n, x) + x log p + (n - x) log(1 - p). Table: n, log p, log(1 - p), log n!. O(out).
void binomial_log_density(const double* x, Meeting m, const double* table, double* out);

/// log r - r x, x >= 0. Table: -r, log r. O(out).
void exponential_log_density(const double* x, Meeting m, const double* table, double* out);

/// The height, low <= x <= high. Table: low, high, log height. O(out).
void uniform_log_density(const double* x, Meeting m, const double* table, double* out);

/// sum_j power_j log x_j + norm on the simplex (sums within `slack` of one). power is k x d. O(out d).
void dirichlet_log_density(const double* x, Meeting m, std::size_t d, const double* power, const double* norm, double slack, double* out);

/// norm + sum_j x_j log p_j - log x_j! for counts that add up to n. log_p is k x d. O(out d).
void multinomial_log_density(const double* x, Meeting m, std::size_t d, const double* log_p, const double* n, const double* norm,
                             double* out);

/// |L^-1 (x - mean)|^2 by forward substitution; mean k x d, lower factors k x d x d. O(out d^2).
void squared_length(const double* x, Meeting m, std::size_t d, const double* mean, const double* factor, double* out);

}  // namespace novum
