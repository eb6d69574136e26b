#include "novum/decomposition/factor_model.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <nanobind/stl/optional.h>
#include <optional>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class Real>
using Matrix = nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Order = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <std::size_t N>
using Out = nb::ndarray<double, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

novum::FactorModel model_of(const char* name, std::size_t columns, const Vector& mean, const Matrix<double>& loadings,
                            const Vector& noise) {
    const std::size_t p = loadings.shape(0), q = loadings.shape(1);
    if (columns != p || mean.size() != p || noise.size() != p) throw nb::value_error(name);
    return {mean.data(), loadings.data(), noise.data(), p, q};
}

template <class Real>
void bind_real(nb::module_& m) {
    m.def(
        "factor_sums",
        [](Matrix<Real> X, Order order, std::optional<Vector> weight, Vector mean, Matrix<double> loadings, Vector noise, Out<2> second,
           Out<2> cross, Out<1> square, Out<1> likelihood) {
            const char* shapes = "factor_sums: inconsistent shapes";
            const novum::FactorModel model = model_of(shapes, X.shape(1), mean, loadings, noise);
            const std::size_t n = X.shape(0), p = model.p, q = model.q;
            if (order.size() != n || (weight && weight->size() != n) || second.shape(0) != p + 1 ||
                second.shape(1) != (q + 1) * (q + 2) / 2 || cross.shape(0) != p || cross.shape(1) != q + 1 || square.size() != p ||
                likelihood.size() != 1)
                throw nb::value_error(shapes);
            for (std::size_t k = 0; k < n; ++k)
                if (order.data()[k] < 0 || order.data()[k] >= static_cast<std::int64_t>(n))
                    throw nb::value_error("factor_sums: order outside the rows");
            nb::gil_scoped_release release;
            std::span<const double> w = weight ? std::span<const double>(weight->data(), n) : std::span<const double>();
            novum::factor_sums<Real>(X.data(), order.data(), w, n, model, {second.data(), cross.data(), square.data(), likelihood.data()});
        },
        "X"_a.noconvert(), "order"_a.noconvert(), "weight"_a.noconvert().none(), "mean"_a.noconvert(), "loadings"_a.noconvert(),
        "noise"_a.noconvert(), "second"_a.noconvert(), "cross"_a.noconvert(), "square"_a.noconvert(), "likelihood"_a.noconvert(),
        "Add the sums that EM needs of rows with missing cells (NaN), visited in `order`.");

    m.def(
        "factor_posterior",
        [](Matrix<Real> X, Vector mean, Matrix<double> loadings, Vector noise, Out<2> posterior, Out<1> likelihood,
           std::optional<Out<3>> covariance) {
            const char* shapes = "factor_posterior: inconsistent shapes";
            const novum::FactorModel model = model_of(shapes, X.shape(1), mean, loadings, noise);
            const std::size_t n = X.shape(0), q = model.q;
            if (posterior.shape(0) != n || posterior.shape(1) != q || likelihood.size() != n ||
                (covariance && (covariance->shape(0) != n || covariance->shape(1) != q || covariance->shape(2) != q)))
                throw nb::value_error(shapes);
            nb::gil_scoped_release release;
            novum::factor_posterior<Real>(X.data(), n, model, posterior.data(), likelihood.data(),
                                          covariance ? covariance->data() : nullptr);
        },
        "X"_a.noconvert(), "mean"_a.noconvert(), "loadings"_a.noconvert(), "noise"_a.noconvert(), "posterior"_a.noconvert(),
        "likelihood"_a.noconvert(), "covariance"_a.noconvert().none(),
        "Write the posterior mean of the factors of every row, the log-density of its observed cells and, if requested, the posterior "
        "covariance.");
}

}  // namespace

void bind_decomposition_factor_model(nb::module_& m) {
    bind_real<float>(m);
    bind_real<double>(m);
}
