// k-means on one block of rows: nearest centers, the sums that make the next centers, bounds that avoid looking twice.
#pragma once
#include <cstddef>
#include <cstdint>

namespace novum::kmeans {

/// Rows of a tile and their weights (null: all one).
template <class Real>
struct Rows {
    const Real* x;  // (n, d)
    const double* weight;
    std::size_t n, d;
};

/// The current centers.
struct Centers {
    const double* c;  // (k, d)
    std::size_t k;
};

/// What the bounds on groups need to know of the centers; the same for every block of a pass.
struct Motion {
    const std::int32_t* order;  // (k,): centers in the order of their groups of 16
    const float* gap;           // (k, width): a bound below the distance from a center to the nearest other one of a group
    const double* drift;        // (width,): how far the centers of a group have moved since the bounds began, at most
    std::size_t width;          // groups, padded to a multiple of 8
};

/// What a block remembers between passes: saves work, never changes a result.
struct Bounds {
    std::int32_t* label;  // (n,)
    float* lower;         // (n, width): below the distance to every center of a group but the row's own, plus the drift when found
};

/// The neighborhood of every center; the same for every block of a pass.
struct Neighbors {
    const std::int32_t* index;  // (k, 16): the center itself, then its nearest others; -1 where there are fewer
    const float* half;          // (k,): a bound below the distance to the nearest other center
    const float* radius;        // (k,): a bound below the distance to any center not in `index`
};

struct Totals {
    double* sums;  // (k, d): w (x - origin)
    double* mass;  // (k,)
};

/// Labels: the lowest index among the least scores. O(n k d).
template <class Real>
void nearest(Rows<Real> rows, Centers centers, std::int32_t* label);

/// Squared distance of every row to the center of its label, in double. O(n d).
template <class Real>
void distances(Rows<Real> rows, Centers centers, const std::int32_t* label, double* out);

/// Distance of every row to every center, (n, k), from differences in double. O(n k d).
template <class Real>
void all_distances(Rows<Real> rows, Centers centers, Real* out);

/// One Lloyd pass: labels as `nearest`, the weighted sums and masses of the clusters added in row order; returns the inertia. O(n k d).
template <class Real>
double step(Rows<Real> rows, Centers centers, std::int32_t* label, Totals totals);

struct Work {
    double inertia;
    std::size_t looked;  // pairs of a row and a group, or rows, that the state did not settle
};

/// As `step`, bit for bit; the first `known` rows from the labels and bounds of an earlier pass. O(n d + 16 d looked).
template <class Real>
Work grouped_step(Rows<Real> rows, Centers centers, Motion motion, Bounds bounds, std::size_t known, Totals totals);

/// As `step`, bit for bit; the first `known` rows from the labels of an earlier pass. O(16 n d + k d looked).
template <class Real>
Work neighbor_step(Rows<Real> rows, Centers centers, Neighbors neighbors, std::int32_t* label, std::size_t known, Totals totals);

/// The origin that `step` subtracts: the mean of the centers, each coordinate rounded to a power of two about as large as their
/// range. So few digits make x - origin exact for integers and other short numbers, and equal distances stay equal.
template <class Real>
void origin(Centers centers, std::size_t d, Real* out);

/// Order the centers so that 16 neighbors in it are neighbors in space: split at the median of the widest coordinate, again and again.
void group(Centers centers, std::size_t d, std::int32_t* order);

/// Motion::gap for that order. O(k^2 d).
void gaps(Centers centers, std::size_t d, const std::int32_t* order, std::size_t width, float* gap);

/// Neighbors being made.
struct Neighborhood {
    std::int32_t* index;   // (k, 16)
    float *half, *radius;  // (k,)
    float* found;          // (k,): the radius when the neighbors were searched last
};

/// Neighbors of every center. `before`: where the centers were when `out` was made (null: never); as long as they have not moved far
/// the neighbors are kept, O(16 k d), else searched, O(k^2 d).
void neighborhoods(Centers centers, std::size_t d, const double* before, Neighborhood out);

/// The centers that a pass makes: origin + sums / mass, rounded to Real; one without mass is placed on the largest cluster. Returns
/// by how much they moved, all squared distances together; a step within rounding of its coordinate is no movement. O(k d).
template <class Real>
double move(Centers before, std::size_t d, const double* origin, Totals totals, double* after);

}  // namespace novum::kmeans
