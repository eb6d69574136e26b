#include "novum/manifold/polyline.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "novum/runtime/interrupt.h"
#include "novum/runtime/simd.h"

namespace novum {
namespace {

constexpr std::size_t LANES = 32;  // rows at a time, along the fast axis

template <class Real>
struct Project {
    template <int BYTES>
    static NOVUM_INLINE void run(const Real* X, std::size_t n, std::size_t p, const double* corners, const double* arc, std::size_t m,
                                 double* place, double* distance) {
        std::vector<double> tile(p * LANES), step(p);
        alignas(64) double best[LANES], at[LANES], along[LANES], square[LANES];
        interrupt::Poller<256> poller;
        for (std::size_t start = 0; start < n; start += LANES) {
            poller.tick();
            const std::size_t rows = std::min(LANES, n - start);
            for (std::size_t j = 0; j < p; ++j)
                for (std::size_t r = 0; r < LANES; ++r) tile[j * LANES + r] = r < rows ? static_cast<double>(X[(start + r) * p + j]) : 0.0;
            for (std::size_t r = 0; r < LANES; ++r) best[r] = std::numeric_limits<double>::infinity(), at[r] = arc[0];
            for (std::size_t s = 0; s + 1 < m; ++s) {
                const double* from = corners + s * p;
                double length = 0;
                for (std::size_t j = 0; j < p; ++j) {
                    step[j] = from[p + j] - from[j];
                    length += step[j] * step[j];
                }
                for (std::size_t r = 0; r < LANES; ++r) along[r] = square[r] = 0;
                for (std::size_t j = 0; j < p; ++j)
                    for (std::size_t r = 0; r < LANES; ++r) along[r] += (tile[j * LANES + r] - from[j]) * step[j];
                const double inverse = length > 0 ? 1 / length : 0;
                for (std::size_t r = 0; r < LANES; ++r) along[r] = std::min(1.0, std::max(0.0, along[r] * inverse));
                for (std::size_t j = 0; j < p; ++j)
                    for (std::size_t r = 0; r < LANES; ++r) {
                        const double gap = tile[j * LANES + r] - from[j] - along[r] * step[j];
                        square[r] += gap * gap;
                    }
                const double origin = arc[s], span = arc[s + 1] - arc[s];
                for (std::size_t r = 0; r < LANES; ++r) {
                    at[r] = square[r] < best[r] ? origin + along[r] * span : at[r];
                    best[r] = square[r] < best[r] ? square[r] : best[r];
                }
            }
            for (std::size_t r = 0; r < rows; ++r) place[start + r] = at[r], distance[start + r] = best[r];
        }
    }
};

}  // namespace

template <class Real>
void project_on_line(const Real* X, std::size_t n, std::size_t p, const double* corners, const double* arc, std::size_t m, double* place,
                     double* distance) {
    widest<Project<Real>>(X, n, p, corners, arc, m, place, distance);
}

template void project_on_line(const float*, std::size_t, std::size_t, const double*, const double*, std::size_t, double*, double*);
template void project_on_line(const double*, std::size_t, std::size_t, const double*, const double*, std::size_t, double*, double*);

}  // namespace novum
