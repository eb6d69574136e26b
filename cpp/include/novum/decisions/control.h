// Learning action values by acting: SARSA, expected SARSA, Q-learning and their forms, one run at a time.
//
//   Q(s, a) += alpha (r + gamma target(s') - Q(s, a))                                                                        (1)
//     SARSA            Q(s', a')                      a' the next action
//       off-policy     pi(a'|s') / b(a'|s') Q(s', a')  b behaves, pi (epsilon-greedy with another epsilon) is learned about    (2)
//     expected SARSA   sum_a' pi(a'|s') Q(s', a')
//     Q-learning       max_a' Q(s', a')
//     double           Q2(s', argmax_a' Q1(s', a')), a coin decides which of the two is Q1
//   e <- gamma lambda e, e(s, a) += 1 (or = 1);  Q += alpha delta e     traces; Q-learning cuts them after an action that is not greedy (3)
//   Dyna: after every step (1) again for remembered transitions of pairs that were visited.                                  (4)
//
// O(actions) a step, with traces O(steps remembered). Random numbers: world.h.
#pragma once
#include "novum/decisions/diary.h"
#include "novum/decisions/world.h"

namespace novum::decisions {

enum class Method : int { SARSA = 0, EXPECTED = 1, Q = 2, DOUBLE = 3 };

struct Control {
    Method method;
    double trace_decay;
    bool replacing;
    double target_epsilon;  // of the policy learned about, below 0: the one that behaves
    int planning;           // (4), updates after every step
    bool softmax;           // explore by temperatures instead of epsilons
    bool any_start;         // begin episodes in any state that is not terminal
    std::int64_t episodes, most;
    const double* exploration;   // (episodes)
    const double* episode_rate;  // (episodes), or null
    const double* visit_rate;    // (rates): by visits of the pair, or null
    std::size_t rates;
};

/// One run: q (n x m) holds the first guess and then the answer; with DOUBLE the mean of two tables. visits (n x m) are counted.
/// totals and lengths (episodes) are those of the episodes. Returns the steps taken.
std::int64_t control(const World& world, const Control& plan, Draws draws, double* q, std::int64_t* visits, double* totals,
                     std::int32_t* lengths, Diary* diary = nullptr);

enum class Carlo : int { EXPLORING_STARTS = 0, GLIE = 1, OFF_POLICY = 2 };

struct CarloControl {
    Carlo method;
    bool first_visit;
    std::int64_t episodes, most;
    const double* exploration;  // (episodes): of the behavior; exploring starts: 0
};

/// Monte Carlo control: Q(s, a) is the mean of returns, weighted by importance where another policy behaved.
std::int64_t carlo_control(const World& world, const CarloControl& plan, Draws draws, double* q, double* weight, double* totals,
                           std::int32_t* lengths, Diary* diary = nullptr);

}  // namespace novum::decisions
