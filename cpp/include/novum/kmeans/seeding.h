// k-means++ on one block: how far every row is from the centers chosen so far, and what a candidate would gain.
#pragma once
#include "novum/kmeans/pass.h"

namespace novum::kmeans {

/// What a block remembers while centers are chosen.
template <class Real>
struct Nearest {
    Real* square;         // (n,): scaled |x - c|^2 to the nearest one
    std::int32_t* owner;  // (n,): which it is
    Real scale;           // a power of two by which all differences are multiplied: their squares neither over- nor underflow
};

/// Take up the centers from `first` on; with first = 0 the state is made. Returns the sum of w square. O(n d) at most per center.
template <class Real>
double absorb(Rows<Real> rows, Centers chosen, std::size_t first, Nearest<Real> nearest);

/// gain[m] = sum w max(0, nearest - |x - candidate_m|^2): how much the potential would fall; `trial` (m, n) becomes these squared
/// distances, infinite where they are not below the nearest. O(n d) at most per candidate.
template <class Real>
void gains(Rows<Real> rows, Centers chosen, Centers candidates, Nearest<Real> nearest, double* gain, Real* trial);

/// Take up center number `number`, whose row of `trial` is `found` (n,). Returns the sum of w square, the same bits as `absorb`. O(n).
template <class Real>
double adopt(const Real* found, const double* weight, std::size_t n, std::size_t number, Nearest<Real> nearest);

/// row[m]: the first row up to which the sum of w square exceeds target[m]; always one that adds something, if any does. O(n).
template <class Real>
void locate(const Real* square, const double* weight, std::size_t n, const double* target, std::size_t targets, std::int64_t* row);

}  // namespace novum::kmeans
