#include "novum/svm/dual_descent.h"
#include "../arrays.h"

#include <nanobind/stl/tuple.h>

#include <tuple>

using namespace nb::literals;
using namespace novum::svm;

namespace {

using Terms = std::tuple<Vector<const double>, Vector<const double>, Vector<const double>, Vector<const double>, double>;
using Result = std::tuple<std::int64_t, double, bool>;

DualTerms terms_of(const Terms& given, std::size_t n) {
    const auto& [target, lower, upper, ridge, epsilon] = given;
    require(target.size() == n && lower.size() == n && upper.size() == n && ridge.size() == n, "dual_descent: one number per row");
    return {target.data(), lower.data(), upper.data(), ridge.data(), epsilon};
}

template <class Real>
Result dense(Matrix<const Real> x, double constant, const Terms& terms, double tol, bool relative, std::int64_t epochs, std::uint64_t seed,
             Vector<double> b, Vector<double> w) {
    const std::size_t n = x.shape(0), p = x.shape(1);
    require(b.size() == n && w.size() == p + 1, "dual_descent: a variable per row and a weight per column, one more for the constant");
    const DualTerms each = terms_of(terms, n);
    nb::gil_scoped_release release;
    const DualOutcome out = descend_dense(x.data(), n, p, constant, each, {tol, relative, epochs}, seed, b.data(), w.data());
    return {out.epochs, out.violation, out.converged};
}

template <class Real, class Index>
Result sparse(Vector<const Real> values, Vector<const Index> columns, Vector<const Index> starts, double constant, const Terms& terms,
              double tol, bool relative, std::int64_t epochs, std::uint64_t seed, Vector<double> b, Vector<double> w) {
    require(starts.size() > 0 && w.size() > 0 && b.size() == starts.size() - 1 && values.size() == columns.size() &&
                static_cast<std::size_t>(starts.data()[starts.size() - 1]) <= values.size(),
            "dual_descent: compressed rows, a variable per row and a weight per column, one more for the constant");
    const DualTerms each = terms_of(terms, b.size());
    nb::gil_scoped_release release;
    const DualOutcome out = descend_sparse(values.data(), columns.data(), starts.data(), b.size(), w.size() - 1, constant, each,
                                           {tol, relative, epochs}, seed, b.data(), w.data());
    return {out.epochs, out.violation, out.converged};
}

template <class Real, class Index>
void bind_sparse(nb::module_& m) {
    m.def("sparse", &sparse<Real, Index>, "values"_a.noconvert(), "columns"_a.noconvert(), "starts"_a.noconvert(), "constant"_a, "terms"_a,
          "tol"_a, "relative"_a, "epochs"_a, "seed"_a, "b"_a.noconvert(), "w"_a.noconvert(), "The same over compressed rows.");
}

}  // namespace

void bind_svm_dual_descent(nb::module_& m) {
    m.def("dense", &dense<double>, "x"_a.noconvert(), "constant"_a, "terms"_a, "tol"_a, "relative"_a, "epochs"_a, "seed"_a,
          "b"_a.noconvert(), "w"_a.noconvert(), "Coordinate descent on the dual; returns epochs, violation and whether it converged.");
    m.def("dense", &dense<float>, "x"_a.noconvert(), "constant"_a, "terms"_a, "tol"_a, "relative"_a, "epochs"_a, "seed"_a,
          "b"_a.noconvert(), "w"_a.noconvert());
    bind_sparse<float, std::int32_t>(m);
    bind_sparse<float, std::int64_t>(m);
    bind_sparse<double, std::int32_t>(m);
    bind_sparse<double, std::int64_t>(m);
}
