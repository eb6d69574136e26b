#include "novum/manifold/units.h"

#include "../arrays.h"

using namespace nb::literals;

namespace {

template <class Real>
void bind_real(nb::module_& m) {
    m.def(
        "nearest_units",
        [](Matrix<const Real> X, Matrix<const double> units, Matrix<std::int32_t> number, Matrix<double> distance) {
            const std::size_t n = X.shape(0), p = X.shape(1), count = units.shape(0);
            require(units.shape(1) == p && count > 0, "nearest_units: inconsistent shapes");
            require(number.shape(0) == n && number.shape(1) == 2 && distance.shape(0) == n && distance.shape(1) == 2,
                    "nearest_units: inconsistent shapes");
            nb::gil_scoped_release release;
            novum::nearest_units<Real>(X.data(), n, p, units.data(), count, number.data(), distance.data());
        },
        "X"_a.noconvert(), "units"_a.noconvert(), "number"_a.noconvert(), "distance"_a.noconvert(),
        "Write the two nearest units of every row and their squared distances.");
    m.def(
        "online_steps",
        [](Matrix<const Real> X, Vector<const std::int64_t> order, Matrix<double> units, Matrix<const double> lattice, double eta,
           double sigma, std::size_t first, std::size_t total) {
            const std::size_t p = X.shape(1), count = units.shape(0);
            require(units.shape(1) == p && lattice.shape(0) == count && lattice.shape(1) == count && total > 0,
                    "online_steps: inconsistent shapes");
            for (std::size_t t = 0; t < order.size(); ++t)
                require(order.data()[t] >= 0 && order.data()[t] < static_cast<std::int64_t>(X.shape(0)), "online_steps: no such row");
            nb::gil_scoped_release release;
            novum::online_steps<Real>(X.data(), p, order.data(), order.size(), units.data(), count, lattice.data(), eta, sigma, first,
                                      total);
        },
        "X"_a.noconvert(), "order"_a.noconvert(), "units"_a.noconvert(), "lattice"_a.noconvert(), "eta"_a, "sigma"_a, "first"_a, "total"_a,
        "Move the units towards rows, one after the other.");
}

}  // namespace

void bind_manifold_units(nb::module_& m) {
    bind_real<float>(m);
    bind_real<double>(m);
}
