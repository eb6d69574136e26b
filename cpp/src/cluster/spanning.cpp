// Merges from the rows themselves, without a matrix: Ward's by centers, single linkage by Prim's spanning tree; and the numbers of
// clusters.
//
// Points lie column by column; the place of one that is gone is taken by the last, so that scans meet the living only.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "novum/cluster/hierarchy.h"
#include "novum/runtime/interrupt.h"
#include "novum/runtime/team.h"
#include "novum/search/norms.h"

namespace novum::cluster {

namespace {

using neighbors::Norm;
using panel::Simd;
constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr std::size_t NONE = std::numeric_limits<std::size_t>::max();
constexpr std::size_t LANE = 8;           // of the widest vector: places are padded to it
constexpr std::size_t SHARED = 1u << 17;  // coordinates from which on two threads share a scan: below, calling one costs more
constexpr std::size_t LEAST_PART = 1u << 12;

struct Least {
    double value = INFINITE;
    std::size_t place = NONE;
};

/// Points column by column, with names that move along.
struct Points {
    std::size_t m, d, stride;
    std::vector<double> column;
    std::vector<std::int64_t> row;

    Points(const double* rows, std::size_t n, std::size_t d)
        : m(n), d(d), stride((n + LANE - 1) / LANE * LANE), column(stride * d, INFINITE), row(n) {
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t t = 0; t < d; ++t) column[t * stride + i] = rows[i * d + t];
        std::iota(row.begin(), row.end(), 0);
    }
    void take(std::size_t i, double* x) const {
        for (std::size_t t = 0; t < d; ++t) x[t] = column[t * stride + i];
    }
    void put(std::size_t i, const double* x) {
        for (std::size_t t = 0; t < d; ++t) column[t * stride + i] = x[t];
    }
    /// The last point moves to place i; where it was nobody is.
    void drop(std::size_t i) {
        --m;
        for (std::size_t t = 0; t < d; ++t) column[t * stride + i] = column[t * stride + m], column[t * stride + m] = INFINITE;
        row[i] = row[m];
    }
};

/// The least over all places, parts of them by the threads of a team; the first of equals whoever looked.
template <class Scan>
Least shared(Team& team, std::size_t m, std::size_t d, Scan scan) {
    if (team.size() == 1 || m * d < SHARED) return scan(std::size_t{0}, m);
    const std::size_t parts = 2 * static_cast<std::size_t>(team.size());
    const std::size_t each = std::max(LEAST_PART, (m / parts + LANE) / LANE * LANE), count = (m + each - 1) / each;
    std::vector<Least> found(count);
    team.run(static_cast<std::uint32_t>(count),
             [&](std::uint32_t part, int) { found[part] = scan(part * each, std::min(m, (part + 1) * each)); });
    Least best;
    for (const Least& each_found : found)
        if (each_found.value < best.value) best = each_found;
    return best;
}

struct WardScan {
    /// The least n_j n_x / (n_j + n_x) |c_j - x|^2 of places [begin, end).
    template <int BYTES>
    static NOVUM_INLINE Least run(const Points& points, const double* size, const double* x, double mass, std::size_t self,
                                  std::size_t begin, std::size_t end) {
        using S = Simd<double, BYTES>;
        constexpr std::size_t L = S::LANES;
        Least best;
        const double* c = points.column.data();
        for (std::size_t j = begin; j < end; j += 2 * L) {
            typename S::V s{}, u{};
            const bool two = j + L < points.stride;
            for (std::size_t t = 0; t < points.d; ++t) {
                const double* at = c + t * points.stride + j;
                const typename S::V a = S::load(at) - x[t];
                s += a * a;
                if (two) {
                    const typename S::V b = S::load(at + L) - x[t];
                    u += b * b;
                }
            }
            auto weigh = [&](typename S::V v, std::size_t from) NOVUM_LAMBDA {
                const typename S::V n = S::load(size + from);
                v = v * (n * mass / (n + mass));
                if (!(panel::least<static_cast<int>(L)>(v) < best.value)) return;
                for (std::size_t l = 0; l < L && from + l < end; ++l)
                    if (v[l] < best.value && from + l != self) best = {v[l], from + l};
            };
            weigh(s, j);
            if (two && j + L < end) weigh(u, j + L);
        }
        return best;
    }
};

template <Norm N>
struct PrimScan {
    /// Bring the distances to the tree up to date with its newest point x; return the nearest of places [begin, end).
    template <int BYTES>
    static NOVUM_INLINE Least run(const Points& points, const double* x, std::int64_t name, double p, double* near, std::int64_t* from,
                                  std::size_t begin, std::size_t end) {
        using S = Simd<double, BYTES>;
        constexpr std::size_t L = S::LANES;
        Least best;
        for (std::size_t j = begin; j < end; j += L) {
            const auto s = neighbors::lane_distances<N, BYTES>(x, points.column.data() + j, points.d, points.stride, p);
            typename S::V old = S::load(near + j);
            const typename S::I closer = s < old;
            old = closer ? s : old;
            S::store(near + j, old);
            typename S::I names;
            std::memcpy(&names, from + j, sizeof names);
            names = closer ? typename S::I{} + name : names;
            std::memcpy(from + j, &names, sizeof names);
            if (panel::least<static_cast<int>(L)>(old) < best.value)
                for (std::size_t l = 0; l < L && j + l < end; ++l)
                    if (old[l] < best.value) best = {old[l], j + l};
        }
        return best;
    }
};

template <Norm N>
void prim(Points points, double p, int threads, Merges out) {
    Team team(points.m * points.d < SHARED ? 1 : threads);
    const std::size_t n = points.m;
    std::vector<double> near(points.stride, INFINITE), x(points.d);
    std::vector<std::int64_t> from(points.stride, 0);
    interrupt::Poller<16> poller;
    std::size_t place = 0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
        poller.tick();
        const std::int64_t name = points.row[place];
        points.take(place, x.data());
        points.drop(place);
        near[place] = near[points.m], from[place] = from[points.m], near[points.m] = INFINITE;
        const Least best = shared(team, points.m, points.d, [&](std::size_t begin, std::size_t end) {
            return widest<PrimScan<N>>(points, x.data(), name, p, near.data(), from.data(), begin, end);
        });
        place = best.place == NONE ? 0 : best.place;  // NaN or infinity: any will do, the caller looks at the heights
        out.pair[2 * i] = from[place], out.pair[2 * i + 1] = points.row[place];
        out.height[i] = neighbors::finish<N>(near[place], p);
    }
}

}  // namespace

void ward_chain(const double* rows, std::size_t n, std::size_t d, int threads, Merges out) {
    Points points(rows, n, d);
    Team team(n * d < SHARED ? 1 : threads);
    std::vector<double> size(points.stride, 1.0), x(d), y(d);
    std::vector<std::size_t> chain, position(n, NONE);  // position: where a place stands in the chain
    std::vector<double> link;                           // from every member of the chain to the one before it
    interrupt::Poller<16> poller;
    for (std::size_t i = 0; i + 1 < n; ++i) {
        if (chain.empty()) chain.push_back(0), link.push_back(INFINITE), position[0] = 0;
        while (true) {
            poller.tick();
            const std::size_t at = chain.back(), before = chain.size() > 1 ? chain[chain.size() - 2] : NONE;
            points.take(at, x.data());
            Least next = shared(team, points.m, d, [&](std::size_t begin, std::size_t end) {
                return widest<WardScan>(points, size.data(), x.data(), size[at], at, begin, end);
            });
            if (next.place == NONE) next.place = before != NONE ? before : (at + 1) % points.m;
            if (before != NONE && !(next.value < link.back()))
                next = {link.back(), before};  // ties: the one before, or the chain runs in circles
            if (next.place == before) break;
            link.push_back(next.value);
            position[next.place] = chain.size();
            chain.push_back(next.place);
        }
        const std::size_t a = chain.back(), b = chain[chain.size() - 2];
        const double height = link.back();
        chain.resize(chain.size() - 2), link.resize(chain.size());
        position[a] = position[b] = NONE;
        out.pair[2 * i] = points.row[a], out.pair[2 * i + 1] = points.row[b], out.height[i] = std::sqrt(2 * height);
        points.take(b, y.data());
        const double na = size[a], nb = size[b];
        for (std::size_t t = 0; t < d; ++t) y[t] = (na * x[t] + nb * y[t]) / (na + nb);
        points.put(b, y.data());
        size[b] = na + nb;
        const std::size_t last = points.m - 1;
        points.drop(a);
        size[a] = size[last];
        if (last != a) {
            position[a] = position[last];
            if (position[a] != NONE) chain[position[a]] = a;
        }
        position[last] = NONE;
    }
}

void spanning_tree(const double* rows, std::size_t n, std::size_t d, double p, int threads, Merges out) {
    switch (neighbors::norm_of(p)) {
        case Norm::one: prim<Norm::one>(Points(rows, n, d), p, threads, out); return;
        case Norm::two: prim<Norm::two>(Points(rows, n, d), p, threads, out); return;
        case Norm::most: prim<Norm::most>(Points(rows, n, d), p, threads, out); return;
        case Norm::other: prim<Norm::other>(Points(rows, n, d), p, threads, out); return;
    }
}

void spanning_tree(const double* matrix, std::size_t n, Merges out) {
    std::vector<double> near(n, INFINITE);
    std::vector<std::size_t> from(n, 0), outside(n);
    std::iota(outside.begin(), outside.end(), std::size_t{0});
    interrupt::Poller<16> poller;
    std::size_t newest = 0, place = 0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
        poller.tick();
        outside[place] = outside.back(), outside.pop_back();
        const double* d = matrix + newest * n;
        place = 0;
        for (std::size_t j = 0; j < outside.size(); ++j) {
            const std::size_t k = outside[j];
            if (d[k] < near[k]) near[k] = d[k], from[k] = newest;
            if (near[k] < near[outside[place]] || (near[k] == near[outside[place]] && k < outside[place])) place = j;
        }
        newest = outside[place];
        out.pair[2 * i] = static_cast<std::int64_t>(from[newest]), out.pair[2 * i + 1] = static_cast<std::int64_t>(newest);
        out.height[i] = near[newest];
    }
}

void tree_of(const std::int64_t* pair, std::size_t m, std::size_t n, std::int64_t* children, std::int64_t* size) {
    std::vector<std::int64_t> parent(n + m), count(n + m, 1);
    std::iota(parent.begin(), parent.end(), 0);
    auto root = [&](std::int64_t x) {
        while (parent[panel::at(x)] != x) x = parent[panel::at(x)] = parent[panel::at(parent[panel::at(x)])];
        return x;
    };
    for (std::size_t i = 0; i < m; ++i) {
        const std::int64_t a = root(pair[2 * i]), b = root(pair[2 * i + 1]), made = static_cast<std::int64_t>(n + i);
        parent[panel::at(a)] = parent[panel::at(b)] = made;
        count[n + i] = size[i] = count[panel::at(a)] + count[panel::at(b)];
        children[2 * i] = std::min(a, b), children[2 * i + 1] = std::max(a, b);
    }
}

}  // namespace novum::cluster
