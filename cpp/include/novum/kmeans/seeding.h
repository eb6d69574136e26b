// k-means++ on one block: how far every row is from the centers chosen so far, and what a candidate would gain.
#pragma once
#include <vector>

#include "novum/kmeans/pass.h"

namespace novum::kmeans {

/// What a block remembers while centers are chosen.
template <class Real>
struct Nearest {
    Real* norm;           // (n,): scaled |x - c_0|^2 to the first center
    Real* square;         // (n,): scaled |x - c|^2 to the nearest one
    std::int32_t* owner;  // (n,): which it is
    Real scale;           // a power of two by which all differences are multiplied: their squares neither over- nor underflow
};

/// The rows that a candidate would take over, in order, and how near it is to them.
template <class Real>
struct Better {
    std::vector<std::int32_t> row;
    std::vector<Real> square;
};

/// Take up the centers from `first` on; with first = 0 the state is made. Returns the sum of w square. O(n d) at most per center.
template <class Real>
double absorb(Rows<Real> rows, Centers chosen, std::size_t first, Nearest<Real> nearest);

/// gain[m] = sum w max(0, nearest - |x - candidate_m|^2): how much the potential would fall; `better` (m,) are filled with the
/// rows behind it. O(n d) at most per candidate.
template <class Real>
void gains(Rows<Real> rows, Centers chosen, Centers candidates, Nearest<Real> nearest, double* gain, Better<Real>* better);

}  // namespace novum::kmeans
