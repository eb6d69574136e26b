// The spanning tree of least weight over rows in a search tree, by Boruvka's rounds: every component takes its lightest edge outwards.
//
//   weight(i, j) = max(|x_i - x_j|, core_i, core_j)        without cores: the distance                                              (1)
//
// The nearest row outside a component stays nearest until its own component swallows it, so most rows search once or twice. A row whose
// lower bound exceeds the best edge of its component is not searched at all. Edges of equal weight are ordered by their rows, so the tree
// does not depend on threads. About O(n log n) searches; memory O(n k) for lists of k nearest rows.
#pragma once
#include <atomic>
#include <vector>

#include "novum/cluster/hierarchy.h"
#include "novum/search/search.h"

namespace novum::cluster {

class Boruvka {
  public:
    /// `rows` are those of the tree; core (n,) or null; the k nearest rows of every row, themselves left out, at `list_distance` and
    /// `list_index` (n, k).
    Boruvka(const neighbors::Tree& tree, neighbors::Table<double> rows, const double* core, const double* list_distance,
            const std::int64_t* list_index, std::size_t k);
    Boruvka(const Boruvka&) = delete;
    Boruvka& operator=(const Boruvka&) = delete;

    /// Begin a round; return how many rows must be searched, and are numbered from zero.
    std::size_t prepare();
    /// Search rows [begin, end) of them; any number of threads at once.
    void search(std::size_t begin, std::size_t end);
    /// Take the lightest edges; return how many components are left.
    std::size_t merge();
    /// Write the n - 1 edges in no order.
    void edges(Merges out) const;

    struct Candidate {
        double weight;
        std::int64_t row;
    };

    /// What a search sees of the round.
    struct View {
        const std::int64_t *node_component, *place_component;
        const double* place_core;
    };

  private:
    neighbors::Tree tree;
    neighbors::Table<double> rows;
    const double *core, *list_distance;
    const std::int64_t* list_index;
    std::size_t k;
    std::vector<std::int64_t> parent, component;  // (n,)
    std::vector<std::int64_t> node_component;     // (2 leaves,): the component of all rows below, or -1
    std::vector<std::int64_t> place_component;    // (leaves * capacity,)
    std::vector<double> place_core, bound;        // bound (n,): below the weight of every edge outwards
    std::vector<Candidate> candidate;             // (n,): an edge outwards, or row < 0
    std::vector<std::atomic<double>> best;        // (n,): by component
    std::vector<std::size_t> waiting;
    std::vector<Candidate> edge_to;  // the edges taken
    std::vector<std::int64_t> edge_from;

    std::int64_t root(std::int64_t i);
    double weight(std::int64_t i, std::int64_t j, double distance) const;
    void mark_nodes();
};

}  // namespace novum::cluster
