#include "novum/cluster/density.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "../search/handle.h"
#include "novum/cluster/condensed.h"

namespace cl = novum::cluster;
using namespace nb::literals;
using search_handle::Handle;

namespace {

using Cores = Vector<const std::uint8_t>;

std::size_t places_of(const Handle& handle) { return handle.tree.leaves * handle.tree.capacity; }

void check(const Handle& handle, std::size_t core, std::size_t a, std::size_t b) {
    require(!handle.tree.ball && core == places_of(handle) && a <= b && b <= handle.tree.leaves,
            "cluster: a k-d tree, a mark per place, leaves");
    require(handle.tree.capacity <= 64, "cluster: leaves of 64 rows at most");
}

void check_parents(const Handle& handle, const Vector<std::int64_t>& parent) {
    require(parent.shape(0) == places_of(handle), "cluster: a parent per place");
    const auto places = static_cast<std::int64_t>(parent.shape(0));
    require(std::all_of(parent.data(), parent.data() + places, [&](std::int64_t p) { return p >= 0 && p < places; }),
            "cluster: parents that exist");
}

void find_cores(const Handle& handle, double eps, double need, std::optional<Vector<const double>> weight, std::size_t a, std::size_t b,
                Vector<std::uint8_t> core, Matrix<std::int32_t> few) {
    check(handle, core.shape(0), a, b);
    require(few.shape(0) == places_of(handle) && places_of(handle) < (std::size_t{1} << 31), "cluster: a list per place");
    require(!weight || weight->shape(0) == places_of(handle), "cluster: a weight per place");
    nb::gil_scoped_release release;
    const bool negative = weight && std::any_of(weight->data(), weight->data() + weight->shape(0), [](double w) { return w < 0; });
    cl::find_cores(handle.tree, eps, need, weight ? weight->data() : nullptr, negative, a, b, core.data(), few.data(), few.shape(1));
}

void join_inside(const Handle& handle, double eps, Cores core, Vector<std::int64_t> parent, Vector<std::uint8_t> whole, std::size_t a,
                 std::size_t b) {
    check(handle, core.shape(0), a, b);
    require(parent.shape(0) == core.shape(0) && whole.shape(0) == handle.tree.leaves, "cluster: a parent per place, a mark per leaf");
    nb::gil_scoped_release release;
    cl::join_inside(handle.tree, eps, core.data(), parent.data(), whole.data(), a, b);
}

void join_across(const Handle& handle, double eps, Cores core, Vector<std::int64_t> parent, Vector<const std::uint8_t> whole, std::size_t a,
                 std::size_t b) {
    check(handle, core.shape(0), a, b);
    require(parent.shape(0) == core.shape(0) && whole.shape(0) == handle.tree.leaves, "cluster: a parent per place, a mark per leaf");
    nb::gil_scoped_release release;
    cl::join_across(handle.tree, eps, core.data(), parent.data(), whole.data(), a, b);
}

std::int64_t number_clusters(const Handle& handle, Cores core, Vector<std::int64_t> parent, Vector<std::int64_t> label) {
    check(handle, core.shape(0), 0, 0);
    check_parents(handle, parent);
    require(label.shape(0) == core.shape(0), "cluster: a label per place");
    nb::gil_scoped_release release;
    return cl::number_clusters(handle.tree, core.data(), parent.data(), label.data());
}

void reach_borders(const Handle& handle, double eps, Cores core, std::size_t a, std::size_t b, Vector<std::int64_t> label) {
    check(handle, core.shape(0), a, b);
    require(label.shape(0) == core.shape(0), "cluster: a label per place");
    nb::gil_scoped_release release;
    cl::reach_borders(handle.tree, eps, core.data(), a, b, label.data());
}

using Clusters = std::tuple<std::vector<std::int64_t>, std::vector<std::int64_t>, std::vector<double>>;

Clusters condense(Matrix<const std::int64_t> children, Vector<const double> height, Vector<const std::int64_t> size, std::int64_t least,
                  Vector<std::int64_t> row_cluster, Vector<double> row_death) {
    const std::size_t m = children.shape(0), n = m + 1;
    require(m > 0 && children.shape(1) == 2 && height.shape(0) == m && size.shape(0) == m && least > 1, "cluster: a tree of merges");
    require(row_cluster.shape(0) == n && row_death.shape(0) == n, "cluster: a result per row");
    for (std::size_t i = 0; i < 2 * m; ++i)
        require(children.data()[i] >= 0 && children.data()[i] < static_cast<std::int64_t>(n + i / 2),
                "cluster: children made before their parents");
    nb::gil_scoped_release release;
    auto found = novum::cluster::condense(children.data(), height.data(), size.data(), n, least, row_cluster.data(), row_death.data());
    return {std::move(found.parent), std::move(found.size), std::move(found.birth)};
}

void reach_listed(const Handle& handle, Cores core, Matrix<const std::int32_t> few, Vector<std::int64_t> label) {
    check(handle, core.shape(0), 0, 0);
    require(label.shape(0) == core.shape(0) && few.shape(0) == core.shape(0), "cluster: a label and a list per place");
    const auto places = static_cast<std::int32_t>(core.shape(0));
    require(std::all_of(few.data(), few.data() + few.size(), [&](std::int32_t p) { return p < places; }), "cluster: lists of places");
    nb::gil_scoped_release release;
    cl::reach_listed(handle.tree, core.data(), few.data(), few.shape(1), label.data());
}

}  // namespace

void bind_cluster_density(nb::module_& m) {
    m.def("find_cores", &find_cores, "tree"_a, "eps"_a, "need"_a, "weight"_a.none().noconvert(), "a"_a, "b"_a, "core"_a.noconvert(),
          "few"_a.noconvert(), "Mark the places of leaves a to b with enough weight around them.");
    m.def("join_inside", &join_inside, "tree"_a, "eps"_a, "core"_a.noconvert(), "parent"_a.noconvert(), "whole"_a.noconvert(), "a"_a, "b"_a,
          "Join the cores of every leaf; mark leaves that became one.");
    m.def("join_across", &join_across, "tree"_a, "eps"_a, "core"_a.noconvert(), "parent"_a.noconvert(), "whole"_a.noconvert(), "a"_a, "b"_a,
          "Join the cores of leaves a to b with those of the leaves behind them.");
    m.def("number_clusters", &number_clusters, "tree"_a, "core"_a.noconvert(), "parent"_a.noconvert(), "label"_a.noconvert(),
          "Write the clusters of the cores, numbered by their first row; return how many there are.");
    m.def("reach_listed", &reach_listed, "tree"_a, "core"_a.noconvert(), "few"_a.noconvert(), "label"_a.noconvert(),
          "Write the clusters of rows that are no cores from the lists of their few neighbors.");
    m.def("reach_borders", &reach_borders, "tree"_a, "eps"_a, "core"_a.noconvert(), "a"_a, "b"_a, "label"_a.noconvert(),
          "Write the clusters of rows that are no cores but near one.");
    m.def("condense", &condense, "children"_a.noconvert(), "height"_a.noconvert(), "size"_a.noconvert(), "least"_a,
          "row_cluster"_a.noconvert(), "row_death"_a.noconvert(),
          "Return parent, size and birth of the clusters of a tree without small ones; write where every row falls out.");
}
