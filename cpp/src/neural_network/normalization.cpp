#include "novum/neural_network/normalization.h"

#include <algorithm>
#include <cmath>

namespace novum::neural_network {

template <class Real>
void column_moments(const Sheet<Real>& sheet, std::size_t begin, std::size_t end, const Moments<Real>& moments) {
    const Real n = static_cast<Real>(sheet.rows), rate = Real(NORM_RATE);
    std::fill(moments.mean + begin, moments.mean + end, Real(0));
    std::fill(moments.inverse + begin, moments.inverse + end, Real(0));
    for (std::size_t r = 0; r < sheet.rows; ++r)
        for (std::size_t c = begin; c < end; ++c) moments.mean[c] += sheet.z[r * sheet.pitch + c];
    for (std::size_t c = begin; c < end; ++c) moments.mean[c] /= n;
    for (std::size_t r = 0; r < sheet.rows; ++r)
        for (std::size_t c = begin; c < end; ++c) {
            const Real away = sheet.z[r * sheet.pitch + c] - moments.mean[c];
            moments.inverse[c] += away * away;
        }
    for (std::size_t c = begin; c < end; ++c) {
        const Real squares = moments.inverse[c];
        moments.inverse[c] = 1 / std::sqrt(squares / n + Real(NORM_EPSILON));
        moments.running_mean[c] += rate * (moments.mean[c] - moments.running_mean[c]);
        if (n > 1) moments.running_variance[c] += rate * (squares / (n - 1) - moments.running_variance[c]);
    }
}

template <class Real>
void normalize(const Sheet<Real>& sheet, std::size_t columns, const Moments<Real>& moments) {
    for (std::size_t r = 0; r < sheet.rows; ++r)
        for (std::size_t c = 0; c < columns; ++c) {
            const std::size_t at = r * sheet.pitch + c;
            sheet.x[at] = (sheet.z[at] - moments.mean[c]) * moments.inverse[c];
            sheet.z[at] = moments.scale[c] * sheet.x[at] + moments.shift[c];
        }
}

template <class Real>
void normalize_new(const Sheet<Real>& sheet, std::size_t columns, const Moments<Real>& moments) {
    for (std::size_t r = 0; r < sheet.rows; ++r)
        for (std::size_t c = 0; c < columns; ++c) {
            Real& z = sheet.z[r * sheet.pitch + c];
            const Real x = (z - moments.running_mean[c]) / std::sqrt(moments.running_variance[c] + Real(NORM_EPSILON));
            z = moments.scale[c] * x + moments.shift[c];
        }
}

template <class Real>
void column_errors(const Sheet<Real>& sheet, std::size_t begin, std::size_t end, const Moments<Real>& moments) {
    std::fill(moments.shift_sum + begin, moments.shift_sum + end, Real(0));
    std::fill(moments.scale_sum + begin, moments.scale_sum + end, Real(0));
    for (std::size_t r = 0; r < sheet.rows; ++r)
        for (std::size_t c = begin; c < end; ++c) {
            const std::size_t at = r * sheet.pitch + c;
            moments.shift_sum[c] += sheet.z[at];
            moments.scale_sum[c] += sheet.z[at] * sheet.x[at];
        }
}

template <class Real>
void pull_back_normalized(const Sheet<Real>& sheet, std::size_t columns, std::size_t count, const Moments<Real>& moments) {
    const Real n = static_cast<Real>(count);
    for (std::size_t r = 0; r < sheet.rows; ++r)
        for (std::size_t c = 0; c < columns; ++c) {
            const std::size_t at = r * sheet.pitch + c;
            sheet.z[at] =
                moments.scale[c] * moments.inverse[c] * (sheet.z[at] - moments.shift_sum[c] / n - sheet.x[at] * moments.scale_sum[c] / n);
        }
}

#define NOVUM_INSTANTIATE(Real)                                                                       \
    template void column_moments(const Sheet<Real>&, std::size_t, std::size_t, const Moments<Real>&); \
    template void normalize(const Sheet<Real>&, std::size_t, const Moments<Real>&);                   \
    template void normalize_new(const Sheet<Real>&, std::size_t, const Moments<Real>&);               \
    template void column_errors(const Sheet<Real>&, std::size_t, std::size_t, const Moments<Real>&);  \
    template void pull_back_normalized(const Sheet<Real>&, std::size_t, std::size_t, const Moments<Real>&);
NOVUM_INSTANTIATE(float)
NOVUM_INSTANTIATE(double)

}  // namespace novum::neural_network
