// Nearest rows: exhaustive search, search trees, sums of kernels. Serial: threads run over blocks of queries.
//
//   |u|_p^p = sum |u_t|^p  (p = 2: squares, p = inf: the largest |u_t|)        the reduced distance, summed in the order of t    (1)
//
// Every search compares (1) of doubles, computed in one order: all of them find the same rows at the same distances. Of rows at equal
// distance the one with the lower number comes first.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace novum::neighbors {

constexpr std::int64_t NOBODY = std::numeric_limits<std::int64_t>::max();  // the number of a row that is none

template <class Real>
struct Table {
    const Real* data;
    std::size_t n, d;
    const Real* row(std::size_t i) const { return data + i * d; }
};

/// The k nearest of every query, nearest first: (q, k) each. Distances, not reduced.
struct Nearest {
    double* distance;
    std::int64_t* index;
    std::size_t k;
};

/// Rows within a radius of every query: begin[i] to begin[i + 1].
struct Within {
    std::vector<std::int64_t> begin, index;
    std::vector<double> distance;
};

/// What the rows within a radius of every query have in sum.
struct Sums {
    const double* value;  // (n, m): of every row
    std::size_t m;
    double* sum;          // (q, m), added in the order of the rows
    std::int64_t* count;  // (q,)
};

/// Where a scan puts the origin, and how far rows are from it.
struct Frame {
    const double* origin;  // (d,)
    double reach;
};

/// Mean of the rows and the largest distance from it. O(n d).
template <class Real>
double frame_of(Table<Real> rows, double* origin);

/// All reduced distances (1) made distances: out (x.n, y.n). O(x.n y.n d).
template <class Real>
void distances(Table<Real> x, Table<Real> y, double p, double* out);

/// The k nearest rows of y, by looking at all. Euclidean: products in single precision choose candidates that a bound of the rounding
/// errors cannot rule out, (1) decides among them. `frame` only for p = 2. O(x.n y.n d).
template <class Real>
void nearest_by_scan(Table<Real> x, Table<Real> y, double p, Frame frame, Nearest out);

/// Rows of y within radius[i] of every query, by looking at all, in the order of their numbers.
template <class Real>
Within within_by_scan(Table<Real> x, Table<Real> y, double p, Frame frame, const double* radius);

/// Sums over the rows of y within radius[i] of every query, by looking at all. O(x.n y.n (d + m)).
template <class Real>
void sums_by_scan(Table<Real> x, Table<Real> y, double p, Frame frame, const double* radius, Sums out);

/// A search tree over leaves of `capacity` rows, packed column by column, the last one filled up with infinity and NOBODY. The node over
/// leaves [a, b) splits them at m = (a + b + 1) / 2 and is number m; leaf j is number leaves + j.
struct Tree {
    std::size_t leaves, d, capacity, n;
    double p;
    bool ball;                       // bounds are (center, radius), not (low, high)
    const double* packed;            // (leaves, d, capacity)
    const std::int64_t* index;       // (leaves, capacity)
    const double* bounds;            // (2 leaves, d + 1) for balls, (2 leaves, 2 d) for boxes
    const double* cut;               // (leaves,): where node m is split
    const std::int32_t* cut_column;  // (leaves,)
};

/// The arrays of a tree while it is filled.
struct Growing {
    double* packed;
    std::int64_t* index;
    double *bounds, *cut;
    std::int32_t* cut_column;
};

/// Bound and split the node over leaves [a, b): index, which lists the rows of its places in any order, is parted at its middle. O(n d).
template <class Real>
void split(Table<Real> rows, const Tree& tree, Growing arrays, std::size_t a, std::size_t b);

/// The same for all nodes below as well, and pack the leaves. O(n log n d).
template <class Real>
void grow(Table<Real> rows, const Tree& tree, Growing arrays, std::size_t a, std::size_t b);

/// The k nearest rows of every query. `skip`, where given, is a row that query i must not find.
void nearest_in_tree(const Tree& tree, Table<double> x, const std::int64_t* skip, Nearest out);

/// Rows within radius[i] of every query, in the order of their numbers.
Within within_in_tree(const Tree& tree, Table<double> x, const double* radius);

/// How many rows lie within radius[i] of every query; nodes that lie inside count as a whole.
void count_in_tree(const Tree& tree, Table<double> x, const double* radius, std::int64_t* out);

enum class Kernel { gaussian, tophat, epanechnikov, exponential, linear, cosine };

struct Smoother {
    Kernel kernel;
    double width;
    double tail;           // kernels without an end are cut where exp(-tail) of the largest term is left
    const double* weight;  // (leaves, capacity) in the order of the tree, or null for ones
    const double* target;  // (leaves, capacity, m), or null
    std::size_t m;
};

/// Sums over all rows but skip[i], s_i = sum_j w_j K(|x_i - y_j| / width) e^(-log_unit[i]), and sums of w_j K t_j in the same unit.
void kernel_sums(const Tree& tree, Table<double> x, const std::int64_t* skip, const Smoother& by, double* sum, double* log_unit,
                 double* target_sum);

}  // namespace novum::neighbors
