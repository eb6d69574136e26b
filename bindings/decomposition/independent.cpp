#include "novum/decomposition/independent.h"

#include "../arrays.h"

#include <nanobind/stl/optional.h>
#include <optional>

using namespace nb::literals;

namespace {

template <class Real>
void bind_real(nb::module_& m) {
    m.def(
        "independent_sums",
        [](Matrix<const Real> X, std::optional<Vector<const double>> weight, Vector<const double> mean, Matrix<const double> unmixing,
           int contrast, double parameter, Matrix<double> products, Vector<double> slopes, std::optional<Matrix<double>> curvature,
           std::optional<Vector<double>> values) {
            const char* shapes = "independent_sums: inconsistent shapes";
            const std::size_t n = X.shape(0), p = X.shape(1), k = unmixing.shape(0);
            require(mean.size() == p && unmixing.shape(1) == p && (!weight || weight->size() == n), shapes);
            require(products.shape(0) == k && products.shape(1) == k && slopes.size() == k, shapes);
            require(!curvature || (curvature->shape(0) == k && curvature->shape(1) == k), shapes);
            require(!values || values->size() == k, shapes);
            require(contrast >= 0 && contrast <= 4 && parameter > 0, "independent_sums: unknown contrast");
            nb::gil_scoped_release release;
            novum::independent_sums<Real>(
                X.data(), weight ? weight->data() : nullptr, n, p, mean.data(), unmixing.data(), k, static_cast<novum::Contrast>(contrast),
                parameter, {products.data(), slopes.data(), curvature ? curvature->data() : nullptr, values ? values->data() : nullptr});
        },
        "X"_a.noconvert(), "weight"_a.noconvert().none(), "mean"_a.noconvert(), "unmixing"_a.noconvert(), "contrast"_a, "parameter"_a,
        "products"_a.noconvert(), "slopes"_a.noconvert(), "curvature"_a.noconvert().none(), "values"_a.noconvert().none(),
        "Add what learners of independent components need of a block of rows: sums of psi(y) y', psi'(y), psi'(y_i) y_j^2 and G(y).");
}

}  // namespace

void bind_decomposition_independent(nb::module_& m) {
    bind_real<float>(m);
    bind_real<double>(m);
}
