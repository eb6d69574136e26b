#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <tuple>

#include "../arrays.h"
#include "novum/trees/boosting.h"
#include "novum/trees/leaf_histograms.h"
#include "novum/trees/node_key.h"

using namespace nb::literals;
namespace bo = novum::boosting;
namespace gr = novum::grower;
namespace hi = novum::histograms;
namespace le = novum::leaves;
namespace sp = novum::splits;

namespace {

template <class T>
using Cells = nb::ndarray<T, nb::ndim<4>, nb::c_contig, nb::device::cpu>;
using Weights = std::optional<Vector<const double>>;
using Units = std::pair<double, double>;

constexpr int LOSSES = static_cast<int>(bo::Loss::BINARY) + 1;

void advance(Matrix<const std::uint8_t> nodes, Matrix<const std::uint32_t> sets, Matrix<const std::uint32_t> words, int missing,
             Vector<std::int32_t> leaf) {
    const std::size_t count = nodes.shape(0), n = words.shape(1);
    require(count > 0 && nodes.shape(1) == sizeof(gr::Record) && reinterpret_cast<std::uintptr_t>(nodes.data()) % alignof(gr::Record) == 0,
            "growth: nodes of 56 bytes, aligned");
    require(leaf.shape(0) == n && sets.shape(1) == 8, "growth: a leaf for every row, 8 words for every set");
    const auto* record = reinterpret_cast<const gr::Record*>(nodes.data());
    for (std::size_t i = 0; i < count; ++i) {
        if (record[i].is_leaf) continue;
        require(record[i].left > i && record[i].right > i && record[i].left < count && record[i].right < count,
                "growth: children come after their parents");
        require(record[i].feature >= 0 && static_cast<std::size_t>(record[i].feature) / 4 < words.shape(0),
                "growth: nodes split columns that are there");
        require(!record[i].categorical || record[i].bitset < sets.shape(0), "growth: categorical nodes have a set of categories");
    }
    for (std::size_t i = 0; i < n; ++i)
        require(leaf(i) >= -1 && leaf(i) < static_cast<std::int64_t>(count), "growth: rows are at nodes, or absent");
    nb::gil_scoped_release release;
    le::advance(record, reinterpret_cast<const gr::Bitset*>(sets.data()), words.data(), n, static_cast<std::uint8_t>(missing), leaf.data());
}

/// The rows of the wanted leaves, after every check that the sums rely on.
le::Sorted sorted_rows(const le::Coded& coded, std::size_t groups, const Vector<const std::int32_t>& leaf,
                       const Vector<const std::int32_t>& slot, std::size_t slots) {
    require(coded.width % 4 == 0 && coded.width > 0 && coded.width <= 256 && groups == (coded.d + 3) / 4,
            "growth: a word for every four columns");
    require(leaf.shape(0) == coded.n, "growth: a leaf for every row");
    for (std::size_t s = 0; s < slot.shape(0); ++s)
        require(slot(s) >= -1 && slot(s) < static_cast<std::int64_t>(slots), "growth: slots of the histograms");
    for (std::size_t i = 0; i < coded.n; ++i)
        require(leaf(i) >= -1 && leaf(i) < static_cast<std::int64_t>(slot.shape(0)), "growth: rows are at nodes, or absent");
    if (coded.width < 256)
        for (std::size_t j = 0; j < coded.d; ++j)
            for (std::size_t i = 0; i < coded.n; ++i)
                require(((coded.words[j / 4 * coded.n + i] >> (8 * (j % 4))) & 255) < coded.width, "growth: codes below the width");
    return le::sort(leaf.data(), coded.n, slot.data(), slots);
}

void add_pairs(Matrix<const std::uint32_t> words, Vector<const std::int32_t> leaf, Vector<const std::int32_t> slot,
               Matrix<const std::int32_t> pairs, Cells<std::int64_t> cells, Cube<std::uint32_t> counts) {
    const le::Coded coded{words.data(), words.shape(1), cells.shape(1), cells.shape(2)};
    require(pairs.shape(0) == coded.n && pairs.shape(1) == 2 && cells.shape(3) == 2, "growth: a pair for every row");
    require(counts.shape(0) == cells.shape(0) && counts.shape(1) == coded.d && counts.shape(2) == coded.width,
            "growth: a count for every cell");
    nb::gil_scoped_release release;
    const le::Sorted sorted = sorted_rows(coded, words.shape(0), leaf, slot, cells.shape(0));
    le::add_pairs(coded, sorted, reinterpret_cast<const hi::Pair*>(pairs.data()), reinterpret_cast<hi::Cell*>(cells.data()), counts.data());
}

void add_classes(Matrix<const std::uint32_t> words, Vector<const std::int32_t> leaf, Vector<const std::int32_t> slot,
                 Vector<const std::int32_t> code, std::optional<Vector<const std::int32_t>> weight, Cells<std::int64_t> cells,
                 Cube<std::uint32_t> counts) {
    const le::Coded coded{words.data(), words.shape(1), cells.shape(1), cells.shape(2)};
    const std::size_t classes = cells.shape(3);
    require(code.shape(0) == coded.n && (!weight || weight->shape(0) == coded.n), "growth: a class and a weight for every row");
    require(counts.shape(0) == cells.shape(0) && counts.shape(1) == coded.d && counts.shape(2) == coded.width,
            "growth: a count for every cell");
    for (std::size_t i = 0; i < coded.n; ++i)
        require(code(i) >= 0 && static_cast<std::size_t>(code(i)) < classes, "growth: class codes from 0 to k - 1");
    nb::gil_scoped_release release;
    const le::Sorted sorted = sorted_rows(coded, words.shape(0), leaf, slot, cells.shape(0));
    le::add_classes(coded, sorted, code.data(), weight ? weight->data() : nullptr, classes, cells.data(), counts.data());
}

struct Columns {
    std::vector<std::int32_t> bins;
    std::vector<std::uint8_t> has_missing, categorical;
    std::vector<std::int8_t> monotone;
    std::uint8_t missing;
};

void make_columns(Columns* at, Vector<const std::int32_t> bins, Vector<const std::uint8_t> has_missing,
                  Vector<const std::uint8_t> categorical, Vector<const std::int8_t> monotone, int missing) {
    const std::size_t d = bins.shape(0);
    require(has_missing.shape(0) == d && categorical.shape(0) == d && monotone.shape(0) == d, "growth: one entry for every column");
    require(missing >= 1 && missing <= 255, "growth: the code of a missing value is 1 to 255");
    for (std::size_t j = 0; j < d; ++j)
        require(bins(j) >= 0 && bins(j) <= missing, "growth: at most as many bins as the code of a missing value");
    new (at) Columns{{bins.data(), bins.data() + d},
                     {has_missing.data(), has_missing.data() + d},
                     {categorical.data(), categorical.data() + d},
                     {monotone.data(), monotone.data() + d},
                     static_cast<std::uint8_t>(missing)};
}

using Sums = std::tuple<std::int64_t, std::int64_t, std::uint32_t>;
using Found = std::tuple<double, int, int, bool, bool, std::vector<std::uint32_t>, Sums>;

sp::Rules rules_of(double l2, double least_curvature, std::uint32_t least_rows, Units units) {
    return {l2, least_curvature, least_rows, units.first, units.second};
}

/// The best split of a node over the drawn columns: group by group of four, as the grower in memory looks at them.
Found search(const Columns& columns, Cube<const std::int64_t> cells, Matrix<const std::uint32_t> counts, std::vector<std::uint32_t> allowed,
             double share, std::uint64_t seed, std::uint32_t tree, std::uint64_t key, Sums sums, double value, double low, double high,
             double l2, double least_curvature, std::uint32_t least_rows, Units units) {
    const std::size_t d = columns.bins.size(), width = counts.shape(1), bytes = hi::column_bytes(width);
    require(cells.shape(0) == d && counts.shape(0) == d && cells.shape(1) == width && cells.shape(2) == 2 && width % 4 == 0 &&
                width > columns.missing && width <= 256,
            "growth: cells and counts of every column");
    for (const std::uint32_t j : allowed) require(j < d, "growth: columns that are there");
    const sp::Rules rules = rules_of(l2, least_curvature, least_rows, units);
    const sp::Node node{{std::get<0>(sums), std::get<1>(sums), std::get<2>(sums)}, value, low, high};
    nb::gil_scoped_release release;
    std::vector<std::byte> column(bytes);
    sp::Split best, here;
    std::size_t group = 0;
    const auto settle = [&] {
        if (here.gain > best.gain) best = here;
        here = sp::Split{};
    };
    for (const std::uint32_t j : gr::drawn_columns(allowed, share, seed, tree, key)) {
        if (j / 4 != group) settle();
        group = j / 4;
        std::memcpy(hi::cells(column.data()), cells.data() + j * width * 2, width * sizeof(hi::Cell));
        std::memcpy(hi::counts(column.data(), width), counts.data() + j * width, width * sizeof(std::uint32_t));
        sp::search({column.data(), width, columns.bins[j], columns.missing, columns.has_missing[j] != 0, columns.categorical[j] != 0,
                    columns.monotone[j]},
                   static_cast<std::int32_t>(j), node, rules, here);
    }
    settle();
    return {best.gain,
            best.feature,
            best.bin,
            best.missing_left,
            best.categorical,
            std::vector<std::uint32_t>(best.categories, best.categories + 8),
            Sums{best.left.gradient, best.left.curvature, best.left.rows}};
}

double value(Sums sums, double low, double high, double l2, Units units) {
    return sp::value({std::get<0>(sums), std::get<1>(sums), std::get<2>(sums)}, rules_of(l2, 0, 0, units), low, high);
}

/// Slopes before they are rounded, and the largest of each.
Units slopes(int loss, double parameter, Vector<const double> target, Vector<const double> raw, Matrix<float> out) {
    const std::size_t n = target.shape(0);
    require(loss >= 0 && loss < LOSSES, "growth: unknown loss");
    require(raw.shape(0) == n && out.shape(0) == n && out.shape(1) == 2, "growth: a score and slopes for every target");
    nb::gil_scoped_release release;
    const bo::Largest most = bo::slopes(static_cast<bo::Loss>(loss), parameter, {target.data(), raw.data(), nullptr, n},
                                        reinterpret_cast<bo::Slopes*>(out.data()));
    return {most.gradient, most.curvature};
}

Units class_slopes(Vector<const double> probability, Vector<const double> target, double k, Matrix<float> out) {
    const std::size_t n = target.shape(0);
    require(probability.shape(0) == n && out.shape(0) == n && out.shape(1) == 2, "growth: a probability and slopes for every target");
    nb::gil_scoped_release release;
    const bo::Largest most = bo::class_slopes(probability.data(), target.data(), k, n, reinterpret_cast<bo::Slopes*>(out.data()));
    return {most.gradient, most.curvature};
}

void round_slopes(Matrix<const float> slopes, Weights weight, bool integral, Units units, Matrix<std::int32_t> pairs) {
    const std::size_t n = slopes.shape(0);
    require(slopes.shape(1) == 2 && pairs.shape(0) == n && pairs.shape(1) == 2 && (!weight || weight->shape(0) == n),
            "growth: a pair for every row");
    nb::gil_scoped_release release;
    bo::round(reinterpret_cast<const bo::Slopes*>(slopes.data()), weight ? weight->data() : nullptr, integral, n, units.first, units.second,
              reinterpret_cast<hi::Pair*>(pairs.data()));
}

}  // namespace

void bind_trees_passes(nb::module_& m) {
    nb::class_<Columns>(m, "Columns")
        .def("__init__", &make_columns, "bins"_a.noconvert(), "has_missing"_a.noconvert(), "categorical"_a.noconvert(),
             "monotone"_a.noconvert(), "missing"_a);
    m.def("advance", &advance, "nodes"_a.noconvert(), "sets"_a.noconvert(), "words"_a.noconvert(), "missing"_a, "leaf"_a.noconvert());
    m.def("add_pairs", &add_pairs, "words"_a.noconvert(), "leaf"_a.noconvert(), "slot"_a.noconvert(), "pairs"_a.noconvert(),
          "cells"_a.noconvert(), "counts"_a.noconvert());
    m.def("add_classes", &add_classes, "words"_a.noconvert(), "leaf"_a.noconvert(), "slot"_a.noconvert(), "code"_a.noconvert(),
          "weight"_a.noconvert().none(), "cells"_a.noconvert(), "counts"_a.noconvert());
    m.def("search", &search, "columns"_a, "cells"_a.noconvert(), "counts"_a.noconvert(), "allowed"_a, "share"_a, "seed"_a, "tree"_a,
          "key"_a, "sums"_a, "value"_a, "low"_a, "high"_a, "l2"_a, "least_curvature"_a, "least_rows"_a, "units"_a);
    m.def("value", &value, "sums"_a, "low"_a, "high"_a, "l2"_a, "units"_a);
    m.def("child_key", &novum::child_key, "key"_a, "right"_a);
    m.def("slopes", &slopes, "loss"_a, "parameter"_a, "target"_a.noconvert(), "raw"_a.noconvert(), "out"_a.noconvert());
    m.def("class_slopes", &class_slopes, "probability"_a.noconvert(), "target"_a.noconvert(), "k"_a, "out"_a.noconvert());
    m.def("round", &round_slopes, "slopes"_a.noconvert(), "weight"_a.noconvert().none(), "integral"_a, "units"_a, "pairs"_a.noconvert());
    m.def("unit_of", &bo::unit_of, "largest"_a);
}
