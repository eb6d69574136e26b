// DBSCAN over the leaves of a search tree: pairs of leaves are looked at together, so that a walk serves all rows of a leaf.
//
//   core       i  if  sum of w_j over |x_i - x_j| <= eps  is at least `need`                                                        (1)
//   joined     cores within eps of each other are in one cluster                                                                    (2)
//   border     a row that is no core, within eps of one, belongs to the first cluster that has such a core                          (3)
//
// Places, not rows, are numbered: leaf * capacity + lane. Any number of threads may work on different leaves [a, b).
#pragma once
#include <cstdint>

#include "novum/search/search.h"

namespace novum::cluster {

/// (1): write 1 or 0 for the places of leaves [a, b). `weight` by place, or null for ones; sums end early unless a weight is negative.
/// Without weights the first `most` neighbors of every place go to `few` (places, most), which holds -1 before.
void find_cores(const neighbors::Tree& tree, double eps, double need, const double* weight, bool negative, std::size_t a, std::size_t b,
                std::uint8_t* core, std::int32_t* few, std::size_t most);

/// (2) inside leaves [a, b): join their cores in `parent` (by place), and say in `whole` whether all of a leaf became one.
void join_inside(const neighbors::Tree& tree, double eps, const std::uint8_t* core, std::int64_t* parent, std::uint8_t* whole,
                 std::size_t a, std::size_t b);

/// (2) between leaves [a, b) and those behind them.
void join_across(const neighbors::Tree& tree, double eps, const std::uint8_t* core, std::int64_t* parent, const std::uint8_t* whole,
                 std::size_t a, std::size_t b);

/// Number the clusters by their first core in the order of the rows; label (places,) is -1 elsewhere. Return how many there are.
std::int64_t number_clusters(const neighbors::Tree& tree, const std::uint8_t* core, std::int64_t* parent, std::int64_t* label);

/// (3) from `few`, where it lists all neighbors of rows that are no cores: for `most` of need - 1 or more.
void reach_listed(const neighbors::Tree& tree, const std::uint8_t* core, const std::int32_t* few, std::size_t most, std::int64_t* label);

/// (3) for the places of leaves [a, b): read labels of cores, write those of others.
void reach_borders(const neighbors::Tree& tree, double eps, const std::uint8_t* core, std::size_t a, std::size_t b, std::int64_t* label);

}  // namespace novum::cluster
