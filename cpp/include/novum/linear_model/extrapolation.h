// Anderson's extrapolation of a sequence of iterates, for coordinate descent. docs/theory/penalised_regression.md, eq. (6).
//
//     w <- sum_k c_k w_k,  sum_k c_k = 1, the c that makes the last steps w_{k+1} - w_k cancel                     (6)
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace novum {

double dot(const double* a, const double* b, std::size_t n);
void axpy(double scale, const double* x, double* y, std::size_t n);

/// The last WINDOW + 1 iterates, each with a state that depends on it by an affine map, so that (6) holds for the state too.
class Extrapolation {
  public:
    static constexpr std::size_t WINDOW = 5;  // steps to look back on: what celer and skglm use

    Extrapolation(std::size_t m, std::size_t states) : m_(m), size_(m + states), kept_((WINDOW + 1) * size_) {}

    void forget() { count_ = 0; }

    /// Keep an iterate; true when the window is full.
    bool keep(std::span<const double> w, std::span<const double> state);

    /// Write the combination of the kept iterates, then that of their states; false where the steps do not determine it.
    bool combine(double* out) const;

    std::size_t size() const { return size_; }

  private:
    std::size_t m_, size_, count_ = 0;
    std::vector<double> kept_;
};

}  // namespace novum
