#include "novum/kmeans/online.h"

#include <limits>

#include "novum/runtime/interrupt.h"
#include "novum/runtime/simd.h"

namespace novum::kmeans {

namespace {

template <class Real>
NOVUM_INLINE double passed(const Real* x, const double* weight, std::size_t n, std::size_t d, double rate, double* centers, std::size_t k,
                           double* mass, std::int32_t* label) {
    double total = 0;
    interrupt::Poller<1024> poller;
    for (std::size_t i = 0; i < n; ++i) {
        poller.tick();
        const Real* row = x + i * d;
        double best = std::numeric_limits<double>::infinity();
        std::size_t winner = 0;
        for (std::size_t j = 0; j < k; ++j) {
            double s = 0;
            for (std::size_t t = 0; t < d; ++t) {
                const double u = static_cast<double>(row[t]) - centers[j * d + t];
                s += u * u;
            }
            if (s < best) best = s, winner = j;
        }
        label[i] = static_cast<std::int32_t>(winner);
        const double w = weight ? weight[i] : 1.0;
        if (!(w > 0)) continue;
        total += w * best;
        mass[winner] += w;
        const double step = rate > 0 ? 2 * rate * w : w / mass[winner];
        double* c = centers + winner * d;
        for (std::size_t t = 0; t < d; ++t) c[t] += step * (static_cast<double>(row[t]) - c[t]);
    }
    return total;
}

}  // namespace

template <class Real>
double online(const Real* x, const double* weight, std::size_t n, std::size_t d, double rate, double* centers, std::size_t k, double* mass,
              std::int32_t* label) {
    return passed(x, weight, n, d, rate, centers, k, mass, label);
}
template double online(const float*, const double*, std::size_t, std::size_t, double, double*, std::size_t, double*, std::int32_t*);
template double online(const double*, const double*, std::size_t, std::size_t, double, double*, std::size_t, double*, std::int32_t*);

}  // namespace novum::kmeans
