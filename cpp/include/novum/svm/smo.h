// Sequential minimal optimisation with second-order working sets (Fan, Chen, Lin 2005), for every machine of the family.
//
//   minimise  D(b) = b'Kb / 2 + c'b   over   lower <= b <= upper,  sum b = const            (1)
//   f = Kb + c                        its slope                                             (2)
//   v = max {f_t : b_t > lower_t} - min {f_t : b_t < upper_t}       violation; zero at the optimum      (3)
//
// b_t = y_t a_t carries the sign of its label, so that labels appear in the bounds only. A step moves the pair i, j by (+d, -d):
//
//   i = argmin {f_t : b_t < upper_t},   j = argmax (f_t - f_i)^2 / (K_ii + K_tt - 2 K_it),   d = (f_j - f_i) / (K_ii + K_jj - 2 K_ij)   (4)
//
// clipped to the box. Variables come in one or two halves that share the rows of K (regression has two variables a point); with
// `by_half` each half keeps its own sum, which is what the nu-machines ask for. A step costs O(n), a missing row O(n columns); among many
// points blocks of variables are brought to their own optimum (block.h), and the O(n) is paid once a block.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "novum/svm/rows.h"

namespace novum::svm {

struct Problem {
    std::size_t halves;  // 1 or 2; variable t of half h is at h * rows.size() + t
    bool by_half;
    const double *linear, *lower, *upper;
};

struct Limits {
    double violation;    // of (3)
    double gap;          // of (5), as a share of |D|
    std::int64_t steps;  // the most
    std::size_t cache_bytes;
    bool shrinking;  // whether points at rest are set aside
    bool precise;    // whether rows are kept in double precision
};

struct Outcome {
    std::int64_t steps;
    double violation, gap, objective;
    std::size_t rows_computed;
    bool converged;
};

/// What the steps did, written down where somebody asks for it: a move is one step of (4), or those within a block.
struct Trace {
    std::vector<std::int64_t> steps;           // (m,): taken so far, after each move
    std::vector<double> objective, violation;  // (m,): D(b) and (3) after each move; D is kept up by what the moves change
    std::vector<std::int64_t> end;             // (m,): of the changes of each move in the lists below
    std::vector<std::int64_t> variable;
    std::vector<double> value;  // that the variable takes
};

/// Solve (1) from the feasible `b`, which is overwritten; `slope` becomes f, `level` the multiplier of the sum of each half: f_t where b_t
/// is between its bounds (their mean), the midpoint of what (3) allows where there is none. The gap is
///   sum_t (b_t - lower_t) max(f_t - level, 0) + (upper_t - b_t) max(level - f_t, 0)  >=  D(b) - min D          (5)
Outcome solve(Rows& rows, const Problem& problem, const Limits& limits, double* b, double* slope, double* level, Trace* trace = nullptr);

}  // namespace novum::svm
