// The order in which the variables of a product of tables are summed out, and what it costs.
//
// Summing out v joins all tables that hold v: its neighbours become a clique of size(v) = prod of their cards (1). Finding the order of
// least total size is NP-hard; greedy rules come close. O(n * degree^2 * n/64) words.
#pragma once
#include <cstdint>
#include <vector>

namespace novum::factors {

enum class Rule { min_fill, min_weight, weighted_fill };

struct Elimination {
    std::vector<std::int32_t> order;                 // variables, first eliminated first
    std::vector<std::vector<std::int32_t>> cliques;  // with order[i]: the neighbours it has then, not itself
    double total = 0;                                // sum of (1)
    double largest = 0;                              // greatest (1)
    std::int32_t width = 0;                          // variables in the greatest clique, less one
};

/// Order the variables that occur in `scopes` and have group[v] >= 0; those of a lower group come first. Ties go to the lower index.
Elimination eliminate(const std::vector<std::vector<std::int32_t>>& scopes, const std::vector<std::int32_t>& cards,
                      const std::vector<std::int32_t>& group, Rule rule);

/// The best order of the rules; the dear ones are tried only where the first order is dear.
Elimination best_elimination(const std::vector<std::vector<std::int32_t>>& scopes, const std::vector<std::int32_t>& cards,
                             const std::vector<std::int32_t>& group);

}  // namespace novum::factors
