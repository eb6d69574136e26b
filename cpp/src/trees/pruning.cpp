#include "novum/trees/pruning.h"

#include <functional>
#include <queue>
#include <utility>

namespace novum::tree {

Links weakest_links(std::span<const std::int64_t> parent, std::span<const double> cost) {
    const std::size_t n = parent.size();
    std::vector<std::int64_t> leaves(n, 0);
    std::vector<std::uint8_t> inner(n, 0), gone(n, 0);
    std::vector<double> branch(n, 0.0);
    for (std::size_t i = 1; i < n; ++i) inner[static_cast<std::size_t>(parent[i])] = 1;
    for (std::size_t i = 0; i < n; ++i) {
        if (inner[i]) continue;
        for (auto at = static_cast<std::int64_t>(i); at >= 0; at = parent[static_cast<std::size_t>(at)]) {
            branch[static_cast<std::size_t>(at)] += cost[i];
            ++leaves[static_cast<std::size_t>(at)];
        }
    }
    std::vector<std::vector<std::uint32_t>> children(n);
    for (std::size_t i = 1; i < n; ++i) children[static_cast<std::size_t>(parent[i])].push_back(static_cast<std::uint32_t>(i));
    const auto link = [&](std::size_t i) { return (cost[i] - branch[i]) / static_cast<double>(leaves[i] - 1); };
    using Entry = std::pair<double, std::size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
    for (std::size_t i = 0; i < n; ++i)
        if (inner[i]) heap.emplace(link(i), i);
    Links out;
    out.alpha.push_back(0.0);
    out.impurity.push_back(branch[0]);
    std::vector<std::size_t> below;
    while (!heap.empty()) {
        const auto [alpha, node] = heap.top();
        heap.pop();
        if (!inner[node] || gone[node] || alpha != link(node)) continue;  // an old entry: the branch has changed since
        below.assign(1, node);
        while (!below.empty()) {
            const std::size_t at = below.back();
            below.pop_back();
            for (const std::uint32_t child : children[at])
                if (!gone[child]) {
                    gone[child] = 1;
                    below.push_back(child);
                }
        }
        const double rise = cost[node] - branch[node];
        const std::int64_t fewer = leaves[node] - 1;
        inner[node] = 0;
        leaves[node] = 1;
        branch[node] = cost[node];
        for (std::int64_t at = parent[node]; at >= 0; at = parent[static_cast<std::size_t>(at)]) {
            const auto u = static_cast<std::size_t>(at);
            branch[u] += rise;
            leaves[u] -= fewer;
            heap.emplace(link(u), u);
        }
        out.node.push_back(static_cast<std::int64_t>(node));
        out.alpha.push_back(alpha);
        out.impurity.push_back(branch[0]);
    }
    return out;
}

}  // namespace novum::tree
