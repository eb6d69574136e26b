#include "novum/cluster/silhouette.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "novum/runtime/interrupt.h"
#include "novum/search/norms.h"

namespace novum::cluster {

namespace {

using neighbors::Norm;
using panel::Simd;
constexpr std::size_t TILE = 256;  // rows packed at a time: with a few columns they stay in the first cache
constexpr std::size_t ROWS = 4;    // queries that share a load

template <Norm N>
struct Sums {
    template <class V>
    static NOVUM_INLINE V root(V v, double p) {
        if constexpr (N == Norm::two || N == Norm::other)
            for (std::size_t l = 0; l < sizeof(V) / sizeof(double); ++l) v[l] = neighbors::finish<N>(v[l], p);
        return v;
    }

    /// Add the distances from queries [from, to) to the packed rows [first, first + count), all of cluster c.
    template <int BYTES, class Real>
    static NOVUM_INLINE int run(const Real* rows, std::size_t d, double p, bool squared, const double* packed, std::size_t count,
                                std::size_t from, std::size_t to, std::size_t c, std::size_t k, std::size_t out_from, double* sum,
                                double* query) {
        using S = Simd<double, BYTES>;
        constexpr std::size_t L = S::LANES;
        for (std::size_t i = from; i < to; i += ROWS) {
            const std::size_t here = std::min(ROWS, to - i);
            for (std::size_t r = 0; r < ROWS; ++r)
                for (std::size_t t = 0; t < d; ++t) query[r * d + t] = static_cast<double>(rows[(i + std::min(r, here - 1)) * d + t]);
            typename S::V total[ROWS] = {};
            double rest[ROWS] = {};
            for (std::size_t v = 0; v < count; v += L) {
                typename S::V s[ROWS] = {};
                for (std::size_t t = 0; t < d; ++t) {
                    const typename S::V x = S::load(packed + t * TILE + v);
                    for (std::size_t r = 0; r < ROWS; ++r) neighbors::add_terms<N, BYTES>(s[r], x - query[r * d + t], p);
                }
                for (std::size_t r = 0; r < ROWS; ++r) {
                    if (!squared) s[r] = root(s[r], p);
                    if (v + L <= count)
                        total[r] += s[r];
                    else
                        for (std::size_t l = 0; v + l < count; ++l) rest[r] += s[r][l];
                }
            }
            for (std::size_t r = 0; r < here; ++r) sum[(i + r - out_from) * k + c] += panel::total<static_cast<int>(L)>(total[r]) + rest[r];
        }
        return 0;
    }
};

template <Norm N, class Real>
void all_sums(const Real* rows, std::size_t d, double p, bool squared, const std::int64_t* begin, std::size_t k, std::size_t from,
              std::size_t to, double* sum) {
    std::vector<double> packed(d * TILE), query(ROWS * d);
    std::fill(sum, sum + (to - from) * k, 0.0);
    for (std::size_t c = 0; c < k; ++c) {
        const auto end = static_cast<std::size_t>(begin[c + 1]);
        for (auto first = static_cast<std::size_t>(begin[c]); first < end; first += TILE) {
            interrupt::poll();
            const std::size_t count = std::min(TILE, end - first);
            for (std::size_t j = 0; j < count; ++j)
                for (std::size_t t = 0; t < d; ++t) packed[t * TILE + j] = static_cast<double>(rows[(first + j) * d + t]);
            widest<Sums<N>>(rows, d, p, squared, packed.data(), count, from, to, c, k, from, sum, query.data());
        }
    }
}

}  // namespace

template <class Real>
void cluster_sums(const Real* rows, std::size_t, std::size_t d, double p, bool squared, const std::int64_t* begin, std::size_t k,
                  std::size_t from, std::size_t to, double* sum) {
    switch (neighbors::norm_of(p)) {
        case Norm::one: all_sums<Norm::one>(rows, d, p, false, begin, k, from, to, sum); return;
        case Norm::two: all_sums<Norm::two>(rows, d, p, squared, begin, k, from, to, sum); return;
        case Norm::most: all_sums<Norm::most>(rows, d, p, false, begin, k, from, to, sum); return;
        case Norm::other: all_sums<Norm::other>(rows, d, p, false, begin, k, from, to, sum); return;
    }
}
template void cluster_sums(const float*, std::size_t, std::size_t, double, bool, const std::int64_t*, std::size_t, std::size_t, std::size_t,
                           double*);
template void cluster_sums(const double*, std::size_t, std::size_t, double, bool, const std::int64_t*, std::size_t, std::size_t,
                           std::size_t, double*);

}  // namespace novum::cluster
