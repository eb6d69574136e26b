#include "novum/linear_model/proximal.h"
#include "novum/runtime/indices.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T>
using Flat = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

novum::Coordinates coordinates(const Flat<double>& slope, const Flat<double>& value, const Flat<double>& l1, const Flat<double>& l2,
                               Out& step) {
    const std::size_t m = slope.size();
    if (value.size() != m || l1.size() != m || l2.size() != m || step.size() != m) throw nb::value_error("descent: a value per coordinate");
    return {slope.data(), value.data(), l1.data(), l2.data(), step.data(), m};
}

void check(const Flat<std::int64_t>& which, std::size_t m, std::size_t p, std::size_t rows, const Flat<double>& curvature,
           const Out& bent) {
    bool right = which.size() == m && curvature.size() == rows && bent.size() == rows;
    for (std::size_t j = 0; right && j < m; ++j) right = which.data()[j] >= 0 && static_cast<std::size_t>(which.data()[j]) <= p;
    if (!right) throw nb::value_error("descend_columns: inconsistent shapes, or a column that does not exist");
}

template <class Real, class Index>
void bind_sparse(nb::module_& m) {
    m.def(
        "descend_csc",
        [](Flat<Real> data, Flat<Index> indices, Flat<Index> indptr, Flat<std::int64_t> which, double constant, Flat<double> curvature,
           Flat<double> slope, Flat<double> value, Flat<double> l1, Flat<double> l2, Out step, Out bent, double tol, int max_sweeps) {
            const auto at = coordinates(slope, value, l1, l2, step);
            if (indptr.size() < 1 || data.size() != indices.size()) throw nb::value_error("descend_csc: not the arrays of a CSC matrix");
            const std::size_t p = indptr.size() - 1;
            check(which, at.count, p, curvature.size(), curvature, bent);
            for (std::size_t j = 0; j < at.count; ++j) {
                const auto c = static_cast<std::size_t>(which.data()[j]);
                if (c == p) continue;  // the constant
                const Index from = indptr.data()[c], to = indptr.data()[c + 1];
                if (from < 0 || to < from || static_cast<std::size_t>(to) > indices.size() ||
                    !novum::inside(indices.data() + from, static_cast<std::size_t>(to - from), curvature.size()))
                    throw nb::value_error("descend_csc: not the arrays of a CSC matrix");
            }
            nb::gil_scoped_release release;
            return novum::descend_columns<Real, Index>(data.data(), indices.data(), indptr.data(), curvature.size(), p, which.data(),
                                                       constant, curvature.data(), at, bent.data(), tol, max_sweeps);
        },
        "data"_a.noconvert(), "indices"_a.noconvert(), "indptr"_a.noconvert(), "which"_a.noconvert(), "constant"_a,
        "curvature"_a.noconvert(), "slope"_a.noconvert(), "value"_a.noconvert(), "l1"_a.noconvert(), "l2"_a.noconvert(),
        "step"_a.noconvert(), "bent"_a.noconvert(), "tol"_a, "max_sweeps"_a,
        "Minimise the quadratic model over columns of a CSC matrix; return the sweeps.");
}

template <class Real>
void bind_dense(nb::module_& m) {
    m.def(
        "descend_columns",
        [](nb::ndarray<const Real, nb::ndim<2>, nb::f_contig, nb::device::cpu> X, Flat<std::int64_t> which, double constant,
           Flat<double> curvature, Flat<double> slope, Flat<double> value, Flat<double> l1, Flat<double> l2, Out step, Out bent, double tol,
           int max_sweeps) {
            const auto at = coordinates(slope, value, l1, l2, step);
            const std::size_t n = X.shape(0), p = X.shape(1);
            check(which, at.count, p, n, curvature, bent);
            nb::gil_scoped_release release;
            return novum::descend_columns<Real>(X.data(), n, p, which.data(), constant, curvature.data(), at, bent.data(), tol, max_sweeps);
        },
        "X"_a.noconvert(), "which"_a.noconvert(), "constant"_a, "curvature"_a.noconvert(), "slope"_a.noconvert(), "value"_a.noconvert(),
        "l1"_a.noconvert(), "l2"_a.noconvert(), "step"_a.noconvert(), "bent"_a.noconvert(), "tol"_a, "max_sweeps"_a,
        "Minimise the quadratic model over columns of a column-major matrix; return the sweeps.");
}

}  // namespace

void bind_linear_model_proximal(nb::module_& m) {
    m.def(
        "descend_gram",
        [](nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> hessian, Flat<double> slope, Flat<double> value,
           Flat<double> l1, Flat<double> l2, Out step, double tol, int max_sweeps) {
            const auto at = coordinates(slope, value, l1, l2, step);
            if (hessian.shape(0) != at.count || hessian.shape(1) != at.count) throw nb::value_error("descend_gram: the Hessian is (m, m)");
            nb::gil_scoped_release release;
            return novum::descend_gram(hessian.data(), at, tol, max_sweeps);
        },
        "hessian"_a.noconvert(), "slope"_a.noconvert(), "value"_a.noconvert(), "l1"_a.noconvert(), "l2"_a.noconvert(), "step"_a.noconvert(),
        "tol"_a, "max_sweeps"_a, "Minimise the quadratic model with a given Hessian; return the sweeps.");
    bind_sparse<float, std::int32_t>(m);
    bind_sparse<float, std::int64_t>(m);
    bind_sparse<double, std::int32_t>(m);
    bind_sparse<double, std::int64_t>(m);
    bind_dense<float>(m);
    bind_dense<double>(m);
}
