#include "novum/linear_model/descent.h"
#include "novum/linear_model/block_descent.h"
#include "novum/linear_model/columns.h"
#include "novum/runtime/indices.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <optional>
#include <tuple>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using In = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;
template <class Index>
using Indices = nb::ndarray<const Index, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Result = std::tuple<double, std::size_t, bool>;

std::span<const double> in(const In& a) { return {a.data(), a.size()}; }
std::span<double> out(const Out& a) { return {a.data(), a.size()}; }
Result result(const novum::Descent& d) { return {d.gap, d.epochs, d.converged}; }
novum::Stopping stopping(double gap, std::size_t max_epochs, std::optional<std::uint64_t> seed) {
    return {gap, max_epochs, seed.has_value(), seed.value_or(0)};
}

Result gram(Rows G, In c, double yy, double l1, double l2, bool positive, double gap, std::size_t max_epochs,
            std::optional<std::uint64_t> seed, Out w, Out gradient) {
    const std::size_t m = c.size();
    if (G.shape(0) != m || G.shape(1) != m || w.size() != m || gradient.size() != m || (m && G.stride(1) != 1))
        throw nb::value_error("descend_gram: inconsistent shapes, or rows of G that are not contiguous");
    nb::gil_scoped_release release;
    return result(novum::descend_gram(G.data(), static_cast<std::size_t>(G.stride(0)), in(c), yy, {l1, l2, positive},
                                      stopping(gap, max_epochs, seed), out(w), out(gradient)));
}

using Changed = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Result blocks(Matrix G, Matrix C, double yy, double l1, double l2, double gap, std::size_t max_epochs, std::optional<std::uint64_t> seed,
              Changed W, Changed gradient) {
    const std::size_t m = C.shape(0), q = C.shape(1);
    if (G.shape(0) != m || G.shape(1) != m || W.shape(0) != m || W.shape(1) != q || gradient.shape(0) != m || gradient.shape(1) != q)
        throw nb::value_error("descend_blocks: inconsistent shapes");
    nb::gil_scoped_release release;
    return result(
        novum::descend_blocks(G.data(), m, q, C.data(), yy, {l1, l2, false}, stopping(gap, max_epochs, seed), W.data(), gradient.data()));
}

Result columns(Matrix X, In y, double l1, double l2, bool positive, double gap, std::size_t max_epochs, std::optional<std::uint64_t> seed,
               Out w, Out residual) {
    if (X.shape(0) != w.size() || X.shape(1) != y.size() || residual.size() != y.size())
        throw nb::value_error("descend_columns: inconsistent shapes");
    nb::gil_scoped_release release;
    return result(novum::descend_columns(X.data(), in(y), {l1, l2, positive}, stopping(gap, max_epochs, seed), out(w), out(residual)));
}

Result sparse(In values, Indices<std::int32_t> rows, Indices<std::int64_t> starts, In mean, In root, double weight, In y, double l1,
              double l2, bool positive, double gap, std::size_t max_epochs, std::optional<std::uint64_t> seed, Out w, Out residual) {
    const std::size_t m = w.size(), n = y.size();
    if (starts.size() != m + 1 || mean.size() != m || root.size() != n || residual.size() != n + 1 || values.size() != rows.size())
        throw nb::value_error("descend_sparse: inconsistent shapes");
    nb::gil_scoped_release release;
    if (starts.data()[0] != 0 || static_cast<std::size_t>(starts.data()[m]) != values.size())
        throw nb::value_error("descend_sparse: starts do not span the values");
    for (std::size_t j = 0; j < m; ++j)
        if (starts.data()[j] > starts.data()[j + 1]) throw nb::value_error("descend_sparse: starts must not fall");
    for (std::size_t k = 0; k < rows.size(); ++k)
        if (rows.data()[k] < 0 || static_cast<std::size_t>(rows.data()[k]) >= n)
            throw nb::value_error("descend_sparse: a row out of range");
    const novum::SparseColumns X{values.data(), rows.data(), starts.data(), mean.data(), root.data(), weight};
    return result(novum::descend_sparse(X, in(y), {l1, l2, positive}, stopping(gap, max_epochs, seed), out(w), out(residual)));
}

template <class Real>
using Design = nb::ndarray<const Real, nb::ndim<2>, nb::device::cpu>;

template <class Real>
novum::Strided<Real> strided(const Design<Real>& X) {
    return {X.data(), static_cast<std::ptrdiff_t>(X.stride(0)), static_cast<std::ptrdiff_t>(X.stride(1)), X.shape(0)};
}

// Columns that lie within their arrays and name rows below n; the entries themselves are looked at only here.
template <class Real>
void check_columns(const novum::Compressed<Real>& X, std::size_t start, std::size_t stop, std::size_t entries, std::size_t n) {
    for (std::size_t j = start; j < stop; ++j)
        if (X.starts[j] < 0 || X.starts[j] > X.starts[j + 1] || static_cast<std::size_t>(X.starts[j + 1]) > entries)
            throw nb::value_error("compressed columns: starts must not fall, nor pass the last entry");
    const auto count = static_cast<std::size_t>(X.starts[stop] - X.starts[start]);
    if (!novum::inside(X.rows + X.starts[start], count, n)) throw nb::value_error("compressed columns: a row out of range");
}

template <class Real>
void bind_columns(nb::module_& m) {
    m.def(
        "column_moments",
        [](Design<Real> X, std::optional<In> weight, std::size_t start, std::size_t stop, Out first, Out second) {
            if (stop > X.shape(1) || start > stop || first.size() != stop - start || second.size() != stop - start || !X.shape(0) ||
                (weight && weight->size() != X.shape(0)) || (X.stride(0) != 1 && X.stride(1) != 1))
                throw nb::value_error("column_moments: inconsistent shapes, or a design that is contiguous neither way");
            nb::gil_scoped_release release;
            novum::column_moments<Real>(strided<Real>(X), weight ? in(*weight) : std::span<const double>(), start, stop, first.data(),
                                        second.data());
        },
        "X"_a.noconvert(), "weight"_a.noconvert().none(), "start"_a, "stop"_a, "first"_a.noconvert(), "second"_a.noconvert(),
        "Write the weighted first and second moments of columns start to stop about their first values.");

    m.def(
        "gather_columns",
        [](Design<Real> X, Indices<std::int64_t> chosen, In mean, std::optional<In> root,
           nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> to) {
            const std::size_t n = X.shape(0), p = X.shape(1);
            if (mean.size() != p || to.shape(0) != chosen.size() || to.shape(1) != n || (root && root->size() != n))
                throw nb::value_error("gather_columns: inconsistent shapes");
            nb::gil_scoped_release release;
            for (std::size_t c = 0; c < chosen.size(); ++c)
                if (chosen.data()[c] < 0 || static_cast<std::size_t>(chosen.data()[c]) >= p)
                    throw nb::value_error("gather_columns: a column out of range");
            novum::gather_columns<Real>(strided<Real>(X), {chosen.data(), chosen.size()}, mean.data(),
                                        root ? in(*root) : std::span<const double>(), to.data());
        },
        "X"_a.noconvert(), "chosen"_a.noconvert(), "mean"_a.noconvert(), "root"_a.noconvert().none(), "out"_a.noconvert(),
        "Write root (x - mean) of the chosen columns to the rows of `out`.");

    using Values = nb::ndarray<const Real, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    m.def(
        "compressed_moments",
        [](Values values, Indices<std::int32_t> rows, Indices<std::int64_t> starts, std::optional<In> weight, std::size_t start,
           std::size_t stop, Out first, Out second) {
            if (stop >= starts.size() || start > stop || first.size() != stop - start || second.size() != stop - start ||
                values.size() != rows.size())
                throw nb::value_error("compressed_moments: inconsistent shapes");
            nb::gil_scoped_release release;
            const novum::Compressed<Real> X{values.data(), rows.data(), starts.data()};
            check_columns(X, start, stop, values.size(), weight ? weight->size() : std::size_t(1) << 31);
            novum::compressed_moments<Real>(X, weight ? in(*weight) : std::span<const double>(), start, stop, first.data(), second.data());
        },
        "values"_a.noconvert(), "rows"_a.noconvert(), "starts"_a.noconvert(), "weight"_a.noconvert().none(), "start"_a, "stop"_a,
        "first"_a.noconvert(), "second"_a.noconvert(), "Write the weighted first and second moments of compressed columns start to stop.");

    m.def(
        "compressed_products",
        [](Values values, Indices<std::int32_t> rows, Indices<std::int64_t> starts, Matrix R, std::size_t start, std::size_t stop,
           nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> to) {
            if (stop >= starts.size() || start > stop || to.shape(0) != R.shape(1) || to.shape(1) + 1 != starts.size() ||
                values.size() != rows.size())
                throw nb::value_error("compressed_products: inconsistent shapes");
            nb::gil_scoped_release release;
            const novum::Compressed<Real> X{values.data(), rows.data(), starts.data()};
            check_columns(X, start, stop, values.size(), R.shape(0));
            novum::compressed_products<Real>(X, R.data(), R.shape(1), start, stop, to.shape(1), to.data() + start);
        },
        "values"_a.noconvert(), "rows"_a.noconvert(), "starts"_a.noconvert(), "R"_a.noconvert(), "start"_a, "stop"_a, "out"_a.noconvert(),
        "Write the products of compressed columns start to stop with the columns of R to the rows of `out`.");
}

}  // namespace

void bind_linear_model_descent(nb::module_& m) {
    m.def("descend_gram", &gram, "G"_a.noconvert(), "c"_a.noconvert(), "yy"_a, "l1"_a, "l2"_a, "positive"_a, "gap"_a, "max_epochs"_a,
          "seed"_a.none(), "w"_a.noconvert(), "gradient"_a.noconvert(),
          "Coordinate descent from G = X'X and c = X'y; returns the gap, the epochs and whether the gap was reached.");
    m.def("descend_blocks", &blocks, "G"_a.noconvert(), "C"_a.noconvert(), "yy"_a, "l1"_a, "l2"_a, "gap"_a, "max_epochs"_a, "seed"_a.none(),
          "W"_a.noconvert(), "gradient"_a.noconvert(),
          "Block coordinate descent for several targets; returns the gap, the epochs and whether the gap was reached.");
    m.def("descend_columns", &columns, "X"_a.noconvert(), "y"_a.noconvert(), "l1"_a, "l2"_a, "positive"_a, "gap"_a, "max_epochs"_a,
          "seed"_a.none(), "w"_a.noconvert(), "residual"_a.noconvert(),
          "Coordinate descent over the rows of X, which are the columns of a design.");
    m.def("descend_sparse", &sparse, "values"_a.noconvert(), "rows"_a.noconvert(), "starts"_a.noconvert(), "mean"_a.noconvert(),
          "root"_a.noconvert(), "weight"_a, "y"_a.noconvert(), "l1"_a, "l2"_a, "positive"_a, "gap"_a, "max_epochs"_a, "seed"_a.none(),
          "w"_a.noconvert(), "residual"_a.noconvert(), "Coordinate descent over compressed columns that are centred implicitly.");
    bind_columns<float>(m);
    bind_columns<double>(m);
}
