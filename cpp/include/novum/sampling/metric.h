// What a chain learns of its target's shape: the covariance of its draws, diagonal or dense, as the inverse mass of a Hamiltonian
// or the shape of a random walk.
//
//     mean_n = mean + (x - mean)/n,   S_n = S + (x - mean)(x - mean_n)'                     Welford's sums                       (1)
//     C = n/(n + 5) S/(n - 1) + 10^-3 5/(n + 5) I                                           shrunk towards a small unit         (2)
//     p ~ N(0, C^-1):  p = L^-T z, C = L L';   velocity C p                                                                     (3)
#pragma once
#include <cstddef>
#include <vector>

namespace novum::sampling {

/// Cholesky's factor of a symmetric matrix, lower, in place (the upper part is left). False where it is not positive definite. O(d^3).
bool factorize(std::vector<double>& matrix, std::size_t d);

/// The covariance C of d numbers: d variances, or d x d entries.
class Metric {
  public:
    Metric(std::size_t d, bool dense);
    /// Take another C; false, and nothing changed, where it is not positive definite.
    bool set(const double* covariance);
    const std::vector<double>& covariance() const { return shape; }
    bool dense() const { return is_dense; }
    std::size_t dimension() const { return d; }
    void velocity(const double* momentum, double* out) const;  // (3): C p
    void momentum(double* z) const;                            // (3): L^-T z, in place
    void draw(const double* z, double* out) const;             // L z: a draw of N(0, C)

  private:
    std::size_t d;
    bool is_dense;
    std::vector<double> shape, factor;
};

/// The sums (1) of draws, and (2).
class Moments {
  public:
    Moments(std::size_t d, bool dense);
    void add(const double* x);
    void restart();
    std::size_t count() const { return n; }
    std::vector<double> covariance() const;  // (2)

  private:
    std::size_t d, n = 0;
    bool dense;
    std::vector<double> mean, sums, before;
};

}  // namespace novum::sampling
