#include "novum/distributions/density.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using In = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;  // any number of dimensions
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Cube = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<double, nb::c_contig, nb::device::cpu>;

// The outcomes of x (d numbers each) against k distributions, as many as `out` has room for.
novum::Meeting meeting(const In& x, std::size_t d, std::size_t k, const Out& out) {
    const std::size_t outcomes = d ? x.size() / d : 0;
    const bool paired = out.size() == outcomes && (k ? outcomes % k == 0 : true);
    if (d == 0 || k == 0 || x.size() % d != 0 || !(paired || out.size() == outcomes * k))
        throw nb::value_error("density: inconsistent shapes");
    return {outcomes, k, paired};
}

template <std::size_t CONSTANTS, void (*Density)(const double*, novum::Meeting, const double*, double*)>
void scalar(In x, Matrix table, Out out) {
    if (table.shape(0) != CONSTANTS) throw nb::value_error("density: wrong number of constants");
    const auto m = meeting(x, 1, table.shape(1), out);
    nb::gil_scoped_release release;
    Density(x.data(), m, table.data(), out.data());
}

}  // namespace

void bind_distributions_density(nb::module_& m) {
#define NOVUM_SCALAR(name, constants)                                                                                          \
    m.def(#name, &scalar<constants, novum::name##_log_density>, "x"_a.noconvert(), "table"_a.noconvert(), "out"_a.noconvert(), \
          "Write the log-density of the " #name " family.")
    NOVUM_SCALAR(gamma, 4);
    NOVUM_SCALAR(beta, 3);
    NOVUM_SCALAR(bernoulli, 2);
    NOVUM_SCALAR(poisson, 2);
    NOVUM_SCALAR(binomial, 4);
    NOVUM_SCALAR(exponential, 2);
    NOVUM_SCALAR(uniform, 3);
#undef NOVUM_SCALAR
    m.def(
        "dirichlet",
        [](In x, Matrix power, Vector norm, double slack, Out out) {
            const std::size_t k = power.shape(0), d = power.shape(1);
            if (norm.shape(0) != k) throw nb::value_error("density: inconsistent shapes");
            const auto meet = meeting(x, d, k, out);
            nb::gil_scoped_release release;
            novum::dirichlet_log_density(x.data(), meet, d, power.data(), norm.data(), slack, out.data());
        },
        "x"_a.noconvert(), "power"_a.noconvert(), "norm"_a.noconvert(), "slack"_a, "out"_a.noconvert(),
        "Write the log-density of the Dirichlet family.");
    m.def(
        "multinomial",
        [](In x, Matrix log_p, Vector n, Vector norm, Out out) {
            const std::size_t k = log_p.shape(0), d = log_p.shape(1);
            if (n.shape(0) != k || norm.shape(0) != k) throw nb::value_error("density: inconsistent shapes");
            const auto meet = meeting(x, d, k, out);
            nb::gil_scoped_release release;
            novum::multinomial_log_density(x.data(), meet, d, log_p.data(), n.data(), norm.data(), out.data());
        },
        "x"_a.noconvert(), "log_p"_a.noconvert(), "n"_a.noconvert(), "norm"_a.noconvert(), "out"_a.noconvert(),
        "Write the log-probability of the multinomial family.");
    m.def(
        "squared_length",
        [](In x, Matrix mean, Cube factor, Out out) {
            const std::size_t k = mean.shape(0), d = mean.shape(1);
            if (factor.shape(0) != k || factor.shape(1) != d || factor.shape(2) != d) throw nb::value_error("density: inconsistent shapes");
            const auto meet = meeting(x, d, k, out);
            nb::gil_scoped_release release;
            novum::squared_length(x.data(), meet, d, mean.data(), factor.data(), out.data());
        },
        "x"_a.noconvert(), "mean"_a.noconvert(), "factor"_a.noconvert(), "out"_a.noconvert(), "Write |L^-1 (x - mean)|^2.");
}
