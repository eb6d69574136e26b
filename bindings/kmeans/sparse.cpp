#include "novum/kmeans/sparse.h"
#include "../arrays.h"
#include "novum/runtime/indices.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>

using namespace nb::literals;
namespace km = novum::kmeans;

namespace {

using Weights = std::optional<Vector<const double>>;

template <class Real, class Index>
km::SparseRows<Real, Index> rows(const Vector<const Real>& value, const Vector<const Index>& column, const Vector<const Index>& start,
                                 const Weights& weight, std::size_t n, const Matrix<const double>& c) {
    if (start.shape(0) != n + 1 || value.shape(0) != column.shape(0) || (weight && weight->shape(0) != n) || c.shape(0) == 0)
        throw nb::value_error("kmeans_sparse: inconsistent shapes");
    const Index entries = static_cast<Index>(value.shape(0)), width = static_cast<Index>(c.shape(1));
    for (std::size_t i = 0; i < n; ++i)
        if (start(i) < 0 || start(i) > start(i + 1) || start(i + 1) > entries) throw nb::value_error("kmeans_sparse: rows out of order");
    for (std::size_t e = 0; e < column.shape(0); ++e)
        if (column(e) < 0 || column(e) >= width) throw nb::value_error("kmeans_sparse: column out of range");
    return {value.data(), column.data(), start.data(), weight ? weight->data() : nullptr, n, c.shape(1)};
}

template <class Real, class Index>
void nearest(Vector<const Real> value, Vector<const Index> column, Vector<const Index> start, Matrix<const double> c,
             Vector<std::int32_t> label) {
    const auto r = rows<Real, Index>(value, column, start, std::nullopt, label.shape(0), c);
    nb::gil_scoped_release release;
    km::nearest(r, {c.data(), c.shape(0)}, label.data());
}

template <class Real, class Index>
void distances(Vector<const Real> value, Vector<const Index> column, Vector<const Index> start, Matrix<const double> c,
               Vector<const std::int32_t> label, Vector<double> out) {
    const auto r = rows<Real, Index>(value, column, start, std::nullopt, label.shape(0), c);
    if (out.shape(0) != r.n) throw nb::value_error("kmeans_sparse: one distance per row");
    if (!novum::inside(label.data(), r.n, c.shape(0))) throw nb::value_error("kmeans_sparse: a label that is no center");
    nb::gil_scoped_release release;
    km::distances(r, {c.data(), c.shape(0)}, label.data(), out.data());
}

template <class Real, class Index>
double step(Vector<const Real> value, Vector<const Index> column, Vector<const Index> start, Weights weight, Matrix<const double> c,
            Vector<std::int32_t> label, Matrix<double> sums, Vector<double> mass) {
    const auto r = rows<Real, Index>(value, column, start, weight, label.shape(0), c);
    if (sums.shape(0) != c.shape(0) || sums.shape(1) != c.shape(1) || mass.shape(0) != c.shape(0))
        throw nb::value_error("kmeans_sparse: sums and mass as wide as the centers");
    nb::gil_scoped_release release;
    return km::step(r, {c.data(), c.shape(0)}, label.data(), {sums.data(), mass.data()});
}

template <class Real, class Index>
void bind(nb::module_& m) {
    m.def("nearest", &nearest<Real, Index>, "value"_a.noconvert(), "column"_a.noconvert(), "start"_a.noconvert(), "centers"_a.noconvert(),
          "label"_a.noconvert(), "Write the index of every row's nearest center.");
    m.def("distances", &distances<Real, Index>, "value"_a.noconvert(), "column"_a.noconvert(), "start"_a.noconvert(),
          "centers"_a.noconvert(), "label"_a.noconvert(), "out"_a.noconvert(),
          "Write every row's squared distance to the center of its label.");
    m.def("step", &step<Real, Index>, "value"_a.noconvert(), "column"_a.noconvert(), "start"_a.noconvert(), "weight"_a.none().noconvert(),
          "centers"_a.noconvert(), "label"_a.noconvert(), "sums"_a.noconvert(), "mass"_a.noconvert(),
          "Write labels, add the sums and masses of the clusters, return the inertia.");
}

}  // namespace

void bind_kmeans_sparse(nb::module_& m) {
    bind<float, std::int32_t>(m);
    bind<double, std::int32_t>(m);
    bind<float, std::int64_t>(m);
    bind<double, std::int64_t>(m);
}
