// Chains that ask a Python function for the log density. The array of positions is reused unless the function kept it, and answers are
// read in place where they are float64: what is left is what Python itself takes for a call.
#include "../arrays.h"
#include "novum/sampling/density.h"
#include "novum/sampling/hamiltonian.h"
#include "novum/sampling/random_walk.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <tuple>
#include <vector>

using namespace nb::literals;
using novum::sampling::HamiltonianChain;
using novum::sampling::Plan;
using novum::sampling::RandomWalkChain;
using novum::sampling::tell;
using novum::sampling::Walker;

namespace {

/// A float64 array that Python made and sees, of one position or of a row per chain.
class Positions {
  public:
    Positions(std::size_t rows, std::size_t d) : empty(nb::module_::import_("numpy").attr("empty")) {
        shape = rows == 0 ? nb::object(nb::make_tuple(d)) : nb::object(nb::make_tuple(rows, d));
        renew();
    }
    ~Positions() { PyBuffer_Release(&view); }
    Positions(const Positions&) = delete;
    Positions& operator=(const Positions&) = delete;
    double* data() { return static_cast<double*>(view.buf); }
    nb::handle array() const { return object; }
    /// Make another array if somebody holds this one or a view of it: what they keep must not change under them.
    void refresh() {
        if (Py_REFCNT(object.ptr()) > 2) {  // ours, and that of the open buffer
            PyBuffer_Release(&view);
            renew();
        }
    }

  private:
    nb::object empty, shape, object;
    Py_buffer view{};
    void renew() {
        object = empty(shape);
        if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_SIMPLE | PyBUF_WRITABLE) != 0) throw nb::python_error();
    }
};

/// The float64 numbers of what a function returned, `n` of them: read in place, or from a list or tuple, or converted.
class Numbers {
  public:
    Numbers(nb::handle value, std::size_t n, const char* what) {
        if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr())) {
            const nb::object parts = nb::steal(PySequence_Fast(value.ptr(), what));
            if (static_cast<std::size_t>(PySequence_Fast_GET_SIZE(parts.ptr())) != n) throw nb::value_error(what);
            listed.resize(n);
            for (std::size_t j = 0; j < n; ++j) {
                const double part = PyFloat_AsDouble(PySequence_Fast_GET_ITEM(parts.ptr(), static_cast<Py_ssize_t>(j)));
                if (part == -1.0 && PyErr_Occurred()) throw nb::python_error();
                listed[j] = part;
            }
        } else if (!open(value, n)) {
            converted = nb::module_::import_("numpy").attr("ascontiguousarray")(value, "dtype"_a = "float64");
            if (!open(converted, n)) throw nb::value_error(what);
        }
    }
    ~Numbers() { PyBuffer_Release(&view); }
    Numbers(const Numbers&) = delete;
    Numbers& operator=(const Numbers&) = delete;
    const double* data() const { return listed.empty() ? static_cast<const double*>(view.buf) : listed.data(); }

  private:
    nb::object converted;
    std::vector<double> listed;
    Py_buffer view{};
    bool open(nb::handle value, std::size_t n) {
        if (PyObject_GetBuffer(value.ptr(), &view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
            PyErr_Clear();
            return false;
        }
        if (view.format && std::strcmp(view.format, "d") == 0 && static_cast<std::size_t>(view.len) == n * sizeof(double)) return true;
        PyBuffer_Release(&view);
        return false;
    }
};

/// A number: a float, an array of one, or whatever Python makes a float of.
double number(nb::handle value) {
    if (!PyFloat_Check(value.ptr()) && PyObject_CheckBuffer(value.ptr()))
        return *Numbers(value, 1, "log_prob must return one number").data();
    const double out = PyFloat_AsDouble(value.ptr());
    if (out == -1.0 && PyErr_Occurred()) throw nb::python_error();
    return out;
}

/// Call a function; with `forgives`, an overflow in Python's own arithmetic is None, as NumPy would answer NaN.
nb::object call(nb::handle function, nb::handle argument, bool forgives = false) {
    PyObject* arguments[] = {argument.ptr()};
    PyObject* answer = PyObject_Vectorcall(function.ptr(), arguments, 1, nullptr);
    if (!answer && forgives && PyErr_ExceptionMatches(PyExc_ArithmeticError)) {
        PyErr_Clear();
        return nb::none();
    }
    if (!answer) throw nb::python_error();
    return nb::steal(answer);
}

std::pair<nb::object, nb::object> pair_of(nb::handle answer) {
    nb::object parts = nb::borrow(answer);
    if (!nb::isinstance<nb::tuple>(parts)) parts = nb::tuple(parts);
    if (nb::len(parts) != 2) throw nb::value_error("log_prob must return (value, gradient)");
    return {nb::borrow(parts[0]), nb::borrow(parts[1])};
}

enum class Form { value, pair, two };  // the function returns a value, value and gradient, or there are two functions

constexpr std::size_t LISTEN = 256;  // calls between looks for signals, for functions that are not written in Python

/// Drive chains one call each in turn until all are done; return the chain whose density was +inf, or -1.
std::ptrdiff_t drive_each(std::vector<Walker*>& walkers, nb::handle function, nb::handle gradient, Form form) {
    if (walkers.empty()) return -1;
    const std::size_t d = walkers[0]->dimension();
    Positions x(0, d);
    const std::vector<double> nothing(d);
    std::size_t n_calls = 0;
    for (bool busy = true; busy;) {
        busy = false;
        for (std::size_t k = 0; k < walkers.size(); ++k) {
            Walker& walker = *walkers[k];
            if (walker.finished()) continue;
            busy = true;
            x.refresh();
            std::memcpy(x.data(), walker.next_point(), d * sizeof(double));
            const nb::object answer = call(function, x.array(), true);
            nb::object slope;
            if (form == Form::two && !answer.is_none()) slope = call(gradient, x.array(), true);
            bool fine;
            if (answer.is_none() || (slope.is_valid() && slope.is_none())) {
                fine = tell(walker, NAN, form == Form::value ? nullptr : nothing.data());
            } else if (form == Form::value) {
                fine = tell(walker, number(answer), nullptr);
            } else if (form == Form::pair) {
                const auto [value, beside] = pair_of(answer);
                fine = tell(walker, number(value), Numbers(beside, d, "the gradient must have the shape of x").data());
            } else {
                fine = tell(walker, number(answer), Numbers(slope, d, "the gradient must have the shape of x").data());
            }
            if (!fine) return static_cast<std::ptrdiff_t>(k);
            if (++n_calls % LISTEN == 0 && PyErr_CheckSignals() != 0) throw nb::python_error();
        }
    }
    return -1;
}

/// Drive all chains by one call, a row each, until all are done; a chain that is done repeats its last question.
std::ptrdiff_t drive_together(std::vector<Walker*>& walkers, nb::handle function, nb::handle gradient, Form form) {
    if (walkers.empty()) return -1;
    const std::size_t n = walkers.size(), d = walkers[0]->dimension();
    Positions x(n, d);
    for (bool busy = true; busy;) {
        x.refresh();
        for (std::size_t k = 0; k < n; ++k) std::memcpy(x.data() + k * d, walkers[k]->next_point(), d * sizeof(double));
        nb::object answer = call(function, x.array()), slope;
        if (form == Form::pair) std::tie(answer, slope) = pair_of(answer);
        if (form == Form::two) slope = call(gradient, x.array());
        const Numbers values(answer, n, "log_prob must return a value per row");
        std::optional<Numbers> slopes;
        if (form != Form::value) slopes.emplace(slope, n * d, "the gradient must have the shape of the rows");
        busy = false;
        for (std::size_t k = 0; k < n; ++k) {
            if (walkers[k]->finished()) continue;
            if (!tell(*walkers[k], values.data()[k], slopes ? slopes->data() + k * d : nullptr)) return static_cast<std::ptrdiff_t>(k);
            busy = busy || !walkers[k]->finished();
        }
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
    return -1;
}

std::ptrdiff_t drive(nb::list chains, nb::object function, nb::object gradient, bool pair, bool together) {
    std::vector<Walker*> walkers;
    for (nb::handle chain : chains) walkers.push_back(nb::cast<Walker*>(chain));
    for (Walker* walker : walkers) require(walker->dimension() == walkers[0]->dimension(), "drive: chains of different dimensions");
    const Form form = pair ? Form::pair : gradient.is_none() ? Form::value : Form::two;
    for (nb::handle chain : chains)
        require(form != Form::value || nb::isinstance<RandomWalkChain>(chain), "drive: a Hamiltonian chain needs a gradient");
    return together ? drive_together(walkers, function, gradient, form) : drive_each(walkers, function, gradient, form);
}

Plan plan_of(std::uint64_t seed, std::uint64_t chain, std::size_t begin, std::size_t n_warmup, std::size_t n_draws, std::size_t thin) {
    require(chain < novum::rng::MAX_ROWS && thin > 0, "chain: at most 2^44 chains, and thin >= 1");
    return {seed, chain, begin, n_warmup, n_draws, thin};
}

void check_shape(const std::optional<Vector<const double>>& covariance, std::size_t d, bool dense) {
    require(d > 0 && d < novum::rng::MAX_COLUMNS, "chain: between 1 and 2^21 dimensions");
    require(!covariance || covariance->size() == (dense ? d * d : d), "chain: covariance of another size");
}

nb::object copy_of(const std::vector<double>& values) {
    nb::object out = nb::module_::import_("numpy").attr("array")(nb::cast(values), "dtype"_a = "float64");
    return out;
}

}  // namespace

void bind_sampling_chains(nb::module_& m) {
    nb::class_<Walker>(m, "Walker", "A chain that says where it wants the log density and goes on when it receives it.")
        .def_prop_ro("recorded", &Walker::recorded, "Draws that are recorded.")
        .def_prop_ro("undefined", &Walker::undefined, "How often the density was no number.")
        .def_prop_ro(
            "first_undefined", [](const Walker& w) { return copy_of(w.first_undefined()); }, "Where it first was none.")
        .def_prop_ro(
            "next_point", [](const Walker& w) { return copy_of({w.next_point(), w.next_point() + w.dimension()}); },
            "Where it is wanted next.");
    nb::class_<HamiltonianChain, Walker>(m, "HamiltonianChain", "A chain of the No-U-Turn sampler with its warm-up.")
        .def(
            "__init__",
            [](HamiltonianChain* self, std::uint64_t seed, std::uint64_t chain, std::size_t begin, std::size_t n_warmup, std::size_t thin,
               Vector<const double> start, bool dense, std::size_t max_depth, double target, double step,
               std::optional<Vector<const double>> covariance, Matrix<double> draws, Vector<double> log_prob, Vector<double> accepted,
               Vector<double> energy, Vector<std::int32_t> depth, Vector<std::int32_t> steps, Vector<bool> diverged) {
                const std::size_t n = draws.shape(0), d = start.size();
                check_shape(covariance, d, dense);
                require(draws.shape(1) == d && log_prob.size() == n && accepted.size() == n && energy.size() == n && depth.size() == n &&
                            steps.size() == n && diverged.size() == n,
                        "HamiltonianChain: inconsistent shapes");
                require(max_depth >= 1 && max_depth <= 20, "HamiltonianChain: max_depth lies in 1..20");
                new (self) HamiltonianChain(
                    plan_of(seed, chain, begin, n_warmup, n, thin), d, start.data(), dense, max_depth, target, step,
                    covariance ? covariance->data() : nullptr,
                    {draws.data(), log_prob.data(), accepted.data(), energy.data(), depth.data(), steps.data(), diverged.data()});
            },
            "seed"_a, "chain"_a, "begin"_a, "n_warmup"_a, "thin"_a, "start"_a.noconvert(), "dense"_a, "max_depth"_a, "target"_a, "step"_a,
            "covariance"_a.noconvert().none(), "draws"_a.noconvert(), "log_prob"_a.noconvert(), "accepted"_a.noconvert(),
            "energy"_a.noconvert(), "depth"_a.noconvert(), "steps"_a.noconvert(), "diverged"_a.noconvert(), nb::keep_alive<1, 13>(),
            nb::keep_alive<1, 14>(), nb::keep_alive<1, 15>(), nb::keep_alive<1, 16>(), nb::keep_alive<1, 17>(), nb::keep_alive<1, 18>(),
            nb::keep_alive<1, 19>())
        .def_prop_ro("step_size", &HamiltonianChain::step_size, "The step size now.")
        .def_prop_ro(
            "covariance", [](const HamiltonianChain& c) { return copy_of(c.mass().covariance()); }, "The inverse mass now.")
        .def_prop_ro("warmup_divergences", &HamiltonianChain::warmup_divergences, "Divergent trajectories of the warm-up.");
    nb::class_<RandomWalkChain, Walker>(m, "RandomWalkChain", "A chain of Metropolis' random walk that learns its step.")
        .def(
            "__init__",
            [](RandomWalkChain* self, std::uint64_t seed, std::uint64_t chain, std::size_t begin, std::size_t n_warmup, std::size_t thin,
               Vector<const double> start, bool dense, bool adapts, double scale, std::optional<Vector<const double>> covariance,
               Matrix<double> draws, Vector<double> log_prob, Vector<double> accepted) {
                const std::size_t n = draws.shape(0), d = start.size();
                check_shape(covariance, d, dense);
                require(draws.shape(1) == d && log_prob.size() == n && accepted.size() == n, "RandomWalkChain: inconsistent shapes");
                new (self) RandomWalkChain(plan_of(seed, chain, begin, n_warmup, n, thin), d, start.data(), dense, adapts, scale,
                                           covariance ? covariance->data() : nullptr, {draws.data(), log_prob.data(), accepted.data()});
            },
            "seed"_a, "chain"_a, "begin"_a, "n_warmup"_a, "thin"_a, "start"_a.noconvert(), "dense"_a, "adapts"_a, "scale"_a,
            "covariance"_a.noconvert().none(), "draws"_a.noconvert(), "log_prob"_a.noconvert(), "accepted"_a.noconvert(),
            nb::keep_alive<1, 12>(), nb::keep_alive<1, 13>(), nb::keep_alive<1, 14>())
        .def_prop_ro("scale", &RandomWalkChain::scale, "The scale of the steps now.")
        .def_prop_ro("covariance", [](const RandomWalkChain& c) { return copy_of(c.shape().covariance()); }, "The shape of the steps now.");
    m.def(
        "drive_compiled",
        [](Walker& walker, const novum::sampling::Density& density) {
            require(walker.dimension() == density.dimension(), "drive: the density has another dimension");
            nb::gil_scoped_release release;
            return novum::sampling::drive(walker, density);
        },
        "chain"_a, "density"_a, "Drive a chain by a compiled density until it is done; return whether the density was never +inf.");
    m.def("drive", &drive, "chains"_a, "function"_a, "gradient"_a.none(), "pair"_a, "together"_a,
          "Drive chains until all are done; return the index of a chain whose density was +inf, or -1.");
}
