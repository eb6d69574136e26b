// Compiled log densities: those of the library, and functions that scipy.LowLevelCallable holds (C, Cython, Numba).
#include "../arrays.h"
#include "novum/sampling/density.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>

using namespace nb::literals;
using novum::sampling::Density;
using novum::sampling::ForeignDensity;
using novum::sampling::LogisticDensity;

namespace {

template <class Real>
void bind_logistic(nb::module_& m, const char* name) {
    nb::class_<LogisticDensity<Real>, Density>(m, name, "The log posterior of logistic regression with a normal prior.")
        .def(
            "__init__",
            [](LogisticDensity<Real>* self, Matrix<const Real> X, Vector<const std::int64_t> y, std::optional<Vector<const double>> weight,
               bool intercept, double precision) {
                require(y.size() == X.shape(0) && (!weight || weight->size() == y.size()), "logistic: inconsistent shapes");
                for (std::size_t i = 0; i < y.size(); ++i) require(y.data()[i] == 0 || y.data()[i] == 1, "logistic: codes are 0 and 1");
                new (self) LogisticDensity<Real>(X.data(), {y.data(), weight ? weight->data() : nullptr}, X.shape(0), X.shape(1), intercept,
                                                 precision);
            },
            "X"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert().none(), "intercept"_a, "precision"_a, nb::keep_alive<1, 2>(),
            nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>());
}

}  // namespace

void bind_sampling_densities(nb::module_& m) {
    nb::class_<Density>(m, "Density", "A compiled log density.")
        .def_prop_ro("dimension", &Density::dimension, "How many numbers it takes.")
        .def(
            "evaluate",
            [](const Density& density, Vector<const double> x, Vector<double> gradient) {
                require(x.size() == density.dimension() && gradient.size() == x.size(), "density: x of another dimension");
                nb::gil_scoped_release release;
                return density(x.data(), gradient.data());
            },
            "x"_a.noconvert(), "gradient"_a.noconvert(), "Return the value at x and fill its gradient.");
    bind_logistic<double>(m, "Logistic");
    bind_logistic<float>(m, "LogisticSingle");
    nb::class_<ForeignDensity, Density>(m, "Foreign", "A function that a capsule holds: double (int, double *, double *, void *).")
        .def(
            "__init__",
            [](ForeignDensity* self, nb::object capsule, std::size_t d) {
                require(PyCapsule_CheckExact(capsule.ptr()), "Foreign: a capsule is wanted");
                const char* signature = PyCapsule_GetName(capsule.ptr());
                void* pointer = PyCapsule_GetPointer(capsule.ptr(), signature);
                if (!pointer) throw nb::python_error();
                void* data = PyCapsule_GetContext(capsule.ptr());
                new (self) ForeignDensity(reinterpret_cast<ForeignDensity::Function>(pointer), data, d);
            },
            "capsule"_a, "d"_a, nb::keep_alive<1, 2>());
}
