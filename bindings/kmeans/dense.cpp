#include "../arrays.h"
#include "novum/kmeans/chunk.h"
#include "novum/runtime/block_sums.h"
#include "novum/runtime/indices.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <optional>

using namespace nb::literals;
namespace km = novum::kmeans;

namespace {

using Looked = std::pair<double, std::size_t>;
using Weights = std::optional<Vector<const double>>;

template <class Real>
km::Rows<Real> rows(const Matrix<const Real>& x, const Weights& weight) {
    require(!weight || weight->shape(0) == x.shape(0), "kmeans: one weight per row");
    return {x.data(), weight ? weight->data() : nullptr, x.shape(0), x.shape(1)};
}

km::Centers centers(const Matrix<const double>& c, std::size_t d) {
    require(c.shape(0) > 0 && c.shape(1) == d, "kmeans: centers and rows of unequal width");
    return {c.data(), c.shape(0)};
}

km::Totals totals(const Matrix<double>& sums, const Vector<double>& mass, const Matrix<const double>& c) {
    require(sums.shape(0) == c.shape(0) && sums.shape(1) == c.shape(1) && mass.shape(0) == c.shape(0),
            "kmeans: sums and mass as wide as the centers");
    return {sums.data(), mass.data()};
}

template <class Real>
void nearest(Matrix<const Real> x, Matrix<const double> c, Vector<std::int32_t> label) {
    require(label.shape(0) == x.shape(0), "kmeans: one label per row");
    const auto r = rows<Real>(x, std::nullopt);
    const auto k = centers(c, r.d);
    nb::gil_scoped_release release;
    km::nearest(r, k, label.data());
}

template <class Real>
void distances(Matrix<const Real> x, Matrix<const double> c, Vector<const std::int32_t> label, Vector<double> out) {
    require(label.shape(0) == x.shape(0) && out.shape(0) == x.shape(0), "kmeans: one label and one distance per row");
    const auto r = rows<Real>(x, std::nullopt);
    const auto k = centers(c, r.d);
    require(novum::inside(label.data(), r.n, k.k), "kmeans: a label that is no center");
    nb::gil_scoped_release release;
    km::distances(r, k, label.data(), out.data());
}

template <class Real>
void all_distances(Matrix<const Real> x, Matrix<const double> c, Matrix<Real> out) {
    require(out.shape(0) == x.shape(0) && out.shape(1) == c.shape(0), "kmeans: one distance per row and center");
    const auto r = rows<Real>(x, std::nullopt);
    const auto k = centers(c, r.d);
    nb::gil_scoped_release release;
    km::all_distances(r, k, out.data());
}

template <class Real>
double step(Matrix<const Real> x, Weights weight, Matrix<const double> c, Vector<std::int32_t> label, Matrix<double> sums,
            Vector<double> mass) {
    require(label.shape(0) == x.shape(0), "kmeans: one label per row");
    const auto r = rows<Real>(x, weight);
    const auto k = centers(c, r.d);
    const auto t = totals(sums, mass, c);
    nb::gil_scoped_release release;
    return km::step(r, k, label.data(), t);
}

template <class Real>
Looked grouped_step(Matrix<const Real> x, Weights weight, Matrix<const double> c, Vector<const std::int32_t> order, Matrix<const float> gap,
                    Vector<const double> drift, Vector<std::int32_t> label, Matrix<float> lower, std::size_t known, Matrix<double> sums,
                    Vector<double> mass) {
    const auto r = rows<Real>(x, weight);
    const auto k = centers(c, r.d);
    const auto t = totals(sums, mass, c);
    require(label.shape(0) == r.n && lower.shape(0) == r.n && known <= r.n, "kmeans: labels and bounds for every row");
    require(novum::inside(label.data(), known, k.k) && novum::inside(order.data(), order.shape(0), k.k),
            "kmeans: a label that is no center");
    require(order.shape(0) == k.k && gap.shape(0) == k.k && gap.shape(1) % 8 == 0 && gap.shape(1) * 16 >= k.k,
            "kmeans: order and gaps of every center");
    require(lower.shape(1) == gap.shape(1) && drift.shape(0) == gap.shape(1), "kmeans: a bound and a drift for every group");
    const km::Motion motion{order.data(), gap.data(), drift.data(), gap.shape(1)};
    nb::gil_scoped_release release;
    const km::Work work = km::grouped_step(r, k, motion, {label.data(), lower.data()}, known, t);
    return {work.inertia, work.looked};
}

template <class Real>
Looked neighbor_step(Matrix<const Real> x, Weights weight, Matrix<const double> c, Matrix<const std::int32_t> index,
                     Vector<const float> half, Vector<const float> radius, Vector<std::int32_t> label, std::size_t known,
                     Matrix<double> sums, Vector<double> mass) {
    const auto r = rows<Real>(x, weight);
    const auto k = centers(c, r.d);
    const auto t = totals(sums, mass, c);
    require(label.shape(0) == r.n && known <= r.n, "kmeans: one label per row");
    require(novum::inside(label.data(), known, k.k), "kmeans: a label that is no center");
    for (std::size_t i = 0; i < index.size(); ++i)
        require(index.data()[i] >= -1 && index.data()[i] < static_cast<std::int64_t>(k.k), "kmeans: a neighbor that is no center");
    require(index.shape(0) == k.k && index.shape(1) == 16 && half.shape(0) == k.k && radius.shape(0) == k.k,
            "kmeans: sixteen neighbors of every center");
    nb::gil_scoped_release release;
    const km::Work work = km::neighbor_step(r, k, {index.data(), half.data(), radius.data()}, label.data(), known, t);
    return {work.inertia, work.looked};
}

void neighborhoods(Matrix<const double> c, std::optional<Matrix<const double>> before, Matrix<std::int32_t> index, Vector<float> half,
                   Vector<float> radius, Vector<float> found) {
    const auto k = centers(c, c.shape(1));
    require(index.shape(0) == k.k && index.shape(1) == 16 && half.shape(0) == k.k && radius.shape(0) == k.k && found.shape(0) == k.k,
            "kmeans: sixteen neighbors of every center");
    require(!before || (before->shape(0) == k.k && before->shape(1) == c.shape(1)), "kmeans: as many centers before as after");
    nb::gil_scoped_release release;
    km::neighborhoods(k, c.shape(1), before ? before->data() : nullptr, {index.data(), half.data(), radius.data(), found.data()});
}

double move(Matrix<const double> c, Vector<const double> origin, Matrix<double> sums, Vector<double> mass, bool single,
            Matrix<double> after) {
    const auto k = centers(c, c.shape(1));
    const auto t = totals(sums, mass, c);
    require(after.shape(0) == k.k && after.shape(1) == c.shape(1) && origin.shape(0) == c.shape(1),
            "kmeans: centers before and after of one shape");
    return (single ? km::move<float> : km::move<double>)(k, c.shape(1), origin.data(), t, after.data());
}

template <class Real>
void origin(Matrix<const double> c, Vector<Real> out) {
    require(out.shape(0) == c.shape(1), "kmeans: an origin as wide as the centers");
    km::origin<Real>(centers(c, c.shape(1)), c.shape(1), out.data());
}

void group(Matrix<const double> c, Vector<std::int32_t> order) {
    require(order.shape(0) == c.shape(0), "kmeans: one place per center");
    km::group(centers(c, c.shape(1)), c.shape(1), order.data());
}

void gaps(Matrix<const double> c, Vector<const std::int32_t> order, Matrix<float> gap) {
    require(order.shape(0) == c.shape(0) && gap.shape(0) == c.shape(0) && gap.shape(1) * 16 >= c.shape(0),
            "kmeans: gaps from every center to every group");
    const auto k = centers(c, c.shape(1));
    require(novum::inside(order.data(), order.shape(0), k.k), "kmeans: an order of other centers");
    nb::gil_scoped_release release;
    km::gaps(k, c.shape(1), order.data(), gap.shape(1), gap.data());
}

template <class Real>
void bind(nb::module_& m) {
    m.def("nearest", &nearest<Real>, "x"_a.noconvert(), "centers"_a.noconvert(), "label"_a.noconvert(),
          "Write the index of every row's nearest center.");
    m.def("distances", &distances<Real>, "x"_a.noconvert(), "centers"_a.noconvert(), "label"_a.noconvert(), "out"_a.noconvert(),
          "Write every row's squared distance to the center of its label.");
    m.def("all_distances", &all_distances<Real>, "x"_a.noconvert(), "centers"_a.noconvert(), "out"_a.noconvert(),
          "Write the distance of every row to every center.");
    m.def("step", &step<Real>, "x"_a.noconvert(), "weight"_a.none().noconvert(), "centers"_a.noconvert(), "label"_a.noconvert(),
          "sums"_a.noconvert(), "mass"_a.noconvert(),
          "Write labels, add the sums about the origin and the masses of the clusters, return the inertia.");
    m.def(
        "step_blocks",
        [](novum::Team& team, std::size_t step, Matrix<const Real> x, Matrix<const double> c, Vector<std::int32_t> label,
           Vector<double> sums) {
            const std::size_t n = x.shape(0), d = x.shape(1), k = c.shape(0);
            const auto given = centers(c, d);
            require(label.shape(0) == n && sums.shape(0) == 1 + k + k * d && step > 0, "kmeans: one label per row, sums of all clusters");
            nb::gil_scoped_release release;
            novum::block_sums(team, n, step, 1 + k + k * d, sums.data(), [&](std::size_t first, std::size_t end, double* out) {
                const km::Rows<Real> rows{x.data() + first * d, nullptr, end - first, d};
                out[0] = km::step<Real>(rows, given, label.data() + first, {out + 1 + k, out + 1});
            });
        },
        "team"_a, "step"_a, "x"_a.noconvert(), "centers"_a.noconvert(), "label"_a.noconvert(), "sums"_a.noconvert(),
        "`step` of all blocks of `step` rows, merged: inertia, masses and sums, one after the other in `sums`.");
    m.def("grouped_step", &grouped_step<Real>, "x"_a.noconvert(), "weight"_a.none().noconvert(), "centers"_a.noconvert(),
          "order"_a.noconvert(), "gap"_a.noconvert(), "drift"_a.noconvert(), "label"_a.noconvert(), "lower"_a.noconvert(), "known"_a,
          "sums"_a.noconvert(), "mass"_a.noconvert(),
          "As `step`, the first `known` rows from the labels and bounds of an earlier pass; returns inertia and pairs looked at.");
    m.def(
        "neighbor_step", &neighbor_step<Real>, "x"_a.noconvert(), "weight"_a.none().noconvert(), "centers"_a.noconvert(),
        "index"_a.noconvert(), "half"_a.noconvert(), "radius"_a.noconvert(), "label"_a.noconvert(), "known"_a, "sums"_a.noconvert(),
        "mass"_a.noconvert(),
        "As `step`, the first `known` rows from the labels of an earlier pass; returns inertia and rows that had to look at all centers.");
    m.def("origin", &origin<Real>, "centers"_a.noconvert(), "out"_a.noconvert(), "Write the point about which `step` sums.");
}

}  // namespace

void bind_kmeans_dense(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
    m.def("group", &group, "centers"_a.noconvert(), "order"_a.noconvert(), "Order the centers in groups of 16 neighbors.");
    m.def("neighborhoods", &neighborhoods, "centers"_a.noconvert(), "before"_a.none().noconvert(), "index"_a.noconvert(),
          "half"_a.noconvert(), "radius"_a.noconvert(), "found"_a.noconvert(),
          "Write the nearest neighbors of every center; `before`: where the centers were when the other arrays were written.");
    m.def("move", &move, "centers"_a.noconvert(), "origin"_a.noconvert(), "sums"_a.noconvert(), "mass"_a.noconvert(), "single"_a,
          "after"_a.noconvert(), "Write the next centers, return by how much they moved, squared; `single`: rounded to float32.");
    m.def("chunk_rows", &novum::kmeans::chunk_rows, "d"_a, "itemsize"_a, "Return the rows that the steps work on at a time.");
    m.def("gaps", &gaps, "centers"_a.noconvert(), "order"_a.noconvert(), "gap"_a.noconvert(),
          "Bound the distance from every center to every group from below.");
}
