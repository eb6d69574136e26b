#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "novum/trees/columns.h"
#include "novum/trees/exact_grower.h"
#include "novum/trees/pruning.h"
#include "novum/trees/walk.h"

#include "arrays.h"

namespace nb = nanobind;
using namespace nb::literals;
namespace tr = novum::tree;
using namespace tree_arrays;

namespace {

tr::Layout layout_of(int layout) {
    if (layout < 0 || layout > 2) throw nb::value_error("cart: no such layout");
    return static_cast<tr::Layout>(layout);
}

std::vector<std::int32_t> checked_levels(std::vector<std::int32_t> levels, std::size_t d) {
    if (levels.size() != d || std::any_of(levels.begin(), levels.end(), [](auto v) { return v < 0 || v >= 1 << 20; }))
        throw nb::value_error("cart: not one number of levels per column, below 2^20");
    return levels;
}

/// Sorted columns with the arrays they read, so that those live as long.
struct Held {
    nb::object arrays;
    std::unique_ptr<tr::Columns> columns;
};

struct Growing {
    nb::object held;  // the columns and the targets
    std::unique_ptr<tr::Grower> grower;
};

tr::Target target_of(int criterion, const std::optional<Matrix<const std::int32_t>>& code, const std::optional<Matrix<const double>>& y,
                     const std::vector<std::size_t>& classes, const std::optional<Vector<const double>>& weight, std::size_t n) {
    if (criterion < 0 || criterion > 4 || code.has_value() == y.has_value() || code.has_value() != (criterion < 2))
        throw nb::value_error("cart: codes go with gini and entropy, numbers with the other criteria");
    tr::Target target;
    target.criterion = static_cast<tr::Criterion>(criterion);
    target.rows = n;
    const std::size_t rows = code ? code->shape(0) : y->shape(0);
    target.outputs = code ? code->shape(1) : y->shape(1);
    if (rows != n || target.outputs == 0 || (weight && weight->shape(0) != n))
        throw nb::value_error("cart: not one target and weight per row");
    if (code) {
        if (classes.size() != target.outputs) throw nb::value_error("cart: not one number of classes per output");
        target.classes = classes;
        target.code = code->data();
        target.stride = std::max<std::size_t>(1, *std::max_element(classes.begin(), classes.end()));
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t o = 0; o < target.outputs; ++o) {
                const std::int32_t c = target.code[i * target.outputs + o];
                if (c < 0 || static_cast<std::size_t>(c) >= classes[o]) throw nb::value_error("cart: a code outside the classes");
            }
    } else {
        target.y = y->data();
        if (!std::all_of(target.y, target.y + n * target.outputs, [](double v) { return std::isfinite(v); }))
            throw nb::value_error("cart: a target that is not finite");
    }
    if (weight) {
        target.weight = weight->data();
        double total = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (!(target.weight[i] >= 0) || !std::isfinite(target.weight[i]))
                throw nb::value_error("cart: a weight that is negative or not finite");
            total += target.weight[i];
        }
        if (!(total > 0) || !std::isfinite(total)) throw nb::value_error("cart: weights without a sum");
    }
    return target;
}

/// Nodes as walks read them, every index checked: children come after their parent, so every walk ends.
tr::Walk walk_of(const Vector<const std::int64_t>& left, const Vector<const std::int64_t>& right, const Vector<const std::int64_t>& feature,
                 const Vector<const double>& threshold, const Vector<const std::uint8_t>& missing_left,
                 const Vector<const std::int64_t>& word_begin, const Vector<const std::uint32_t>& words, std::size_t n_columns) {
    const std::size_t n = left.shape(0), total = words.shape(0);
    if (n == 0 || n > 0x7FFFFFFF || right.shape(0) != n || feature.shape(0) != n || threshold.shape(0) != n || missing_left.shape(0) != n ||
        word_begin.shape(0) != n + 1 || n_columns == 0)
        throw nb::value_error("cart: the arrays of a tree do not fit together");
    tr::Walk walk;
    walk.columns = n_columns;
    walk.step.resize(n);
    walk.word.assign(words.data(), words.data() + total);
    const auto size = static_cast<std::int64_t>(n);
    for (std::int64_t i = 0; i < size; ++i) {
        const auto u = static_cast<std::size_t>(i);
        const std::int64_t l = left.data()[u], r = right.data()[u], f = feature.data()[u], b = word_begin.data()[u],
                           e = word_begin.data()[u + 1];
        tr::Step& s = walk.step[u];
        s.leaf = l < 0 && r < 0;
        if (!s.leaf && (l <= i || r <= i || l >= size || r >= size))
            throw nb::value_error("cart: a tree leads to a node that is not there, or back");
        if (!s.leaf && (f < 0 || static_cast<std::size_t>(f) >= n_columns))
            throw nb::value_error("cart: a tree needs a column that is not there");
        if (b < 0 || e < b || static_cast<std::size_t>(e) > total || e - b > 0xFFFF)
            throw nb::value_error("cart: a tree has a set of categories that is not there");
        s.child[0] = static_cast<std::int32_t>(s.leaf ? i : r);
        s.child[1] = static_cast<std::int32_t>(s.leaf ? i : l);
        s.feature = static_cast<std::int32_t>(s.leaf ? 0 : f);
        s.threshold = threshold.data()[u];
        s.missing_left = missing_left.data()[u] != 0;
        s.words = static_cast<std::uint32_t>(b);
        s.n_words = static_cast<std::uint16_t>(s.leaf ? 0 : e - b);
    }
    return walk;
}

template <class Real, class Index>
void bind_sparse(nb::class_<tr::Walk>& walk) {
    walk.def(
        "leaves_sparse",
        [](const tr::Walk& self, Vector<const Index> begin, Vector<const Index> column, Vector<const Real> value,
           Vector<std::int64_t> leaf) {
            const std::size_t n = leaf.shape(0), entries = column.shape(0);
            const Index *b = begin.data(), *c = column.data();
            bool good = begin.shape(0) == n + 1 && value.shape(0) == entries && b[0] >= 0 && static_cast<std::size_t>(b[n]) <= entries &&
                        std::is_sorted(b, b + n + 1);
            if (!good || std::any_of(c + b[0], c + b[n], [&](Index v) { return v < 0 || static_cast<std::size_t>(v) >= self.columns; }))
                throw nb::value_error("cart: not the arrays of a CSR matrix");
            nb::gil_scoped_release release;
            std::vector<double> scratch(self.columns, 0.0);
            tr::leaves<Real, Index>(self, b, c, value.data(), n, scratch, leaf.data());
        },
        "begin"_a.noconvert(), "column"_a.noconvert(), "value"_a.noconvert(), "leaf"_a.noconvert(), "Write the leaf of every sparse row.");
}

}  // namespace

void bind_trees_exact(nb::module_& m) {
    nb::class_<Held>(m, "Columns", "The columns of a table, sorted once.")
        .def(
            "sort",
            [](Held& self, std::size_t j) {
                if (j >= self.columns->columns()) throw nb::value_error("cart: no such column");
                nb::gil_scoped_release release;
                self.columns->sort(j);
            },
            "column"_a, "Sort one column; different columns may be sorted at the same time.")
        .def_prop_ro("levels", [](const Held& self) { return self.columns->levels; })
        .def_prop_ro("shape", [](const Held& self) { return nb::make_tuple(self.columns->rows(), self.columns->columns()); });

    m.def(
        "dense_columns",
        [](Strided X, std::vector<std::int32_t> levels, int layout) {
            const tr::Table table = dense_table(X);
            auto columns = std::make_unique<tr::Columns>(table, checked_levels(std::move(levels), table.columns), layout_of(layout));
            return Held{nb::cast(X), std::move(columns)};
        },
        "X"_a.noconvert(), "levels"_a, "layout"_a,
        "Return the columns of a dense table, not yet sorted; layout 0 values, 1 order, 2 ranks.");

    m.def(
        "sparse_columns",
        [](Vector<const std::int64_t> begin, Vector<const std::int32_t> row, Vector<const double> value, std::size_t rows, int layout) {
            const std::size_t entries = row.shape(0);
            if (begin.shape(0) < 2 || value.shape(0) != entries || rows == 0 || rows >= tr::ROW)
                throw nb::value_error("cart: not the arrays of a CSC matrix");
            const std::size_t d = begin.shape(0) - 1;
            const std::int64_t* b = begin.data();
            bool good = b[0] == 0 && static_cast<std::size_t>(b[d]) == entries && std::is_sorted(b, b + d + 1) && layout != 1;
            for (std::size_t j = 0; good && j < d; ++j)
                for (std::int64_t p = b[j]; p < b[j + 1]; ++p) {
                    const std::int32_t i = row.data()[p];
                    good = good && i >= 0 && static_cast<std::size_t>(i) < rows && (p == b[j] || i > row.data()[p - 1]);
                }
            if (!good) throw nb::value_error("cart: not the arrays of a CSC matrix with rising rows, or sorted whole");
            tr::Table table;
            table.rows = rows;
            table.columns = d;
            table.begin = b;
            table.row = row.data();
            table.value = value.data();
            auto columns = std::make_unique<tr::Columns>(table, std::vector<std::int32_t>(d, 0), layout_of(layout));
            return Held{nb::make_tuple(begin, row, value), std::move(columns)};
        },
        "begin"_a.noconvert(), "row"_a.noconvert(), "value"_a.noconvert(), "rows"_a, "layout"_a,
        "Return the columns of a CSC matrix, not yet sorted.");

    nb::class_<Growing>(m, "Grower", "Grows one tree.")
        .def(
            "run", [](Growing& self) { self.grower->run(); }, nb::call_guard<nb::gil_scoped_release>(), "Grow the tree on this thread.")
        .def(
            "next_large", [](Growing& self, std::size_t limit) { return self.grower->next_large(limit); }, "limit"_a,
            nb::call_guard<nb::gil_scoped_release>(), "Begin the next node with more rows than `limit`; False when none is left.")
        .def(
            "search", [](Growing& self, std::size_t part, std::size_t parts) { self.grower->search(part, parts); }, "part"_a, "parts"_a,
            nb::call_guard<nb::gil_scoped_release>(), "Look at a share of the columns of the node.")
        .def(
            "divide", [](Growing& self) { return self.grower->divide(); }, nb::call_guard<nb::gil_scoped_release>(),
            "Divide the rows of the node; return whether columns are to be divided too.")
        .def(
            "partition", [](Growing& self, std::size_t part, std::size_t parts) { self.grower->partition(part, parts); }, "part"_a,
            "parts"_a, nb::call_guard<nb::gil_scoped_release>(), "Divide a share of the columns.")
        .def_prop_ro("subtrees", [](const Growing& self) { return self.grower->subtrees(); })
        .def(
            "finish",
            [](Growing& self, std::size_t index) {
                if (index >= self.grower->subtrees()) throw nb::value_error("cart: no such subtree");
                nb::gil_scoped_release release;
                self.grower->finish(index);
            },
            "index"_a, "Grow one subtree.")
        .def(
            "table",
            [](Growing& self) {
                tr::Grown grown;
                {
                    nb::gil_scoped_release release;
                    grown = self.grower->grown();
                }
                return table_of(grown);
            },
            "Return the arrays of the finished tree, once.");

    m.def(
        "grower",
        [](nb::object columns, int criterion, std::optional<Matrix<const std::int32_t>> code, std::optional<Matrix<const double>> y,
           std::vector<std::size_t> classes, std::optional<Vector<const double>> weight, bool random, std::size_t max_features,
           std::size_t min_split, std::size_t min_leaf, std::size_t max_depth, std::size_t max_leaves, double min_weight_leaf,
           double min_decrease, std::uint64_t seed, std::vector<std::int8_t> monotone, bool consume) {
            Held& held = nb::cast<Held&>(columns);
            const std::size_t n = held.columns->rows(), d = held.columns->columns();
            tr::Target target = target_of(criterion, code, y, classes, weight, n);
            if (max_features == 0 || max_features > d || min_leaf == 0 || min_split < 2 || (!monotone.empty() && monotone.size() != d) ||
                (held.columns->layout == tr::Layout::Values && !random) ||
                (held.columns->layout == tr::Layout::Order && held.columns->order.empty()) ||
                (!monotone.empty() && (target.outputs > 1 || (target.classification() && target.stride != 2))))
                throw nb::value_error("cart: settings that no tree can have");
            tr::Settings settings{random,     max_features,    min_split,    min_leaf, max_depth,
                                  max_leaves, min_weight_leaf, min_decrease, seed,     std::move(monotone)};
            nb::object kept = nb::make_tuple(columns, code, y, weight);
            std::unique_ptr<tr::Grower> grower;
            {
                nb::gil_scoped_release release;
                grower = std::make_unique<tr::Grower>(*held.columns, std::move(target), std::move(settings), consume);
            }
            return Growing{std::move(kept), std::move(grower)};
        },
        "columns"_a, "criterion"_a, "code"_a.noconvert().none(), "y"_a.noconvert().none(), "classes"_a, "weight"_a.noconvert().none(),
        "random"_a, "max_features"_a, "min_split"_a, "min_leaf"_a, "max_depth"_a, "max_leaves"_a, "min_weight_leaf"_a, "min_decrease"_a,
        "seed"_a, "monotone"_a, "consume"_a, "Return a grower of one tree.");

    m.def(
        "weakest_links",
        [](Vector<const std::int64_t> parent, Vector<const double> cost) {
            const std::size_t n = parent.shape(0);
            bool good = n > 0 && n <= 0x7FFFFFFF && cost.shape(0) == n && parent.data()[0] == -1;
            for (std::size_t i = 1; good && i < n; ++i) good = parent.data()[i] >= 0 && static_cast<std::size_t>(parent.data()[i]) < i;
            if (!good) throw nb::value_error("cart: not the parents of a tree");
            tr::Links links;
            {
                nb::gil_scoped_release release;
                links = tr::weakest_links({parent.data(), n}, {cost.data(), n});
            }
            return nb::make_tuple(array_of(std::move(links.node)), array_of(std::move(links.alpha)), array_of(std::move(links.impurity)));
        },
        "parent"_a.noconvert(), "cost"_a.noconvert(),
        "Return the nodes in the order of pruning, their prices and the cost left after each.");

    nb::class_<tr::Walk> walk(m, "Walk", "A tree as walks read it.");
    walk.def(
        "leaves",
        [](const tr::Walk& self, Strided X, Vector<std::int64_t> leaf) {
            if (X.shape(1) != self.columns || leaf.shape(0) != X.shape(0)) throw nb::value_error("cart: inconsistent shapes");
            const bool single = is_single(X);
            nb::gil_scoped_release release;
            if (single)
                tr::leaves<float>(self, {static_cast<const float*>(X.data()), X.stride(0), X.stride(1), X.shape(0)}, leaf.data());
            else
                tr::leaves<double>(self, {static_cast<const double*>(X.data()), X.stride(0), X.stride(1), X.shape(0)}, leaf.data());
        },
        "X"_a.noconvert(), "leaf"_a.noconvert(), "Write the leaf of every row.");
    bind_sparse<float, std::int32_t>(walk);
    bind_sparse<double, std::int32_t>(walk);
    bind_sparse<float, std::int64_t>(walk);
    bind_sparse<double, std::int64_t>(walk);
    m.def("walk", &walk_of, "left"_a.noconvert(), "right"_a.noconvert(), "feature"_a.noconvert(), "threshold"_a.noconvert(),
          "missing_left"_a.noconvert(), "word_begin"_a.noconvert(), "words"_a.noconvert(), "columns"_a,
          "Return a tree as walks read it, every index checked.");
}
