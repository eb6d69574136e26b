// Arrays that the bindings of trees take and give.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "../arrays.h"
#include "novum/trees/columns.h"
#include "novum/trees/exact_grower.h"

namespace tree_arrays {

namespace tr = novum::tree;

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

/// Arrays side by side in one block of memory, which goes when the last of them does: vectors that grew have room to spare, and forests
/// have hundreds of tables.
class Together {
  public:
    explicit Together(std::size_t bytes)
        : next(new std::byte[bytes]), owner(next, [](void* p) noexcept { delete[] static_cast<std::byte*>(p); }) {}

    template <class T>
    Out<T> add(const std::vector<T>& values) {
        T* here = reinterpret_cast<T*>(next);
        std::copy(values.begin(), values.end(), here);
        next += values.size() * sizeof(T);
        return Out<T>(here, {values.size()}, owner);
    }

  private:
    std::byte* next;
    nb::capsule owner;
};

inline nb::dict table_of(const tr::Grown& g) {
    nb::dict out;
    const std::size_t nodes = g.left.size();
    // Wide numbers first, so that every array is aligned.
    Together together(nodes * (4 * sizeof(std::int64_t) + 3 * sizeof(double) + 1) + g.value.size() * sizeof(double) +
                      g.word_begin.size() * sizeof(std::int64_t) + g.words.size() * sizeof(std::uint32_t));
    out["children_left"] = together.add(g.left);
    out["children_right"] = together.add(g.right);
    out["feature"] = together.add(g.feature);
    out["n_node_samples"] = together.add(g.samples);
    out["threshold"] = together.add(g.threshold);
    out["impurity"] = together.add(g.impurity);
    out["weighted_n_node_samples"] = together.add(g.weight);
    out["value"] = together.add(g.value);
    if (!g.word_begin.empty()) {  // there are categories
        out["category_begin"] = together.add(g.word_begin);
        out["category_words"] = together.add(g.words);
    }
    out["missing_go_to_left"] = together.add(g.missing_left);
    return out;
}

}  // namespace tree_arrays
