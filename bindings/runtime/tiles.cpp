#include "novum/runtime/tiles.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class Real>
using Column = nb::ndarray<const Real, nb::ndim<1>, nb::device::cpu>;
template <class Real>
using Tile = nb::ndarray<Real, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class Real>
using Flat = nb::ndarray<const Real, nb::c_contig, nb::device::cpu>;

template <class Real>
void pack(nb::list columns, Tile<Real> out) {
    const std::size_t d = columns.size(), rows = out.shape(0);
    if (out.shape(1) != d) throw nb::value_error("pack_columns: one column of `out` per column");
    std::vector<const Real*> data(d);
    std::vector<std::ptrdiff_t> strides(d);
    for (std::size_t j = 0; j < d; ++j) {
        auto column = nb::cast<Column<Real>>(columns[j], false);
        if (column.shape(0) != rows) throw nb::value_error("pack_columns: columns of unequal length");
        data[j] = column.data();
        strides[j] = static_cast<std::ptrdiff_t>(column.stride(0));
    }
    nb::gil_scoped_release release;
    novum::pack_columns<Real, Real>(data, strides, rows, out.data());
}

template <class Real>
bool finite(Flat<Real> values) {
    nb::gil_scoped_release release;
    return novum::all_finite<Real>({values.data(), values.size()});
}

}  // namespace

void bind_runtime_tiles(nb::module_& m) {
    m.def("pack_columns", &pack<float>, "columns"_a, "out"_a.noconvert(),
          "Write a list of equally long columns into the row-major tile `out`.");
    m.def("pack_columns", &pack<double>, "columns"_a, "out"_a.noconvert());
    m.def("all_finite", &finite<float>, "values"_a.noconvert(), "Return whether no value is NaN or infinite.");
    m.def("all_finite", &finite<double>, "values"_a.noconvert());
    m.def(
        "sum_of_squares",
        [](Flat<double> values) {
            nb::gil_scoped_release release;
            return novum::sum_of_squares({values.data(), values.size()});
        },
        "values"_a.noconvert(), "Return the sum of the squares of the values.");
}
