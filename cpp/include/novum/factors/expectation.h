// Counts of the families of a network over rows, and their expectations where cells are missing.
//
// The missing cells of a row fall apart into components: two belong together if a table holds both. Given the observed cells around it a
// component is a small network of its own (1), and the same one turns up in many rows. So the rows are taken apart once; a pass answers
// every distinct component by one plan (novum/factors/plan.h) and adds its marginals to the counts, weighted by how often it occurred.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "novum/factors/plan.h"

namespace novum::factors {

/// Add the weights of the rows to the counts of one table; `columns[i]` holds the codes of its i-th variable, < 0: missing, the row is
/// left out. `count` has the cells of the table in C order. O(rows * variables).
void count_rows(std::span<const std::int32_t* const> columns, std::span<const std::int32_t> cards, const double* weight, std::size_t rows,
                double* count);

class Expectation {
  public:
    /// `rows` in C order, a column per variable, < 0: missing. Every variable has a table of which it is the head.
    Expectation(Tables tables, std::int64_t cells, const std::int32_t* rows, const double* weight, std::size_t n);

    /// Counts that no missing cell touches.
    const std::vector<double>& complete() const { return fixed; }
    std::size_t components() const { return groups.size(); }
    std::size_t cases() const { return distinct; }
    static constexpr std::size_t BLOCKS = 8;  // of components: results do not depend on who does which

    /// Add the expected counts of the components of one block to `count`; returns the log-likelihood of their rows, -inf where one is
    /// impossible. Blocks may run at the same time.
    double add_expected(const double* tables, std::size_t block, double* count) const;

  private:
    struct Group {
        std::vector<std::int32_t> missing, observed, families;
        std::vector<std::int32_t> values;  // of the observed variables, case by case
        std::vector<double> weight;        // per case
        Plan plan;
    };
    Tables tables;
    std::vector<double> fixed;
    std::vector<Group> groups;
    std::size_t distinct = 0;

    Plan plan_of(const Group& group) const;
};

}  // namespace novum::factors
