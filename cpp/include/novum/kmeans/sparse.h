// k-means on a block of sparse rows (CSR): the same labels and sums, at the cost of the entries that are there.
#pragma once
#include "novum/kmeans/pass.h"

namespace novum::kmeans {

template <class Real, class Index>
struct SparseRows {
    const Real* value;
    const Index* column;
    const Index* start;  // (n + 1,): where the entries of a row begin
    const double* weight;
    std::size_t n, d;
};

/// Labels: the lowest index among the least scores. O(k entries).
template <class Real, class Index>
void nearest(SparseRows<Real, Index> rows, Centers centers, std::int32_t* label);

/// Squared distance of every row to the center of its label, in double. O(entries).
template <class Real, class Index>
void distances(SparseRows<Real, Index> rows, Centers centers, const std::int32_t* label, double* out);

/// One Lloyd pass; sums are about zero. Returns the inertia. O(k entries).
template <class Real, class Index>
double step(SparseRows<Real, Index> rows, Centers centers, std::int32_t* label, Totals totals);

}  // namespace novum::kmeans
