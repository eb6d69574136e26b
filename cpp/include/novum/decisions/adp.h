// Adaptive dynamic programming: learn the model by counting, plan on what was counted, act on the plan.
//
//   p(s'|s, a) = N(s', s, a) / N(s, a),   r(s, a) = mean of the rewards                                                      (1)
//   U(s) = max_a f(r(s, a) + gamma sum p(s'|s, a) U(s'), N(s, a))                                                            (2)
//   f(u, n) = optimism if n < tries, else u           exploration by optimism; tries = 0: greedy
//   U(s) = r(s, pi(s)) + gamma sum p U                a given policy: passive
//
// After every step the changed state is backed up and, where its value moved, its predecessors: prioritized sweeping on the counted model.
#pragma once
#include "novum/decisions/diary.h"
#include "novum/decisions/world.h"

namespace novum::decisions {

struct Adaptive {
    std::int64_t episodes, most, backups;  // backups: the most after a step
    double tol;                            // a change of a value that is passed on
    double optimism;
    std::int64_t tries;
    const double* exploration;  // (episodes): share of random actions
    const double* policy;       // (n x m) sums of a given policy, or null
};

/// One run. q (n x m) and visits (n x m) are what was learned, u (n) the values. Returns the steps taken.
std::int64_t adapt(const World& world, const Adaptive& plan, Draws draws, double* q, std::int64_t* visits, double* u, double* totals,
                   std::int32_t* lengths, Diary* diary = nullptr);

}  // namespace novum::decisions
