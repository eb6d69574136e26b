#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cmath>
#include <optional>

#include "../arrays.h"
#include "novum/moments/exact_sums.h"

using namespace nb::literals;

namespace {

void add(Vector<const double> values, std::optional<Vector<const double>> weight, Vector<std::int64_t> limbs) {
    require(limbs.shape(0) == novum::ExactSum::LIMBS && (!weight || weight->shape(0) == values.shape(0)),
            "exact sums: a weight for every value, 70 limbs");
    nb::gil_scoped_release release;
    novum::ExactSum sum;
    for (std::size_t i = 0; i < values.shape(0); ++i) {
        const double term = weight ? values(i) * (*weight)(i) : values(i);
        if (std::isfinite(term)) sum.add(term);
    }
    sum.carry();
    for (std::size_t k = 0; k < novum::ExactSum::LIMBS; ++k) limbs.data()[k] += sum.limb[k];
}

}  // namespace

void bind_moments_exact_sums(nb::module_& m) {
    m.attr("LIMBS") = static_cast<int>(novum::ExactSum::LIMBS);
    m.def("add", &add, "values"_a.noconvert(), "weight"_a.noconvert().none(), "limbs"_a.noconvert(),
          "Add the products of values and weights, each rounded to a float, to the limbs of a sum; those that overflowed are left out.");
}
