#include "novum/products/narrow.h"
#include "../arrays.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

using namespace nb::literals;

namespace {

template <class Real>
void bind(nb::module_& m) {
    m.def(
        "narrow",
        [](Matrix<const Real> x, Matrix<const Real> matrix, Vector<const Real> offset, Matrix<Real> out) {
            const std::size_t n = x.shape(0), p = x.shape(1), k = matrix.shape(1);
            if (matrix.shape(0) != p || offset.size() != k || out.shape(0) != n || out.shape(1) != k)
                throw nb::value_error("narrow: inconsistent shapes");
            nb::gil_scoped_release release;
            novum::narrow_product(x.data(), n, p, matrix.data(), k, offset.data(), out.data());
        },
        "x"_a.noconvert(), "matrix"_a.noconvert(), "offset"_a.noconvert(), "out"_a.noconvert(),
        "Write x matrix + offset to `out`, for a matrix of few columns.");

    m.def(
        "best",
        [](Matrix<const Real> x, Matrix<const Real> matrix, Vector<const Real> offset, std::optional<double> threshold,
           Vector<std::int64_t> label) {
            const std::size_t n = x.shape(0), p = x.shape(1), k = matrix.shape(1);
            if (matrix.shape(0) != p || offset.size() != k || label.size() != n || k == 0)
                throw nb::value_error("best: inconsistent shapes");
            nb::gil_scoped_release release;
            return novum::narrow_best(x.data(), n, p, matrix.data(), k, offset.data(), threshold ? &*threshold : nullptr, label.data());
        },
        "x"_a.noconvert(), "matrix"_a.noconvert(), "offset"_a.noconvert(), "threshold"_a.none(), "label"_a.noconvert(),
        "Write the column of the largest value of every row of x matrix + offset; returns whether all values are finite.");
}

}  // namespace

void bind_products_narrow(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}
