#include "novum/factors/elimination.h"
#include "novum/runtime/interrupt.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace novum::factors {

namespace {

constexpr double DEAR = 4096;  // cells of all cliques together below which a better order cannot repay the search for it

// The graph as rows of bits, over the variables that take part.
class Graph {
  public:
    explicit Graph(std::size_t n) : words((n + 63) / 64), bits(n * words, 0) {}

    std::uint64_t* row(std::size_t v) { return bits.data() + v * words; }
    const std::uint64_t* row(std::size_t v) const { return bits.data() + v * words; }

    void join(std::size_t a, std::size_t b) {
        row(a)[b / 64] |= std::uint64_t{1} << (b % 64);
        row(b)[a / 64] |= std::uint64_t{1} << (a % 64);
    }
    void cut(std::size_t a, std::size_t b) { row(a)[b / 64] &= ~(std::uint64_t{1} << (b % 64)); }

    void neighbours(std::size_t v, std::vector<std::int32_t>& out) const {
        out.clear();
        const std::uint64_t* r = row(v);
        for (std::size_t w = 0; w < words; ++w)
            for (std::uint64_t word = r[w]; word; word &= word - 1)
                out.push_back(static_cast<std::int32_t>(w * 64 + static_cast<std::size_t>(std::countr_zero(word))));
    }

    std::size_t words;

  private:
    std::vector<std::uint64_t> bits;
};

}  // namespace

Elimination eliminate(const std::vector<std::vector<std::int32_t>>& scopes, const std::vector<std::int32_t>& cards,
                      const std::vector<std::int32_t>& group, Rule rule) {
    std::vector<std::int32_t> local(cards.size(), -1), global;
    for (const auto& scope : scopes)
        for (auto v : scope)
            if (group[static_cast<std::size_t>(v)] >= 0) local[static_cast<std::size_t>(v)] = 0;
    for (std::size_t v = 0; v < cards.size(); ++v)
        if (local[v] == 0) local[v] = static_cast<std::int32_t>(global.size()), global.push_back(static_cast<std::int32_t>(v));
    const std::size_t n = global.size();
    Graph graph(n);
    for (const auto& scope : scopes)
        for (std::size_t i = 0; i < scope.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const auto a = local[static_cast<std::size_t>(scope[i])], b = local[static_cast<std::size_t>(scope[j])];
                if (a >= 0 && b >= 0 && a != b) graph.join(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
            }
    std::vector<double> weight(n), score(n);
    std::vector<std::int32_t> level(n);
    for (std::size_t v = 0; v < n; ++v) {
        weight[v] = std::log2(static_cast<double>(cards[static_cast<std::size_t>(global[v])]));
        level[v] = group[static_cast<std::size_t>(global[v])];
    }
    std::vector<std::int32_t> around, second;
    std::vector<double> size(n);
    // Scores compare lexicographically through one number: the rule's own count, then the size of the clique.
    const auto rate = [&](std::size_t v) {
        graph.neighbours(v, around);
        double log_size = weight[v];
        for (auto u : around) log_size += weight[static_cast<std::size_t>(u)];
        size[v] = log_size;
        if (rule == Rule::min_weight) {
            score[v] = log_size;
            return;
        }
        const std::uint64_t* mine = graph.row(v);
        double missing = 0;
        for (auto u : around) {
            const std::uint64_t* theirs = graph.row(static_cast<std::size_t>(u));
            if (rule == Rule::min_fill) {
                int lacking = -1;  // u is in its own neighbourhood's complement
                for (std::size_t w = 0; w < graph.words; ++w) lacking += std::popcount(mine[w] & ~theirs[w]);
                missing += lacking;
            } else {
                for (std::size_t w = 0; w < graph.words; ++w)
                    for (std::uint64_t word = mine[w] & ~theirs[w]; word; word &= word - 1) {
                        const std::size_t x = w * 64 + static_cast<std::size_t>(std::countr_zero(word));
                        if (x != static_cast<std::size_t>(u)) missing += weight[x] * weight[static_cast<std::size_t>(u)];
                    }
            }
        }
        score[v] = missing / 2;
    };
    for (std::size_t v = 0; v < n; ++v) rate(v);
    std::vector<char> gone(n, 0), stale(n, 0);
    Elimination out;
    out.order.reserve(n);
    out.cliques.reserve(n);
    std::vector<std::int32_t> clique;
    for (std::size_t step = 0; step < n; ++step) {
        interrupt::poll();
        std::size_t best = n;
        for (std::size_t v = 0; v < n; ++v) {
            if (gone[v]) continue;
            if (best == n || level[v] < level[best] ||
                (level[v] == level[best] && (score[v] < score[best] || (score[v] == score[best] && size[v] < size[best]))))
                best = v;
        }
        graph.neighbours(best, clique);
        const double cells = std::exp2(size[best]);
        out.total += cells;
        out.largest = std::max(out.largest, cells);
        out.width = std::max(out.width, static_cast<std::int32_t>(clique.size()));
        out.order.push_back(global[best]);
        auto& kept = out.cliques.emplace_back();
        for (auto u : clique) kept.push_back(global[static_cast<std::size_t>(u)]);
        gone[best] = 1;
        const bool simplicial = rule == Rule::min_fill && score[best] == 0;
        for (auto u : clique) graph.cut(static_cast<std::size_t>(u), best);
        std::vector<std::int32_t> touched = clique;
        for (auto u : clique) stale[static_cast<std::size_t>(u)] = 1;
        if (!simplicial) {
            for (std::size_t i = 0; i < clique.size(); ++i)
                for (std::size_t j = 0; j < i; ++j) graph.join(static_cast<std::size_t>(clique[i]), static_cast<std::size_t>(clique[j]));
            if (rule != Rule::min_weight)  // a new edge changes the fill of whoever sees both its ends
                for (auto u : clique) {
                    graph.neighbours(static_cast<std::size_t>(u), second);
                    for (auto x : second)
                        if (!stale[static_cast<std::size_t>(x)]) stale[static_cast<std::size_t>(x)] = 1, touched.push_back(x);
                }
        }
        for (auto u : touched) stale[static_cast<std::size_t>(u)] = 0, rate(static_cast<std::size_t>(u));
    }
    return out;
}

Elimination best_elimination(const std::vector<std::vector<std::int32_t>>& scopes, const std::vector<std::int32_t>& cards,
                             const std::vector<std::int32_t>& group) {
    Elimination best = eliminate(scopes, cards, group, Rule::min_fill);
    if (best.total < DEAR) return best;
    for (Rule rule : {Rule::weighted_fill, Rule::min_weight}) {
        Elimination other = eliminate(scopes, cards, group, rule);
        if (other.total < best.total) best = std::move(other);
    }
    return best;
}

}  // namespace novum::factors
