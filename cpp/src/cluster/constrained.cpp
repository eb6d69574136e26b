#include "novum/cluster/constrained.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>
#include <vector>

#include "novum/runtime/interrupt.h"
#include "novum/runtime/panels.h"

namespace novum::cluster {

namespace {

using panel::at;

struct Neighbor {
    std::int64_t number;
    double weight;
};
using List = std::vector<Neighbor>;  // by number

struct Waiting {
    double weight;
    std::int64_t a, b;
    bool operator<(const Waiting& other) const {  // a heap has the largest on top
        return std::tie(weight, a, b) > std::tie(other.weight, other.a, other.b);
    }
};

double shared_weight(Linkage linkage, double a, double b, double na, double nb) {
    switch (linkage) {
        case Linkage::complete: return std::max(a, b);
        case Linkage::single: return std::min(a, b);
        default: return (na * a + nb * b) / (na + nb);
    }
}

struct State {
    Linkage linkage;
    std::size_t d;
    std::vector<List> list;
    std::vector<double> size, center;  // by number: rows first, then what merges made
    std::vector<bool> gone;
    std::priority_queue<Waiting> heap;

    double ward(std::int64_t a, std::int64_t b) const {
        const double *x = center.data() + at(a) * d, *y = center.data() + at(b) * d;
        double s = 0;
        for (std::size_t t = 0; t < d; ++t) s += (x[t] - y[t]) * (x[t] - y[t]);
        return s * size[at(a)] * size[at(b)] / (size[at(a)] + size[at(b)]);
    }

    /// What two merged clusters border on, without themselves.
    List joined(std::int64_t a, std::int64_t b) const {
        const List &x = list[at(a)], &y = list[at(b)];
        List out;
        out.reserve(x.size() + y.size());
        for (std::size_t i = 0, j = 0; i < x.size() || j < y.size();) {
            const bool left = j == y.size() || (i < x.size() && x[i].number <= y[j].number);
            const bool right = i == x.size() || (j < y.size() && y[j].number <= x[i].number);
            Neighbor next = left ? x[i] : y[j];
            if (left && right) next.weight = shared_weight(linkage, x[i].weight, y[j].weight, size[at(a)], size[at(b)]);
            i += left, j += right;
            if (!gone[at(next.number)] && next.number != a && next.number != b) out.push_back(next);
        }
        return out;
    }
};

}  // namespace

std::size_t constrained(Linkage linkage, const Edge* edges, std::size_t m, const double* rows, std::size_t n, std::size_t d,
                        std::size_t stop, std::int64_t* children, double* height) {
    const bool ward = linkage == Linkage::ward;
    const std::size_t most = 2 * n;
    State state{linkage, ward ? d : 0, std::vector<List>(most), std::vector<double>(most, 1.0), {}, std::vector<bool>(most, false), {}};
    if (ward) {
        state.center.assign(rows, rows + n * d);
        state.center.resize(most * d);
    }
    for (std::size_t e = 0; e < m; ++e) {
        const auto [a, b, weight] = edges[e];
        const double w = ward ? state.ward(a, b) : weight;
        state.list[at(a)].push_back({b, w}), state.list[at(b)].push_back({a, w});
        state.heap.push({w, std::max(a, b), std::min(a, b)});
    }
    for (std::size_t i = 0; i < n; ++i)
        std::sort(state.list[i].begin(), state.list[i].end(), [](const Neighbor& a, const Neighbor& b) { return a.number < b.number; });
    std::size_t merges = 0;
    interrupt::Poller<256> poller;
    while (merges + stop < n && !state.heap.empty()) {
        poller.tick();
        const Waiting top = state.heap.top();
        state.heap.pop();
        if (state.gone[at(top.a)] || state.gone[at(top.b)]) continue;
        const std::int64_t made = static_cast<std::int64_t>(n + merges);
        children[2 * merges] = std::min(top.a, top.b), children[2 * merges + 1] = std::max(top.a, top.b);
        height[merges++] = ward ? std::sqrt(2 * top.weight) : top.weight;
        List borders = state.joined(top.a, top.b);
        const double na = state.size[at(top.a)], nb = state.size[at(top.b)];
        state.size[at(made)] = na + nb;
        for (std::size_t t = 0; t < state.d; ++t)
            state.center[at(made) * d + t] = (na * state.center[at(top.a) * d + t] + nb * state.center[at(top.b) * d + t]) / (na + nb);
        state.gone[at(top.a)] = state.gone[at(top.b)] = true;
        List().swap(state.list[at(top.a)]), List().swap(state.list[at(top.b)]);
        for (Neighbor& other : borders) {
            if (ward) other.weight = state.ward(made, other.number);
            state.list[at(other.number)].push_back({made, other.weight});  // the highest number yet: the list stays sorted
            state.heap.push({other.weight, made, other.number});
        }
        state.list[at(made)] = std::move(borders);
    }
    return merges;
}

}  // namespace novum::cluster
