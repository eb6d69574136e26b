#include "novum/moments/design.h"
#include "novum/moments/gram.h"
#include "novum/runtime/block_sums.h"

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
using Out = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Real, class Target>
void bind_pair(nb::module_& m) {
    m.def(
        "shifted_design",
        [](Matrix<Real> X, Matrix<Target> y, std::optional<Vector> weight, Vector shift, Out out) {
            const std::size_t n = X.shape(0), p = X.shape(1), q = y.shape(1);
            if (y.shape(0) != n || shift.size() != p + q || out.shape(0) != n || out.shape(1) != p + q + 1 ||
                (weight && weight->size() != n))
                throw nb::value_error("shifted_design: inconsistent shapes");
            nb::gil_scoped_release release;
            std::span<const double> w = weight ? std::span<const double>(weight->data(), n) : std::span<const double>();
            novum::shifted_design<Real, Target>(X.data(), y.data(), w, {shift.data(), p + q}, n, p, q, out.data());
        },
        "X"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert().none(), "shift"_a.noconvert(), "out"_a.noconvert(),
        "Fill `out` with sqrt(w) [x - shift, y - shift, 1], row by row.");

    m.def(
        "shifted_gram",
        [](Matrix<Real> X, Matrix<Target> y, std::optional<Vector> weight, Vector shift, Out out) {
            const std::size_t n = X.shape(0), p = X.shape(1), q = y.shape(1);
            if (y.shape(0) != n || shift.size() != p + q || out.shape(0) != p + q + 1 || out.shape(1) != p + q + 1 ||
                (weight && weight->size() != n))
                throw nb::value_error("shifted_gram: inconsistent shapes");
            nb::gil_scoped_release release;
            std::span<const double> w = weight ? std::span<const double>(weight->data(), n) : std::span<const double>();
            novum::shifted_gram<Real, Target>(X.data(), y.data(), w, {shift.data(), p + q}, n, p, q, out.data());
        },
        "X"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert().none(), "shift"_a.noconvert(), "out"_a.noconvert(),
        "Write D'D to `out`, D the rows that shifted_design would give.");

    m.def(
        "shifted_gram_blocks",
        [](novum::Team& team, std::size_t step, Matrix<Real> X, Matrix<Target> y, Vector shift, Out out) {
            const std::size_t n = X.shape(0), p = X.shape(1), q = y.shape(1), m = p + q + 1;
            if (y.shape(0) != n || shift.size() != p + q || out.shape(0) != m || out.shape(1) != m || step == 0)
                throw nb::value_error("shifted_gram_blocks: inconsistent shapes");
            nb::gil_scoped_release release;
            novum::block_sums(team, n, step, m * m, out.data(), [&](std::size_t first, std::size_t end, double* sums) {
                novum::shifted_gram<Real, Target>(X.data() + first * p, y.data() + first * q, {}, {shift.data(), p + q}, end - first, p, q,
                                                  sums);
            });
        },
        "team"_a, "step"_a, "X"_a.noconvert(), "y"_a.noconvert(), "shift"_a.noconvert(), "out"_a.noconvert(),
        "Write the merged shifted_gram of all blocks of `step` rows to `out`.");

    m.def(
        "residuals",
        [](Matrix<Real> X, Matrix<Target> y, Vector shift, nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> coef,
           Out out) {
            const std::size_t n = X.shape(0), p = X.shape(1), q = y.shape(1);
            if (y.shape(0) != n || shift.size() != p + q || coef.shape(0) != q || coef.shape(1) != p || out.shape(0) != n ||
                out.shape(1) != q)
                throw nb::value_error("residuals: inconsistent shapes");
            nb::gil_scoped_release release;
            novum::residuals<Real, Target>(X.data(), y.data(), {shift.data(), p + q}, {coef.data(), q * p}, n, p, q, out.data());
        },
        "X"_a.noconvert(), "y"_a.noconvert(), "shift"_a.noconvert(), "coef"_a.noconvert(), "out"_a.noconvert(),
        "Write y - shift_y - (x - shift_x) coef' to `out`.");
}

template <class Real>
void bind_correlate(nb::module_& m) {
    m.def(
        "correlate",
        [](Matrix<Real> X, Matrix<double> residual, Vector shift, Out out) {
            const std::size_t n = X.shape(0), p = X.shape(1), q = residual.shape(1);
            if (residual.shape(0) != n || shift.size() < p || out.shape(0) != q || out.shape(1) != p)
                throw nb::value_error("correlate: inconsistent shapes");
            nb::gil_scoped_release release;
            novum::correlate<Real>(X.data(), residual.data(), {shift.data(), shift.size()}, n, p, q, out.data());
        },
        "X"_a.noconvert(), "residual"_a.noconvert(), "shift"_a.noconvert(), "out"_a.noconvert(), "Add residual' (x - shift) to `out`.");
}

}  // namespace

void bind_moments_design(nb::module_& m) {
    bind_pair<float, float>(m);
    bind_pair<float, double>(m);
    bind_pair<double, float>(m);
    bind_pair<double, double>(m);
    m.def(
        "single_gram",
        [](Matrix<float> X, std::optional<Vector> weight, Vector shift, Out out) {
            const std::size_t n = X.shape(0), p = X.shape(1);
            if (shift.size() != p || out.shape(0) != p + 1 || out.shape(1) != p + 1 || (weight && weight->size() != n))
                throw nb::value_error("single_gram: inconsistent shapes");
            nb::gil_scoped_release release;
            std::span<const double> w = weight ? std::span<const double>(weight->data(), n) : std::span<const double>();
            novum::single_gram(X.data(), w, {shift.data(), p}, n, p, out.data());
        },
        "X"_a.noconvert(), "weight"_a.noconvert().none(), "shift"_a.noconvert(), "out"_a.noconvert(),
        "Write D'D to `out` as shifted_gram does without targets, with sums of 256 rows in single precision.");
    bind_correlate<float>(m);
    bind_correlate<double>(m);
}
