#include "novum/svm/crammer_singer.h"
#include "../arrays.h"

#include <nanobind/stl/tuple.h>

#include <tuple>

using namespace nb::literals;
using namespace novum::svm;

namespace {

using Problem = std::tuple<Vector<const std::int64_t>, Vector<const double>, double, std::int64_t, std::uint64_t>;
using Result = std::tuple<std::int64_t, double, bool>;

CrammerSinger problem_of(const Problem& given, std::size_t n, std::size_t classes) {
    const auto& [label, price, tol, epochs, seed] = given;
    require(label.size() == n && price.size() == n, "crammer_singer: a label and a price per row");
    for (std::size_t i = 0; i < n; ++i)
        require(label.data()[i] >= 0 && static_cast<std::size_t>(label.data()[i]) < classes, "crammer_singer: labels below the classes");
    return {label.data(), price.data(), classes, tol, epochs, seed};
}

template <class Real>
Result dense(Matrix<const Real> x, double constant, const Problem& problem, Matrix<double> w) {
    const std::size_t n = x.shape(0), p = x.shape(1);
    require(w.shape(1) == p + 1, "crammer_singer: a weight per column, one more for the constant");
    const CrammerSinger each = problem_of(problem, n, w.shape(0));
    nb::gil_scoped_release release;
    const CrammerSingerOutcome out = crammer_singer_dense(x.data(), n, p, constant, each, w.data());
    return {out.epochs, out.violation, out.converged};
}

template <class Real, class Index>
Result sparse(Vector<const Real> values, Vector<const Index> columns, Vector<const Index> starts, double constant, const Problem& problem,
              Matrix<double> w) {
    require(starts.size() > 0 && w.shape(1) > 0 && values.size() == columns.size() &&
                static_cast<std::size_t>(starts.data()[starts.size() - 1]) <= values.size(),
            "crammer_singer: compressed rows, and a weight per column, one more for the constant");
    const std::size_t n = starts.size() - 1;
    const CrammerSinger each = problem_of(problem, n, w.shape(0));
    nb::gil_scoped_release release;
    const CrammerSingerOutcome out =
        crammer_singer_sparse(values.data(), columns.data(), starts.data(), n, w.shape(1) - 1, constant, each, w.data());
    return {out.epochs, out.violation, out.converged};
}

template <class Real, class Index>
void bind_sparse(nb::module_& m) {
    m.def("sparse", &sparse<Real, Index>, "values"_a.noconvert(), "columns"_a.noconvert(), "starts"_a.noconvert(), "constant"_a,
          "problem"_a, "w"_a.noconvert(), "The same over compressed rows.");
}

}  // namespace

void bind_svm_crammer_singer(nb::module_& m) {
    m.def("dense", &dense<double>, "x"_a.noconvert(), "constant"_a, "problem"_a, "w"_a.noconvert(),
          "Descent over rows for all classes at once; returns epochs, violation and whether it converged.");
    m.def("dense", &dense<float>, "x"_a.noconvert(), "constant"_a, "problem"_a, "w"_a.noconvert());
    bind_sparse<float, std::int32_t>(m);
    bind_sparse<float, std::int64_t>(m);
    bind_sparse<double, std::int32_t>(m);
    bind_sparse<double, std::int64_t>(m);
}
