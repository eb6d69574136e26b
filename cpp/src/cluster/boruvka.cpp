#include "novum/cluster/boruvka.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "novum/runtime/interrupt.h"
#include "novum/search/walk.h"

namespace novum::cluster {

using neighbors::Norm;
using neighbors::Tree;
using panel::at;
using panel::Simd;

namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();

bool lighter(const Boruvka::Candidate& a, const Boruvka::Candidate& b) {
    return a.weight < b.weight || (a.weight == b.weight && a.row < b.row);
}

/// The lightest edge from x to a row of another component, of weight at most `found.weight`, into `found`.
template <Norm N, int D, bool BALL>
struct Outside {
    template <int BYTES>
    static NOVUM_INLINE int run(const Tree& tree, const double* x, double core, std::int64_t own, const Boruvka::View& view,
                                Boruvka::Candidate& found) {
        constexpr std::size_t L = Simd<double, BYTES>::LANES;
        struct Branch {
            std::size_t a, b;
            double bound;
        };
        Branch open[neighbors::DEEPEST];
        std::size_t count = 0;
        double most = neighbors::roomy(neighbors::reduce<N>(found.weight, tree.p));
        auto node = [&](std::size_t a, std::size_t b) NOVUM_LAMBDA { return b - a == 1 ? tree.leaves + a : (a + b + 1) / 2; };
        auto look = [&](std::size_t leaf) NOVUM_LAMBDA {
            const double* packed = tree.packed + leaf * tree.capacity * tree.d;
            for (std::size_t v = 0; v < tree.capacity; v += L) {
                const auto s = neighbors::lane_distances<N, BYTES, D>(x, packed + v, tree.d, tree.capacity, tree.p);
                if (!(panel::least<static_cast<int>(L)>(s) <= most)) continue;
                const std::size_t from = leaf * tree.capacity + v;
                for (std::size_t l = 0; l < L; ++l) {
                    if (!(s[l] <= most) || view.place_component[from + l] == own) continue;
                    double weight = std::max(neighbors::finish<N>(s[l], tree.p), core);
                    if (view.place_core) weight = std::max(weight, view.place_core[from + l]);
                    const Boruvka::Candidate here{weight, tree.index[from + l]};
                    if (lighter(here, found)) found = here, most = neighbors::roomy(neighbors::reduce<N>(weight, tree.p));
                }
            }
        };
        open[count++] = {0, tree.leaves, 0};
        while (count) {
            Branch here = open[--count];
            if (here.bound > most) continue;
            while (here.b - here.a > 1) {
                const std::size_t m = (here.a + here.b + 1) / 2, l = node(here.a, m), r = node(m, here.b);
                Branch left{here.a, m, view.node_component[l] == own ? INFINITE : neighbors::least_distance<N, D, BALL>(tree, x, l)};
                Branch right{m, here.b, view.node_component[r] == own ? INFINITE : neighbors::least_distance<N, D, BALL>(tree, x, r)};
                if (right.bound < left.bound) std::swap(left, right);
                if (right.bound <= most && right.bound < INFINITE) open[count++] = right;
                here = left;
                if (here.bound > most || !(here.bound < INFINITE)) break;
            }
            if (here.b - here.a == 1 && here.bound <= most && here.bound < INFINITE) look(here.a);
        }
        return 0;
    }
};

void lower(std::atomic<double>& best, double value) {
    double known = best.load(std::memory_order_relaxed);
    while (value < known && !best.compare_exchange_weak(known, value, std::memory_order_relaxed)) {}
}

}  // namespace

Boruvka::Boruvka(const Tree& tree, neighbors::Table<double> rows, const double* core, const double* list_distance,
                 const std::int64_t* list_index, std::size_t k)
    : tree(tree),
      rows(rows),
      core(core),
      list_distance(list_distance),
      list_index(list_index),
      k(k),
      parent(rows.n),
      component(rows.n),
      node_component(2 * tree.leaves, -1),
      place_component(tree.leaves * tree.capacity),
      place_core(core ? tree.leaves * tree.capacity : 0, INFINITE),
      bound(rows.n, 0.0),
      candidate(rows.n, Candidate{INFINITE, -1}),
      best(rows.n) {
    std::iota(parent.begin(), parent.end(), 0);
    if (core)
        for (std::size_t i = 0; i < place_component.size(); ++i)
            if (tree.index[i] != neighbors::NOBODY) place_core[i] = core[at(tree.index[i])];
    if (core) std::copy(core, core + rows.n, bound.begin());
}

std::int64_t Boruvka::root(std::int64_t i) {
    while (parent[at(i)] != i) i = parent[at(i)] = parent[at(parent[at(i)])];
    return i;
}

double Boruvka::weight(std::int64_t i, std::int64_t j, double distance) const {
    return core ? std::max({distance, core[at(i)], core[at(j)]}) : distance;
}

void Boruvka::mark_nodes() {
    for (std::size_t i = 0; i < place_component.size(); ++i)
        place_component[i] = tree.index[i] == neighbors::NOBODY ? -1 : component[at(tree.index[i])];
    for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf) {
        const std::int64_t* first = place_component.data() + leaf * tree.capacity;
        std::int64_t all = first[0];
        for (std::size_t l = 1; l < tree.capacity; ++l)
            if (first[l] != all && first[l] != -1) all = -1;
        node_component[tree.leaves + leaf] = all;
    }
    auto mark = [&](auto&& self, std::size_t a, std::size_t b) -> std::int64_t {
        if (b - a == 1) return node_component[tree.leaves + a];
        const std::size_t m = (a + b + 1) / 2;
        const std::int64_t left = self(self, a, m), right = self(self, m, b);
        return node_component[m] = left == right ? left : -1;
    };
    mark(mark, 0, tree.leaves);
}

std::size_t Boruvka::prepare() {
    const std::size_t n = rows.n;
    for (std::size_t i = 0; i < n; ++i)
        component[i] = root(static_cast<std::int64_t>(i)), best[i].store(INFINITE, std::memory_order_relaxed);
    mark_nodes();
    waiting.clear();
    interrupt::poll();
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t me = static_cast<std::int64_t>(i), own = component[i];
        Candidate& mine = candidate[i];
        if (mine.row < 0 || component[at(mine.row)] == own) {
            mine = {INFINITE, -1};
            for (std::size_t j = 0; j < k; ++j) {
                const std::int64_t other = list_index[i * k + j];
                if (component[at(other)] == own) continue;
                const Candidate here{weight(me, other, list_distance[i * k + j]), other};
                if (lighter(here, mine)) mine = here;
            }
            // a row that is not listed is no nearer than the last one that is
            if (k) bound[i] = std::max(bound[i], std::min(mine.weight, list_distance[i * k + k - 1]));
        }
        if (mine.row < 0 || mine.weight > bound[i]) waiting.push_back(i);  // an edge as light as the bound is the lightest
        if (mine.row >= 0) lower(best[at(own)], mine.weight);
    }
    std::erase_if(waiting, [&](std::size_t i) { return bound[i] > best[at(component[i])].load(std::memory_order_relaxed); });
    std::sort(waiting.begin(), waiting.end(),
              [&](std::size_t a, std::size_t b) { return bound[a] < bound[b] || (bound[a] == bound[b] && a < b); });
    return waiting.size();
}

void Boruvka::search(std::size_t begin, std::size_t end) {
    const View view{node_component.data(), place_component.data(), core ? place_core.data() : nullptr};
    interrupt::Poller<64> poller;
    for (std::size_t w = begin; w < end; ++w) {
        poller.tick();
        const std::size_t i = waiting[w];
        std::atomic<double>& most = best[at(component[i])];
        const double limit = most.load(std::memory_order_relaxed);
        if (bound[i] > limit) continue;
        Candidate found{limit, neighbors::NOBODY};
        if (candidate[i].row >= 0 && lighter(candidate[i], found)) found = candidate[i];
        const double* x = rows.row(i);
        neighbors::dispatch<Outside>(tree, x, core ? core[i] : 0.0, component[i], view, found);
        bound[i] = std::max(bound[i], found.weight);
        if (found.row == neighbors::NOBODY) {
            candidate[i] = {INFINITE, -1};
            continue;
        }
        candidate[i] = found;
        lower(most, found.weight);
    }
}

std::size_t Boruvka::merge() {
    const std::size_t n = rows.n;
    std::vector<std::int64_t> chosen(n, -1);  // by component: the row that its lightest edge leaves
    auto before = [&](std::size_t i, std::size_t j) {
        const Candidate &a = candidate[i], &b = candidate[j];
        if (a.weight != b.weight) return a.weight < b.weight;
        const auto from = static_cast<std::int64_t>(i), other = static_cast<std::int64_t>(j);
        const std::pair low{std::min(from, a.row), std::max(from, a.row)}, high{std::min(other, b.row), std::max(other, b.row)};
        return low < high;
    };
    for (std::size_t i = 0; i < n; ++i) {
        if (candidate[i].row < 0) continue;
        std::int64_t& best_row = chosen[at(component[i])];
        if (best_row < 0 || before(i, at(best_row))) best_row = static_cast<std::int64_t>(i);
    }
    for (std::size_t c = 0; c < n; ++c) {
        if (chosen[c] < 0) continue;
        const std::int64_t a = root(chosen[c]), b = root(candidate[at(chosen[c])].row);
        if (a == b) continue;
        parent[at(std::max(a, b))] = std::min(a, b);
        edge_from.push_back(chosen[c]);
        edge_to.push_back(candidate[at(chosen[c])]);
    }
    return n - edge_to.size();
}

void Boruvka::edges(Merges out) const {
    for (std::size_t e = 0; e < edge_to.size(); ++e) {
        out.pair[2 * e] = edge_from[e], out.pair[2 * e + 1] = edge_to[e].row;
        out.height[e] = edge_to[e].weight;
    }
}

}  // namespace novum::cluster
