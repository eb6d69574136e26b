// Scores of a variable given parents, from counts of complete rows.
//
//     log-likelihood   sum_u sum_x N_ux log(N_ux / N_u)                                                                        (1)
//     BIC, AIC         (1) - penalty * (|x| - 1) |u|,  penalty log(N)/2 or 1                                                     (2)
//     K2, BDeu         sum_u [lgamma(a_u) - lgamma(a_u + N_u)] + sum_ux [lgamma(a_ux + N_ux) - lgamma(a_ux)]                      (3)
// with a_ux = alpha (K2: 1) or ess / (|x| |u|) (BDeu), a_u their sum over x. Cells without rows add nothing to (1) and (3).
// O(rows * variables + cells of the table).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace novum::factors {

enum class Score { likelihood, dirichlet, bdeu };

struct ScoreRule {
    Score kind;
    double value;  // penalty of (2), alpha or ess of (3)
};

/// Score of the last of `columns` given the others; -inf where the table would have more than `most` cells. `scratch` is kept between
/// calls.
double family_score(std::span<const std::int32_t* const> columns, std::span<const std::int32_t> cards, const double* weight,
                    std::size_t rows, ScoreRule rule, std::int64_t most, std::vector<double>& scratch);

}  // namespace novum::factors
