#include "novum/linear_model/sgd.h"
#include "../arrays.h"
#include "novum/runtime/indices.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cmath>
#include <optional>

using namespace nb::literals;
namespace sgd = novum::sgd;

namespace {

template <class T>
using Maybe = std::optional<Vector<T>>;
using Order = Vector<const std::int64_t>;

constexpr std::size_t NUMBERS = 5;  // intercept, its sum, L1 owed, step, updates

/// Check what an epoch indexes, run it, and write the numbers of the state back.
template <class Real, class Rows>
double run(const Rows& rows, std::size_t n, std::size_t d, const Vector<const double>& y, const Maybe<const double>& weight,
           const Order& order, const sgd::Plan& plan, Vector<Real>& w, Maybe<double>& total, Maybe<Real>& paid, Vector<double>& numbers) {
    if (y.size() != n || (weight && weight->size() != n) || w.size() != d || (total && total->size() != d) || (paid && paid->size() != d) ||
        numbers.size() != NUMBERS)
        throw nb::value_error("sgd: inconsistent shapes");
    if ((plan.first > 0) != total.has_value() || (plan.alpha > 0 && plan.rho > 0) != paid.has_value())
        throw nb::value_error("sgd: give a total where steps are averaged, and paid where there is an L1 part");
    if (!novum::inside(order.data(), order.size(), n)) throw nb::value_error("sgd: order names a row that is not there");
    nb::gil_scoped_release release;
    sgd::State<Real> state{{w.data(), d}, {}, {}, numbers(0), numbers(1), numbers(2), numbers(3), numbers(4)};
    if (total) state.total = {total->data(), d};
    if (paid) state.paid = {paid->data(), d};
    const double objective = sgd::epoch(rows, y.data(), weight ? weight->data() : nullptr, {order.data(), order.size()}, plan, state);
    const double out[NUMBERS] = {state.intercept, state.intercept_total, state.owed, state.t, state.updates};
    for (std::size_t k = 0; k < NUMBERS; ++k) numbers(k) = out[k];
    return objective;
}

template <class Real>
double dense(Matrix<const Real> X, Vector<const double> y, Maybe<const double> weight, Order order, const sgd::Plan& plan, Vector<Real> w,
             Maybe<double> total, Maybe<Real> paid, Vector<double> numbers) {
    const sgd::DenseRows<Real> rows{X.data(), X.shape(1)};
    return run<Real>(rows, X.shape(0), X.shape(1), y, weight, order, plan, w, total, paid, numbers);
}

template <class Real, class Index>
double sparse(Vector<const Real> value, Vector<const Index> column, Vector<const Index> start, Vector<const double> y,
              Maybe<const double> weight, Order order, const sgd::Plan& plan, Vector<Real> w, Maybe<double> total, Maybe<Real> paid,
              Vector<double> numbers) {
    const std::size_t n = y.size();
    if (start.size() != n + 1 || value.size() != column.size()) throw nb::value_error("sgd: inconsistent shapes");
    const Index* first = start.data();  // the array's own indexing computes strides at every step
    for (std::size_t i = 0; i < n; ++i)
        if (first[i] < 0 || first[i] > first[i + 1] || static_cast<std::size_t>(first[i + 1]) > value.size())
            throw nb::value_error("sgd: rows out of order");
    if (!novum::inside(column.data(), column.size(), w.size())) throw nb::value_error("sgd: column out of range");
    const sgd::SparseRows<Real, Index> rows{value.data(), column.data(), start.data()};
    return run<Real>(rows, n, w.size(), y, weight, order, plan, w, total, paid, numbers);
}

template <class Real>
void bind_dense(nb::module_& m) {
    m.def("dense", &dense<Real>, "X"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert().none(), "order"_a.noconvert(), "plan"_a,
          "w"_a.noconvert(), "total"_a.noconvert().none(), "paid"_a.noconvert().none(), "numbers"_a.noconvert(),
          "Run an epoch over rows of an array; change w, total, paid and numbers, return the sum of the objective.");
}

template <class Real, class Index>
void bind_sparse(nb::module_& m) {
    m.def("sparse", &sparse<Real, Index>, "value"_a.noconvert(), "column"_a.noconvert(), "start"_a.noconvert(), "y"_a.noconvert(),
          "weight"_a.noconvert().none(), "order"_a.noconvert(), "plan"_a, "w"_a.noconvert(), "total"_a.noconvert().none(),
          "paid"_a.noconvert().none(), "numbers"_a.noconvert(),
          "Run an epoch over rows of a CSR matrix; change w, total, paid and numbers, return the sum of the objective.");
}

sgd::Plan plan(int loss, double epsilon, int rate, double eta0, double power, double t0, double alpha, double rho, double decay,
               std::size_t batch, bool mean, double first) {
    if (loss < 0 || loss > static_cast<int>(sgd::Loss::SquaredInsensitive) || rate < 0 || rate > static_cast<int>(sgd::Rate::Passive2) ||
        batch == 0)
        throw nb::value_error("sgd: no such plan");
    return {static_cast<sgd::Loss>(loss), epsilon, static_cast<sgd::Rate>(rate), eta0, power, t0, alpha, rho, decay, batch, mean, first};
}

}  // namespace

void bind_linear_model_sgd(nb::module_& m) {
    nb::class_<sgd::Plan>(m, "Plan", "What stays the same over the epochs; losses and rates by their place in novum/linear_model/sgd.h.");
    m.def("plan", &plan, "loss"_a, "epsilon"_a, "rate"_a, "eta0"_a, "power"_a, "t0"_a, "alpha"_a, "rho"_a, "decay"_a, "batch"_a, "mean"_a,
          "first"_a, "Return a plan.");
    m.def(
        "shuffle",
        [](std::uint64_t seed, std::uint32_t purpose, std::uint32_t iteration, Vector<std::int64_t> out) {
            if (out.size() > novum::rng::MAX_ROWS) throw nb::value_error("sgd: at most 2^44 rows");
            nb::gil_scoped_release release;
            sgd::shuffle({seed, purpose, iteration}, {out.data(), out.size()});
        },
        "seed"_a, "purpose"_a, "iteration"_a, "out"_a.noconvert(), "Fill `out` with the order of an epoch.");
    bind_dense<float>(m);
    bind_dense<double>(m);
    bind_sparse<float, std::int32_t>(m);
    bind_sparse<double, std::int32_t>(m);
    bind_sparse<float, std::int64_t>(m);
    bind_sparse<double, std::int64_t>(m);
}
