#include "novum/manifold/stress.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "novum/runtime/interrupt.h"
#include "novum/runtime/simd.h"
#include "novum/runtime/vector_math.h"

namespace novum {
namespace {

constexpr std::size_t TILE = 256;  // points at a time, so that their distances stay in the first cache

struct Guttman {
    template <int BYTES>
    static NOVUM_INLINE void run(const double* D, const double* Z, std::size_t n, std::size_t q, std::size_t begin, std::size_t end,
                                 double* moved, double* stress, double* square) {
        using V = Doubles<BYTES>;
        using Vec = typename V::V;
        alignas(64) double s[TILE], ratio[TILE], rest[TILE];
        std::vector<double> acc(q);
        interrupt::Poller<16> poller;
        for (std::size_t i = begin; i < end; ++i) {
            poller.tick();
            const double* row = D + i * n;
            double stress_i = 0, square_i = 0;
            std::fill(acc.begin(), acc.end(), 0.0);
            for (std::size_t start = 0; start < n; start += TILE) {
                const std::size_t many = std::min(TILE, n - start);
                for (std::size_t j = 0; j < many; ++j) s[j] = 0;
                for (std::size_t c = 0; c < q; ++c) {
                    const double* z = Z + c * n + start;
                    const double own = Z[c * n + i];
                    for (std::size_t j = 0; j < many; ++j) s[j] += (z[j] - own) * (z[j] - own);
                }
                for (std::size_t j = 0; j < many; ++j) {
                    const double d = std::sqrt(s[j]), given = row[start + j], gap = d - given;
                    rest[j] = gap * gap;
                    ratio[j] = given / (d > 0 ? d : 1.0);
                }
                for (std::size_t j = many; j < TILE && j % V::LANES; ++j) s[j] = rest[j] = ratio[j] = 0;
                Vec r = V::splat(0.0), t = V::splat(0.0);
                for (std::size_t j = 0; j < many; j += V::LANES) {
                    r += V::load(rest + j);
                    t += V::load(s + j);
                }
                for (std::size_t lane = 0; lane < V::LANES; ++lane) {
                    stress_i += r[lane];
                    square_i += t[lane];
                }
                for (std::size_t c = 0; c < q; ++c) {
                    const double* z = Z + c * n + start;
                    const double own = Z[c * n + i];
                    Vec sum = V::splat(0.0);
                    std::size_t j = 0;
                    for (; j + V::LANES <= many; j += V::LANES) sum += V::load(ratio + j) * (own - V::load(z + j));
                    for (; j < many; ++j) acc[c] += ratio[j] * (own - z[j]);
                    for (std::size_t lane = 0; lane < V::LANES; ++lane) acc[c] += sum[lane];
                }
            }
            for (std::size_t c = 0; c < q; ++c) moved[(i - begin) * q + c] = acc[c] / static_cast<double>(n);
            stress[i - begin] = stress_i;
            square[i - begin] = square_i;
        }
    }
};

}  // namespace

void guttman_rows(const double* D, const double* Z, std::size_t n, std::size_t q, std::size_t begin, std::size_t end, double* moved,
                  double* stress, double* square) {
    widest<Guttman>(D, Z, n, q, begin, end, moved, stress, square);
}

void disparities(const double* Z, std::size_t n, std::size_t q, const std::int32_t* first, const std::int32_t* second, std::size_t pairs,
                 const std::int64_t* group, std::size_t groups, double total, double* D) {
    std::vector<double> mean;          // of each pool
    std::vector<std::int64_t> weight;  // pairs in it
    std::vector<std::int64_t> last;    // groups up to its end
    mean.reserve(groups), weight.reserve(groups), last.reserve(groups);
    interrupt::Poller<4096> poller;
    for (std::size_t g = 0; g < groups; ++g) {
        poller.tick();
        double sum = 0;
        for (std::int64_t t = group[g]; t < group[g + 1]; ++t) {
            double s = 0;
            for (std::size_t c = 0; c < q; ++c) {
                const double gap = Z[first[t] * q + c] - Z[second[t] * q + c];
                s += gap * gap;
            }
            sum += std::sqrt(s);
        }
        const std::int64_t count = group[g + 1] - group[g];
        mean.push_back(sum / static_cast<double>(count)), weight.push_back(count), last.push_back(static_cast<std::int64_t>(g) + 1);
        while (mean.size() > 1 && mean[mean.size() - 2] >= mean.back()) {
            const double w = static_cast<double>(weight.back()), v = static_cast<double>(weight[weight.size() - 2]);
            const double pooled = (w * mean.back() + v * mean[mean.size() - 2]) / (w + v);
            const std::int64_t both = weight.back() + weight[weight.size() - 2], stop = last.back();
            mean.pop_back(), weight.pop_back(), last.pop_back();
            mean.back() = pooled, weight.back() = both, last.back() = stop;
        }
    }
    double squares = 0;
    for (std::size_t b = 0; b < mean.size(); ++b) squares += static_cast<double>(weight[b]) * mean[b] * mean[b];
    const double scale = squares > 0 ? std::sqrt(total / squares) : 1.0;
    std::size_t g = 0;
    for (std::size_t b = 0; b < mean.size(); ++b) {
        const double value = mean[b] * scale;
        for (; g < static_cast<std::size_t>(last[b]); ++g)
            for (std::int64_t t = group[g]; t < group[g + 1]; ++t) {
                const auto i = static_cast<std::size_t>(first[t]), j = static_cast<std::size_t>(second[t]);
                D[i * n + j] = D[j * n + i] = value;
            }
    }
    (void)pairs;
}

}  // namespace novum
