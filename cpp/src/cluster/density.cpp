#include "novum/cluster/density.h"

#include <atomic>
#include <limits>
#include <vector>

#include "novum/runtime/interrupt.h"
#include "novum/search/walk.h"

namespace novum::cluster {

using neighbors::NOBODY;
using neighbors::Norm;
using neighbors::Tree;
using panel::Simd;

namespace {

std::int64_t root(std::int64_t* parent, std::int64_t i) {
    while (true) {
        std::atomic_ref<std::int64_t> mine(parent[i]);
        const std::int64_t up = mine.load(std::memory_order_relaxed);
        if (up == i) return i;
        const std::int64_t above = std::atomic_ref<std::int64_t>(parent[up]).load(std::memory_order_relaxed);
        if (above != up) mine.store(above, std::memory_order_relaxed);  // halves the path; losing a race costs a step
        i = above;
    }
}

/// The lower number becomes the root: every thread agrees, so links never form a circle.
void join(std::int64_t* parent, std::int64_t i, std::int64_t j) {
    while (true) {
        i = root(parent, i), j = root(parent, j);
        if (i == j) return;
        if (i > j) std::swap(i, j);
        std::int64_t expected = j;
        if (std::atomic_ref<std::int64_t>(parent[j]).compare_exchange_strong(expected, i, std::memory_order_relaxed)) return;
    }
}

/// A lower bound of the reduced distance between the boxes of two nodes.
template <Norm N>
NOVUM_INLINE double box_distance(const Tree& tree, std::size_t u, std::size_t v) {
    const std::size_t d = tree.d;
    const double *low = tree.bounds + u * 2 * d, *high = low + d, *other_low = tree.bounds + v * 2 * d, *other_high = other_low + d;
    double s = 0;
    for (std::size_t t = 0; t < d; ++t) {
        const double below = other_low[t] - high[t], above = low[t] - other_high[t];
        const double out = below > above ? below : above;
        neighbors::add_term<N>(s, out > 0 ? out : 0, tree.p);
    }
    return s * (1 - neighbors::ROUNDING);
}

struct Query {
    const Tree& tree;
    double eps, most, sure;  // most: reduced eps with room for rounding; sure: without any

    template <Norm N>
    static Query make(const Tree& tree, double eps) {
        const double s = neighbors::reduce<N>(eps, tree.p);
        return {tree, eps, neighbors::roomy(s), s / neighbors::roomy(1)};
    }
    template <Norm N>
    NOVUM_INLINE bool inside(double s) const {
        return s <= sure || (s <= most && neighbors::finish<N>(s, tree.p) <= eps);
    }
};

/// Call look(leaf) for all leaves from `first` on whose boxes may come within eps of that of `leaf`, until it returns false.
template <Norm N, class Look>
NOVUM_INLINE void leaves_near(const Query& query, std::size_t leaf, std::size_t first, Look look) {
    const Tree& tree = query.tree;
    struct Range {
        std::size_t a, b;
    } open[neighbors::DEEPEST];
    std::size_t count = 0;
    open[count++] = {0, tree.leaves};
    while (count) {
        const auto [a, b] = open[--count];
        if (b <= first) continue;
        if (box_distance<N>(tree, tree.leaves + leaf, b - a == 1 ? tree.leaves + a : (a + b + 1) / 2) > query.most) continue;
        if (b - a == 1) {
            if (!look(a)) return;
            continue;
        }
        const std::size_t m = (a + b + 1) / 2;
        const bool here_left = leaf < m;  // the half that holds the leaf itself first: it is full of near rows
        open[count++] = here_left ? Range{m, b} : Range{a, m};
        open[count++] = here_left ? Range{a, m} : Range{m, b};
    }
}

/// Rows of a leaf, each as a query.
struct Leaf {
    std::vector<double> x;  // (capacity, d)
    std::size_t n = 0;

    void take(const Tree& tree, std::size_t leaf) {
        const std::size_t c = tree.capacity, d = tree.d;
        x.resize(c * d);
        n = 0;
        while (n < c && tree.index[leaf * c + n] != NOBODY) ++n;
        for (std::size_t t = 0; t < d; ++t)
            for (std::size_t l = 0; l < n; ++l) x[l * d + t] = tree.packed[leaf * c * d + t * c + l];
    }
};

/// Call act(place) for the rows of a leaf within eps of q.
template <Norm N, int D, int BYTES, class Act>
NOVUM_INLINE void rows_near(const Query& query, const double* q, std::size_t leaf, Act act) {
    const Tree& tree = query.tree;
    constexpr std::size_t L = Simd<double, BYTES>::LANES;
    const double* packed = tree.packed + leaf * tree.capacity * tree.d;
    for (std::size_t v = 0; v < tree.capacity; v += L) {
        const auto s = neighbors::lane_distances<N, BYTES, D>(q, packed + v, tree.d, tree.capacity, tree.p);
        if (!(panel::least<static_cast<int>(L)>(s) <= query.most)) continue;
        for (std::size_t l = 0; l < L; ++l)
            if (query.inside<N>(s[l]) && tree.index[leaf * tree.capacity + v + l] != NOBODY) act(leaf * tree.capacity + v + l);
    }
}

template <Norm N, int D, bool>
struct FindCores {
    template <int BYTES>
    static NOVUM_INLINE int run(const Tree& tree, double eps, double need, const double* weight, bool negative, std::size_t a,
                                std::size_t b, std::uint8_t* core, std::int32_t* few, std::size_t most) {
        const Query query = Query::make<N>(tree, eps);
        const std::size_t c = tree.capacity;
        std::vector<double> sum(c);
        Leaf here;
        interrupt::Poller<8> poller;
        for (std::size_t leaf = a; leaf < b; ++leaf) {
            poller.tick();
            here.take(tree, leaf);
            std::fill(sum.begin(), sum.end(), 0.0);
            leaves_near<N>(query, leaf, 0, [&](std::size_t other) NOVUM_LAMBDA {
                bool open = negative;
                for (std::size_t l = 0; l < here.n; ++l) {
                    if (sum[l] >= need && !negative) continue;
                    const double* q = here.x.data() + l * tree.d;
                    if (neighbors::least_distance<N, D, false>(tree, q, tree.leaves + other) <= query.most) {
                        if (weight)
                            rows_near<N, D, BYTES>(query, q, other, [&](std::size_t place) NOVUM_LAMBDA { sum[l] += weight[place]; });
                        else
                            rows_near<N, D, BYTES>(query, q, other, [&](std::size_t place) NOVUM_LAMBDA {
                                const auto known = static_cast<std::size_t>(sum[l]);
                                if (known < most) few[(leaf * c + l) * most + known] = static_cast<std::int32_t>(place);
                                sum[l] += 1;
                            });
                    }
                    open = open || sum[l] < need;
                }
                return open;
            });
            for (std::size_t l = 0; l < c; ++l) core[leaf * c + l] = l < here.n && sum[l] >= need;
        }
        return 0;
    }
};

template <Norm N, int D, bool>
struct JoinInside {
    template <int BYTES>
    static NOVUM_INLINE int run(const Tree& tree, double eps, const std::uint8_t* core, std::int64_t* parent, std::uint8_t* whole,
                                std::size_t a, std::size_t b) {
        const Query query = Query::make<N>(tree, eps);
        const std::size_t c = tree.capacity;
        Leaf here;
        interrupt::Poller<64> poller;
        for (std::size_t leaf = a; leaf < b; ++leaf) {
            poller.tick();
            here.take(tree, leaf);
            std::uint64_t near[64] = {}, cores = 0, known = 0;  // bit m of near[l]: rows l and m are cores within eps of each other
            for (std::size_t l = 0; l < here.n; ++l) cores |= std::uint64_t{core[leaf * c + l]} << l;
            for (std::size_t l = 0; l < here.n; ++l)
                if (cores >> l & 1)
                    rows_near<N, D, BYTES>(query, here.x.data() + l * tree.d, leaf,
                                           [&](std::size_t place) NOVUM_LAMBDA { near[l] |= std::uint64_t{1} << (place - leaf * c); });
            std::size_t groups = 0;
            for (std::size_t l = 0; l < here.n; ++l) {
                if (!(cores >> l & 1) || known >> l & 1) continue;
                std::uint64_t group = std::uint64_t{1} << l, open = group;
                while (open) {
                    const auto m = static_cast<std::size_t>(__builtin_ctzll(open));
                    open = (open & (open - 1)) | (near[m] & cores & ~group);
                    group |= near[m] & cores;
                    parent[leaf * c + m] = static_cast<std::int64_t>(leaf * c + l);
                }
                known |= group, ++groups;
            }
            whole[leaf] = groups <= 1;
        }
        return 0;
    }
};

template <Norm N, int D, bool>
struct JoinAcross {
    template <int BYTES>
    static NOVUM_INLINE int run(const Tree& tree, double eps, const std::uint8_t* core, std::int64_t* parent, const std::uint8_t* whole,
                                std::size_t a, std::size_t b) {
        const Query query = Query::make<N>(tree, eps);
        const std::size_t c = tree.capacity;
        Leaf here;
        interrupt::Poller<8> poller;
        std::vector<std::int64_t> mine(c), theirs(c);
        // Roots of the cores of a leaf, -1 for the rest. Return the one they share, -1 if there is no core, -2 if they differ.
        auto roots = [&](std::size_t leaf, std::vector<std::int64_t>& out) NOVUM_LAMBDA {
            std::int64_t all = -1;
            for (std::size_t l = 0; l < c; ++l) {
                const std::size_t place = leaf * c + l;
                out[l] = !core[place] ? -1 : all >= 0 && whole[leaf] ? all : root(parent, static_cast<std::int64_t>(place));
                if (out[l] >= 0) all = all == -1 || all == out[l] ? out[l] : -2;
            }
            return all;
        };
        for (std::size_t leaf = a; leaf < b; ++leaf) {
            poller.tick();
            std::int64_t here_all = roots(leaf, mine);
            if (here_all == -1) continue;
            here.take(tree, leaf);
            leaves_near<N>(query, leaf, leaf + 1, [&](std::size_t other) NOVUM_LAMBDA {
                const std::int64_t there_all = roots(other, theirs);
                if (there_all == -1 || (there_all >= 0 && there_all == here_all)) return true;
                bool joined = false;
                for (std::size_t l = 0; l < here.n; ++l) {
                    if (mine[l] < 0 || (mine[l] == there_all)) continue;
                    const double* q = here.x.data() + l * tree.d;
                    if (neighbors::least_distance<N, D, false>(tree, q, tree.leaves + other) > query.most) continue;
                    rows_near<N, D, BYTES>(query, q, other, [&](std::size_t place) NOVUM_LAMBDA {
                        if (!core[place] || theirs[place - other * c] == mine[l]) return;
                        join(parent, static_cast<std::int64_t>(leaf * c + l), static_cast<std::int64_t>(place));
                        joined = true;
                    });
                    if (joined && whole[leaf] && whole[other]) break;  // two leaves that are one each need one link
                }
                if (joined) here_all = roots(leaf, mine);
                return true;
            });
        }
        return 0;
    }
};

template <Norm N, int D, bool>
struct ReachBorders {
    template <int BYTES>
    static NOVUM_INLINE int run(const Tree& tree, double eps, const std::uint8_t* core, std::size_t a, std::size_t b, std::int64_t* label) {
        const Query query = Query::make<N>(tree, eps);
        const std::size_t c = tree.capacity;
        Leaf here;
        interrupt::Poller<8> poller;
        for (std::size_t leaf = a; leaf < b; ++leaf) {
            poller.tick();
            here.take(tree, leaf);
            bool any = false;
            for (std::size_t l = 0; l < here.n; ++l) any = any || !core[leaf * c + l];
            if (!any) continue;
            leaves_near<N>(query, leaf, 0, [&](std::size_t other) NOVUM_LAMBDA {
                for (std::size_t l = 0; l < here.n; ++l) {
                    const double* q = here.x.data() + l * tree.d;
                    if (core[leaf * c + l] || neighbors::least_distance<N, D, false>(tree, q, tree.leaves + other) > query.most) continue;
                    std::int64_t& mine = label[leaf * c + l];
                    rows_near<N, D, BYTES>(query, q, other, [&](std::size_t place) NOVUM_LAMBDA {
                        if (core[place] && (mine < 0 || label[place] < mine)) mine = label[place];
                    });
                }
                return true;
            });
        }
        return 0;
    }
};

}  // namespace

void find_cores(const Tree& tree, double eps, double need, const double* weight, bool negative, std::size_t a, std::size_t b,
                std::uint8_t* core, std::int32_t* few, std::size_t most) {
    neighbors::dispatch<FindCores, false>(tree, eps, need, weight, negative, a, b, core, few, most);
}

void join_inside(const Tree& tree, double eps, const std::uint8_t* core, std::int64_t* parent, std::uint8_t* whole, std::size_t a,
                 std::size_t b) {
    neighbors::dispatch<JoinInside, false>(tree, eps, core, parent, whole, a, b);
}

void join_across(const Tree& tree, double eps, const std::uint8_t* core, std::int64_t* parent, const std::uint8_t* whole, std::size_t a,
                 std::size_t b) {
    neighbors::dispatch<JoinAcross, false>(tree, eps, core, parent, whole, a, b);
}

std::int64_t number_clusters(const Tree& tree, const std::uint8_t* core, std::int64_t* parent, std::int64_t* label) {
    const std::size_t places = tree.leaves * tree.capacity;
    std::vector<std::size_t> place_of(tree.n);
    std::vector<std::int64_t> number(places, -1);
    for (std::size_t i = 0; i < places; ++i)
        if (tree.index[i] != NOBODY) place_of[panel::at(tree.index[i])] = i;
    std::int64_t count = 0;
    std::fill(label, label + places, -1);
    for (const std::size_t place : place_of) {
        if (!core[place]) continue;
        std::int64_t& mine = number[panel::at(root(parent, static_cast<std::int64_t>(place)))];
        if (mine < 0) mine = count++;
        label[place] = mine;
    }
    return count;
}

void reach_listed(const Tree& tree, const std::uint8_t* core, const std::int32_t* few, std::size_t most, std::int64_t* label) {
    for (std::size_t place = 0; place < tree.leaves * tree.capacity; ++place) {
        if (core[place] || tree.index[place] == NOBODY) continue;
        for (std::size_t i = 0; i < most && few[place * most + i] >= 0; ++i) {
            const auto other = static_cast<std::size_t>(few[place * most + i]);
            if (core[other] && (label[place] < 0 || label[other] < label[place])) label[place] = label[other];
        }
    }
}

void reach_borders(const Tree& tree, double eps, const std::uint8_t* core, std::size_t a, std::size_t b, std::int64_t* label) {
    neighbors::dispatch<ReachBorders, false>(tree, eps, core, a, b, label);
}

}  // namespace novum::cluster
