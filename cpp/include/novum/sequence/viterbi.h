// The most probable paths of the states of a hidden Markov model. docs/theory/hidden_markov_models.md.
//
//   w_1(j) = log pi_j + log p(x_1 | j),   w_t(j) = log p(x_t | j) + max_i (w_{t-1}(i) + log A_ij)                              (8)
//   z_T = argmax w_T,   z_{t-1} = argmax_i (w_{t-1}(i) + log A_{i z_t})                                                        (9)
#pragma once
#include "novum/sequence/chain.h"

namespace novum::sequence {

/// (8) and (9) of every sequence; ties go to the lower state. `score` (n, k), of more than
/// NARROW states, is overwritten by w and may be the densities themselves.
/// Returns the row of the first sequence without a possible path, or n. O(n k^2).
std::size_t viterbi(const Chain& chain, const Densities& densities, const Bundle& bundle, double* score, double* log_prob,
                    std::int64_t* path);

/// The `count` most probable paths of one sequence of n steps, best first; returns how many there are. O(n k^2 count log count).
std::size_t best_paths(const Chain& chain, const Densities& densities, std::size_t n, std::size_t count, double* log_prob,
                       std::int64_t* paths);

}  // namespace novum::sequence
