#include "novum/kernels/points.h"
#include "../arrays.h"
#include "arguments.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "novum/runtime/interrupt.h"
#include "novum/runtime/team.h"

using namespace nb::literals;
using novum::kernels::Points;

namespace {

constexpr std::size_t ROWS = 96, GROUPS = 64;  // queries and groups of points per item of work

std::vector<double> squares_of(const double* x, std::size_t n, std::size_t d) {
    std::vector<double> out(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t t = 0; t < d; ++t) out[i] += x[i * d + t] * x[i * d + t];
    return out;
}

// Kernels of all rows of x with all points.
template <class Out>
void gram(const Points& points, Matrix<const double> x, const KernelArguments& kernel, int threads, Matrix<Out> out) {
    const std::size_t n = x.shape(0), d = x.shape(1);
    require(d == points.columns && out.shape(0) == n && out.shape(1) == points.count, "points: rows and results of the same widths");
    const auto f = function_of(kernel);
    nb::gil_scoped_release release;
    novum::Team team(threads);
    const std::vector<double> squares = squares_of(x.data(), n, d);
    for (std::size_t start = 0; start < n; start += ROWS) {
        const std::size_t rows = std::min(ROWS, n - start), parts = (points.groups() + GROUPS - 1) / GROUPS;
        std::vector<Out*> to(rows);
        for (std::size_t r = 0; r < rows; ++r) to[r] = out.data() + (start + r) * points.count;
        team.run(static_cast<std::uint32_t>(parts), [&](std::uint32_t part, int) {
            novum::kernels::evaluate(f, x.data() + start * d, squares.data() + start, rows, points, part * GROUPS,
                                     std::min(points.groups(), (part + 1) * GROUPS), to.data());
        });
        novum::interrupt::poll();
    }
}

// Weighted sums of kernels over the points, for every row of x.
void weigh(const Points& points, Matrix<const double> x, const KernelArguments& kernel, Matrix<const double> coefficient, int threads,
           Matrix<double> out) {
    const std::size_t n = x.shape(0), d = x.shape(1), outputs = coefficient.shape(0), stride = coefficient.shape(1);
    require(d == points.columns && stride == points.groups() * Points::GROUP && out.shape(0) == n && out.shape(1) == outputs,
            "points: coefficients padded to whole groups, one result per row and output");
    const auto f = function_of(kernel);
    nb::gil_scoped_release release;
    novum::Team team(threads);
    const std::vector<double> squares = squares_of(x.data(), n, d);
    std::fill_n(out.data(), n * outputs, 0.0);
    constexpr std::size_t TURN = 64 * ROWS;  // rows between two looks for Ctrl-C
    for (std::size_t from = 0; from < n; from += TURN) {
        const std::size_t until = std::min(n, from + TURN);
        team.run(static_cast<std::uint32_t>((until - from + ROWS - 1) / ROWS), [&](std::uint32_t item, int) {
            const std::size_t start = from + item * ROWS, rows = std::min(ROWS, until - start);
            novum::kernels::weigh(f, x.data() + start * d, squares.data() + start, rows, points, 0, points.groups(), coefficient.data(),
                                  stride, outputs, out.data() + start * outputs);
        });
        novum::interrupt::poll();
    }
}

}  // namespace

void bind_kernels_points(nb::module_& m) {
    nb::class_<Points>(m, "Points", "Points packed for kernels with many rows.")
        .def(
            "__init__", [](Points* self, Matrix<const double> z) { new (self) Points(z.data(), z.shape(0), z.shape(1), nullptr); },
            "z"_a.noconvert())
        .def_prop_ro("padded", [](const Points& p) { return p.groups() * Points::GROUP; }, "Number of points with the padding.");
    m.def("gram", &gram<double>, "points"_a, "x"_a.noconvert(), "kernel"_a, "threads"_a, "out"_a.noconvert(),
          "Write the kernels of all rows of x with all points.");
    m.def("gram", &gram<float>, "points"_a, "x"_a.noconvert(), "kernel"_a, "threads"_a, "out"_a.noconvert());
    m.def("weigh", &weigh, "points"_a, "x"_a.noconvert(), "kernel"_a, "coefficient"_a.noconvert(), "threads"_a, "out"_a.noconvert(),
          "Write sums of kernels, weighted by the rows of `coefficient`, for every row of x.");
}
