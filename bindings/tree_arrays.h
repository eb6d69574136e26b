// Arrays that the bindings of trees take and give.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

#include "novum/tree_columns.h"
#include "novum/tree_grower.h"

namespace tree_arrays {

namespace nb = nanobind;
namespace tr = novum::tree;

template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Strided = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
Out<T> array_of(std::vector<T>&& values) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Out<T>(owned->data(), {owned->size()}, owner);
}

inline bool is_single(const Strided& X) {
    if (X.dtype() == nb::dtype<float>()) return true;
    if (X.dtype() == nb::dtype<double>()) return false;
    throw nb::type_error("trees: X holds float32 or float64");
}

/// A dense table where it lies.
inline tr::Table dense_table(const Strided& X) {
    tr::Table table;
    table.rows = X.shape(0);
    table.columns = X.shape(1);
    table.cells = X.data();
    table.row_stride = X.stride(0);
    table.column_stride = X.stride(1);
    table.single = is_single(X);
    if (table.rows == 0 || table.columns == 0 || table.rows >= tr::ROW) throw nb::value_error("trees: a table has from 1 to 2^30 - 2 rows");
    return table;
}

inline nb::dict table_of(tr::Grown&& g) {
    nb::dict out;
    out["children_left"] = array_of(std::move(g.left));
    out["children_right"] = array_of(std::move(g.right));
    out["feature"] = array_of(std::move(g.feature));
    out["threshold"] = array_of(std::move(g.threshold));
    out["impurity"] = array_of(std::move(g.impurity));
    out["n_node_samples"] = array_of(std::move(g.samples));
    out["weighted_n_node_samples"] = array_of(std::move(g.weight));
    out["missing_go_to_left"] = array_of(std::move(g.missing_left));
    out["value"] = array_of(std::move(g.value));
    if (g.word_begin.empty()) return out;  // no categories
    out["category_begin"] = array_of(std::move(g.word_begin));
    out["category_words"] = array_of(std::move(g.words));
    return out;
}

}  // namespace tree_arrays
