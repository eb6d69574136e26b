// The arrays of a search tree as kernels take them: checked once and kept alive. Shared by the bindings that walk trees.
#pragma once
#include <cstddef>
#include <cstdint>

#include "../arrays.h"
#include "novum/search/search.h"

namespace search_handle {

namespace ne = novum::neighbors;

/// Raise unless the arrays fit together; return them as a tree. They may come from a file.
template <class D, class I, class C>
ne::Tree checked(const Cube<D>& packed, const Matrix<I>& index, const Matrix<D>& bounds, const Vector<D>& cut, const Vector<C>& cut_column,
                 std::size_t n, double p, bool ball) {
    const std::size_t leaves = packed.shape(0), d = packed.shape(1), capacity = packed.shape(2);
    require(leaves > 0 && d > 0 && capacity > 0 && capacity % 8 == 0 && n <= leaves * capacity && n > (leaves - 1) * capacity,
            "neighbors: leaves that hold the rows");
    require(index.shape(0) == leaves && index.shape(1) == capacity, "neighbors: a number per place");
    require(bounds.shape(0) == 2 * leaves && bounds.shape(1) == (ball ? d + 1 : 2 * d), "neighbors: bounds of every node");
    require(cut.shape(0) == leaves && cut_column.shape(0) == leaves, "neighbors: a cut per node");
    require(p >= 1, "neighbors: a norm has p >= 1");
    return {leaves, d, capacity, n, p, ball, packed.data(), index.data(), bounds.data(), cut.data(), cut_column.data()};
}

struct Handle {
    Cube<const double> packed;
    Matrix<const std::int64_t> index;
    Matrix<const double> bounds;
    Vector<const double> cut;
    Vector<const std::int32_t> cut_column;
    ne::Tree tree;

    Handle(Cube<const double> packed, Matrix<const std::int64_t> index, Matrix<const double> bounds, Vector<const double> cut,
           Vector<const std::int32_t> cut_column, std::size_t n, double p, bool ball)
        : packed(packed),
          index(index),
          bounds(bounds),
          cut(cut),
          cut_column(cut_column),
          tree(checked(packed, index, bounds, cut, cut_column, n, p, ball)) {
        for (std::size_t m = 0; m < tree.leaves; ++m)
            require(tree.cut_column[m] >= 0 && static_cast<std::size_t>(tree.cut_column[m]) < tree.d,
                    "neighbors: cuts of columns that exist");
    }
};

}  // namespace search_handle
