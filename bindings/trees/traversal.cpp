#include "novum/trees/traversal.h"
#include "../arrays.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

using namespace nb::literals;
namespace tr = novum::traversal;

namespace {

/// The packed trees, checked against the rows they will see. Nodes come as bytes: a structured array of the layout of tr::Node.
tr::Trees trees_of(const Matrix<const std::uint8_t>& nodes, const Vector<const double>& value, const Matrix<const std::uint32_t>& sets,
                   const Vector<const std::int64_t>& root, std::size_t outputs, std::size_t d) {
    require(nodes.shape(1) == sizeof(tr::Node) && reinterpret_cast<std::uintptr_t>(nodes.data()) % alignof(tr::Node) == 0,
            "traversal: nodes of 16 bytes, aligned");
    require(value.shape(0) == nodes.shape(0) && sets.shape(1) == 8 && outputs > 0,
            "traversal: a value for every node, 8 words for every set");
    const tr::Trees trees{
        reinterpret_cast<const tr::Node*>(nodes.data()), value.data(), sets.data(), root.data(), root.shape(0), outputs, sets.shape(0) > 0};
    require(tr::sound(trees, nodes.shape(0), sets.shape(0), d), "traversal: the nodes are no trees over these columns");
    return trees;
}

template <class Real>
void add_values(Matrix<const std::uint8_t> nodes, Vector<const double> value, Matrix<const std::uint32_t> sets,
                Vector<const std::int64_t> root, Matrix<const Real> x, Matrix<double> out) {
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
    m.def("add_values", &add_values<Real>, "nodes"_a.noconvert(), "value"_a.noconvert(), "sets"_a.noconvert(), "root"_a.noconvert(),
          "x"_a.noconvert(), "out"_a.noconvert());
    m.def("leaves", &leaves<Real>, "nodes"_a.noconvert(), "value"_a.noconvert(), "sets"_a.noconvert(), "root"_a.noconvert(),
          "x"_a.noconvert(), "out"_a.noconvert());
}

/// Trees of a forest, packed once for all later calls.
class Forest {
  public:
    /// Room for so many nodes is made at once: growing would hold them twice.
    Forest(std::size_t n_columns, std::size_t n_values, std::size_t n_nodes) : columns(n_columns), width(n_values) {
        nodes.reserve(n_nodes);
        value.reserve(n_nodes * width);
    }

    /// Add a tree whose nodes lie in arrays; children get places side by side, and a left child's own children come next.
    void append(Vector<const std::int64_t> left, Vector<const std::int64_t> right, Vector<const std::int64_t> feature,
                Vector<const double> threshold, Vector<const std::uint8_t> missing_left, Vector<const std::int64_t> word_begin,
                Vector<const std::uint32_t> words, Matrix<const double> values) {
        const std::size_t n = left.shape(0);
        require(n > 0 && right.shape(0) == n && feature.shape(0) == n && threshold.shape(0) == n && missing_left.shape(0) == n &&
                    word_begin.shape(0) == n + 1 && values.shape(0) == n && values.shape(1) == width,
                "traversal: the arrays of a tree do not fit together");
        require(nodes.size() + n < 0xFFFFFFFFu, "traversal: more nodes than a forest can have");
        const std::size_t first = nodes.size();
        std::size_t next = first + 1;
        nodes.resize(first + n);
        value.resize((first + n) * width);
        root.push_back(static_cast<std::int64_t>(first));
        std::vector<std::pair<std::size_t, std::size_t>> open{{0, first}};  // a node and its place here
        while (!open.empty()) {
            const auto [i, at] = open.back();
            open.pop_back();
            std::copy_n(values.data() + i * width, width, value.data() + at * width);
            const std::int64_t l = left.data()[i], r = right.data()[i], f = feature.data()[i], b = word_begin.data()[i],
                               e = word_begin.data()[i + 1];
            tr::Node& node = nodes[at];
            if (l < 0 && r < 0) {
                node = {std::numeric_limits<double>::infinity(), tr::MISSING_LEFT, static_cast<std::uint32_t>(at)};
                continue;
            }
            const auto size = static_cast<std::int64_t>(n), here = static_cast<std::int64_t>(i);
            require(l > here && r > here && l < size && r < size && next + 2 <= first + n,
                    "traversal: a tree leads to a node that is not there, or back");
            require(f >= 0 && static_cast<std::size_t>(f) < columns, "traversal: a tree needs a column that is not there");
            require(b >= 0 && e >= b && static_cast<std::size_t>(e) <= words.shape(0) && e - b <= 8,
                    "traversal: a set of categories that is not there");
            node = {threshold.data()[i], static_cast<std::uint32_t>(f) | (missing_left.data()[i] ? tr::MISSING_LEFT : 0u),
                    static_cast<std::uint32_t>(next)};
            if (e > b) {
                node.feature |= tr::CATEGORICAL;
                node.threshold = static_cast<double>(sets.size() / 8);
                // Categories beyond the set go where missing ones do.
                sets.insert(sets.end(), 8, missing_left.data()[i] ? ~0u : 0u);
                std::copy(words.data() + b, words.data() + e, sets.end() - 8);
            }
            open.push_back({static_cast<std::size_t>(r), next + 1});
            open.push_back({static_cast<std::size_t>(l), next});
            next += 2;
        }
        require(next == first + n, "traversal: a tree has nodes that no other leads to");
    }

    template <class Real>
    void add(Matrix<const Real> x, Matrix<double> out) const {
        require(x.shape(1) == columns && out.shape(0) == x.shape(0) && out.shape(1) == width, "traversal: one row of values for every row");
        nb::gil_scoped_release release;
        const tr::Trees trees{nodes.data(), value.data(), sets.data(), root.data(), root.size(), 1, !sets.empty()};
        tr::add_rows(trees, width, x.data(), x.shape(0), columns, out.data());
    }

  private:
    std::size_t columns, width;
    std::vector<tr::Node> nodes;
    std::vector<double> value;
    std::vector<std::uint32_t> sets;
    std::vector<std::int64_t> root;
};

}  // namespace

void bind_trees_traversal(nb::module_& m) {
    m.attr("MISSING_LEFT") = tr::MISSING_LEFT;
    m.attr("CATEGORICAL") = tr::CATEGORICAL;
    bind<double>(m);
    bind<float>(m);
    nb::class_<Forest>(m, "Forest", "Trees of a forest, packed.")
        .def(nb::init<std::size_t, std::size_t, std::size_t>(), "columns"_a, "width"_a, "nodes"_a)
        .def("append", &Forest::append, "left"_a.noconvert(), "right"_a.noconvert(), "feature"_a.noconvert(), "threshold"_a.noconvert(),
             "missing_left"_a.noconvert(), "word_begin"_a.noconvert(), "words"_a.noconvert(), "values"_a.noconvert(), "Add a tree.")
        .def("add", &Forest::add<double>, "x"_a.noconvert(), "out"_a.noconvert(), "Add the values of every row's leaves.")
        .def("add", &Forest::add<float>, "x"_a.noconvert(), "out"_a.noconvert(), "Add the values of every row's leaves.");
}
