// The steps of a k-means pass on a chunk of rows that fits the first-level cache, and what makes skipping safe:
//
//   u = |x - c_label|, exact
//   E = eps (d + 8) C (5 C + u^2 / C) / 2, C = max |c_j - origin|     bounds the error of a computed score (12)
//   T = sqrt(u^2 + 4 E)                                                                                                      (5)
// A center further than T has a true score more than 2 E above that of the row's own, so its computed score is larger too: rounding
// included, it need not be looked at.
#pragma once
#include "novum/kmeans/pass.h"
#include "novum/runtime/panels.h"

namespace novum::kmeans {

using panel::Packed;

constexpr double UP = 1 + 1e-6, DOWN = 1 - 1e-6;  // cover conversions to float and a subtraction of floats

/// E of (5).
template <class Real>
struct Margin {
    double constant, slope;  // E = constant + slope u^2
    explicit Margin(const Packed<Real>& centers)
        : constant(2.5 * static_cast<double>(centers.d + 8) * std::numeric_limits<Real>::epsilon() * centers.reach * centers.reach),
          slope(0.5 * static_cast<double>(centers.d + 8) * std::numeric_limits<Real>::epsilon()) {}
    double operator()(double square) const { return constant + slope * square; }
};

/// Rows of a chunk: about 16 kB of coordinates, and a whole number of register blocks of `nearest_chunk`.
inline std::size_t chunk_rows(std::size_t d, std::size_t bytes) { return std::clamp<std::size_t>(16384 / (d * bytes) / 32 * 32, 32, 768); }

/// Rows of a register block of `nearest_chunk`, at most.
inline std::size_t strip_rows(std::size_t bytes) { return 128 / bytes; }

/// Labels of rows; `tile` is working memory.
template <class Real>
void nearest_chunk(const Packed<Real>& centers, const Real* x, std::size_t rows, std::int32_t* label, std::vector<Real>& tile);

/// u^2 of (5).
template <class Real>
void distance_chunk(const Packed<Real>& centers, const Real* x, std::size_t rows, const std::int32_t* label, double* distance);

/// T of (5) from u^2, rounded up.
template <class Real>
void thresholds(const Packed<Real>& centers, std::size_t rows, const double* distance, float* threshold);

/// `distance_chunk` and `gather_chunk` in one reading of the rows, bit for bit.
template <class Real>
void settle_chunk(const Packed<Real>& centers, const Real* x, const double* weight, std::size_t rows, const std::int32_t* label,
                  double* distance, Totals totals);

/// Adds w (x - origin) and w to the row's cluster, in row order.
template <class Real>
void gather_chunk(const Packed<Real>& centers, const Real* x, const double* weight, std::size_t rows, const std::int32_t* label,
                  Totals totals);

/// Working memory of `grouped_chunk`. `f` counts the rows that had to look.
template <class Real>
struct GroupScratch {
    std::size_t rows, groups, flagged = 0;
    std::vector<std::int32_t> list, own_list;    // (groups, rows): f of the rows to score against a group, and of those whose own it is
    std::vector<std::int32_t> count, own_count;  // (groups,)
    std::vector<std::int32_t> row, winner;       // (f,): where the row is, whose center was found nearest
    std::vector<std::int32_t> slot, near;        // (k,): the lane of a center; (width,): groups that need a look
    std::vector<float> threshold;                // (rows,): T of (5)
    std::vector<float> drift, drift_down;        // (width,): Motion::drift rounded up, and down
    std::vector<Real> shifted, raw;              // (f, d): scale (x - origin); (f, width): least score of a group but the winner's
    std::vector<Real> best, square;              // (f,): least score, |scale (x - origin)|^2
    GroupScratch(const Packed<Real>& centers, const Motion& motion, std::size_t rows);
};

/// Brings label, lower and distance of the chunk up to date by bounds on groups; returns the pairs of row and group scored.
template <class Real>
std::size_t grouped_chunk(const Packed<Real>& centers, const Motion& motion, const Real* x, std::size_t rows, Bounds bounds,
                          GroupScratch<Real>& scratch, double* distance);

/// The panels of every center's neighbors, and working memory of `neighbor_chunk`.
template <class Real>
struct NeighborScratch {
    using Int = typename Packed<Real>::Int;
    std::vector<Real> panels;             // (k, d + 1, 16): the center itself, then its 15 nearest others
    std::vector<Int> index;               // (k, 16): who they are
    std::vector<Real> raw, tile;          // (rows, d): rows that must look at all centers, then rows that changed; of `nearest_chunk`
    std::vector<float> threshold;         // (rows,): T of (5)
    std::vector<double> square;           // (rows,): u^2 of rows that changed
    std::vector<std::int32_t> near, far;  // rows that must look at their panel, then those that changed; at all centers
    std::vector<std::int32_t> label;      // (rows,): labels of the latter, then of those that changed
    NeighborScratch(const Packed<Real>& centers, const Neighbors& neighbors, std::size_t rows);
};

/// Brings label and distance of the chunk up to date by the neighbors of each center; returns the rows that had to look at all centers.
template <class Real>
std::size_t neighbor_chunk(const Packed<Real>& centers, const Neighbors& neighbors, const Real* x, std::size_t rows, std::int32_t* label,
                           NeighborScratch<Real>& scratch, double* distance);

}  // namespace novum::kmeans
