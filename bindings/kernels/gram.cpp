#include "novum/kernels/gram.h"

#include "../arrays.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>
#include <vector>

namespace kn = novum::kernels;
using namespace nb::literals;

namespace {

using Steps = Matrix<const std::int32_t>;  // a row per node: op, left, right, source, first number, two slots, a slot per column
using Tables = std::vector<Matrix<const double>>;

constexpr std::size_t FIELDS = 8;

struct PackedKernel {
    kn::Program program;
    std::size_t slots;
};

/// Raise unless the nodes only refer to what exists; return them.
std::vector<kn::Node> checked(const Steps& steps, std::size_t numbers, const Tables& rows, std::size_t slots) {
    require(steps.shape(1) == FIELDS && steps.shape(0) > 0, "gram: eight numbers per node, and at least one node");
    std::vector<kn::Node> nodes;
    for (std::size_t i = 0; i < steps.shape(0); ++i) {
        const std::int32_t* s = steps.data() + i * FIELDS;
        require(s[0] >= 0 && s[0] < kn::OPS && s[4] >= 0, "gram: a node of no known kind");
        const kn::Node node{static_cast<kn::Op>(s[0]), s[1], s[2], s[3], static_cast<std::size_t>(s[4]), {s[5], s[6]}, s[7]};
        bool scales = false;
        std::size_t own = kn::numbers_of(node.op, scales), wide = 1;
        const bool points = node.op >= kn::Op::linear && node.op < kn::Op::sum;
        if (points) {
            require(node.source >= 0 && static_cast<std::size_t>(node.source) < rows.size(), "gram: a leaf without points");
            wide = rows[static_cast<std::size_t>(node.source)].shape(1);
        }
        if (node.op >= kn::Op::sum) {
            const bool two = node.op == kn::Op::sum || node.op == kn::Op::product;
            require(node.left >= 0 && static_cast<std::size_t>(node.left) < i, "gram: an operand behind its operation");
            require(!two || (node.right >= 0 && static_cast<std::size_t>(node.right) < i), "gram: an operand behind its operation");
        }
        require(node.first + own + (scales ? wide : 0) <= numbers, "gram: a node without its numbers");
        for (int which = 0; which < 2; ++which) {
            const std::size_t more = which == 0 && node.each_column ? wide : 1;
            require(node.slot[which] < 0 || static_cast<std::size_t>(node.slot[which]) + more <= slots, "gram: a slot out of range");
        }
        nodes.push_back(node);
    }
    return nodes;
}

PackedKernel* make(Steps steps, Vector<const double> numbers, Tables rows, Tables columns, std::size_t n, std::size_t m, bool same,
                   std::size_t slots) {
    require(same ? columns.empty() && n == m : columns.size() == rows.size(), "gram: as many tables of columns as of rows, or none");
    std::vector<kn::Source> sources;
    for (std::size_t s = 0; s < rows.size(); ++s) {
        require(rows[s].shape(0) == n && (same || (columns[s].shape(0) == m && columns[s].shape(1) == rows[s].shape(1))),
                "gram: tables of one number of rows, and columns as wide as rows");
        sources.push_back({rows[s].data(), same ? nullptr : columns[s].data(), rows[s].shape(1)});
    }
    std::vector<kn::Node> nodes = checked(steps, numbers.shape(0), rows, slots);
    std::vector<double> all(numbers.data(), numbers.data() + numbers.shape(0));
    nb::gil_scoped_release release;
    return new PackedKernel{kn::Program(std::move(nodes), std::move(all), sources, n, m, same), slots};
}

void range(const PackedKernel& k, std::size_t begin, std::size_t end) {
    require(begin <= end && end <= k.program.n, "gram: a range of the rows");
}

template <class Real>
void fill(const PackedKernel& k, Matrix<Real> out, std::size_t begin, std::size_t end) {
    range(k, begin, end);
    require(out.shape(0) == k.program.n && out.shape(1) == k.program.m, "gram: a number per pair");
    nb::gil_scoped_release release;
    kn::gram<Real>(k.program, begin, end, out.data());
}

template <class Real>
void rows(const PackedKernel& k, Vector<const std::int64_t> index, Matrix<Real> out) {
    require(out.shape(0) == index.shape(0) && out.shape(1) == k.program.m, "gram: a row per index");
    for (std::size_t q = 0; q < index.shape(0); ++q)
        require(index.data()[q] >= 0 && static_cast<std::size_t>(index.data()[q]) < k.program.n, "gram: numbers of rows");
    nb::gil_scoped_release release;
    kn::gram_rows<Real>(k.program, index.data(), index.shape(0), out.data());
}

void times(const PackedKernel& k, Matrix<const double> v, Matrix<double> out, std::size_t begin, std::size_t end) {
    range(k, begin, end);
    require(v.shape(1) == k.program.m && out.shape(0) == k.program.n && out.shape(1) == v.shape(0),
            "gram: vectors as long as there are columns, a result per row and vector");
    nb::gil_scoped_release release;
    kn::gram_times(k.program, v.data(), v.shape(0), begin, end, out.data());
}

void trace(const PackedKernel& k, std::optional<Matrix<const double>> a, double scale, Matrix<const double> v, std::size_t begin,
           std::size_t end, Vector<double> out) {
    range(k, begin, end);
    require(k.program.same || (a && v.shape(1) == 0), "gram: a trace over two sets of points needs a weight per pair, and no vectors");
    require(!a || (a->shape(0) == k.program.n && a->shape(1) == k.program.m), "gram: a weight per pair");
    require(v.shape(0) == k.program.n && out.shape(0) == k.slots, "gram: vectors with a number per point, a sum per parameter");
    nb::gil_scoped_release release;
    kn::gradient_trace(k.program, {a ? a->data() : nullptr, scale, v.data(), v.shape(1)}, begin, end, out.data());
}

void gradient(const PackedKernel& k, Cube<double> out, std::size_t begin, std::size_t end) {
    range(k, begin, end);
    require(out.shape(0) == k.program.n && out.shape(1) == k.program.m && out.shape(2) == k.slots, "gram: a derivative per pair");
    nb::gil_scoped_release release;
    kn::gradient(k.program, k.slots, begin, end, out.data());
}

}  // namespace

void bind_kernels_gram(nb::module_& m) {
    nb::class_<PackedKernel>(m, "Program", "A kernel with the points it compares.")
        .def(nb::new_(&make), "steps"_a.noconvert(), "numbers"_a.noconvert(), "rows"_a, "columns"_a, "n"_a, "m"_a, "same"_a, "slots"_a)
        .def("fill", &fill<double>, "out"_a.noconvert(), "begin"_a, "end"_a, "Fill rows of the Gram matrix.")
        .def("fill", &fill<float>, "out"_a.noconvert(), "begin"_a, "end"_a)
        .def("rows", &rows<double>, "index"_a.noconvert(), "out"_a.noconvert(), "Fill chosen rows of the Gram matrix.")
        .def("rows", &rows<float>, "index"_a.noconvert(), "out"_a.noconvert())
        .def("times", &times, "v"_a.noconvert(), "out"_a.noconvert(), "begin"_a, "end"_a, "Gram matrix times vectors, not stored.")
        .def("trace", &trace, "a"_a.noconvert().none(), "scale"_a, "v"_a.noconvert(), "begin"_a, "end"_a, "out"_a.noconvert(),
             "Add weighted sums of derivatives.")
        .def("gradient", &gradient, "out"_a.noconvert(), "begin"_a, "end"_a, "Derivatives of every pair.");
}
