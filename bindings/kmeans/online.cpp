#include "novum/kmeans/online.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>

#include "../arrays.h"

using namespace nb::literals;

namespace {

template <class Real>
double online(Matrix<const Real> x, std::optional<Vector<const double>> weight, double rate, Matrix<double> centers, Vector<double> mass,
              Vector<std::int32_t> label) {
    const std::size_t n = x.shape(0), k = centers.shape(0);
    require(k > 0 && centers.shape(1) == x.shape(1) && mass.shape(0) == k && label.shape(0) == n, "kmeans: centers as wide as the rows");
    require(!weight || weight->shape(0) == n, "kmeans: a weight per row");
    nb::gil_scoped_release release;
    return novum::kmeans::online(x.data(), weight ? weight->data() : nullptr, n, x.shape(1), rate, centers.data(), k, mass.data(),
                                 label.data());
}

template <class Real>
void bind(nb::module_& m) {
    m.def("online", &online<Real>, "x"_a.noconvert(), "weight"_a.none().noconvert(), "rate"_a, "centers"_a.noconvert(),
          "mass"_a.noconvert(), "label"_a.noconvert(),
          "Move the nearest center towards every row in turn; return the sum of squared distances before the moves.");
}

}  // namespace

void bind_kmeans_online(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}
