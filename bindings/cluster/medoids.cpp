#include "novum/cluster/medoids.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "../arrays.h"

namespace cl = novum::cluster;
using namespace nb::literals;

namespace {

using Weights = std::optional<Vector<const double>>;

template <class Real>
void check(const Matrix<const Real>& matrix, const Weights& weight, std::size_t k) {
    const std::size_t n = matrix.shape(0);
    require(n == matrix.shape(1) && k > 0 && k <= n && k < (std::size_t{1} << 31), "cluster: a square matrix, and some of its rows");
    require(!weight || weight->shape(0) == n, "cluster: a weight per row");
}

template <class Real>
std::tuple<double, std::size_t, std::size_t, bool> faster_pam(Matrix<const Real> matrix, Weights weight, Vector<std::int64_t> medoid,
                                                              std::size_t most_rounds, Vector<std::int64_t> label) {
    check<Real>(matrix, weight, medoid.shape(0));
    const std::size_t n = matrix.shape(0);
    require(label.shape(0) == n, "cluster: a label per row");
    for (std::size_t m = 0; m < medoid.shape(0); ++m)
        require(medoid.data()[m] >= 0 && static_cast<std::size_t>(medoid.data()[m]) < n, "cluster: medoids that exist");
    nb::gil_scoped_release release;
    const auto found =
        cl::faster_pam(matrix.data(), n, weight ? weight->data() : nullptr, medoid.data(), medoid.shape(0), most_rounds, label.data());
    return {found.loss, found.rounds, found.swaps, found.converged};
}

template <class Real>
void build_medoids(Matrix<const Real> matrix, Weights weight, Vector<std::int64_t> medoid) {
    check<Real>(matrix, weight, medoid.shape(0));
    nb::gil_scoped_release release;
    cl::build_medoids(matrix.data(), matrix.shape(0), weight ? weight->data() : nullptr, medoid.data(), medoid.shape(0));
}

template <class Real>
void bind(nb::module_& m) {
    m.def("faster_pam", &faster_pam<Real>, "matrix"_a.noconvert(), "weight"_a.none().noconvert(), "medoid"_a.noconvert(), "most_rounds"_a,
          "label"_a.noconvert(), "Swap medoids while the loss falls; return loss, rounds, swaps and whether no swap helps any more.");
    m.def("build_medoids", &build_medoids<Real>, "matrix"_a.noconvert(), "weight"_a.none().noconvert(), "medoid"_a.noconvert(),
          "Write medoids chosen one after the other, each the best.");
}

}  // namespace

void bind_cluster_medoids(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}
