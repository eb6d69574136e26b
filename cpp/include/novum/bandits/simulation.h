// Many runs of one policy in one bandit: what every run has lost at chosen rounds, and how often it pulled each arm.
// O(runs x horizon x arms); runs are independent, so threads take some each.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "novum/bandits/environments.h"
#include "novum/bandits/policies.h"

namespace novum::bandits {

enum class Arms { bernoulli, gaussian, given, linear };
enum class Player {
    epsilon_greedy,
    softmax,
    upper_confidence,
    kl_upper_confidence,
    thompson_bernoulli,
    thompson_gaussian,
    exp3,
    exp3_anytime,
    lin_ucb
};

struct Game {
    Arms arms;
    Table table, contexts;
    double noise;
    std::size_t n_arms() const { return arms == Arms::given ? table.columns : table.rows; }
    std::size_t dimension() const { return arms == Arms::linear ? table.columns : 1; }
};

/// Runs first, first + 1, ...: row i of `cost` (at the rounds `times`, counted from one), `reward` (in all) and `pulls` is run first + i.
struct Runs {
    std::uint64_t seed;
    std::uint32_t purpose;
    std::uint64_t first;
    std::span<const double> schedule;  // of every round
    std::span<const std::int64_t> times;
    std::size_t count;
    double *cost, *reward;
    std::int64_t* pulls;
};

void simulate(const Game& game, Player player, const double* parameters, const Runs& runs);

}  // namespace novum::bandits
