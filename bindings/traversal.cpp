#include "novum/traversal.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace nb = nanobind;
using namespace nb::literals;
namespace tr = novum::traversal;

namespace {

template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void require(bool holds, const char* message) {
    if (!holds) throw nb::value_error(message);
}

/// The packed trees, checked against the rows they will see. Nodes come as bytes: a structured array of the layout of tr::Node.
tr::Trees trees_of(const Matrix<const std::uint8_t>& nodes, const Vector<const double>& value, const Matrix<const std::uint32_t>& sets,
                   const Vector<const std::int64_t>& root, std::size_t outputs, std::size_t d) {
    require(nodes.shape(1) == sizeof(tr::Node) && reinterpret_cast<std::uintptr_t>(nodes.data()) % alignof(tr::Node) == 0,
            "traversal: nodes of 16 bytes, aligned");
    require(value.shape(0) == nodes.shape(0) && sets.shape(1) == 8 && outputs > 0, "traversal: a value for every node, 8 words for every set");
    const tr::Trees trees{reinterpret_cast<const tr::Node*>(nodes.data()), value.data(), sets.data(), root.data(), root.shape(0), outputs,
                          sets.shape(0) > 0};
    require(tr::sound(trees, nodes.shape(0), sets.shape(0), d), "traversal: the nodes are no trees over these columns");
    return trees;
}

template <class Real>
void add_values(Matrix<const std::uint8_t> nodes, Vector<const double> value, Matrix<const std::uint32_t> sets, Vector<const std::int64_t> root,
                Matrix<const Real> x, Matrix<double> out) {
    require(out.shape(0) == x.shape(0), "traversal: one row of values for every row");
    const auto trees = trees_of(nodes, value, sets, root, out.shape(1), x.shape(1));
    nb::gil_scoped_release release;
    tr::add_values(trees, x.data(), x.shape(0), x.shape(1), out.data());
}

template <class Real>
void leaves(Matrix<const std::uint8_t> nodes, Vector<const double> value, Matrix<const std::uint32_t> sets, Vector<const std::int64_t> root,
            Matrix<const Real> x, Matrix<std::int64_t> out) {
    require(out.shape(0) == x.shape(0) && out.shape(1) == root.shape(0), "traversal: one leaf for every row and tree");
    const auto trees = trees_of(nodes, value, sets, root, 1, x.shape(1));
    nb::gil_scoped_release release;
    tr::leaves(trees, x.data(), x.shape(0), x.shape(1), out.data());
}

template <class Real>
void bind(nb::module_& m) {
    m.def("add_values", &add_values<Real>, "nodes"_a.noconvert(), "value"_a.noconvert(), "sets"_a.noconvert(), "root"_a.noconvert(), "x"_a.noconvert(),
          "out"_a.noconvert());
    m.def("leaves", &leaves<Real>, "nodes"_a.noconvert(), "value"_a.noconvert(), "sets"_a.noconvert(), "root"_a.noconvert(), "x"_a.noconvert(),
          "out"_a.noconvert());
}

}  // namespace

void bind_traversal(nb::module_& m) {
    m.attr("MISSING_LEFT") = tr::MISSING_LEFT;
    m.attr("CATEGORICAL") = tr::CATEGORICAL;
    bind<double>(m);
    bind<float>(m);
}
