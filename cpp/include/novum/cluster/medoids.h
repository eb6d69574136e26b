// k-medoids by FasterPAM (Schubert and Rousseeuw 2021): a medoid and any other row swap whenever that lowers the loss.
//
//   loss   J = sum_i w_i D(i, nearest medoid of i)                                                                                  (1)
//   taking row c in and medoid m out changes J by  A_c + R_m(c),  with n_i, s_i the distances to the nearest and second medoid,
//     A_c    = sum_i w_i min(D_ic - n_i, 0)                                                                                          (2)
//     R_m(c) = sum over rows i of m of  w_i (s_i - n_i), w_i (D_ic - n_i) or 0 for D_ic >= s_i, between, below n_i                   (3)
//
// All k sums (3) of one candidate cost one look at its distances: O(n^2) for a round of all candidates, whatever k.
#pragma once
#include <cstddef>
#include <cstdint>

namespace novum::cluster {

struct MedoidResult {
    double loss;
    std::size_t rounds, swaps;
    bool converged;
};

/// Improve `medoid` (k,) rows of a symmetric matrix (n, n); weight (n,) or null. Write the cluster of every row, the first of equals.
template <class Real>
MedoidResult faster_pam(const Real* matrix, std::size_t n, const double* weight, std::int64_t* medoid, std::size_t k,
                        std::size_t most_rounds, std::int64_t* label);

/// Choose k medoids one after the other, each the row that lowers (1) most (BUILD). O(n^2 k).
template <class Real>
void build_medoids(const Real* matrix, std::size_t n, const double* weight, std::int64_t* medoid, std::size_t k);

}  // namespace novum::cluster
