#include "novum/moments/diagonal.h"
#include "../arrays.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>

using namespace nb::literals;

namespace {

template <class Real>
void bind_real(nb::module_& m) {
    m.def(
        "class_moments",
        [](Matrix<const Real> X, Vector<const std::int64_t> code, std::optional<Vector<const double>> weight, Matrix<const double> shift,
           Vector<double> mass, Matrix<double> first, Matrix<double> second) {
            const std::size_t n = X.shape(0), d = X.shape(1), k = mass.shape(0);
            auto fits = [&](auto& a) { return a.shape(0) == k && a.shape(1) == d; };
            if (code.shape(0) != n || (weight && weight->shape(0) != n) || !fits(shift) || !fits(first) || !fits(second))
                throw nb::value_error("class_moments: inconsistent shapes");
            const auto* c = code.data();
            if (std::any_of(c, c + n, [k](std::int64_t v) { return v < 0 || static_cast<std::size_t>(v) >= k; }))
                throw nb::value_error("class_moments: a code outside the classes");
            nb::gil_scoped_release release;
            std::span<const double> w = weight ? std::span<const double>(weight->data(), n) : std::span<const double>();
            novum::class_moments<Real>(X.data(), {c, n}, w, shift.data(), d, k, mass.data(), first.data(), second.data());
        },
        "X"_a.noconvert(), "code"_a.noconvert(), "weight"_a.noconvert().none(), "shift"_a.noconvert(), "mass"_a.noconvert(),
        "first"_a.noconvert(), "second"_a.noconvert(), "Add the weighted moments of every class about its shift.");

    m.def(
        "diagonal_log_density",
        [](Matrix<const Real> X, Matrix<const Real> mean, Matrix<const Real> precision, Vector<const double> constant, Matrix<Real> out) {
            const std::size_t n = X.shape(0), d = X.shape(1), k = mean.shape(0);
            if (mean.shape(1) != d || precision.shape(0) != k || precision.shape(1) != d || constant.shape(0) != k || out.shape(0) != n ||
                out.shape(1) != k)
                throw nb::value_error("diagonal_log_density: inconsistent shapes");
            nb::gil_scoped_release release;
            novum::diagonal_log_density<Real>(X.data(), n, d, k, mean.data(), precision.data(), constant.data(), out.data());
        },
        "X"_a.noconvert(), "mean"_a.noconvert(), "precision"_a.noconvert(), "constant"_a.noconvert(), "out"_a.noconvert(),
        "Write constant - 1/2 sum_j precision (x - mean)^2 for every row and class.");
}

}  // namespace

void bind_moments_diagonal(nb::module_& m) {
    bind_real<float>(m);
    bind_real<double>(m);
}
