#include "novum/linear_model/newton.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <array>
#include <optional>
#include <string_view>
#include <tuple>

#include "../arrays.h"

using namespace nb::literals;

namespace {

novum::LineLoss loss_of(std::string_view name) {
    constexpr std::array<std::string_view, 7> NAMES{
        "squares", "poisson", "gamma", "tweedie", "huber", "squared_hinge", "squared_insensitive"};
    for (std::size_t k = 0; k < NAMES.size(); ++k)
        if (NAMES[k] == name) return static_cast<novum::LineLoss>(k);
    throw nb::value_error("line_pass: no such loss");
}

template <class Real>
void bind(nb::module_& m) {
    m.def(
        "line_pass",
        [](Matrix<const Real> X, Vector<const double> y, std::optional<Vector<const double>> weight, Vector<const double> theta,
           std::string_view loss, double parameter, double middle, double unit, std::optional<Vector<double>> gradient,
           std::optional<Matrix<double>> hessian, double constant) {
            const std::size_t n = X.shape(0), p = X.shape(1);
            const novum::LineModel model{loss_of(loss), parameter, theta.data(), constant};
            const std::size_t all = model.length(p);
            require(y.size() == n && (!weight || weight->size() == n), "line_pass: y and weight need a value per row");
            require(theta.size() == all && (!gradient || gradient->size() == all), "line_pass: inconsistent shapes");
            require(!hessian || (hessian->shape(0) == all && hessian->shape(1) == all), "line_pass: the Hessian is of theta by theta");
            const novum::LineTarget target{y.data(), weight ? weight->data() : nullptr, middle, unit};
            nb::gil_scoped_release release;
            return novum::line_pass<Real>(X.data(), target, model, n, p, gradient ? gradient->data() : nullptr,
                                          hessian ? hessian->data() : nullptr);
        },
        "X"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert().none(), "theta"_a.noconvert(), "loss"_a, "parameter"_a, "middle"_a,
        "unit"_a, "gradient"_a.noconvert().none(), "hessian"_a.noconvert().none(), "constant"_a = 1.0,
        "Return the sum of a loss over rows; write the sums of its gradients and Hessians by theta where requested.");
    m.def(
        "line_newton",
        [](Matrix<const Real> X, Vector<const double> y, std::optional<Vector<const double>> weight, Vector<double> theta,
           std::string_view loss, double parameter, double constant, double middle, double unit, double mass, Vector<const double> penalty,
           double tol, double share, std::size_t most) {
            const std::size_t n = X.shape(0), p = X.shape(1);
            const novum::LineModel model{loss_of(loss), parameter, theta.data(), constant};
            require(model.loss != novum::LineLoss::huber, "line_newton: a loss without a scale");
            require(y.size() == n && (!weight || weight->size() == n), "line_newton: y and weight need a value per row");
            require(theta.size() == p + 1 && penalty.size() == p + 1, "line_newton: inconsistent shapes");
            const novum::LineTarget target{y.data(), weight ? weight->data() : nullptr, middle, unit};
            nb::gil_scoped_release release;
            const auto found =
                novum::line_newton<Real>(X.data(), target, model, n, p, mass, penalty.data(), {tol, share, most}, theta.data());
            return std::tuple(found.objective, found.n_iter, found.converged, found.sound);
        },
        "X"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert().none(), "theta"_a.noconvert(), "loss"_a, "parameter"_a, "constant"_a,
        "middle"_a, "unit"_a, "mass"_a, "penalty"_a.noconvert(), "tol"_a, "share"_a, "most"_a,
        "Minimise the mean of a loss and a penalty of squares from `theta` on; return the objective, the steps, whether they ended, and "
        "whether objective and Hessian were sound.");
}

}  // namespace

void bind_linear_model_newton(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}
