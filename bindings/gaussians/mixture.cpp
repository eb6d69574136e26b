#include "novum/gaussians/mixture.h"
#include "../arrays.h"
#include "novum/runtime/block_sums.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

using namespace nb::literals;

namespace {

using novum::mixture::Answers;
using novum::mixture::Gaussians;
using novum::mixture::Kind;
using novum::mixture::Rows;
using novum::mixture::Sums;

template <class T>
using Flat = nb::ndarray<T, nb::c_contig, nb::device::cpu>;  // full, tied and diagonal differ in dimensions: its size is checked
using Weight = std::optional<Vector<const double>>;

Kind kind_of(int kind) {
    if (kind < 0 || kind > 2) throw nb::value_error("mixture: kind is 0 (full), 1 (tied) or 2 (diagonal)");
    return static_cast<Kind>(kind);
}

template <class Real>
Rows<Real> rows_of(Matrix<const Real>& X, Weight& weight) {
    if (weight && weight->shape(0) != X.shape(0)) throw nb::value_error("mixture: one weight per row");
    return {X.data(), X.shape(0), weight ? weight->data() : nullptr};
}

Gaussians gaussians_of(int kind, std::size_t d, Matrix<const double>& mean, Flat<const double>& factor, Vector<const double>& constant,
                       Vector<const double>& center) {
    const Kind which = kind_of(kind);
    const std::size_t k = mean.shape(0), factors = which == Kind::full ? k * d * d : which == Kind::tied ? d * d : k * d;
    if (k == 0 || mean.shape(1) != d || factor.size() != factors || constant.shape(0) != k || center.shape(0) != d)
        throw nb::value_error("mixture: inconsistent shapes");
    return {which, k, d, mean.data(), factor.data(), constant.data(), center.data()};
}

Sums sums_of(Kind kind, std::size_t k, std::size_t d, Vector<double>& mass, Matrix<double>& first, Flat<double>& second) {
    const std::size_t size = kind == Kind::full ? k * d * d : kind == Kind::diagonal ? k * d : second.size();
    if (mass.shape(0) != k || first.shape(0) != k || first.shape(1) != d || second.size() != size)
        throw nb::value_error("mixture: inconsistent shapes");
    return {mass.data(), first.data(), second.data()};
}

template <class Real>
void bind_real(nb::module_& m) {
    m.def(
        "statistics",
        [](int kind, Matrix<const Real> X, Weight weight, Matrix<const double> mean, Flat<const double> factor,
           Vector<const double> constant, Vector<const double> center, Vector<double> mass, Matrix<double> first, Flat<double> second) {
            const Gaussians gaussians = gaussians_of(kind, X.shape(1), mean, factor, constant, center);
            const auto rows = rows_of<Real>(X, weight);
            Sums sums = sums_of(gaussians.kind, gaussians.k, gaussians.d, mass, first, second);
            nb::gil_scoped_release release;
            novum::mixture::statistics<Real>(rows, gaussians, sums);
            return std::pair(sums.log_likelihood, sums.information);
        },
        "kind"_a, "X"_a.noconvert(), "weight"_a.noconvert().none(), "mean"_a.noconvert(), "factor"_a.noconvert(), "constant"_a.noconvert(),
        "center"_a.noconvert(), "mass"_a.noconvert(), "first"_a.noconvert(), "second"_a.noconvert(),
        "Add the moments of every component; return sum w log p(x) and sum w r log r.");

    m.def(
        "statistics_blocks",
        [](novum::Team& team, std::size_t step, int kind, Matrix<const Real> X, Matrix<const double> mean, Flat<const double> factor,
           Vector<const double> constant, Vector<const double> center, Vector<double> sums) {
            const Gaussians gaussians = gaussians_of(kind, X.shape(1), mean, factor, constant, center);
            const std::size_t n = X.shape(0), k = gaussians.k, d = gaussians.d;
            const std::size_t second = gaussians.kind == Kind::full ? k * d * d : gaussians.kind == Kind::diagonal ? k * d : 0;
            const std::size_t width = 2 + k + k * d + second;
            require(sums.size() == width && step > 0, "statistics_blocks: inconsistent shapes");
            nb::gil_scoped_release release;
            novum::block_sums(team, n, step, width, sums.data(), [&](std::size_t first, std::size_t end, double* out) {
                Sums here{out + 2, out + 2 + k, out + 2 + k + k * d};
                novum::mixture::statistics<Real>({X.data() + first * d, end - first, nullptr}, gaussians, here);
                out[0] = here.log_likelihood;
                out[1] = here.information;
            });
        },
        "team"_a, "step"_a, "kind"_a, "X"_a.noconvert(), "mean"_a.noconvert(), "factor"_a.noconvert(), "constant"_a.noconvert(),
        "center"_a.noconvert(), "sums"_a.noconvert(),
        "statistics of all blocks of `step` rows, merged: sum log p(x), sum r log r, mass, first and second, one after the other in "
        "`sums`.");

    m.def(
        "moments",
        [](int kind, Matrix<const Real> X, Weight weight, Matrix<const double> responsibility, Matrix<const double> shift,
           Vector<double> mass, Matrix<double> first, Flat<double> second) {
            const std::size_t n = X.shape(0), d = X.shape(1), k = shift.shape(0);
            if (responsibility.shape(0) != n || responsibility.shape(1) != k || shift.shape(1) != d)
                throw nb::value_error("mixture: inconsistent shapes");
            const auto rows = rows_of<Real>(X, weight);
            Sums sums = sums_of(kind_of(kind), k, d, mass, first, second);
            nb::gil_scoped_release release;
            novum::mixture::moments<Real>(rows, kind_of(kind), k, d, shift.data(), responsibility.data(), sums);
        },
        "kind"_a, "X"_a.noconvert(), "weight"_a.noconvert().none(), "responsibility"_a.noconvert(), "shift"_a.noconvert(),
        "mass"_a.noconvert(), "first"_a.noconvert(), "second"_a.noconvert(), "Add the moments under given responsibilities.");

    m.def(
        "evaluate",
        [](int kind, Matrix<const Real> X, Matrix<const double> mean, Flat<const double> factor, Vector<const double> constant,
           Vector<const double> center, std::optional<Matrix<Real>> joint, std::optional<Matrix<Real>> posterior,
           std::optional<Vector<Real>> total, std::optional<Vector<std::int64_t>> label) {
            const Gaussians gaussians = gaussians_of(kind, X.shape(1), mean, factor, constant, center);
            const std::size_t n = X.shape(0);
            auto wrong = [&](auto& a) { return a && (a->shape(0) != n || a->shape(1) != gaussians.k); };
            if (wrong(joint) || wrong(posterior) || (total && total->shape(0) != n) || (label && label->shape(0) != n))
                throw nb::value_error("mixture: inconsistent shapes");
            Weight none;
            const auto rows = rows_of<Real>(X, none);
            const Answers<Real> answers{joint ? joint->data() : nullptr, posterior ? posterior->data() : nullptr,
                                        total ? total->data() : nullptr, label ? label->data() : nullptr};
            nb::gil_scoped_release release;
            novum::mixture::evaluate<Real>(rows, gaussians, answers);
        },
        "kind"_a, "X"_a.noconvert(), "mean"_a.noconvert(), "factor"_a.noconvert(), "constant"_a.noconvert(), "center"_a.noconvert(),
        "joint"_a.noconvert().none(), "posterior"_a.noconvert().none(), "total"_a.noconvert().none(), "label"_a.noconvert().none(),
        "Write log-densities, responsibilities, their log-sum and the best component of every row.");
}

}  // namespace

void bind_gaussians_mixture(nb::module_& m) {
    bind_real<float>(m);
    bind_real<double>(m);
}
