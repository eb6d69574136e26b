#include "novum/products/quadratic.h"
#include "../arrays.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

using namespace nb::literals;

namespace {

template <class Real>
void quadratic(Matrix<const Real> x, Vector<const double> mean, Matrix<const double> form, Vector<double> out) {
    const std::size_t n = x.shape(0), p = x.shape(1);
    if (mean.shape(0) != p || form.shape(0) != p || form.shape(1) != p || out.shape(0) != n)
        throw nb::value_error("quadratic: one mean per column, a square form, one result per row");
    nb::gil_scoped_release release;
    struct alignas(64) Line {
        double numbers[8];
    };
    std::vector<Line> scratch(p * novum::QUADRATIC_ROWS / 8);
    novum::quadratic(x.data(), n, p, mean.data(), form.data(), scratch.data()->numbers, out.data());
}

}  // namespace

void bind_products_quadratic(nb::module_& m) {
    m.def("of_rows", &quadratic<double>, "x"_a.noconvert(), "mean"_a.noconvert(), "form"_a.noconvert(), "out"_a.noconvert(),
          "Write (x - mean)' form (x - mean) of every row.");
    m.def("of_rows", &quadratic<float>, "x"_a.noconvert(), "mean"_a.noconvert(), "form"_a.noconvert(), "out"_a.noconvert());
}
