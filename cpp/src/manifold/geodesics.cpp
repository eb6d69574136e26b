#include "novum/manifold/geodesics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "novum/runtime/interrupt.h"
#include "novum/runtime/simd.h"
#include "novum/runtime/vector_math.h"

namespace novum {
namespace {

constexpr double STEPS = 4;            // buckets that a mean edge reaches over: fewer relax nodes again, more are empty
constexpr std::size_t MOST = 1 << 14;  // buckets

/// Nodes by their distance in steps of one width, in a ring: no edge reaches further than around it.
class Ring {
  public:
    Ring(const double* length, std::size_t edges) {
        double sum = 0, longest = 0, width = 0;
        for (std::size_t e = 0; e < edges; ++e) sum += length[e], longest = std::max(longest, length[e]);
        width = std::max(sum / (STEPS * static_cast<double>(std::max<std::size_t>(edges, 1))), longest / static_cast<double>(MOST - 2));
        inverse = width > 0 ? 1 / width : 1;
        std::size_t count = 2;
        while (static_cast<double>(count) < longest * inverse + 2) count *= 2;
        buckets.resize(count);
    }

    void add(std::int32_t node, double distance) {
        buckets[static_cast<std::size_t>(distance * inverse) & (buckets.size() - 1)].push_back(node);
        ++waiting;
    }

    /// Return a node of the first bucket that has any; there must be one.
    std::int32_t pop() {
        while (buckets[at].empty()) at = (at + 1) & (buckets.size() - 1);
        const std::int32_t node = buckets[at].back();
        buckets[at].pop_back();
        --waiting;
        return node;
    }

    bool empty() const { return waiting == 0; }
    void restart() { at = 0; }

  private:
    double inverse;  // of the width of a bucket
    std::vector<std::vector<std::int32_t>> buckets;
    std::size_t at = 0, waiting = 0;
};

struct Edge {
    double length;
    std::int32_t to;
};

constexpr std::size_t WIDE = 8;  // columns of a product
constexpr std::size_t TALL = 4;  // rows that share the load of a factor

template <class Real>
struct SquaredProduct {
    template <int BYTES>
    static NOVUM_INLINE void run(const Real* P, const double* right, std::size_t rows, std::size_t n, double* out) {
        using D = Doubles<BYTES>;
        using V = typename D::V;
        constexpr std::size_t PARTS = WIDE / D::LANES;
        interrupt::Poller<64> poller;
        for (std::size_t start = 0; start < rows; start += TALL) {
            poller.tick();
            const std::size_t many = std::min(TALL, rows - start);
            V sum[TALL][PARTS] = {};
            const Real* row[TALL];
            for (std::size_t r = 0; r < TALL; ++r) row[r] = P + (start + std::min(r, many - 1)) * n;
            for (std::size_t j = 0; j < n; ++j) {
                V factor[PARTS];
                for (std::size_t c = 0; c < PARTS; ++c) factor[c] = D::load(right + j * WIDE + c * D::LANES);
                for (std::size_t r = 0; r < TALL; ++r) {
                    const double p = static_cast<double>(row[r][j]);
                    const V square = D::splat(p * p);
                    for (std::size_t c = 0; c < PARTS; ++c) sum[r][c] += square * factor[c];
                }
            }
            for (std::size_t r = 0; r < many; ++r)
                for (std::size_t c = 0; c < PARTS; ++c) D::store(out + (start + r) * WIDE + c * D::LANES, sum[r][c]);
        }
    }
};

}  // namespace

template <class Real>
void shortest_paths(const std::int64_t* begin, const std::int32_t* to, const double* length, std::size_t n, const std::int64_t* source,
                    std::size_t sources, Real* out) {
    constexpr double UNREACHED = std::numeric_limits<double>::infinity();
    const auto edges = static_cast<std::size_t>(begin[n]);
    Ring ring(length, edges);
    std::vector<Edge> leaving(edges);  // side by side: one line of the cache instead of two
    for (std::size_t e = 0; e < edges; ++e) leaving[e] = {length[e], to[e]};
    std::vector<double> distance(n), relaxed(n);  // the distance at which the edges of a node were followed last
    interrupt::Poller<65536> poller;
    for (std::size_t s = 0; s < sources; ++s) {
        interrupt::poll();
        std::fill(distance.begin(), distance.end(), UNREACHED);
        std::fill(relaxed.begin(), relaxed.end(), UNREACHED);
        distance[static_cast<std::size_t>(source[s])] = 0;
        ring.restart();
        ring.add(static_cast<std::int32_t>(source[s]), 0);
        while (!ring.empty()) {
            poller.tick();
            const auto node = static_cast<std::size_t>(ring.pop());
            const double here = distance[node];
            if (here == relaxed[node]) continue;
            relaxed[node] = here;
            for (std::int64_t e = begin[node]; e < begin[node + 1]; ++e) {
                const Edge edge = leaving[static_cast<std::size_t>(e)];
                const double there = here + edge.length;
                if (there < distance[static_cast<std::size_t>(edge.to)]) {
                    distance[static_cast<std::size_t>(edge.to)] = there;
                    ring.add(edge.to, there);
                }
            }
        }
        for (std::size_t i = 0; i < n; ++i) out[s * n + i] = static_cast<Real>(distance[i]);
    }
}

template <class Real>
void squared_product(const Real* P, const double* V, std::size_t rows, std::size_t n, double* out) {
    widest<SquaredProduct<Real>>(P, V, rows, n, out);
}

template void shortest_paths(const std::int64_t*, const std::int32_t*, const double*, std::size_t, const std::int64_t*, std::size_t,
                             float*);
template void shortest_paths(const std::int64_t*, const std::int32_t*, const double*, std::size_t, const std::int64_t*, std::size_t,
                             double*);
template void squared_product(const float*, const double*, std::size_t, std::size_t, double*);
template void squared_product(const double*, const double*, std::size_t, std::size_t, double*);

}  // namespace novum
