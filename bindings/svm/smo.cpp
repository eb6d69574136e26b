#include "novum/svm/smo.h"
#include "../arrays.h"
#include "../kernels/arguments.h"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <tuple>
#include <vector>

using namespace nb::literals;
using namespace novum::svm;

namespace {

using LimitArguments = std::tuple<double, double, std::int64_t, std::size_t, bool, bool>;
using Result = std::tuple<std::int64_t, double, double, double, std::size_t, bool>;

Result solve_with(Rows& rows, std::size_t halves, bool by_half, Vector<const double> linear, Vector<const double> lower,
                  Vector<const double> upper, LimitArguments limits, Vector<double> b, Vector<double> slope, Vector<double> level,
                  Trace* trace) {
    const std::size_t size = halves * rows.size();
    require((halves == 1 || halves == 2) && linear.size() == size && lower.size() == size && upper.size() == size && b.size() == size &&
                slope.size() == size && level.size() == (by_half ? halves : 1),
            "smo: one number per variable in linear, lower, upper, b and slope, and one level per sum");
    const Problem problem{halves, by_half, linear.data(), lower.data(), upper.data()};
    const Limits most{std::get<0>(limits), std::get<1>(limits), std::get<2>(limits),
                      std::get<3>(limits), std::get<4>(limits), std::get<5>(limits)};
    const Outcome out = solve(rows, problem, most, b.data(), slope.data(), level.data(), trace);
    return {out.steps, out.violation, out.gap, out.objective, out.rows_computed, out.converged};
}

std::vector<std::int32_t> all(std::size_t n) {
    std::vector<std::int32_t> out(n);
    std::iota(out.begin(), out.end(), 0);
    return out;
}

}  // namespace

void bind_svm_smo(nb::module_& m) {
    nb::class_<Trace>(m, "Trace", "What the steps did.")
        .def(nb::init<>())
        .def_ro("steps", &Trace::steps, "Steps so far, after each move.")
        .def_ro("objective", &Trace::objective, "Of the dual, after each move.")
        .def_ro("violation", &Trace::violation, "After each move.")
        .def_ro("end", &Trace::end, "Where the changes of each move end in the lists below.")
        .def_ro("variable", &Trace::variable, "Variables in the order of their changes.")
        .def_ro("value", &Trace::value, "What they become.");
    m.def(
        "dense",
        [](Matrix<const double> x, KernelArguments kernel, int threads, std::size_t halves, bool by_half, Vector<const double> linear,
           Vector<const double> lower, Vector<const double> upper, LimitArguments limits, Vector<double> b, Vector<double> slope,
           Vector<double> level, Trace* trace) {
            nb::gil_scoped_release release;
            novum::Team team(threads);
            DenseRows rows(function_of(kernel), x.data(), x.shape(0), x.shape(1), team);
            return solve_with(rows, halves, by_half, linear, lower, upper, limits, b, slope, level, trace);
        },
        "x"_a.noconvert(), "kernel"_a, "threads"_a, "halves"_a, "by_half"_a, "linear"_a.noconvert(), "lower"_a.noconvert(),
        "upper"_a.noconvert(), "limits"_a, "b"_a.noconvert(), "slope"_a.noconvert(), "level"_a.noconvert(), "trace"_a.none() = nb::none(),
        "Solve the dual over dense points; returns steps, violation, gap, objective, rows computed and whether it converged.");
    m.def(
        "gram",
        [](Matrix<const double> gram, std::size_t halves, bool by_half, Vector<const double> linear, Vector<const double> lower,
           Vector<const double> upper, LimitArguments limits, Vector<double> b, Vector<double> slope, Vector<double> level, Trace* trace) {
            require(gram.shape(0) == gram.shape(1), "smo: a square kernel matrix");
            nb::gil_scoped_release release;
            GramRows rows(gram.data(), gram.shape(0), all(gram.shape(0)));
            return solve_with(rows, halves, by_half, linear, lower, upper, limits, b, slope, level, trace);
        },
        "gram"_a.noconvert(), "halves"_a, "by_half"_a, "linear"_a.noconvert(), "lower"_a.noconvert(), "upper"_a.noconvert(), "limits"_a,
        "b"_a.noconvert(), "slope"_a.noconvert(), "level"_a.noconvert(), "trace"_a.none() = nb::none(), "The same over a kernel matrix.");
    m.def(
        "sparse",
        [](Vector<const double> values, Vector<const std::int32_t> columns, Vector<const std::int64_t> starts, std::size_t width,
           KernelArguments kernel, int threads, std::size_t halves, bool by_half, Vector<const double> linear, Vector<const double> lower,
           Vector<const double> upper, LimitArguments limits, Vector<double> b, Vector<double> slope, Vector<double> level, Trace* trace) {
            require(starts.size() > 0 && values.size() == columns.size() &&
                        static_cast<std::size_t>(starts.data()[starts.size() - 1]) <= values.size(),
                    "smo: compressed rows");
            nb::gil_scoped_release release;
            novum::Team team(threads);
            const std::size_t n = starts.size() - 1;
            SparseRows rows(function_of(kernel), {values.data(), columns.data(), starts.data(), n, width}, all(n), team);
            return solve_with(rows, halves, by_half, linear, lower, upper, limits, b, slope, level, trace);
        },
        "values"_a.noconvert(), "columns"_a.noconvert(), "starts"_a.noconvert(), "width"_a, "kernel"_a, "threads"_a, "halves"_a,
        "by_half"_a, "linear"_a.noconvert(), "lower"_a.noconvert(), "upper"_a.noconvert(), "limits"_a, "b"_a.noconvert(),
        "slope"_a.noconvert(), "level"_a.noconvert(), "trace"_a.none() = nb::none(), "The same over points in compressed rows.");
}
