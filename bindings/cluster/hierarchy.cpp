#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "../search/handle.h"
#include "novum/cluster/boruvka.h"
#include "novum/cluster/constrained.h"
#include "novum/cluster/hierarchy.h"
#include "novum/cluster/matrix.h"

namespace cl = novum::cluster;
using namespace nb::literals;
using search_handle::Handle;

namespace {

cl::Merges merges_of(const Matrix<std::int64_t>& pair, const Vector<double>& height, std::size_t n) {
    require(n > 0 && pair.shape(0) + 1 == n && pair.shape(1) == 2 && height.shape(0) + 1 == n, "cluster: one merge less than rows");
    return {pair.data(), height.data()};
}

void merge_matrix(Matrix<double> matrix, int linkage, Matrix<std::int64_t> pair, Vector<double> height) {
    require(matrix.shape(0) == matrix.shape(1) && linkage >= 0 && linkage < 7, "cluster: a square matrix and a linkage");
    const auto out = merges_of(pair, height, matrix.shape(0));
    const auto kind = static_cast<cl::Linkage>(linkage);
    nb::gil_scoped_release release;
    const bool inverts = kind == cl::Linkage::centroid || kind == cl::Linkage::median;
    (inverts ? cl::closest_pairs : cl::chain)(kind, matrix.data(), matrix.shape(0), out);
}

void ward(Matrix<const double> rows, int threads, Matrix<std::int64_t> pair, Vector<double> height) {
    const auto out = merges_of(pair, height, rows.shape(0));
    nb::gil_scoped_release release;
    cl::ward_chain(rows.data(), rows.shape(0), rows.shape(1), threads, out);
}

void spanning_rows(Matrix<const double> rows, double p, int threads, Matrix<std::int64_t> pair, Vector<double> height) {
    require(p > 0, "cluster: p > 0");
    const auto out = merges_of(pair, height, rows.shape(0));
    nb::gil_scoped_release release;
    cl::spanning_tree(rows.data(), rows.shape(0), rows.shape(1), p, threads, out);
}

void spanning_matrix(Matrix<const double> matrix, Matrix<std::int64_t> pair, Vector<double> height) {
    require(matrix.shape(0) == matrix.shape(1), "cluster: a square matrix");
    const auto out = merges_of(pair, height, matrix.shape(0));
    nb::gil_scoped_release release;
    cl::spanning_tree(matrix.data(), matrix.shape(0), out);
}

void tree_of(Matrix<const std::int64_t> pair, std::size_t n, Matrix<std::int64_t> children, Vector<std::int64_t> size) {
    const std::size_t m = pair.shape(0);
    require(pair.shape(1) == 2 && children.shape(0) == m && children.shape(1) == 2 && size.shape(0) == m, "cluster: a row per merge");
    for (std::size_t i = 0; i < 2 * m; ++i)
        require(pair.data()[i] >= 0 && static_cast<std::size_t>(pair.data()[i]) < n, "cluster: merges of rows that exist");
    nb::gil_scoped_release release;
    cl::tree_of(pair.data(), m, n, children.data(), size.data());
}

void distance_lines(Matrix<const double> rows, double p, bool squared, std::size_t from, Matrix<double> out) {
    const std::size_t n = rows.shape(0);
    require(p > 0 && out.shape(1) == n && from + out.shape(0) <= n, "cluster: lines of a square matrix");
    nb::gil_scoped_release release;
    cl::distance_lines(rows.data(), n, rows.shape(1), p, squared, from, from + out.shape(0), out.data());
}

std::size_t constrained(int linkage, Matrix<const std::int64_t> pair, Vector<const double> weight, Matrix<const double> rows,
                        std::size_t stop, Matrix<std::int64_t> children, Vector<double> height) {
    const std::size_t n = rows.shape(0), m = pair.shape(0);
    require(linkage >= 0 && linkage < 7 && pair.shape(1) == 2 && weight.shape(0) == m, "cluster: a weight per edge");
    require(stop > 0 && stop <= n && children.shape(0) == n - stop && children.shape(1) == 2 && height.shape(0) == n - stop,
            "cluster: a row per merge");
    std::vector<cl::Edge> edges(m);
    for (std::size_t e = 0; e < m; ++e) {
        edges[e] = {pair.data()[2 * e], pair.data()[2 * e + 1], weight.data()[e]};
        require(edges[e].a >= 0 && edges[e].b >= 0 && std::max(edges[e].a, edges[e].b) < static_cast<std::int64_t>(n) &&
                    edges[e].a != edges[e].b,
                "cluster: edges between rows that exist");
    }
    nb::gil_scoped_release release;
    return cl::constrained(static_cast<cl::Linkage>(linkage), edges.data(), m, rows.data(), n, rows.shape(1), stop, children.data(),
                           height.data());
}

/// The rounds of a spanning tree, with the arrays that they read.
struct Rounds {
    Handle handle;
    Matrix<const double> rows;
    std::optional<Vector<const double>> core;
    Matrix<const double> distance;
    Matrix<const std::int64_t> index;
    std::optional<cl::Boruvka> state;

    Rounds(const Handle& handle, Matrix<const double> rows, std::optional<Vector<const double>> core, Matrix<const double> distance,
           Matrix<const std::int64_t> index)
        : handle(handle), rows(rows), core(core), distance(distance), index(index) {
        const std::size_t n = rows.shape(0);
        require(n == handle.tree.n && rows.shape(1) == handle.tree.d, "cluster: the rows of the tree");
        require(!core || core->shape(0) == n, "cluster: a core distance per row");
        require(distance.shape(0) == n && index.shape(0) == n && index.shape(1) == distance.shape(1), "cluster: a list per row");
        for (std::size_t i = 0; i < index.size(); ++i)
            require(index.data()[i] >= 0 && static_cast<std::size_t>(index.data()[i]) < n, "cluster: lists of rows that exist");
        state.emplace(handle.tree, novum::neighbors::Table<double>{rows.data(), n, rows.shape(1)}, core ? core->data() : nullptr,
                      distance.data(), index.data(), distance.shape(1));
    }

    std::size_t prepare() {
        nb::gil_scoped_release release;
        return waiting = state->prepare();
    }
    void search(std::size_t begin, std::size_t end) {
        require(begin <= end && end <= waiting, "cluster: rows that wait");
        nb::gil_scoped_release release;
        state->search(begin, end);
    }
    std::size_t merge() {
        nb::gil_scoped_release release;
        return left = state->merge();
    }
    void edges(Matrix<std::int64_t> pair, Vector<double> height) const {
        require(left == 1, "cluster: a tree that is done");
        state->edges(merges_of(pair, height, rows.shape(0)));
    }
    std::size_t waiting = 0, left = 0;
};

}  // namespace

void bind_cluster_hierarchy(nb::module_& m) {
    m.def("merge_matrix", &merge_matrix, "matrix"_a.noconvert(), "linkage"_a, "pair"_a.noconvert(), "height"_a.noconvert(),
          "Write the merges of a symmetric matrix, which is overwritten.");
    m.def("ward", &ward, "rows"_a.noconvert(), "threads"_a, "pair"_a.noconvert(), "height"_a.noconvert(),
          "Write the merges of Ward's linkage, without a matrix.");
    m.def("spanning_rows", &spanning_rows, "rows"_a.noconvert(), "p"_a, "threads"_a, "pair"_a.noconvert(), "height"_a.noconvert(),
          "Write the edges of the least spanning tree of rows.");
    m.def("spanning_matrix", &spanning_matrix, "matrix"_a.noconvert(), "pair"_a.noconvert(), "height"_a.noconvert(),
          "Write the edges of the least spanning tree of a matrix of distances.");
    m.def("tree_of", &tree_of, "pair"_a.noconvert(), "n"_a, "children"_a.noconvert(), "size"_a.noconvert(),
          "Write the numbers of the clusters that merges make, and their sizes.");
    m.def("distance_lines", &distance_lines, "rows"_a.noconvert(), "p"_a, "squared"_a, "from_"_a, "out"_a.noconvert(),
          "Write the distances from some rows, from number `from_` on, to all rows.");
    m.def("constrained", &constrained, "linkage"_a, "pair"_a.noconvert(), "weight"_a.noconvert(), "rows"_a.noconvert(), "stop"_a,
          "children"_a.noconvert(), "height"_a.noconvert(),
          "Merge along edges until `stop` clusters are left; return how many merges were made.");
    nb::class_<Rounds>(m, "Rounds", "Boruvka's rounds over a search tree.")
        .def(nb::init<const Handle&, Matrix<const double>, std::optional<Vector<const double>>, Matrix<const double>,
                      Matrix<const std::int64_t>>(),
             "tree"_a, "rows"_a.noconvert(), "core"_a.none().noconvert(), "distance"_a.noconvert(), "index"_a.noconvert())
        .def("prepare", &Rounds::prepare, "Begin a round; return how many rows must be searched.")
        .def("search", &Rounds::search, "begin"_a, "end"_a, "Search some of them.")
        .def("merge", &Rounds::merge, "Take the lightest edges; return how many components are left.")
        .def("edges", &Rounds::edges, "pair"_a.noconvert(), "height"_a.noconvert(), "Write the edges.");
}
