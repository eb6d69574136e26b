#include "novum/cluster/density.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>

#include "../search/handle.h"

namespace cl = novum::cluster;
using namespace nb::literals;
using search_handle::Handle;

namespace {

using Cores = Vector<const std::uint8_t>;

std::size_t places_of(const Handle& handle) { return handle.tree.leaves * handle.tree.capacity; }

void check(const Handle& handle, std::size_t core, std::size_t a, std::size_t b) {
    require(!handle.tree.ball && core == places_of(handle) && a <= b && b <= handle.tree.leaves, "cluster: a k-d tree, a mark per place, leaves");
}

void check_parents(const Handle& handle, const Vector<std::int64_t>& parent) {
    require(parent.shape(0) == places_of(handle), "cluster: a parent per place");
    const auto places = static_cast<std::int64_t>(parent.shape(0));
    require(std::all_of(parent.data(), parent.data() + places, [&](std::int64_t p) { return p >= 0 && p < places; }), "cluster: parents that exist");
}

void find_cores(const Handle& handle, double eps, double need, std::optional<Vector<const double>> weight, std::size_t a, std::size_t b,
                Vector<std::uint8_t> core) {
    check(handle, core.shape(0), a, b);
    require(!weight || weight->shape(0) == places_of(handle), "cluster: a weight per place");
    nb::gil_scoped_release release;
    const bool negative = weight && std::any_of(weight->data(), weight->data() + weight->shape(0), [](double w) { return w < 0; });
    cl::find_cores(handle.tree, eps, need, weight ? weight->data() : nullptr, negative, a, b, core.data());
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

}  // namespace

void bind_cluster_density(nb::module_& m) {
    m.def("find_cores", &find_cores, "tree"_a, "eps"_a, "need"_a, "weight"_a.none().noconvert(), "a"_a, "b"_a, "core"_a.noconvert(),
          "Mark the places of leaves a to b with enough weight around them.");
    m.def("join_inside", &join_inside, "tree"_a, "eps"_a, "core"_a.noconvert(), "parent"_a.noconvert(), "whole"_a.noconvert(), "a"_a, "b"_a,
          "Join the cores of every leaf; mark leaves that became one.");
    m.def("join_across", &join_across, "tree"_a, "eps"_a, "core"_a.noconvert(), "parent"_a.noconvert(), "whole"_a.noconvert(), "a"_a, "b"_a,
          "Join the cores of leaves a to b with those of the leaves behind them.");
    m.def("number_clusters", &number_clusters, "tree"_a, "core"_a.noconvert(), "parent"_a.noconvert(), "label"_a.noconvert(),
          "Write the clusters of the cores, numbered by their first row; return how many there are.");
    m.def("reach_borders", &reach_borders, "tree"_a, "eps"_a, "core"_a.noconvert(), "a"_a, "b"_a, "label"_a.noconvert(),
          "Write the clusters of rows that are no cores but near one.");
}
