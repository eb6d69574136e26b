#include "novum/classes/counts.h"
#include "../arrays.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>

using namespace nb::literals;

namespace {

using Weight = std::optional<Vector<const double>>;
using Code = Vector<const std::int64_t>;

std::span<const double> view(const Weight& weight) {
    return weight ? std::span<const double>(weight->data(), weight->shape(0)) : std::span<const double>();
}

void check_labels(const Code& code, const Weight& weight, std::size_t n, std::size_t k) {
    const auto* c = code.data();
    if (code.shape(0) != n || (weight && weight->shape(0) != n)) throw nb::value_error("counts: not one label and weight per row");
    if (std::any_of(c, c + n, [k](std::int64_t v) { return v < 0 || static_cast<std::size_t>(v) >= k; }))
        throw nb::value_error("counts: a code outside the classes");
}

/// Raise unless offsets of categories rise from zero to the rows of a table.
void check_offsets(const Vector<const std::int64_t>& offset, std::size_t d, std::size_t rows) {
    const auto* o = offset.data();
    if (offset.shape(0) != d + 1 || o[0] != 0 || static_cast<std::size_t>(o[d]) != rows || !std::is_sorted(o, o + d + 1))
        throw nb::value_error("counts: offsets of categories that do not fit their table");
}

novum::Cell cell_of(std::optional<double> threshold) { return {threshold.has_value(), threshold.value_or(0.0)}; }

template <class Real, class Index>
novum::SparseRows<Real, Index> rows_of(const Vector<const Index>& begin, const Vector<const Index>& column,
                                       const Vector<const Real>& value) {
    const std::size_t n = begin.shape(0), entries = column.shape(0);
    const Index* b = begin.data();
    if (n == 0 || value.shape(0) != entries || b[0] < 0 || static_cast<std::size_t>(b[n - 1]) > entries || !std::is_sorted(b, b + n))
        throw nb::value_error("counts: not the arrays of a CSR matrix");
    return {b, column.data(), value.data(), n - 1};
}

novum::Met sound(novum::Met met) {
    if (!met.inside) throw nb::value_error("counts: not the arrays of a CSR matrix");
    return met;
}

template <class Real, class Index>
void bind_sparse(nb::module_& m) {
    m.def(
        "class_counts_sparse",
        [](Vector<const Index> begin, Vector<const Index> column, Vector<const Real> value, Code code, Weight weight,
           std::optional<double> threshold, std::size_t low, Vector<double> mass, Matrix<double> count) {
            const std::size_t k = count.shape(0), d = count.shape(1);
            auto X = rows_of<Real, Index>(begin, column, value);
            if (mass.shape(0) != k || code.shape(0) != X.rows || (weight && weight->shape(0) != X.rows))
                throw nb::value_error("counts: inconsistent shapes");
            novum::Met met;
            {
                nb::gil_scoped_release release;
                met = novum::class_counts<Real, Index>(X, {code.data(), X.rows}, view(weight), low, low + k, d, cell_of(threshold),
                                                       mass.data(), count.data());
            }
            return nb::make_tuple(sound(met).least, met.finite);
        },
        "begin"_a.noconvert(), "column"_a.noconvert(), "value"_a.noconvert(), "code"_a.noconvert(), "weight"_a.noconvert().none(),
        "threshold"_a.none(), "low"_a, "mass"_a.noconvert(), "count"_a.noconvert(),
        "Add the counts of sparse rows to their classes, those from `low` on; returns the least value, and whether all are finite.");

    m.def(
        "sparse_scores",
        [](Vector<const Index> begin, Vector<const Index> column, Vector<const Real> value, std::optional<double> threshold,
           Matrix<const double> table, Vector<const double> constant, Matrix<Real> out) {
            const std::size_t d = table.shape(0), k = table.shape(1);
            auto X = rows_of<Real, Index>(begin, column, value);
            if (constant.shape(0) != k || out.shape(0) != X.rows || out.shape(1) != k)
                throw nb::value_error("sparse_scores: inconsistent shapes");
            novum::Met met;
            {
                nb::gil_scoped_release release;
                met = novum::sparse_scores<Real, Index>(X, d, k, cell_of(threshold), table.data(), constant.data(), out.data());
            }
            return sound(met).finite;
        },
        "begin"_a.noconvert(), "column"_a.noconvert(), "value"_a.noconvert(), "threshold"_a.none(), "table"_a.noconvert(),
        "constant"_a.noconvert(), "out"_a.noconvert(), "Write the scores of sparse rows; returns whether all are finite.");

    m.def(
        "sparse_best",
        [](Vector<const Index> begin, Vector<const Index> column, Vector<const Real> value, std::optional<double> threshold,
           Matrix<const double> table, Vector<const double> constant, Vector<std::int64_t> label) {
            const std::size_t d = table.shape(0), k = table.shape(1);
            auto X = rows_of<Real, Index>(begin, column, value);
            if (constant.shape(0) != k || label.shape(0) != X.rows || k == 0) throw nb::value_error("sparse_best: inconsistent shapes");
            novum::Met met;
            {
                nb::gil_scoped_release release;
                met = novum::sparse_best<Real, Index>(X, d, k, cell_of(threshold), table.data(), constant.data(), label.data());
            }
            return sound(met).finite;
        },
        "begin"_a.noconvert(), "column"_a.noconvert(), "value"_a.noconvert(), "threshold"_a.none(), "table"_a.noconvert(),
        "constant"_a.noconvert(), "label"_a.noconvert(), "Write the best class of sparse rows; returns whether all scores are finite.");
}

template <class Real>
void bind_real(nb::module_& m) {
    m.def(
        "class_counts",
        [](Matrix<const Real> X, Code code, Weight weight, std::optional<double> threshold, Vector<double> mass, Matrix<double> count) {
            const std::size_t n = X.shape(0), d = X.shape(1), k = count.shape(0);
            if (count.shape(1) != d || mass.shape(0) != k) throw nb::value_error("counts: inconsistent shapes");
            check_labels(code, weight, n, k);
            nb::gil_scoped_release release;
            return novum::class_counts<Real>(X.data(), {code.data(), n}, view(weight), d, cell_of(threshold), mass.data(), count.data());
        },
        "X"_a.noconvert(), "code"_a.noconvert(), "weight"_a.noconvert().none(), "threshold"_a.none(), "mass"_a.noconvert(),
        "count"_a.noconvert(), "Add the counts of rows to their classes; returns the least value.");

    m.def(
        "category_counts",
        [](Matrix<const Real> X, Code code, Weight weight, Vector<const std::int64_t> offset, Vector<double> mass, Matrix<double> count) {
            const std::size_t n = X.shape(0), d = X.shape(1), k = count.shape(1);
            if (mass.shape(0) != k) throw nb::value_error("category_counts: inconsistent shapes");
            check_offsets(offset, d, count.shape(0));
            check_labels(code, weight, n, k);
            nb::gil_scoped_release release;
            return novum::category_counts<Real>(X.data(), {code.data(), n}, view(weight), d, k, offset.data(), mass.data(), count.data());
        },
        "X"_a.noconvert(), "code"_a.noconvert(), "weight"_a.noconvert().none(), "offset"_a.noconvert(), "mass"_a.noconvert(),
        "count"_a.noconvert(), "Add the rows of every class to the counts of their categories.");

    m.def(
        "category_scores",
        [](Matrix<const Real> X, Vector<const std::int64_t> offset, Matrix<const double> table, Vector<const double> constant,
           Matrix<Real> out) {
            const std::size_t n = X.shape(0), d = X.shape(1), k = table.shape(1);
            if (constant.shape(0) != k || out.shape(0) != n || out.shape(1) != k)
                throw nb::value_error("category_scores: inconsistent shapes");
            check_offsets(offset, d, table.shape(0));
            nb::gil_scoped_release release;
            return novum::category_scores<Real>(X.data(), n, d, k, offset.data(), table.data(), constant.data(), out.data());
        },
        "X"_a.noconvert(), "offset"_a.noconvert(), "table"_a.noconvert(), "constant"_a.noconvert(), "out"_a.noconvert(),
        "Write the scores of rows of categories.");
    bind_sparse<Real, std::int32_t>(m);
    bind_sparse<Real, std::int64_t>(m);
}

}  // namespace

void bind_classes_counts(nb::module_& m) {
    bind_real<float>(m);
    bind_real<double>(m);
}
