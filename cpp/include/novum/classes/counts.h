// Counts of labelled rows and the scores they give: discrete naive Bayes, block by block. docs/theory/naive_bayes.md.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace novum {

/// What a cell counts as: its value, or one if it exceeds a threshold and else nothing.
struct Cell {
    bool binary = false;
    double threshold = 0;
    template <class Real>
    double operator()(Real x) const {
        return binary ? (static_cast<double>(x) > threshold ? 1.0 : 0.0) : static_cast<double>(x);
    }
};

template <class Real, class Index>
struct SparseRows {
    const Index* begin;   // (rows + 1,)
    const Index* column;  // (entries,)
    const Real* value;    // (entries,)
    std::size_t rows;
};

/// Add to `mass` (k) and `count` (k x d) the sums of w and w cell(x) over the rows of each class; eq. (3). Empty `weight` means
/// ones. Returns the least value met (0 if none is below). O(rows d).
template <class Real>
double class_counts(const Real* X, std::span<const std::int64_t> code, std::span<const double> weight, std::size_t d, Cell cell,
                    double* mass, double* count);

/// What was met in a walk over sparse rows.
struct Met {
    double least = 0;    // the least value, 0 if none is below
    bool finite = true;  // whether all sums are
    bool inside = true;  // whether all columns lie in the table; if not the walk ended at the first that did not
};

/// The same of sparse rows, whose absent cells count nothing, for the classes from `low` up to `high`: `mass` (high - low), `count`
/// ((high - low) x d). Rows of one class add to one row of counts, which stays in the cache. O(rows + entries of the classes).
template <class Real, class Index>
Met class_counts(SparseRows<Real, Index> X, std::span<const std::int64_t> code, std::span<const double> weight, std::size_t low,
                 std::size_t high, std::size_t d, Cell cell, double* mass, double* count);

/// out[i, c] = constant_c + sum_j cell(x_ij) table[j, c] of sparse rows; eq. (5). O(entries k).
template <class Real, class Index>
Met sparse_scores(SparseRows<Real, Index> X, std::size_t d, std::size_t k, Cell cell, const double* table, const double* constant,
                  Real* out);

/// label[i] = the class of the largest of these, the first of equals, without keeping them. O(entries k).
template <class Real, class Index>
Met sparse_best(SparseRows<Real, Index> X, std::size_t d, std::size_t k, Cell cell, const double* table, const double* constant,
                std::int64_t* label);

/// Add to `mass` (k) and `count` (offset[d] x k) the weights of the rows of each class at place offset_j + x_ij; eq. (7). Cells
/// are whole numbers >= 0 (a fraction counts as the number below it), or NaN: missing, counted nowhere. Returns the column of a
/// cell beyond its categories, or -1. O(rows d).
template <class Real>
std::int64_t category_counts(const Real* X, std::span<const std::int64_t> code, std::span<const double> weight, std::size_t d,
                             std::size_t k, const std::int64_t* offset, double* mass, double* count);

/// out[i, c] = constant_c + sum_j table[offset_j + x_ij, c]; eq. (8). A missing cell adds nothing. Returns as above. O(rows d k).
template <class Real>
std::int64_t category_scores(const Real* X, std::size_t rows, std::size_t d, std::size_t k, const std::int64_t* offset, const double* table,
                             const double* constant, Real* out);

}  // namespace novum
