#include "novum/neural_network/perceptron.h"
#include "../arrays.h"
#include "novum/runtime/indices.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

using namespace nb::literals;
namespace nn = novum::neural_network;

namespace {

template <class T>
using MaybeVector = std::optional<Vector<T>>;
template <class T>
using MaybeMatrix = std::optional<Matrix<T>>;
using Numbers = Vector<const std::int64_t>;

nn::Plan plan(const std::vector<std::size_t>& units, int activation, double parameter, int output, int rule, double momentum, bool nesterov,
              double beta_1, double beta_2, double epsilon, double alpha, double l1, double dropout, bool normalize, std::uint64_t seed,
              std::size_t batch, int threads, bool trains) {
    require(units.size() >= 2 && batch > 0 && threads > 0, "perceptron: a network has two layers or more, a batch one row or more");
    for (std::size_t n : units) require(n > 0, "perceptron: a layer without units");
    require(activation >= 0 && activation <= static_cast<int>(nn::Activation::Softmax) && output >= 0 &&
                output <= static_cast<int>(nn::Output::Exponential) && rule >= 0 && rule <= static_cast<int>(nn::Rule::Adam) &&
                dropout >= 0 && dropout < 1,
            "perceptron: no such plan");
    nn::Step step;
    step.rule = static_cast<nn::Rule>(rule);
    step.momentum = momentum, step.nesterov = nesterov, step.beta_1 = beta_1, step.beta_2 = beta_2, step.epsilon = epsilon;
    step.alpha = alpha, step.l1 = l1;
    return {units,
            {static_cast<nn::Activation>(activation), parameter},
            static_cast<nn::Output>(output),
            step,
            dropout,
            normalize,
            seed,
            batch,
            threads,
            trains};
}

/// A network with the shapes that its arguments are compared with.
template <class Real>
struct Net {
    nn::Plan plan;
    nn::Perceptron<Real> core;
    explicit Net(const nn::Plan& p) : plan(p), core(p) {}

    std::size_t outputs() const { return plan.units.back(); }
    bool remembers_first() const { return plan.step.rule == nn::Rule::Sgd || plan.step.rule == nn::Rule::Adam; }
    bool remembers_second() const { return plan.step.rule != nn::Rule::Sgd; }

    void check(std::size_t theta, std::size_t first, std::size_t second, std::size_t running) const {
        require(theta == core.size() && running == core.running_size(), "perceptron: inconsistent shapes");
        require(!plan.trains || ((!remembers_first() || first == theta) && (!remembers_second() || second == theta)),
                "perceptron: the rule's memory has another size than the weights");
    }

    nn::Inputs<Real> dense(const Matrix<const Real>& X) const {
        require(X.shape(1) == plan.units[0], "perceptron: X has another number of columns");
        return {X.data(), {}};
    }
    nn::Inputs<Real> sparse(const Vector<const Real>& value, const Numbers& column, const Numbers& start) const {
        require(start.size() > 0 && value.size() == column.size() && start.data()[0] == 0, "perceptron: inconsistent shapes");
        const std::int64_t* first = start.data();
        for (std::size_t i = 0; i + 1 < start.size(); ++i) require(first[i] <= first[i + 1], "perceptron: rows out of order");
        require(static_cast<std::size_t>(first[start.size() - 1]) <= value.size(), "perceptron: rows out of order");
        require(novum::inside(column.data(), column.size(), plan.units[0]), "perceptron: column out of range");
        return {nullptr, {value.data(), column.data(), start.data()}};
    }
    nn::Targets<Real> targets(std::size_t n, const MaybeVector<const std::int64_t>& code, const MaybeMatrix<const Real>& value,
                              const MaybeVector<const double>& weight) const {
        require(plan.trains, "perceptron: this network only predicts");
        if (plan.output == nn::Output::Softmax)
            require(code && code->size() == n && novum::inside(code->data(), n, outputs()), "perceptron: a class per row is needed");
        else
            require(value && value->shape(0) == n && value->shape(1) == outputs(), "perceptron: a row of numbers per row is needed");
        require(!weight || weight->size() == n, "perceptron: inconsistent shapes");
        return {code ? code->data() : nullptr, value ? value->data() : nullptr, weight ? weight->data() : nullptr};
    }
};

template <class Real>
void bind(nb::module_& m, const char* name) {
    using Self = Net<Real>;
    using Codes = MaybeVector<const std::int64_t>;
    using Values = MaybeMatrix<const Real>;
    using Weights = MaybeVector<const double>;
    nb::class_<Self>(m, name, "A network in training, its weights in the layout that products read.")
        .def(nb::init<const nn::Plan&>(), "plan"_a)
        .def_prop_ro(
            "size", [](const Self& x) { return x.core.size(); }, "How many numbers are learned.")
        .def_prop_ro(
            "running_size", [](const Self& x) { return x.core.running_size(); }, "How many running moments there are.")
        .def_prop_ro(
            "steps", [](const Self& x) { return x.core.steps(); }, "Steps taken.")
        .def(
            "load",
            [](Self& x, Vector<const Real> theta, Vector<const Real> first, Vector<const Real> second, Vector<const Real> running,
               std::uint64_t steps) {
                x.check(theta.size(), first.size(), second.size(), running.size());
                nb::gil_scoped_release release;
                x.core.load(theta.data(), first.data(), second.data(), running.data(), steps);
            },
            "theta"_a.noconvert(), "first"_a.noconvert(), "second"_a.noconvert(), "running"_a.noconvert(), "steps"_a,
            "Take weights, the rule's memory (empty where it has none) and running moments.")
        .def(
            "store",
            [](const Self& x, Vector<Real> theta, Vector<Real> first, Vector<Real> second, Vector<Real> running) {
                x.check(theta.size(), first.size(), second.size(), running.size());
                nb::gil_scoped_release release;
                x.core.store(theta.data(), first.data(), second.data(), running.data());
            },
            "theta"_a.noconvert(), "first"_a.noconvert(), "second"_a.noconvert(), "running"_a.noconvert(), "Write the state into arrays.")
        .def(
            "epoch",
            [](Self& x, Matrix<const Real> X, Codes code, Values value, Weights weight, Numbers order, double rate) {
                const auto inputs = x.dense(X);
                const auto targets = x.targets(X.shape(0), code, value, weight);
                require(novum::inside(order.data(), order.size(), X.shape(0)), "perceptron: order names a row that is not there");
                nb::gil_scoped_release release;
                return x.core.epoch(inputs, targets, {order.data(), order.size()}, rate);
            },
            "X"_a.noconvert(), "code"_a.noconvert().none(), "value"_a.noconvert().none(), "weight"_a.noconvert().none(),
            "order"_a.noconvert(), "rate"_a, "Step over the rows in their order, batch by batch; return the sum of rows times loss.")
        .def(
            "epoch_sparse",
            [](Self& x, Vector<const Real> entry, Numbers column, Numbers start, Codes code, Values value, Weights weight, Numbers order,
               double rate) {
                const auto inputs = x.sparse(entry, column, start);
                const auto targets = x.targets(start.size() - 1, code, value, weight);
                require(novum::inside(order.data(), order.size(), start.size() - 1), "perceptron: order names a row that is not there");
                nb::gil_scoped_release release;
                return x.core.epoch(inputs, targets, {order.data(), order.size()}, rate);
            },
            "entry"_a.noconvert(), "column"_a.noconvert(), "start"_a.noconvert(), "code"_a.noconvert().none(), "value"_a.noconvert().none(),
            "weight"_a.noconvert().none(), "order"_a.noconvert(), "rate"_a, "The same over the rows of a CSR matrix.")
        .def(
            "gradient",
            [](Self& x, Matrix<const Real> X, Codes code, Values value, Weights weight, Vector<Real> out) {
                const auto inputs = x.dense(X);
                const auto targets = x.targets(X.shape(0), code, value, weight);
                require(out.size() == x.core.size(), "perceptron: inconsistent shapes");
                nb::gil_scoped_release release;
                return x.core.gradient(inputs, targets, X.shape(0), out.data());
            },
            "X"_a.noconvert(), "code"_a.noconvert().none(), "value"_a.noconvert().none(), "weight"_a.noconvert().none(),
            "out"_a.noconvert(), "Return the sum of weight times loss over all rows; write its gradient.")
        .def(
            "gradient_sparse",
            [](Self& x, Vector<const Real> entry, Numbers column, Numbers start, Codes code, Values value, Weights weight,
               Vector<Real> out) {
                const auto inputs = x.sparse(entry, column, start);
                const auto targets = x.targets(start.size() - 1, code, value, weight);
                require(out.size() == x.core.size(), "perceptron: inconsistent shapes");
                nb::gil_scoped_release release;
                return x.core.gradient(inputs, targets, start.size() - 1, out.data());
            },
            "entry"_a.noconvert(), "column"_a.noconvert(), "start"_a.noconvert(), "code"_a.noconvert().none(), "value"_a.noconvert().none(),
            "weight"_a.noconvert().none(), "out"_a.noconvert(), "The same over the rows of a CSR matrix.")
        .def(
            "predict",
            [](Self& x, Matrix<const Real> X, Matrix<Real> out) {
                const auto inputs = x.dense(X);
                require(out.shape(0) == X.shape(0) && out.shape(1) == x.outputs(), "perceptron: inconsistent shapes");
                nb::gil_scoped_release release;
                x.core.predict(inputs, X.shape(0), out.data());
            },
            "X"_a.noconvert(), "out"_a.noconvert(), "Write what the network says of every row.")
        .def(
            "predict_sparse",
            [](Self& x, Vector<const Real> entry, Numbers column, Numbers start, Matrix<Real> out) {
                const auto inputs = x.sparse(entry, column, start);
                require(out.shape(0) == start.size() - 1 && out.shape(1) == x.outputs(), "perceptron: inconsistent shapes");
                nb::gil_scoped_release release;
                x.core.predict(inputs, start.size() - 1, out.data());
            },
            "entry"_a.noconvert(), "column"_a.noconvert(), "start"_a.noconvert(), "out"_a.noconvert(),
            "The same for the rows of a CSR matrix.");
}

}  // namespace

void bind_neural_network_perceptron(nb::module_& m) {
    nb::class_<nn::Plan>(m, "Plan",
                         "What stays the same over the epochs; activations, outputs and rules by their place in novum/neural_network.");
    m.def("plan", &plan, "units"_a, "activation"_a, "parameter"_a, "output"_a, "rule"_a, "momentum"_a, "nesterov"_a, "beta_1"_a, "beta_2"_a,
          "epsilon"_a, "alpha"_a, "l1"_a, "dropout"_a, "normalize"_a, "seed"_a, "batch"_a, "threads"_a, "trains"_a, "Return a plan.");
    bind<float>(m, "Perceptron32");
    bind<double>(m, "Perceptron64");
}
