// Marginals of a product of tables, planned before any number is touched.
//
// p(x) ~ prod_f table_f(x_f). Given which variables are observed (not their values), a plan lists the steps
//     out(s) = sum_v a(..) b(..)     or     max_v a(..) b(..)                                                            (1)
// that lead to the wanted marginals: lazy propagation in the tree of buckets of an elimination order (Madsen and Jensen 1999). A message is
// a list of tables that are never multiplied before a variable has to go; a table that sums to one over its heads is dropped together with
// them when nobody else holds them (barren variables); equal steps are made once. So the cost in multiplications and bytes is known
// beforehand, and one plan answers any number of rows of evidence with the same observed variables.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "novum/factors/elimination.h"

namespace novum::factors {

struct Tables {
    std::vector<std::int32_t> cards;                // per variable
    std::vector<std::vector<std::int32_t>> scopes;  // per table, axes in C order
    std::vector<std::int32_t> heads;                // per table: the variable over which it sums to one, or -1
    std::vector<std::int64_t> start;                // per table: its first cell in the one array that holds them all
};

struct Loop {
    std::int64_t count, a, b;  // steps of the two inputs
};

struct Buffer {
    std::vector<std::int32_t> scope;   // variables, axes in C order
    std::vector<std::int64_t> stride;  // per axis
    std::int64_t size = 1;
    std::int32_t table = -1;  // >= 0: a slice of that table
    std::int64_t at = 0;      // else: first cell in the workspace
};

struct Step {
    std::int32_t a, b, out;  // buffers; b = -1: one input
    std::int32_t variable;   // summed or maximised; -1: none
    bool maximise;
    Loop over;                         // of `variable`
    std::vector<Loop> loops;           // of the output, slowest first, merged where both inputs go on evenly
    std::int64_t inner;                // cells of the last loops that are walked together
    std::size_t outer;                 // number of loops left outside
    std::vector<std::int32_t> ia, ib;  // their positions in the inputs, where these do not go on by 1 or 0
};

struct Output {
    std::vector<std::int32_t> buffers;  // their product is the marginal
    std::vector<Loop> loops;            // unused for several buffers: they are multiplied by a step of their own
    std::vector<std::int32_t> scope;
    std::int64_t at = 0, size = 1;  // cells of a row of results
    std::int32_t component = 0;
};

struct Observed {
    std::int32_t table, column;  // add value[column] * stride to the table's start
    std::int64_t stride;
};

struct Cost {
    std::int32_t width = 0;  // variables in the largest clique, less one
    double largest = 0;      // its cells
    double multiplications = 0;
    double bytes = 0;  // of the workspace of one row
};

struct Plan {
    std::vector<Buffer> buffers;
    std::vector<Step> steps;
    std::vector<Output> outputs;
    std::vector<Observed> slices;
    std::vector<std::int32_t> observed;                // variables, in the order of the columns of evidence
    std::vector<std::int32_t> cards;                   // of all variables
    std::vector<std::vector<std::int32_t>> constants;  // per component: scalars whose product is its share of the evidence; empty: one
    std::vector<std::int32_t> component_output;        // per component: an output whose sum is that share, or -1
    std::vector<std::int64_t> start;                   // of the tables
    std::vector<std::int32_t> choices;                 // maximising: steps, in the order in which they were made
    std::int64_t results = 0;                          // cells of a row of results
    std::int64_t workspace = 0;                        // cells
    Cost cost;
    bool built = false;  // false: too large to be planned in detail, the cost is that of the cliques
};

/// Plan the marginals over `targets` given values of `observed`.
Plan plan_marginals(const Tables& tables, const std::vector<std::int32_t>& observed, const std::vector<std::vector<std::int32_t>>& targets);

/// Plan the best values of `chosen` given values of `observed`; the other variables are summed out first.
Plan plan_maximum(const Tables& tables, const std::vector<std::int32_t>& observed, const std::vector<std::int32_t>& chosen);

/// Run a plan for one row of evidence. `work` has plan.workspace cells. Writes normalised marginals to `out` (plan.results cells) and
/// returns the log of the sum of the product: -inf, and marginals of NaN, where that sum is zero.
double run_marginals(const Plan& plan, const double* tables, const std::int32_t* evidence, double* work, double* out);

/// As above for a maximum; writes the best value of plan.steps[plan.choices[i]].variable for every i to `best`, and returns the log of the
/// maximum: -inf where it is zero.
double run_maximum(const Plan& plan, const double* tables, const std::int32_t* evidence, double* work, std::int32_t* best);

}  // namespace novum::factors
