#include "novum/moments/scatter.h"
#include "../arrays.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>

using namespace nb::literals;

namespace {

using Weight = std::optional<Vector<const double>>;

void check_codes(const char* name, Vector<const std::int64_t>& code, const Weight& weight, std::size_t n, std::size_t k) {
    const auto* c = code.data();
    if (code.shape(0) != n || (weight && weight->shape(0) != n)) throw nb::value_error(name);
    if (std::any_of(c, c + n, [k](std::int64_t v) { return v < 0 || static_cast<std::size_t>(v) >= k; })) throw nb::value_error(name);
}

std::span<const double> view(const Weight& weight) {
    return weight ? std::span<const double>(weight->data(), weight->shape(0)) : std::span<const double>();
}

template <class Real>
void bind_real(nb::module_& m) {
    m.def(
        "class_scatter",
        [](Matrix<const Real> X, Vector<const std::int64_t> code, Weight weight, Matrix<const double> shift, Vector<double> mass,
           Matrix<double> first, Cube<double> second) {
            const std::size_t n = X.shape(0), d = X.shape(1), k = mass.shape(0), groups = second.shape(0);
            auto fits = [&](auto& a) { return a.shape(0) == k && a.shape(1) == d; };
            if (!fits(shift) || !fits(first) || (groups != k && groups != 1) || second.shape(1) != d || second.shape(2) != d)
                throw nb::value_error("class_scatter: inconsistent shapes");
            check_codes("class_scatter: a code outside the classes, or not one per row", code, weight, n, k);
            nb::gil_scoped_release release;
            novum::class_scatter<Real>(X.data(), {code.data(), n}, view(weight), shift.data(), d, k, groups == 1, mass.data(), first.data(),
                                       second.data());
        },
        "X"_a.noconvert(), "code"_a.noconvert(), "weight"_a.noconvert().none(), "shift"_a.noconvert(), "mass"_a.noconvert(),
        "first"_a.noconvert(), "second"_a.noconvert(), "Add the weighted first and second moments of every class about its shift.");

    m.def(
        "class_fourth",
        [](Matrix<const Real> X, Vector<const std::int64_t> code, Weight weight, Matrix<const double> mean, Matrix<const double> scale,
           Vector<double> fourth) {
            const std::size_t n = X.shape(0), d = X.shape(1), k = fourth.shape(0);
            auto fits = [&](auto& a) { return a.shape(0) == k && a.shape(1) == d; };
            if (!fits(mean) || !fits(scale)) throw nb::value_error("class_fourth: inconsistent shapes");
            check_codes("class_fourth: a code outside the classes, or not one per row", code, weight, n, k);
            nb::gil_scoped_release release;
            novum::class_fourth<Real>(X.data(), {code.data(), n}, view(weight), mean.data(), scale.data(), d, fourth.data());
        },
        "X"_a.noconvert(), "code"_a.noconvert(), "weight"_a.noconvert().none(), "mean"_a.noconvert(), "scale"_a.noconvert(),
        "fourth"_a.noconvert(), "Add the weighted fourth power of the length of every scaled row, by class.");
}

}  // namespace

void bind_moments_scatter(nb::module_& m) {
    bind_real<float>(m);
    bind_real<double>(m);
}
