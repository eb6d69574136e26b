#include "novum/linear_model/sgd.h"
#include "../arrays.h"
#include "novum/runtime/indices.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

using namespace nb::literals;
namespace sgd = novum::sgd;

namespace {

template <class T>
using Maybe = std::optional<Vector<T>>;
using Order = Vector<const std::int64_t>;

constexpr std::size_t NUMBERS = 5;  // intercept, its sum, L1 owed, step, updates

/// What a kernel is given beside the rows.
template <class Real>
struct Given {
    Vector<const double> y;
    Maybe<const double> weight;
    Order order;
    const sgd::Plan& plan;
    Vector<Real> w;
    Maybe<double> total;
    Maybe<Real> paid;
    Vector<double> numbers;

    const double* weights() const { return weight ? weight->data() : nullptr; }
    std::span<const std::int64_t> rows() const { return {order.data(), order.size()}; }
};

/// Check what an epoch indexes, call `work(state)` without the interpreter, and write the numbers of the state back.
template <class Real, class Work>
auto with_state(std::size_t n, std::size_t d, Given<Real>& given, Work work) {
    auto& [y, weight, order, plan, w, total, paid, numbers] = given;
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
    auto found = work(state);
    const double out[NUMBERS] = {state.intercept, state.intercept_total, state.owed, state.t, state.updates};
    for (std::size_t k = 0; k < NUMBERS; ++k) numbers(k) = out[k];
    return found;
}

template <class Real, class Rows>
double run(const Rows& rows, std::size_t n, std::size_t d, Given<Real> given) {
    return with_state<Real>(n, d, given, [&](sgd::State<Real>& state) {
        return sgd::epoch(rows, given.y.data(), given.weights(), given.rows(), given.plan, state);
    });
}

using Epochs = std::tuple<std::vector<double>, std::vector<double>, bool>;

template <class Real, class Rows>
Epochs run_all(const Rows& rows, std::size_t n, std::size_t d, Given<Real> given, std::optional<std::uint64_t> seed, std::uint32_t purpose,
               const sgd::Stopping& stopping) {
    if (given.order.size() > novum::rng::MAX_ROWS) throw nb::value_error("sgd: at most 2^44 rows");
    const novum::rng::Stream stream{seed.value_or(0), purpose, 0};
    auto course = with_state<Real>(n, d, given, [&](sgd::State<Real>& state) {
        return sgd::descend(rows, given.y.data(), given.weights(), given.rows(), seed ? &stream : nullptr, given.plan, stopping, state);
    });
    return {std::move(course.objective), std::move(course.updates), course.finite};
}

template <class Real>
Epochs dense_epochs(Matrix<const Real> X, Vector<const double> y, Maybe<const double> weight, Order order, const sgd::Plan& plan,
                    Vector<Real> w, Maybe<double> total, Maybe<Real> paid, Vector<double> numbers, std::optional<std::uint64_t> seed,
                    std::uint32_t purpose, const sgd::Stopping& stopping) {
    const sgd::DenseRows<Real> rows{X.data(), X.shape(0), X.shape(1)};
    return run_all<Real>(rows, X.shape(0), X.shape(1), {y, weight, order, plan, w, total, paid, numbers}, seed, purpose, stopping);
}

template <class Real>
double dense(Matrix<const Real> X, Vector<const double> y, Maybe<const double> weight, Order order, const sgd::Plan& plan, Vector<Real> w,
             Maybe<double> total, Maybe<Real> paid, Vector<double> numbers) {
    const sgd::DenseRows<Real> rows{X.data(), X.shape(0), X.shape(1)};
    return run<Real>(rows, X.shape(0), X.shape(1), {y, weight, order, plan, w, total, paid, numbers});
}

template <class Real, class Index>
sgd::SparseRows<Real, Index> checked(const Vector<const Real>& value, const Vector<const Index>& column, const Vector<const Index>& start,
                                     std::size_t n, std::size_t d) {
    if (start.size() != n + 1 || value.size() != column.size()) throw nb::value_error("sgd: inconsistent shapes");
    const Index* first = start.data();  // the array's own indexing computes strides at every step
    for (std::size_t i = 0; i < n; ++i)
        if (first[i] < 0 || first[i] > first[i + 1] || static_cast<std::size_t>(first[i + 1]) > value.size())
            throw nb::value_error("sgd: rows out of order");
    if (!novum::inside(column.data(), column.size(), d)) throw nb::value_error("sgd: column out of range");
    return {value.data(), column.data(), start.data()};
}

template <class Real, class Index>
double sparse(Vector<const Real> value, Vector<const Index> column, Vector<const Index> start, Vector<const double> y,
              Maybe<const double> weight, Order order, const sgd::Plan& plan, Vector<Real> w, Maybe<double> total, Maybe<Real> paid,
              Vector<double> numbers) {
    const auto rows = checked<Real, Index>(value, column, start, y.size(), w.size());
    return run<Real>(rows, y.size(), w.size(), {y, weight, order, plan, w, total, paid, numbers});
}

template <class Real, class Index>
Epochs sparse_epochs(Vector<const Real> value, Vector<const Index> column, Vector<const Index> start, Vector<const double> y,
                     Maybe<const double> weight, Order order, const sgd::Plan& plan, Vector<Real> w, Maybe<double> total, Maybe<Real> paid,
                     Vector<double> numbers, std::optional<std::uint64_t> seed, std::uint32_t purpose, const sgd::Stopping& stopping) {
    const auto rows = checked<Real, Index>(value, column, start, y.size(), w.size());
    return run_all<Real>(rows, y.size(), w.size(), {y, weight, order, plan, w, total, paid, numbers}, seed, purpose, stopping);
}

constexpr const char* EPOCHS_TEXT =
    "Run epochs until they are to stop, shuffled where there is a seed; return the objective and the updates of each, and whether all is "
    "finite.";

template <class Real>
void bind_dense(nb::module_& m) {
    m.def("dense", &dense<Real>, "X"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert().none(), "order"_a.noconvert(), "plan"_a,
          "w"_a.noconvert(), "total"_a.noconvert().none(), "paid"_a.noconvert().none(), "numbers"_a.noconvert(),
          "Run an epoch over rows of an array; change w, total, paid and numbers, return the sum of the objective.");
    m.def("dense_epochs", &dense_epochs<Real>, "X"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert().none(), "order"_a.noconvert(),
          "plan"_a, "w"_a.noconvert(), "total"_a.noconvert().none(), "paid"_a.noconvert().none(), "numbers"_a.noconvert(), "seed"_a.none(),
          "purpose"_a, "stopping"_a, EPOCHS_TEXT);
}

template <class Real, class Index>
void bind_sparse(nb::module_& m) {
    m.def("sparse", &sparse<Real, Index>, "value"_a.noconvert(), "column"_a.noconvert(), "start"_a.noconvert(), "y"_a.noconvert(),
          "weight"_a.noconvert().none(), "order"_a.noconvert(), "plan"_a, "w"_a.noconvert(), "total"_a.noconvert().none(),
          "paid"_a.noconvert().none(), "numbers"_a.noconvert(),
          "Run an epoch over rows of a CSR matrix; change w, total, paid and numbers, return the sum of the objective.");
    m.def("sparse_epochs", &sparse_epochs<Real, Index>, "value"_a.noconvert(), "column"_a.noconvert(), "start"_a.noconvert(),
          "y"_a.noconvert(), "weight"_a.noconvert().none(), "order"_a.noconvert(), "plan"_a, "w"_a.noconvert(),
          "total"_a.noconvert().none(), "paid"_a.noconvert().none(), "numbers"_a.noconvert(), "seed"_a.none(), "purpose"_a, "stopping"_a,
          EPOCHS_TEXT);
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
    nb::class_<sgd::Stopping>(m, "Stopping", "When epochs end.");
    m.def(
        "stopping",
        [](std::size_t most, std::optional<double> tol, std::size_t patience, bool clean, bool adaptive) {
            return sgd::Stopping{most, tol.value_or(0.0), tol.has_value(), patience, clean, adaptive};
        },
        "most"_a, "tol"_a.none(), "patience"_a, "clean"_a, "adaptive"_a, "Return when epochs end; tol=None: not by the objective.");
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
