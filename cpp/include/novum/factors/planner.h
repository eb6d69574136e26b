// What is known of tables while a plan is made: which are sums to one, which steps were made before, what a product would cost.
//
// Used by factor_plan.cpp alone. A table that sums to one over its heads is dropped with them when nobody else holds them; equal steps are
// made once.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "novum/factors/plan.h"
#include "novum/factors/steps.h"

namespace novum::factors {

using List = std::vector<std::int32_t>;  // of buffers

// What is known of a buffer while planning.
struct Symbol {
    List heads;  // variables over which it sums to one, given the others; only where pure
    bool pure;   // a product of conditional tables whose heads are all in `heads` or summed out
};

class Planner {
  public:
    Planner(const Tables& tables, const std::vector<std::int32_t>& observed) : tables(tables), steps(plan) {
        const std::size_t n = tables.cards.size();
        plan.observed = observed;
        plan.cards = tables.cards;
        plan.start = tables.start;
        column.assign(n, -1);
        for (std::size_t i = 0; i < observed.size(); ++i) column[static_cast<std::size_t>(observed[i])] = static_cast<std::int32_t>(i);
        mark.assign(n, 0);
        holders.assign(n, 0);
    }

    // Every table less its observed variables; a barren table is left out unless it holds a wanted variable.
    List slices(const std::vector<char>& wanted, bool prune) {
        const std::size_t count = tables.scopes.size();
        std::vector<char> kept(count, 1);
        if (prune) drop_barren(wanted, kept);
        List all;
        for (std::size_t f = 0; f < count; ++f) {
            if (!kept[f]) continue;
            Buffer buffer;
            buffer.table = static_cast<std::int32_t>(f);
            std::vector<std::pair<std::int32_t, std::int64_t>> axes;
            std::int64_t stride = 1;
            const auto& scope = tables.scopes[f];
            for (std::size_t axis = scope.size(); axis-- > 0;) {
                const auto v = static_cast<std::size_t>(scope[axis]);
                if (column[v] >= 0)
                    plan.slices.push_back({buffer.table, column[v], stride});
                else
                    axes.push_back({scope[axis], stride}), buffer.size *= tables.cards[v];
                stride *= tables.cards[v];
            }
            std::sort(axes.begin(), axes.end(), [this](const auto& x, const auto& y) { return rank_of(x.first) < rank_of(y.first); });
            for (const auto& [v, s] : axes) buffer.scope.push_back(v), buffer.stride.push_back(s);
            const auto head = tables.heads[f];
            const bool pure = head >= 0 && column[static_cast<std::size_t>(head)] < 0;
            all.push_back(add(std::move(buffer), {pure ? List{head} : List{}, pure}));
        }
        return all;
    }

    void set_ranks(const Elimination& elimination) {
        rank.assign(tables.cards.size(), -1);
        for (std::size_t i = 0; i < elimination.order.size(); ++i)
            rank[static_cast<std::size_t>(elimination.order[i])] = static_cast<std::int32_t>(i);
    }

    std::vector<std::vector<std::int32_t>> open_scopes(const std::vector<char>& wanted, bool prune) {
        std::vector<char> kept(tables.scopes.size(), 1);
        if (prune) drop_barren(wanted, kept);
        std::vector<std::vector<std::int32_t>> scopes;
        for (std::size_t f = 0; f < kept.size(); ++f) {
            if (!kept[f]) continue;
            auto& scope = scopes.emplace_back();
            for (auto v : tables.scopes[f])
                if (column[static_cast<std::size_t>(v)] < 0) scope.push_back(v);
        }
        return scopes;
    }

    // Sum out (or maximise over) every variable of `list` that is not marked as kept.
    List reduce(List list, bool maximise) {
        for (;;) {
            if (!maximise) drop_pure(list);
            std::int32_t best = -1;
            double least = std::numeric_limits<double>::infinity();
            List seen;
            for (auto f : list)
                for (auto v : plan.buffers[static_cast<std::size_t>(f)].scope)
                    if (!mark[static_cast<std::size_t>(v)] && std::find(seen.begin(), seen.end(), v) == seen.end()) seen.push_back(v);
            if (seen.empty()) return list;
            for (auto v : seen) {
                const double cells = joined(list, v);
                if (cells < least || (cells == least && v < best)) least = cells, best = v;
            }
            remove(list, best, maximise);
        }
    }

    // Replace the tables that hold v by their product, summed over v.
    void remove(List& list, std::int32_t v, bool maximise) {
        List with, rest;
        for (auto f : list) (holds(f, v) ? with : rest).push_back(f);
        rest.push_back(product(std::move(with), v, maximise));
        list = std::move(rest);
    }

    // The product of tables, summed over v (-1: not at all): small ones first, where that keeps the intermediate small.
    std::int32_t product(List with, std::int32_t v, bool maximise) {
        while (with.size() > 2) {
            std::size_t x = 0, y = 1;
            double least = std::numeric_limits<double>::infinity();
            for (std::size_t i = 0; i < with.size(); ++i)
                for (std::size_t j = 0; j < i; ++j) {
                    const double cells = united(with[i], with[j]);
                    if (cells < least) least = cells, x = j, y = i;
                }
            const auto both = make(with[x], with[y], -1, false);
            with.erase(with.begin() + static_cast<std::ptrdiff_t>(y));
            with[x] = both;
        }
        if (with.size() == 1) return v < 0 ? with[0] : make(with[0], -1, v, maximise);
        return make(with[0], with[1], v, maximise);
    }

    bool held(const List& list, std::int32_t v) const {
        return std::any_of(list.begin(), list.end(), [&](auto f) { return holds(f, v); });
    }

    bool pure(std::int32_t f) const { return symbols[static_cast<std::size_t>(f)].pure; }

    const Tables& tables;
    Plan plan;
    std::vector<char> mark;            // per variable: kept by the reduction at work
    std::vector<std::int32_t> column;  // per variable: of the evidence, or -1
    std::vector<std::int32_t> rank;    // per variable: place in the elimination

  private:
    std::int32_t rank_of(std::int32_t v) const { return rank.empty() ? v : rank[static_cast<std::size_t>(v)]; }

    bool holds(std::int32_t f, std::int32_t v) const {
        const auto& scope = plan.buffers[static_cast<std::size_t>(f)].scope;
        return std::find(scope.begin(), scope.end(), v) != scope.end();
    }

    double joined(const List& list, std::int32_t v) {
        List all;
        for (auto f : list)
            if (holds(f, v))
                for (auto u : plan.buffers[static_cast<std::size_t>(f)].scope)
                    if (std::find(all.begin(), all.end(), u) == all.end()) all.push_back(u);
        return cells_of(all);
    }

    double united(std::int32_t a, std::int32_t b) {
        List all = plan.buffers[static_cast<std::size_t>(a)].scope;
        for (auto u : plan.buffers[static_cast<std::size_t>(b)].scope)
            if (std::find(all.begin(), all.end(), u) == all.end()) all.push_back(u);
        return cells_of(all);
    }

    double cells_of(const List& scope) const {
        double cells = 1;
        for (auto u : scope) cells *= tables.cards[static_cast<std::size_t>(u)];
        return cells;
    }

    // Leave out tables whose head no other table holds and no target needs: they sum to one.
    void drop_barren(const std::vector<char>& wanted, std::vector<char>& kept) {
        std::vector<std::int32_t> times(tables.cards.size(), 0), owner(tables.cards.size(), -1), free;
        for (std::size_t f = 0; f < tables.scopes.size(); ++f) {
            for (auto v : tables.scopes[f]) ++times[static_cast<std::size_t>(v)];
            if (tables.heads[f] >= 0) owner[static_cast<std::size_t>(tables.heads[f])] = static_cast<std::int32_t>(f);
        }
        const auto barren = [&](std::size_t v) { return owner[v] >= 0 && times[v] == 1 && !wanted[v] && column[v] < 0; };
        for (std::size_t v = 0; v < times.size(); ++v)
            if (barren(v)) free.push_back(static_cast<std::int32_t>(v));
        while (!free.empty()) {
            const auto f = static_cast<std::size_t>(owner[static_cast<std::size_t>(free.back())]);
            free.pop_back();
            kept[f] = 0;
            for (auto v : tables.scopes[f])
                if (--times[static_cast<std::size_t>(v)] == 1 && barren(static_cast<std::size_t>(v)) &&
                    kept[static_cast<std::size_t>(owner[static_cast<std::size_t>(v)])])
                    free.push_back(v);
        }
    }

    // Drop the tables that sum to one over variables which are to go and which nobody else holds.
    void drop_pure(List& list) {
        for (auto f : list)
            for (auto v : plan.buffers[static_cast<std::size_t>(f)].scope) ++holders[static_cast<std::size_t>(v)];
        const auto idle = [&](std::int32_t f) {
            const Symbol& s = symbols[static_cast<std::size_t>(f)];
            return s.pure && std::all_of(s.heads.begin(), s.heads.end(), [&](auto v) {
                       return !mark[static_cast<std::size_t>(v)] && holders[static_cast<std::size_t>(v)] == 1;
                   });
        };
        for (bool again = true; again;) {
            again = false;
            for (std::size_t i = 0; i < list.size(); ++i)
                if (idle(list[i])) {
                    for (auto v : plan.buffers[static_cast<std::size_t>(list[i])].scope) --holders[static_cast<std::size_t>(v)];
                    list[i] = list.back();
                    list.pop_back();
                    again = true;
                    break;
                }
        }
        for (auto f : list)
            for (auto v : plan.buffers[static_cast<std::size_t>(f)].scope) holders[static_cast<std::size_t>(v)] = 0;
    }

    std::int32_t add(Buffer buffer, Symbol symbol) {
        plan.buffers.push_back(std::move(buffer));
        symbols.push_back(std::move(symbol));
        return static_cast<std::int32_t>(plan.buffers.size()) - 1;
    }

    // Step (1), or the buffer of the same step made before.
    std::int32_t make(std::int32_t a, std::int32_t b, std::int32_t v, bool maximise) {
        if (b >= 0 && a > b) std::swap(a, b);
        const auto found = made.find(key(a, b, v));
        if (found != made.end() && !maximise) return found->second;
        Buffer buffer;
        buffer.scope = plan.buffers[static_cast<std::size_t>(a)].scope;
        if (b >= 0)
            for (auto u : plan.buffers[static_cast<std::size_t>(b)].scope)
                if (std::find(buffer.scope.begin(), buffer.scope.end(), u) == buffer.scope.end()) buffer.scope.push_back(u);
        std::erase(buffer.scope, v);
        std::sort(buffer.scope.begin(), buffer.scope.end(), [this](auto x, auto y) { return rank_of(x) < rank_of(y); });
        buffer.stride.resize(buffer.scope.size());
        for (std::size_t i = buffer.scope.size(); i-- > 0;) {
            buffer.stride[i] = buffer.size;
            buffer.size *= tables.cards[static_cast<std::size_t>(buffer.scope[i])];
        }
        Symbol symbol{symbols[static_cast<std::size_t>(a)].heads, symbols[static_cast<std::size_t>(a)].pure};
        if (b >= 0) {
            const Symbol& other = symbols[static_cast<std::size_t>(b)];
            symbol.heads.insert(symbol.heads.end(), other.heads.begin(), other.heads.end());
            symbol.pure = symbol.pure && other.pure;
        }
        if (v >= 0) {
            const auto at = std::find(symbol.heads.begin(), symbol.heads.end(), v);
            if (maximise || at == symbol.heads.end())
                symbol.pure = false;  // a sum over a condition is no conditional table
            else
                symbol.heads.erase(at);
        }
        if (!symbol.pure) symbol.heads.clear();
        const auto out = add(std::move(buffer), std::move(symbol));
        steps.add(a, b, v, maximise, out);
        made.emplace(key(a, b, v), out);
        return out;
    }

    static std::uint64_t key(std::int32_t a, std::int32_t b, std::int32_t v) {
        return (static_cast<std::uint64_t>(a) << 42) ^ (static_cast<std::uint64_t>(b + 1) << 20) ^ static_cast<std::uint64_t>(v + 1);
    }

    std::vector<Symbol> symbols;
    std::vector<std::int32_t> holders;  // per variable: scratch of drop_pure
    std::unordered_map<std::uint64_t, std::int32_t> made;
    StepMaker steps;
};

}  // namespace novum::factors
