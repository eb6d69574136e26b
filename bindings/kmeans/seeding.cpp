#include "novum/kmeans/seeding.h"
#include "../arrays.h"
#include "novum/runtime/indices.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <vector>

using namespace nb::literals;
namespace km = novum::kmeans;

namespace {

using Weights = std::optional<Vector<const double>>;

template <class Real>
km::Rows<Real> rows(const Matrix<const Real>& x, const Weights& weight, const Vector<Real>& norm, const Vector<Real>& square,
                    const Vector<std::int32_t>& owner) {
    const std::size_t n = x.shape(0);
    if ((weight && weight->shape(0) != n) || norm.shape(0) != n || square.shape(0) != n || owner.shape(0) != n)
        throw nb::value_error("seeding: one weight, norm, square and owner per row");
    return {x.data(), weight ? weight->data() : nullptr, n, x.shape(1)};
}

km::Centers centers(const Matrix<const double>& c, std::size_t d) {
    if (c.shape(0) == 0 || c.shape(1) != d) throw nb::value_error("seeding: centers and rows of unequal width");
    return {c.data(), c.shape(0)};
}

template <class Real>
double absorb(Matrix<const Real> x, Weights weight, Matrix<const double> chosen, std::size_t first, Vector<Real> norm, Vector<Real> square,
              Vector<std::int32_t> owner, double scale) {
    const auto r = rows<Real>(x, weight, norm, square, owner);
    const auto c = centers(chosen, r.d);
    if (first > c.k || (first > 0 && !novum::inside(owner.data(), r.n, first)))
        throw nb::value_error("seeding: an owner that is no center");
    nb::gil_scoped_release release;
    return km::absorb<Real>(r, c, first, {norm.data(), square.data(), owner.data(), static_cast<Real>(scale)});
}

// An array that owns the vector.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> array(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    return {kept->data(), {kept->size()}, nb::capsule(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); })};
}

template <class Real>
nb::list gains(Matrix<const Real> x, Weights weight, Matrix<const double> chosen, Matrix<const double> candidates, Vector<Real> norm,
               Vector<Real> square, Vector<std::int32_t> owner, double scale, Vector<double> out) {
    const auto r = rows<Real>(x, weight, norm, square, owner);
    const auto c = centers(chosen, r.d), trial = centers(candidates, r.d);
    if (out.shape(0) != trial.k) throw nb::value_error("seeding: one gain per candidate");
    if (!novum::inside(owner.data(), r.n, c.k)) throw nb::value_error("seeding: an owner that is no center");
    std::vector<km::Better<Real>> better(trial.k);
    {
        nb::gil_scoped_release release;
        km::gains<Real>(r, c, trial, {norm.data(), square.data(), owner.data(), static_cast<Real>(scale)}, out.data(), better.data());
    }
    nb::list found;
    for (auto& one : better) found.append(nb::make_tuple(array(std::move(one.row)), array(std::move(one.square))));
    return found;
}

template <class Real>
void bind(nb::module_& m) {
    m.def("absorb", &absorb<Real>, "x"_a.noconvert(), "weight"_a.none().noconvert(), "chosen"_a.noconvert(), "first"_a,
          "norm"_a.noconvert(), "square"_a.noconvert(), "owner"_a.noconvert(), "scale"_a,
          "Take up the chosen centers from `first` on into the squared distances and owners of the rows; returns their weighted sum.");
    m.def("gains", &gains<Real>, "x"_a.noconvert(), "weight"_a.none().noconvert(), "chosen"_a.noconvert(), "candidates"_a.noconvert(),
          "norm"_a.noconvert(), "square"_a.noconvert(), "owner"_a.noconvert(), "scale"_a, "out"_a.noconvert(),
          "Write how much the sum of squared distances would fall with every candidate; returns the rows it would take over.");
}

}  // namespace

void bind_kmeans_seeding(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}
