#include "novum/trees/bins.h"
#include "../arrays.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

using namespace nb::literals;
namespace bins = novum::bins;

namespace {

template <class Real>
void encode(Matrix<const Real> x, Vector<const double> edges, Vector<const std::int64_t> start, Vector<const std::int32_t> categories,
            int missing, Matrix<std::uint32_t> out, std::size_t first) {
    const std::size_t rows = x.shape(0), d = x.shape(1);
    if (start.shape(0) != d + 1 || categories.shape(0) != d) throw nb::value_error("bins: edges and categories for every column");
    if (missing < 1 || missing > 255) throw nb::value_error("bins: the code of a missing value is 1 to 255");
    if (out.shape(0) != (d + bins::GROUP - 1) / bins::GROUP || first > out.shape(1) || rows > out.shape(1) - first)
        throw nb::value_error("bins: a word for every row and group of columns");
    for (std::size_t j = 0; j < d; ++j) {
        const std::int64_t count = start(j + 1) - start(j);
        if (start(j) < 0 || count < 0 || start(j + 1) > static_cast<std::int64_t>(edges.shape(0)) || count >= missing ||
            categories(j) > missing)
            throw nb::value_error("bins: edges within their array, fewer than the code of a missing value");
    }
    const bins::Edges all{edges.data(), start.data(), categories.data(), d, static_cast<std::uint8_t>(missing)};
    nb::gil_scoped_release release;
    bins::encode(x.data(), rows, all, out.data(), out.shape(1), first);
}

}  // namespace

void bind_trees_bins(nb::module_& m) {
    m.attr("GROUP") = static_cast<int>(bins::GROUP);
    for (auto* bind : {+[](nb::module_& to) {
                           to.def("encode", &encode<double>, "x"_a.noconvert(), "edges"_a.noconvert(), "start"_a.noconvert(),
                                  "categories"_a.noconvert(), "missing"_a, "out"_a.noconvert(), "first"_a);
                       },
                       +[](nb::module_& to) {
                           to.def("encode", &encode<float>, "x"_a.noconvert(), "edges"_a.noconvert(), "start"_a.noconvert(),
                                  "categories"_a.noconvert(), "missing"_a, "out"_a.noconvert(), "first"_a);
                       }})
        bind(m);
}
