#include "novum/linear_model/logistic.h"
#include "novum/runtime/block_sums.h"
#include "novum/runtime/indices.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T>
using Flat = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Out2 = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Codes = Flat<std::int64_t>;
using Weight = std::optional<Flat<double>>;

void require(bool right, const char* message) {
    if (!right) throw nb::value_error(message);
}

novum::Labels labels(const Codes& y, const Weight& weight, std::size_t rows, std::int64_t k) {
    require(y.size() == rows && (!weight || weight->size() == rows), "logistic: y and weight need a value per row");
    for (std::size_t i = 0; i < rows; ++i) require(y.data()[i] >= 0 && y.data()[i] < k, "logistic: y holds codes 0 to K - 1");
    return {y.data(), weight ? weight->data() : nullptr};
}

double* data(std::optional<Out>& out) { return out ? out->data() : nullptr; }

template <class Real>
void bind_dense(nb::module_& m) {
    m.def(
        "binary_pass",
        [](Matrix<Real> X, Codes y, Weight weight, Flat<double> theta, double constant, Out gradient, std::optional<Out2> hessian,
           std::optional<Out> curvature) {
            const std::size_t n = X.shape(0), p = X.shape(1);
            require(theta.size() == p + 1 && gradient.size() == p + 1 && (!curvature || curvature->size() == n),
                    "binary_pass: inconsistent shapes");
            require(!hessian || (hessian->shape(0) == p + 1 && hessian->shape(1) == p + 1), "binary_pass: the Hessian is (p + 1, p + 1)");
            const novum::Labels given = labels(y, weight, n, 2);
            nb::gil_scoped_release release;
            return novum::binary_pass<Real>(X.data(), given, theta.data(), constant, n, p, gradient.data(),
                                            hessian ? hessian->data() : nullptr, data(curvature));
        },
        "X"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert().none(), "theta"_a.noconvert(), "constant"_a, "gradient"_a.noconvert(),
        "hessian"_a.noconvert().none(), "curvature"_a.noconvert().none(),
        "Return the loss of two classes, add to `gradient`, write the Hessian and every row's curvature where requested.");
    m.def(
        "binary_pass_blocks",
        [](novum::Team& team, std::size_t step, Matrix<Real> X, Codes y, Flat<double> theta, double constant, Out sums, bool hessian,
           std::optional<Out> curvature, std::size_t share) {
            const std::size_t n = X.shape(0), p = X.shape(1), m = p + 1, width = 1 + m + (hessian ? m * m : 0);
            require(theta.size() == m && sums.size() == width && (!curvature || curvature->size() == n) && y.size() == n && step > 0 &&
                        share > 0,
                    "binary_pass_blocks: inconsistent shapes");
            nb::gil_scoped_release release;
            novum::block_sums(team, n, step, width, sums.data(), [&](std::size_t first, std::size_t end, double* out) {
                const std::int64_t* code = y.data() + first;
                const std::size_t rows = (end - first + share - 1) / share;
                for (std::size_t i = 0; i < rows; ++i) require(code[i] == 0 || code[i] == 1, "logistic: y holds codes 0 to K - 1");
                out[0] = novum::binary_pass<Real>(X.data() + first * p, {code, nullptr}, theta.data(), constant, rows, p, out + 1,
                                                  hessian ? out + 1 + m : nullptr, curvature ? curvature->data() + first : nullptr);
            });
        },
        "team"_a, "step"_a, "X"_a.noconvert(), "y"_a.noconvert(), "theta"_a.noconvert(), "constant"_a, "sums"_a.noconvert(), "hessian"_a,
        "curvature"_a.noconvert().none(), "share"_a,
        "binary_pass of the first of `share` parts of all blocks of `step` rows, merged: loss, gradient and, if requested, the Hessian, "
        "one after the other in `sums`.");
    m.def(
        "binary_product",
        [](Matrix<Real> X, Flat<double> curvature, Flat<double> v, double constant, Out out) {
            const std::size_t n = X.shape(0), p = X.shape(1);
            require(v.size() == p + 1 && out.size() == p + 1 && curvature.size() == n, "binary_product: inconsistent shapes");
            nb::gil_scoped_release release;
            novum::binary_product<Real>(X.data(), curvature.data(), v.data(), constant, n, p, out.data());
        },
        "X"_a.noconvert(), "curvature"_a.noconvert(), "v"_a.noconvert(), "constant"_a, "out"_a.noconvert(),
        "Add the product of the Hessian and v to `out`.");
}

template <class Real, class Index>
novum::Csr<Real, Index> csr(const Flat<Real>& values, const Flat<Index>& indices, const Flat<Index>& indptr, std::size_t p) {
    require(indptr.size() >= 1 && p < (std::size_t(1) << 62), "csr: indptr and the weights need an entry");
    const std::size_t rows = indptr.size() - 1;
    require(std::is_sorted(indptr.data(), indptr.data() + rows + 1), "csr: indptr must not fall");
    const auto count = static_cast<std::size_t>(indptr.data()[rows] - indptr.data()[0]);
    require(values.size() == count && indices.size() == count, "csr: data and indices need a value per entry");
    require(novum::inside(indices.data(), count, p), "csr: a column out of range");
    return {values.data(), indices.data(), indptr.data(), rows, p};
}

template <class Real, class Index>
void bind_sparse(nb::module_& m) {
    m.def(
        "csr_binary_pass",
        [](Flat<Real> values, Flat<Index> indices, Flat<Index> indptr, Codes y, Weight weight, Flat<double> theta, double constant,
           Out gradient, std::optional<Out> curvature) {
            const auto X = csr<Real, Index>(values, indices, indptr, theta.size() - 1);
            require(theta.size() >= 1 && gradient.size() == theta.size() && (!curvature || curvature->size() == X.rows),
                    "csr_binary_pass: inconsistent shapes");
            const novum::Labels given = labels(y, weight, X.rows, 2);
            nb::gil_scoped_release release;
            return novum::binary_pass<Real, Index>(X, given, theta.data(), constant, gradient.data(), data(curvature));
        },
        "data"_a.noconvert(), "indices"_a.noconvert(), "indptr"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert().none(),
        "theta"_a.noconvert(), "constant"_a, "gradient"_a.noconvert(), "curvature"_a.noconvert().none(),
        "binary_pass for sparse rows, without the Hessian.");
    m.def(
        "csr_binary_product",
        [](Flat<Real> values, Flat<Index> indices, Flat<Index> indptr, Flat<double> curvature, Flat<double> v, double constant, Out out) {
            const auto X = csr<Real, Index>(values, indices, indptr, v.size() - 1);
            require(v.size() >= 1 && out.size() == v.size() && curvature.size() == X.rows, "csr_binary_product: inconsistent shapes");
            nb::gil_scoped_release release;
            novum::binary_product<Real, Index>(X, curvature.data(), v.data(), constant, out.data());
        },
        "data"_a.noconvert(), "indices"_a.noconvert(), "indptr"_a.noconvert(), "curvature"_a.noconvert(), "v"_a.noconvert(), "constant"_a,
        "out"_a.noconvert(), "binary_product for sparse rows.");
    m.def(
        "csr_squares",
        [](Flat<Real> values, Flat<Index> indices, Flat<Index> indptr, Weight weight, Out out) {
            const auto X = csr<Real, Index>(values, indices, indptr, out.size());
            require(!weight || weight->size() == X.rows, "csr_squares: weight needs a value per row");
            nb::gil_scoped_release release;
            novum::csr_squares<Real, Index>(X, weight ? weight->data() : nullptr, out.data());
        },
        "data"_a.noconvert(), "indices"_a.noconvert(), "indptr"_a.noconvert(), "weight"_a.noconvert().none(), "out"_a.noconvert(),
        "Add the weighted squares of every sparse column to `out`.");
}

}  // namespace

void bind_linear_model_logistic(nb::module_& m) {
    bind_dense<float>(m);
    bind_dense<double>(m);
    bind_sparse<float, std::int32_t>(m);
    bind_sparse<float, std::int64_t>(m);
    bind_sparse<double, std::int32_t>(m);
    bind_sparse<double, std::int64_t>(m);
    m.def(
        "softmax_pass",
        [](Out2 score, Codes y, Weight weight, std::optional<Out2> probability) {
            const std::size_t n = score.shape(0), k = score.shape(1);
            require(!probability || (probability->shape(0) == n && probability->shape(1) == k), "softmax_pass: inconsistent shapes");
            const novum::Labels given = labels(y, weight, n, static_cast<std::int64_t>(k));
            nb::gil_scoped_release release;
            return novum::softmax_pass(score.data(), given, n, k, probability ? probability->data() : nullptr);
        },
        "score"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert().none(), "probability"_a.noconvert().none(),
        "Turn scores into w (P - Y) in place, write P where requested; return the loss.");
    m.def(
        "softmax_product",
        [](Out2 product, Matrix<double> probability, Weight weight) {
            const std::size_t n = product.shape(0), k = product.shape(1);
            require(probability.shape(0) == n && probability.shape(1) == k && (!weight || weight->size() == n),
                    "softmax_product: inconsistent shapes");
            nb::gil_scoped_release release;
            novum::softmax_product(product.data(), probability.data(), weight ? weight->data() : nullptr, n, k);
        },
        "product"_a.noconvert(), "probability"_a.noconvert(), "weight"_a.noconvert().none(), "Turn S into w (P o S - P (P . S)) in place.");
    m.def(
        "binary_rows",
        [](Flat<double> score, Codes y, Weight weight, Out residual, Out curvature) {
            const std::size_t n = score.size();
            require(residual.size() == n && curvature.size() == n, "binary_rows: inconsistent shapes");
            const novum::Labels given = labels(y, weight, n, 2);
            nb::gil_scoped_release release;
            return novum::binary_rows(score.data(), given, n, residual.data(), curvature.data());
        },
        "score"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert().none(), "residual"_a.noconvert(), "curvature"_a.noconvert(),
        "Return the loss of rows with given scores; write residuals and curvatures.");
}
