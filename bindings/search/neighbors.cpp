#include "handle.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

namespace ne = novum::neighbors;
using namespace nb::literals;
using search_handle::checked;
using search_handle::Handle;

namespace {

template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using Lists = std::tuple<Out<std::int64_t>, Out<std::int64_t>, Out<double>>;
using Skip = std::optional<Vector<const std::int64_t>>;

template <class T>
Out<T> array_of(std::vector<T>&& values) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Out<T>(owned->data(), {owned->size()}, owner);
}

Lists lists_of(ne::Within found) {
    return {array_of(std::move(found.begin)), array_of(std::move(found.index)), array_of(std::move(found.distance))};
}

template <class Real>
ne::Table<Real> table(const Matrix<const Real>& x) {
    return {x.data(), x.shape(0), x.shape(1)};
}

template <class Real>
void same_width(const Matrix<const Real>& x, const Matrix<const Real>& y) {
    require(x.shape(1) == y.shape(1) && y.shape(0) > 0, "neighbors: queries as wide as the rows, and at least one row");
}

ne::Nearest nearest_of(const Matrix<double>& distance, const Matrix<std::int64_t>& index, std::size_t queries, std::size_t rows) {
    require(distance.shape(0) == queries && index.shape(0) == queries && distance.shape(1) == index.shape(1),
            "neighbors: a row of results per query");
    require(distance.shape(1) > 0 && distance.shape(1) <= rows, "neighbors: from one neighbor to as many as there are rows");
    return {distance.data(), index.data(), distance.shape(1)};
}

template <class Real>
double frame(Matrix<const Real> rows, Vector<double> origin) {
    require(origin.shape(0) == rows.shape(1), "neighbors: an origin as wide as the rows");
    nb::gil_scoped_release release;
    return ne::frame_of(table<Real>(rows), origin.data());
}

template <class Real>
void distances(Matrix<const Real> x, Matrix<const Real> y, double p, Matrix<double> out) {
    same_width<Real>(x, y);
    require(out.shape(0) == x.shape(0) && out.shape(1) == y.shape(0) && p > 0, "neighbors: a distance per pair, p > 0");
    nb::gil_scoped_release release;
    ne::distances(table<Real>(x), table<Real>(y), p, out.data());
}

template <class Real>
void nearest_by_scan(Matrix<const Real> x, Matrix<const Real> y, double p, Vector<const double> origin, double reach,
                     Matrix<double> distance, Matrix<std::int64_t> index) {
    same_width<Real>(x, y);
    require(origin.shape(0) == x.shape(1) && p > 0, "neighbors: an origin as wide as the rows, p > 0");
    const auto out = nearest_of(distance, index, x.shape(0), y.shape(0));
    nb::gil_scoped_release release;
    ne::nearest_by_scan(table<Real>(x), table<Real>(y), p, {origin.data(), reach}, out);
}

template <class Real>
Lists within_by_scan(Matrix<const Real> x, Matrix<const Real> y, double p, Vector<const double> origin, double reach,
                     Vector<const double> radius) {
    same_width<Real>(x, y);
    require(origin.shape(0) == x.shape(1) && radius.shape(0) == x.shape(0) && p > 0, "neighbors: a radius per query, p > 0");
    ne::Within found;
    {
        nb::gil_scoped_release release;
        found = ne::within_by_scan(table<Real>(x), table<Real>(y), p, {origin.data(), reach}, radius.data());
    }
    return lists_of(std::move(found));
}

template <class Real>
void sums_by_scan(Matrix<const Real> x, Matrix<const Real> y, double p, Vector<const double> origin, double reach,
                  Vector<const double> radius, Matrix<const double> value, Matrix<double> sum, Vector<std::int64_t> count) {
    same_width<Real>(x, y);
    require(origin.shape(0) == x.shape(1) && radius.shape(0) == x.shape(0) && p > 0, "neighbors: a radius per query, p > 0");
    require(value.shape(0) == y.shape(0) && sum.shape(0) == x.shape(0) && sum.shape(1) == value.shape(1) && count.shape(0) == x.shape(0),
            "neighbors: values of every row, sums and a count for every query");
    nb::gil_scoped_release release;
    ne::sums_by_scan(table<Real>(x), table<Real>(y), p, {origin.data(), reach}, radius.data(),
                     {value.data(), value.shape(1), sum.data(), count.data()});
}

template <class Real>
void build(Matrix<const Real> rows, Cube<double> packed, Matrix<std::int64_t> index, Matrix<double> bounds, Vector<double> cut,
           Vector<std::int32_t> cut_column, double p, bool ball, std::size_t a, std::size_t b, bool whole) {
    const ne::Tree tree = checked(packed, index, bounds, cut, cut_column, rows.shape(0), p, ball);
    require(rows.shape(1) == tree.d && a < b && b <= tree.leaves, "neighbors: leaves as wide as the rows, and some of them");
    const std::size_t begin = a * tree.capacity, end = std::min(b * tree.capacity, tree.n);
    for (std::size_t i = begin; i < end; ++i)
        require(index.data()[i] >= 0 && static_cast<std::size_t>(index.data()[i]) < tree.n, "neighbors: numbers of rows in every place");
    nb::gil_scoped_release release;
    (whole ? ne::grow<Real> : ne::split<Real>)(table<Real>(rows), tree,
                                               {packed.data(), index.data(), bounds.data(), cut.data(), cut_column.data()}, a, b);
}

void queries_fit(const Handle& handle, const Matrix<const double>& x) {
    require(x.shape(1) == handle.tree.d && x.shape(0) < (std::size_t{1} << 32), "neighbors: queries as wide as the rows");
}

const std::int64_t* skipped(const Skip& skip, std::size_t queries) {
    require(!skip || skip->shape(0) == queries, "neighbors: one row to skip per query");
    return skip ? skip->data() : nullptr;
}

void nearest(const Handle& handle, Matrix<const double> x, Skip skip, Matrix<double> distance, Matrix<std::int64_t> index) {
    queries_fit(handle, x);
    const auto out = nearest_of(distance, index, x.shape(0), handle.tree.n);
    const auto* not_these = skipped(skip, x.shape(0));
    nb::gil_scoped_release release;
    ne::nearest_in_tree(handle.tree, table<double>(x), not_these, out);
}

Lists within(const Handle& handle, Matrix<const double> x, Vector<const double> radius) {
    queries_fit(handle, x);
    require(radius.shape(0) == x.shape(0), "neighbors: a radius per query");
    ne::Within found;
    {
        nb::gil_scoped_release release;
        found = ne::within_in_tree(handle.tree, table<double>(x), radius.data());
    }
    return lists_of(std::move(found));
}

void count(const Handle& handle, Matrix<const double> x, Vector<const double> radius, Vector<std::int64_t> out) {
    queries_fit(handle, x);
    require(radius.shape(0) == x.shape(0) && out.shape(0) == x.shape(0), "neighbors: a radius and a count per query");
    nb::gil_scoped_release release;
    ne::count_in_tree(handle.tree, table<double>(x), radius.data(), out.data());
}

void kernel_sums(const Handle& handle, Matrix<const double> x, Skip skip, int kernel, double width, double tail,
                 std::optional<Vector<const double>> weight, std::optional<Matrix<const double>> target, Vector<double> sum,
                 Vector<double> log_unit, std::optional<Matrix<double>> target_sum) {
    queries_fit(handle, x);
    const std::size_t places = handle.tree.leaves * handle.tree.capacity, m = target ? target->shape(1) : 0;
    require(kernel >= 0 && kernel < 6 && width > 0 && tail > 0, "neighbors: a kernel of positive width");
    require(sum.shape(0) == x.shape(0) && log_unit.shape(0) == x.shape(0), "neighbors: a sum and its unit per query");
    require(!weight || weight->shape(0) == places, "neighbors: a weight per place");
    require(target.has_value() == target_sum.has_value(), "neighbors: targets and their sums");
    require(!target || (target->shape(0) == places && target_sum->shape(0) == x.shape(0) && target_sum->shape(1) == m),
            "neighbors: targets of every place");
    const auto* not_these = skipped(skip, x.shape(0));
    const ne::Smoother by{static_cast<ne::Kernel>(kernel),   width, tail, weight ? weight->data() : nullptr,
                          target ? target->data() : nullptr, m};
    nb::gil_scoped_release release;
    ne::kernel_sums(handle.tree, table<double>(x), not_these, by, sum.data(), log_unit.data(), target_sum ? target_sum->data() : nullptr);
}

template <class Real>
void bind(nb::module_& m) {
    m.def("frame", &frame<Real>, "rows"_a.noconvert(), "origin"_a.noconvert(),
          "Write the mean of the rows, return the largest distance from it.");
    m.def("distances", &distances<Real>, "x"_a.noconvert(), "y"_a.noconvert(), "p"_a, "out"_a.noconvert(),
          "Write all distances between two sets of rows.");
    m.def("nearest_by_scan", &nearest_by_scan<Real>, "x"_a.noconvert(), "y"_a.noconvert(), "p"_a, "origin"_a.noconvert(), "reach"_a,
          "distance"_a.noconvert(), "index"_a.noconvert(), "Write the nearest rows of every query, nearest first.");
    m.def("within_by_scan", &within_by_scan<Real>, "x"_a.noconvert(), "y"_a.noconvert(), "p"_a, "origin"_a.noconvert(), "reach"_a,
          "radius"_a.noconvert(), "Return where the lists of the queries begin, the rows within their radius and the distances.");
    m.def("sums_by_scan", &sums_by_scan<Real>, "x"_a.noconvert(), "y"_a.noconvert(), "p"_a, "origin"_a.noconvert(), "reach"_a,
          "radius"_a.noconvert(), "value"_a.noconvert(), "sum"_a.noconvert(), "count"_a.noconvert(),
          "Write sums over the rows within the radius of every query, and how many they are.");
    m.def("build", &build<Real>, "rows"_a.noconvert(), "packed"_a.noconvert(), "index"_a.noconvert(), "bounds"_a.noconvert(),
          "cut"_a.noconvert(), "cut_column"_a.noconvert(), "p"_a, "ball"_a, "a"_a, "b"_a, "whole"_a,
          "Split the node over leaves a to b of a search tree and, if `whole`, all below it; `index` lists the rows of its places.");
}

}  // namespace

void bind_search_neighbors(nb::module_& m) {
    nb::class_<Handle>(m, "Tree", "The arrays of a search tree, checked once and kept alive.")
        .def(nb::init<Cube<const double>, Matrix<const std::int64_t>, Matrix<const double>, Vector<const double>,
                      Vector<const std::int32_t>, std::size_t, double, bool>(),
             "packed"_a.noconvert(), "index"_a.noconvert(), "bounds"_a.noconvert(), "cut"_a.noconvert(), "cut_column"_a.noconvert(), "n"_a,
             "p"_a, "ball"_a)
        .def("nearest", &nearest, "x"_a.noconvert(), "skip"_a.none().noconvert(), "distance"_a.noconvert(), "index"_a.noconvert(),
             "Write the nearest rows of every query, nearest first; `skip`: a row per query that it must not find.")
        .def("within", &within, "x"_a.noconvert(), "radius"_a.noconvert(),
             "Return where the lists of the queries begin, the rows within their radius and the distances.")
        .def("count", &count, "x"_a.noconvert(), "radius"_a.noconvert(), "out"_a.noconvert(),
             "Write how many rows lie within the radius of every query.")
        .def("kernel_sums", &kernel_sums, "x"_a.noconvert(), "skip"_a.none().noconvert(), "kernel"_a, "width"_a, "tail"_a,
             "weight"_a.none().noconvert(), "target"_a.none().noconvert(), "sum"_a.noconvert(), "log_unit"_a.noconvert(),
             "target_sum"_a.none().noconvert(),
             "Write the sums of a kernel around every query, each over exp(log_unit), and those of the targets.");
    bind<float>(m);
    bind<double>(m);
}
