#include "novum/manifold/geodesics.h"

#include "../arrays.h"

#include <limits>

using namespace nb::literals;

namespace {

template <class Real>
void bind_real(nb::module_& m) {
    m.def(
        "shortest_paths",
        [](Vector<const std::int64_t> begin, Vector<const std::int32_t> to, Vector<const double> length, Vector<const std::int64_t> source,
           Matrix<Real> out) {
            const std::size_t n = out.shape(1), edges = to.size();
            require(begin.size() == n + 1 && length.size() == edges && out.shape(0) == source.size(),
                    "shortest_paths: inconsistent shapes");
            require(begin.data()[0] == 0 && begin.data()[n] == static_cast<std::int64_t>(edges), "shortest_paths: edges do not add up");
            for (std::size_t i = 0; i < n; ++i) require(begin.data()[i] <= begin.data()[i + 1], "shortest_paths: edges do not add up");
            for (std::size_t e = 0; e < edges; ++e) {
                require(to.data()[e] >= 0 && static_cast<std::size_t>(to.data()[e]) < n, "shortest_paths: an edge leads nowhere");
                require(length.data()[e] >= 0 && length.data()[e] < std::numeric_limits<double>::infinity(),
                        "shortest_paths: a length that is no finite number >= 0");
            }
            for (std::size_t s = 0; s < source.size(); ++s)
                require(source.data()[s] >= 0 && source.data()[s] < static_cast<std::int64_t>(n), "shortest_paths: no such source");
            nb::gil_scoped_release release;
            novum::shortest_paths<Real>(begin.data(), to.data(), length.data(), n, source.data(), source.size(), out.data());
        },
        "begin"_a.noconvert(), "to"_a.noconvert(), "length"_a.noconvert(), "source"_a.noconvert(), "out"_a.noconvert(),
        "Write the lengths of the shortest paths from every source to every node.");
    m.def(
        "squared_product",
        [](Matrix<const Real> P, Matrix<const double> V, Matrix<double> out) {
            require(V.shape(0) == P.shape(1) && V.shape(1) == 8 && out.shape(0) == P.shape(0) && out.shape(1) == 8,
                    "squared_product: inconsistent shapes");
            nb::gil_scoped_release release;
            novum::squared_product<Real>(P.data(), V.data(), P.shape(0), P.shape(1), out.data());
        },
        "P"_a.noconvert(), "V"_a.noconvert(), "out"_a.noconvert(), "Write the product of the squares of the entries of P with V (n, 8).");
}

}  // namespace

void bind_manifold_geodesics(nb::module_& m) {
    bind_real<float>(m);
    bind_real<double>(m);
}
