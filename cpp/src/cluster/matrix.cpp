#include "novum/cluster/matrix.h"

#include <algorithm>
#include <vector>

#include "novum/runtime/interrupt.h"
#include "novum/search/norms.h"

namespace novum::cluster {

namespace {

using neighbors::Norm;
using panel::Simd;
constexpr std::size_t TILE = 64;  // rows packed at a time

template <Norm N>
struct Lines {
    template <int BYTES>
    static NOVUM_INLINE int run(const double* rows, std::size_t n, std::size_t d, double p, bool squared, std::size_t from, std::size_t to,
                                double* out) {
        using S = Simd<double, BYTES>;
        constexpr std::size_t L = S::LANES;
        std::vector<double> packed(d * TILE), line(TILE);
        for (std::size_t first = 0; first < n; first += TILE) {
            interrupt::poll();
            const std::size_t count = std::min(TILE, n - first);
            for (std::size_t j = 0; j < TILE; ++j)
                for (std::size_t t = 0; t < d; ++t) packed[t * TILE + j] = j < count ? rows[(first + j) * d + t] : 0;
            for (std::size_t i = from; i < to; ++i) {
                const double* q = rows + i * d;
                for (std::size_t v = 0; v < TILE; v += 2 * L) {
                    const auto s = neighbors::lane_distances<N, BYTES>(q, packed.data() + v, d, TILE, p);
                    const auto u = neighbors::lane_distances<N, BYTES>(q, packed.data() + v + L, d, TILE, p);
                    S::store(line.data() + v, s), S::store(line.data() + v + L, u);
                }
                if (!squared)
                    for (std::size_t j = 0; j < TILE; ++j) line[j] = neighbors::finish<N>(line[j], p);
                std::copy(line.data(), line.data() + count, out + (i - from) * n + first);
            }
        }
        return 0;
    }
};

}  // namespace

void distance_lines(const double* rows, std::size_t n, std::size_t d, double p, bool squared, std::size_t from, std::size_t to,
                    double* out) {
    switch (neighbors::norm_of(p)) {
        case Norm::one: widest<Lines<Norm::one>>(rows, n, d, p, false, from, to, out); return;
        case Norm::two: widest<Lines<Norm::two>>(rows, n, d, p, squared, from, to, out); return;
        case Norm::most: widest<Lines<Norm::most>>(rows, n, d, p, false, from, to, out); return;
        case Norm::other: widest<Lines<Norm::other>>(rows, n, d, p, false, from, to, out); return;
    }
}

}  // namespace novum::cluster
