#include "novum/kmeans/seeding.h"
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

template <class Real>
km::Rows<Real> rows(const Matrix<const Real>& x, const Weights& weight, const Vector<Real>& square, const Vector<std::int32_t>& owner) {
    const std::size_t n = x.shape(0);
    if ((weight && weight->shape(0) != n) || square.shape(0) != n || owner.shape(0) != n)
        throw nb::value_error("seeding: one weight, square and owner per row");
    return {x.data(), weight ? weight->data() : nullptr, n, x.shape(1)};
}

km::Centers centers(const Matrix<const double>& c, std::size_t d) {
    if (c.shape(0) == 0 || c.shape(1) != d) throw nb::value_error("seeding: centers and rows of unequal width");
    return {c.data(), c.shape(0)};
}

template <class Real>
double absorb(Matrix<const Real> x, Weights weight, Matrix<const double> chosen, std::size_t first, Vector<Real> square,
              Vector<std::int32_t> owner, double scale) {
    const auto r = rows<Real>(x, weight, square, owner);
    const auto c = centers(chosen, r.d);
    if (first > c.k || (first > 0 && !novum::inside(owner.data(), r.n, first)))
        throw nb::value_error("seeding: an owner that is no center");
    nb::gil_scoped_release release;
    return km::absorb<Real>(r, c, first, {square.data(), owner.data(), static_cast<Real>(scale)});
}

template <class Real>
void gains(Matrix<const Real> x, Weights weight, Matrix<const double> chosen, Matrix<const double> candidates, Vector<Real> square,
           Vector<std::int32_t> owner, double scale, Vector<double> out, Matrix<Real> trial) {
    const auto r = rows<Real>(x, weight, square, owner);
    const auto c = centers(chosen, r.d), tried = centers(candidates, r.d);
    if (out.shape(0) != tried.k || trial.shape(0) != tried.k || trial.shape(1) != r.n)
        throw nb::value_error("seeding: one gain per candidate");
    if (!novum::inside(owner.data(), r.n, c.k)) throw nb::value_error("seeding: an owner that is no center");
    nb::gil_scoped_release release;
    km::gains<Real>(r, c, tried, {square.data(), owner.data(), static_cast<Real>(scale)}, out.data(), trial.data());
}

template <class Real>
double adopt(Vector<const Real> found, Weights weight, std::size_t number, Vector<Real> square, Vector<std::int32_t> owner) {
    const std::size_t n = found.shape(0);
    if ((weight && weight->shape(0) != n) || square.shape(0) != n || owner.shape(0) != n)
        throw nb::value_error("seeding: one weight, square and owner per row");
    nb::gil_scoped_release release;
    return km::adopt<Real>(found.data(), weight ? weight->data() : nullptr, n, number, {square.data(), owner.data(), 1});
}

template <class Real>
void locate(Vector<const Real> square, Weights weight, Vector<const double> target, Vector<std::int64_t> row) {
    if (weight && weight->shape(0) != square.shape(0)) throw nb::value_error("seeding: one weight per row");
    if (row.shape(0) != target.shape(0)) throw nb::value_error("seeding: one row per target");
    nb::gil_scoped_release release;
    km::locate<Real>(square.data(), weight ? weight->data() : nullptr, square.shape(0), target.data(), target.shape(0), row.data());
}

template <class Real>
void bind(nb::module_& m) {
    m.def("absorb", &absorb<Real>, "x"_a.noconvert(), "weight"_a.none().noconvert(), "chosen"_a.noconvert(), "first"_a,
          "square"_a.noconvert(), "owner"_a.noconvert(), "scale"_a,
          "Take up the chosen centers from `first` on into the squared distances and owners of the rows; returns their weighted sum.");
    m.def("gains", &gains<Real>, "x"_a.noconvert(), "weight"_a.none().noconvert(), "chosen"_a.noconvert(), "candidates"_a.noconvert(),
          "square"_a.noconvert(), "owner"_a.noconvert(), "scale"_a, "out"_a.noconvert(), "trial"_a.noconvert(),
          "Write how much the sum of squared distances would fall with every candidate, and the distances behind it.");
    m.def("adopt", &adopt<Real>, "found"_a.noconvert(), "weight"_a.none().noconvert(), "number"_a, "square"_a.noconvert(),
          "owner"_a.noconvert(), "Take up a candidate by its row of `trial`; returns the weighted sum of the squared distances.");
    m.def("locate", &locate<Real>, "square"_a.noconvert(), "weight"_a.none().noconvert(), "target"_a.noconvert(), "row"_a.noconvert(),
          "Write the rows at which the cumulative sum of weighted squares passes the targets.");
}

}  // namespace

void bind_kmeans_seeding(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}
