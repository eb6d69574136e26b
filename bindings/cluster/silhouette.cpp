#include "novum/cluster/silhouette.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "../arrays.h"

namespace cl = novum::cluster;
using namespace nb::literals;

namespace {

template <class Real>
void cluster_sums(Matrix<const Real> rows, double p, bool squared, Vector<const std::int64_t> begin, std::size_t from, std::size_t to,
                  Matrix<double> sum) {
    const std::size_t n = rows.shape(0), k = begin.shape(0) - 1;
    require(p > 0 && begin.shape(0) > 1 && begin.data()[0] == 0 && begin.data()[k] == static_cast<std::int64_t>(n),
            "cluster: clusters of all rows");
    for (std::size_t c = 0; c < k; ++c) require(begin.data()[c] <= begin.data()[c + 1], "cluster: clusters one after the other");
    require(from <= to && to <= n && sum.shape(0) == to - from && sum.shape(1) == k, "cluster: a sum per row and cluster");
    nb::gil_scoped_release release;
    cl::cluster_sums(rows.data(), n, rows.shape(1), p, squared, begin.data(), k, from, to, sum.data());
}

template <class Real>
void bind(nb::module_& m) {
    m.def("cluster_sums", &cluster_sums<Real>, "rows"_a.noconvert(), "p"_a, "squared"_a, "begin"_a.noconvert(), "from_"_a, "to"_a,
          "sum"_a.noconvert(), "Write the sums of the distances from some rows to the rows of every cluster.");
}

}  // namespace

void bind_cluster_silhouette(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}
