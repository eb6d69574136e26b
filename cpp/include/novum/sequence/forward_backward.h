// Posteriors of the states of a hidden Markov model, scaled; a sequence that scaling cannot hold is done again in logarithms.
// docs/theory/hidden_markov_models.md.
//
//   b_t(j) = exp(log p(x_t | j) - m_t),   u_t(j) = b_t(j) sum_i u_{t-1}(i) A_ij                                                 (3)
//   log p(x) = sum_t m_t + log sum_j u_T(j), minus the logarithms of what u was multiplied by when it became small               (4)
//   v_t(j) = b_t(j) beta_t(j),   beta_{t-1}(i) = sum_j A_ij v_t(j),   N_t = sum_j u_t(j) beta_t(j),   gamma_t = u_t beta_t / N_t   (5)
//   sum_t xi_t(i, j) = A_ij sum_t u_{t-1}(i) v_t(j) / N_{t-1}                                                                   (6)
//
// u and beta are multiplied by a constant only now and then, so no division waits in the recursions; (5) and (6) do not depend on it.
#pragma once
#include "novum/sequence/chain.h"

namespace novum::sequence {

enum class Trouble { none = 0, impossible = 1, not_a_number = 2 };

struct Failure {
    Trouble trouble = Trouble::none;
    std::size_t row = 0;  // the first that no state can have produced, or whose density is NaN
};

struct Answers {
    double* log_likelihood;    // (count,)
    double* filtered;          // (n, k) u_t / sum u_t, or null
    double* smoothed;          // (n, k) gamma_t, or null
    double* pairs;             // (k, k) to which the sequences' weight times (6) is added, or null; needs `smoothed`
    double* emitted;           // (rows of the table, k) to which weight times gamma is added, or null; needs `smoothed` and an index
    std::size_t repeated = 0;  // sequences that were done again in logarithms
};

/// (3) to (6) of every sequence; the first failure, after which its own answers are minus infinity and zeros. O(n k^2).
Failure forward_backward(const Chain& chain, const Densities& densities, const Bundle& bundle, Answers& answers);

/// The same of one sequence in logarithms: k^2 exponentials a step. What forward_backward turns to.
Failure forward_backward_log(const Chain& chain, const Densities& densities, std::size_t begin, std::size_t end, double weight,
                             Answers& answers, double& log_likelihood);

enum class Outcome { done, repeat, not_a_number };

constexpr std::size_t CHUNK = 32;  // steps whose densities and products are made together
constexpr double SMALL = 1e-60;    // a sum of u below it is brought back to one
constexpr double LOST = 1e-210;    // shares below it become zero: what is divided by them stays finite
constexpr double SAFE = 1e-190;    // a state that still gets this much is not moved, in double, by what was lost
constexpr double FAINT = 1e-100;   // of the sum after a step: below, the step is scaled by the states that can be there
constexpr double LEAST_N = 1e-30;  // N_t beyond these brings beta back
constexpr double MOST_N = 1e30;

/// Memory for one bundle, and what (3) and (5) of a step share whatever the number of states.
struct Work {
    std::size_t k, width;
    std::vector<double> forth, back;         // A and its transpose, padded
    std::vector<double> b, log_row;          // (CHUNK, k) and some, (width,)
    std::vector<double> predicted, u, beta;  // (width,)
    std::vector<double> before, v;           // (CHUNK, width): u_{t-1} / N_{t-1} and v_t of (6)
    std::vector<double> products;            // (k, width): the sums of (6) before they meet A
    std::vector<double> shift;               // m_t of the sequence
    std::vector<double> table, table_shift;  // exp of a table of densities, and its m
    std::vector<std::size_t> lost;

    Work(const Chain& chain, std::size_t longest);
    /// (3) where b about the largest density leaves next to nothing: about the largest of the states that can be there. Returns the sum.
    double rescaled_step(const Densities& densities, std::size_t row, double& m);
    /// Set shares below LOST to zero; returns whether a density had given one of them anything, and notes which.
    bool drop_lost(const Densities& densities, std::size_t row);
    /// Whether what was dropped could have mattered: a successor of such a state now gets next to nothing from elsewhere.
    bool loss_matters(const Chain& chain) const;
};

/// b of steps `first` to first + n; m_t is written, or in the backward pass (known) kept to.
void load_densities(const Densities& densities, Work& w, std::size_t first, std::size_t n, double* shift, bool known);

/// (3) and (4) of one sequence: `out` (n, k) gets u.
Outcome forward_narrow(const Chain& chain, const Densities& densities, Work& w, std::size_t begin, std::size_t end, double* out,
                       double& log_likelihood);
Outcome forward_wide(const Chain& chain, const Densities& densities, Work& w, std::size_t begin, std::size_t end, double* out,
                     double& log_likelihood);

/// (5) and (6) of one sequence: u in answers.smoothed becomes gamma.
void backward_narrow(const Densities& densities, Work& w, std::size_t begin, std::size_t end, double weight, const Answers& answers);
void backward_wide(const Densities& densities, Work& w, std::size_t begin, std::size_t end, double weight, const Answers& answers);

}  // namespace novum::sequence
