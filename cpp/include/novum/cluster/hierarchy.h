// Agglomerative clustering: what is merged, and at which height. Clusters are named by any of their rows; `tree_of` gives them numbers.
//
// With d the dissimilarity of clusters, n their sizes, and a, b merged, every other cluster k lies at (Lance and Williams)
//
//   single    min(d_ak, d_bk)                                 complete  max(d_ak, d_bk)                                            (1)
//   average   (n_a d_ak + n_b d_bk) / (n_a + n_b)             weighted  (d_ak + d_bk) / 2                                          (2)
//   ward      ((n_a + n_k) d_ak + (n_b + n_k) d_bk - n_k d_ab) / (n_a + n_b + n_k)              of squared distances               (3)
//   centroid  (n_a d_ak + n_b d_bk) / (n_a + n_b) - n_a n_b d_ab / (n_a + n_b)^2                of squared distances               (4)
//   median    (d_ak + d_bk) / 2 - d_ab / 4                                                      of squared distances               (5)
#pragma once
#include <cstddef>
#include <cstdint>

namespace novum::cluster {

enum class Linkage { single, complete, average, weighted, ward, centroid, median };

/// Where merges are written: pair (n - 1, 2), height (n - 1,).
struct Merges {
    std::int64_t* pair;
    double* height;
};

/// (1)-(3) by the nearest-neighbor chain, which needs an update that never brings clusters closer. `matrix` (n, n) is symmetric and is
/// overwritten; heights are in its unit and not sorted. O(n^2).
void chain(Linkage linkage, double* matrix, std::size_t n, Merges out);

/// (4), (5) and any other: the closest pair at every step, from a list of nearest candidates. `matrix` as above. O(n^2) to O(n^3).
void closest_pairs(Linkage linkage, double* matrix, std::size_t n, Merges out);

/// (3) of rows (n, d), from their centers: sqrt(2 n_a n_b / (n_a + n_b)) |c_a - c_b|. No matrix. O(n^2 d), memory O(n d).
void ward_chain(const double* rows, std::size_t n, std::size_t d, int threads, Merges out);

/// The spanning tree of least length over all pairs of rows (n, d) under the norm p, by Prim. O(n^2 d), memory O(n d).
void spanning_tree(const double* rows, std::size_t n, std::size_t d, double p, int threads, Merges out);

/// The same over a matrix (n, n) of distances, of which rows are read one at a time. O(n^2).
void spanning_tree(const double* matrix, std::size_t n, Merges out);

/// Numbers of the clusters: rows are 0..n-1, merge i makes n + i, children (n - 1, 2) lower number first, size (n - 1,). Merges are
/// taken in the order given. `m` merges; O(m log n).
void tree_of(const std::int64_t* pair, std::size_t m, std::size_t n, std::int64_t* children, std::int64_t* size);

}  // namespace novum::cluster
