// Coordinate descent for least squares under an L1 and an L2 penalty. docs/theory/penalised_regression.md, eqs. (1) to (7) and (20).
//
//     minimise  1/2 |y - X w|^2 + l1 |w|_1 + l2/2 |w|^2     (w >= 0 if positive)                             (1)
//     w_j <- soft(x_j'r + |x_j|^2 w_j, l1) / (|x_j|^2 + l2)                                                  (3)
//     gap = primal(w) - dual(theta r),  theta = min(1, l1 / max_j |x_j'r - l2 w_j|)                          (4)
//     drop j where (1 - theta |x_j'r - l2 w_j| / l1) > sqrt(2 gap (|x_j|^2 + l2)) / l1                       (5)
//     every five epochs w <- sum_k c_k w_k, the c that makes the last steps cancel, if (1) falls             (6)
//     w_S += t (G_SS + l2 I)^-1 (c - G w - l2 w - l1 sign w)_S,  S where w is not zero, t <= 1 up to the first zero     (20)
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace novum {

struct Penalty {
    double l1, l2;
    bool positive;
};

struct Stopping {
    double gap;  // absolute
    std::size_t max_epochs;
    bool random;  // draw the coordinates instead of taking them in turn
    std::uint64_t seed;
};

struct Descent {
    double gap;
    std::size_t epochs;
    bool converged;
};

/// Minimise (1) given G = X'X (m x m, rows `stride` apart), c = X'y and y'y. O(m) per coordinate that moves, O(1) else.
/// `w` is the start and the result; `gradient` (m) receives c - G w.
Descent descend_gram(const double* G, std::size_t stride, std::span<const double> c, double yy, Penalty penalty, Stopping stopping,
                     std::span<double> w, std::span<double> gradient);

/// Minimise (1) given the columns of X one after the other. O(n) per coordinate. `residual` (n) receives y - X w.
Descent descend_columns(const double* X, std::span<const double> y, Penalty penalty, Stopping stopping, std::span<double> w,
                        std::span<double> residual);

/// Compressed columns: those of X - 1 mean', where row i counts root_i^2 and its values are stored times root_i.
struct SparseColumns {
    const double* values;
    const std::int32_t* rows;
    const std::int64_t* starts;  // m + 1
    const double* mean;          // m
    const double* root;          // n
    double weight;               // sum of root^2
};

/// Minimise (1) for sparse columns, centred implicitly. O(entries of the column) per coordinate. `y` is centred and times root.
/// `residual` (n + 1) receives root (y - X w) without the centre, and last the sum of mean_j w_j that is to be added to it.
Descent descend_sparse(const SparseColumns& X, std::span<const double> y, Penalty penalty, Stopping stopping, std::span<double> w,
                       std::span<double> residual);

}  // namespace novum
