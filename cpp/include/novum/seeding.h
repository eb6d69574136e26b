// k-means++ on one block: how far every row is from the centers chosen so far, and what a candidate would gain.
#pragma once
#include "novum/kmeans.h"

namespace novum::kmeans {

/// What a block remembers while centers are chosen: the squared distance to the nearest one, and which it is.
template <class Real>
struct Nearest {
    Real* square;         // (n,)
    std::int32_t* owner;  // (n,)
};

/// Take up the centers from `first` on; with first = 0 the state is made. Returns sum w min_j |x - c_j|^2. O(n d) at most per center.
template <class Real>
double absorb(Rows<Real> rows, Centers chosen, std::size_t first, Nearest<Real> nearest);

/// gain[m] = sum w max(0, nearest - |x - candidate_m|^2): how much the potential would fall. O(n d) at most per candidate.
template <class Real>
void gains(Rows<Real> rows, Centers chosen, Centers candidates, Nearest<Real> nearest, double* gain);

}  // namespace novum::kmeans
