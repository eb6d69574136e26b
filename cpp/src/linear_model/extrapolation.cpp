#include "novum/linear_model/extrapolation.h"

#include <algorithm>
#include <cmath>

#include "novum/runtime/simd.h"

namespace novum {

NOVUM_CLONES double dot(const double* a, const double* b, std::size_t n) {
    double part[16] = {};
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (std::size_t l = 0; l < 16; ++l) part[l] += a[i + l] * b[i + l];
    double sum = 0.0;
    for (; i < n; ++i) sum += a[i] * b[i];
    for (double v : part) sum += v;
    return sum;
}

NOVUM_CLONES void axpy(double scale, const double* x, double* y, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) y[i] += scale * x[i];
}

bool Extrapolation::keep(std::span<const double> w, std::span<const double> state) {
    double* place = kept_.data() + count_ * size_;
    std::copy(w.begin(), w.end(), place);
    std::copy(state.begin(), state.end(), place + m_);
    return ++count_ == WINDOW + 1;
}

bool Extrapolation::combine(double* out) const {
    std::vector<double> steps(WINDOW * m_);
    for (std::size_t k = 0; k < WINDOW; ++k)
        for (std::size_t j = 0; j < m_; ++j) steps[k * m_ + j] = kept_[(k + 1) * size_ + j] - kept_[k * size_ + j];
    double A[WINDOW][WINDOW + 1];
    double trace = 0.0;
    for (std::size_t a = 0; a < WINDOW; ++a) {
        for (std::size_t b = 0; b < WINDOW; ++b) A[a][b] = dot(&steps[a * m_], &steps[b * m_], m_);
        A[a][WINDOW] = 1.0;
        trace += A[a][a];
    }
    if (!(trace > 0.0)) return false;
    for (std::size_t a = 0; a < WINDOW; ++a) A[a][a] += 1e-13 * trace;  // steps shrink to parallel ones: keep A definite
    for (std::size_t a = 0; a < WINDOW; ++a) {
        if (!(A[a][a] > 0.0)) return false;
        for (std::size_t b = a + 1; b < WINDOW; ++b) {
            const double f = A[b][a] / A[a][a];
            for (std::size_t c = a; c <= WINDOW; ++c) A[b][c] -= f * A[a][c];
        }
    }
    double z[WINDOW], sum = 0.0;
    for (std::size_t a = WINDOW; a-- > 0;) {
        z[a] = A[a][WINDOW];
        for (std::size_t b = a + 1; b < WINDOW; ++b) z[a] -= A[a][b] * z[b];
        sum += z[a] /= A[a][a];
    }
    if (!std::isfinite(sum) || sum == 0.0) return false;
    std::fill(out, out + size_, 0.0);
    for (std::size_t k = 0; k < WINDOW; ++k) axpy(z[k] / sum, &kept_[(k + 1) * size_], out, size_);
    return true;
}

}  // namespace novum
