#include "novum/classes/posterior.h"
#include "../arrays.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

using namespace nb::literals;

namespace {

template <class Real>
void bind_real(nb::module_& m) {
    m.def(
        "normalize_rows",
        [](Matrix<Real> score, bool logarithm) {
            nb::gil_scoped_release release;
            novum::normalize_rows<Real>(score.data(), score.shape(0), score.shape(1),
                                        logarithm ? novum::Posterior::logarithm : novum::Posterior::share);
        },
        "score"_a.noconvert(), "logarithm"_a, "Replace the scores of every row by their softmax, or its logarithm.");

    m.def(
        "best_of_rows",
        [](Matrix<const Real> score, Vector<std::int64_t> label) {
            if (label.shape(0) != score.shape(0) || score.shape(1) == 0) throw nb::value_error("best_of_rows: inconsistent shapes");
            nb::gil_scoped_release release;
            novum::best_of_rows<Real>(score.data(), score.shape(0), score.shape(1), label.data());
        },
        "score"_a.noconvert(), "label"_a.noconvert(), "Write the position of the largest score of every row.");
}

}  // namespace

void bind_classes_posterior(nb::module_& m) {
    bind_real<float>(m);
    bind_real<double>(m);
}
