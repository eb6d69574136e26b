#include "novum/factors/plan.h"

#include <algorithm>
#include <utility>

#include "novum/factors/planner.h"

namespace novum::factors {

namespace {

constexpr double PLANNABLE = 0x1p40;  // cells of a clique above which steps are not worked out: positions would not fit a machine anyway

// The tree of buckets: bucket i holds the i-th variable to go and the neighbours it has then; its parent is the first of these to go.
struct Buckets {
    std::vector<std::int32_t> parent;               // -1: a root
    std::vector<List> children, factors, up, down;  // lists of buffers; up: to the parent, down: from it
    std::vector<List> scope;                        // with the variable itself, last
    std::vector<double> cells;
};

Buckets tree_of(const Elimination& elimination, const std::vector<std::int32_t>& rank, const std::vector<std::int32_t>& cards) {
    const std::size_t n = elimination.order.size();
    Buckets t{std::vector<std::int32_t>(n, -1),
              std::vector<List>(n),
              std::vector<List>(n),
              std::vector<List>(n),
              std::vector<List>(n),
              elimination.cliques,
              std::vector<double>(n, 1)};
    for (std::size_t i = 0; i < n; ++i) {
        for (auto v : t.scope[i]) {
            const auto r = rank[static_cast<std::size_t>(v)];
            if (t.parent[i] < 0 || r < t.parent[i]) t.parent[i] = r;
            t.cells[i] *= cards[static_cast<std::size_t>(v)];
        }
        t.scope[i].push_back(elimination.order[i]);
        t.cells[i] *= cards[static_cast<std::size_t>(elimination.order[i])];
        if (t.parent[i] >= 0) t.children[static_cast<std::size_t>(t.parent[i])].push_back(static_cast<std::int32_t>(i));
    }
    return t;
}

void append(List& to, const List& from) { to.insert(to.end(), from.begin(), from.end()); }

Cost cost_of(const Elimination& elimination) {
    return {elimination.width, elimination.largest, 2 * elimination.total, 8 * elimination.total};
}

}  // namespace

Plan plan_marginals(const Tables& tables, const std::vector<std::int32_t>& observed,
                    const std::vector<std::vector<std::int32_t>>& targets) {
    Planner planner(tables, observed);
    std::vector<char> wanted(tables.cards.size(), 0);
    for (const auto& target : targets)
        for (auto v : target) wanted[static_cast<std::size_t>(v)] = 1;
    std::vector<std::int32_t> group(tables.cards.size(), 0);
    for (auto v : observed) group[static_cast<std::size_t>(v)] = -1;
    auto scopes = planner.open_scopes(wanted, true);
    for (const auto& target : targets) scopes.push_back(target);  // a wanted marginal fits in a clique
    const Elimination elimination = best_elimination(scopes, tables.cards, group);
    planner.set_ranks(elimination);
    Plan& plan = planner.plan;
    plan.cost = cost_of(elimination);
    if (elimination.largest > PLANNABLE || elimination.total > PLANNABLE) return std::move(plan);

    Buckets tree = tree_of(elimination, planner.rank, tables.cards);
    const std::size_t n = elimination.order.size();
    std::vector<List> loose(1);  // constants, outside every tree
    for (auto f : planner.slices(wanted, true)) {
        const auto& scope = plan.buffers[static_cast<std::size_t>(f)].scope;
        if (scope.empty())
            loose[0].push_back(f);
        else
            tree.factors[static_cast<std::size_t>(planner.rank[static_cast<std::size_t>(scope[0])])].push_back(f);
    }
    // Where each target is read off: the smallest bucket that holds it. The first variable of a target to go owns one.
    std::vector<std::int32_t> component(n, -1), place(targets.size(), -1);
    std::int32_t components = 0;
    for (std::size_t i = n; i-- > 0;)
        component[i] = tree.parent[i] < 0 ? components++ : component[static_cast<std::size_t>(tree.parent[i])];
    std::vector<std::vector<std::int32_t>> targets_at(n);
    std::vector<List> within(tables.cards.size());
    for (std::size_t i = 0; i < n; ++i)
        for (auto v : tree.scope[i]) within[static_cast<std::size_t>(v)].push_back(static_cast<std::int32_t>(i));
    for (std::size_t t = 0; t < targets.size(); ++t) {
        for (auto i : within[static_cast<std::size_t>(targets[t][0])]) {
            const auto& scope = tree.scope[static_cast<std::size_t>(i)];
            const bool fits = std::all_of(targets[t].begin(), targets[t].end(),
                                          [&](auto v) { return std::find(scope.begin(), scope.end(), v) != scope.end(); });
            if (fits && (place[t] < 0 || tree.cells[static_cast<std::size_t>(i)] < tree.cells[static_cast<std::size_t>(place[t])]))
                place[t] = i;
        }
        targets_at[static_cast<std::size_t>(place[t])].push_back(static_cast<std::int32_t>(t));
    }
    // Messages run up in the order of elimination and down against it; only those on the way to a target are made.
    std::vector<std::int32_t> below(n, 0), total(static_cast<std::size_t>(components), 0);
    for (std::size_t i = 0; i < n; ++i) {
        below[i] += static_cast<std::int32_t>(targets_at[i].size());
        if (tree.parent[i] >= 0) below[static_cast<std::size_t>(tree.parent[i])] += below[i];
        total[static_cast<std::size_t>(component[i])] += static_cast<std::int32_t>(targets_at[i].size());
    }
    plan.constants.resize(static_cast<std::size_t>(components) + 1);
    plan.component_output.assign(static_cast<std::size_t>(components) + 1, -1);
    plan.constants[static_cast<std::size_t>(components)] = loose[0];
    const auto separate = [&](std::size_t i, char on) {  // the variables that bucket i shares with its parent
        for (std::size_t k = 0; k + 1 < tree.scope[i].size(); ++k) planner.mark[static_cast<std::size_t>(tree.scope[i][k])] = on;
    };
    for (std::size_t i = 0; i < n; ++i) {
        const auto c = static_cast<std::size_t>(component[i]);
        List list = tree.factors[i];
        for (auto child : tree.children[i]) append(list, tree.up[static_cast<std::size_t>(child)]);
        const bool evidence_only = total[c] == 0;
        if (!evidence_only && total[c] == below[i]) continue;  // no target above
        separate(i, 1);
        tree.up[i] = planner.reduce(std::move(list), false);
        separate(i, 0);
        if (tree.parent[i] < 0) append(plan.constants[c], tree.up[i]);
    }
    // A bucket with many neighbours would multiply all but one of their lists for each: products of the lists so far, from both ends.
    for (std::size_t i = n; i-- > 0;) {
        if (below[i] == 0) continue;
        List base = tree.factors[i];
        append(base, tree.down[i]);
        const auto& children = tree.children[i];
        const auto merge = [&](List list) {  // multiply what cannot be dropped later and adds no cells
            for (std::size_t x = 0; x < list.size(); ++x) {
                if (planner.pure(list[x])) continue;
                for (std::size_t y = list.size(); y-- > x + 1;) {
                    if (planner.pure(list[y]) ||
                        plan.buffers[static_cast<std::size_t>(list[x])].scope != plan.buffers[static_cast<std::size_t>(list[y])].scope)
                        continue;
                    list[x] = planner.product({list[x], list[y]}, -1, false);
                    list.erase(list.begin() + static_cast<std::ptrdiff_t>(y));
                }
            }
            return list;
        };
        std::vector<List> after(children.size() + 1);
        for (std::size_t k = children.size(); k-- > 0;) {
            after[k] = after[k + 1];
            append(after[k], tree.up[static_cast<std::size_t>(children[k])]);
            if (children.size() > 2) after[k] = merge(std::move(after[k]));
        }
        List before = base;
        for (std::size_t k = 0; k < children.size(); ++k) {
            const auto child = static_cast<std::size_t>(children[k]);
            if (below[child] > 0) {
                List list = before;
                append(list, after[k + 1]);
                separate(child, 1);
                tree.down[child] = planner.reduce(std::move(list), false);
                separate(child, 0);
            }
            append(before, tree.up[child]);
            if (children.size() > 2) before = merge(std::move(before));
        }
        for (auto t : targets_at[i]) {
            const auto& target = targets[static_cast<std::size_t>(t)];
            for (auto v : target) planner.mark[static_cast<std::size_t>(v)] = 1;
            Output output;
            output.buffers = planner.reduce(before, false);
            if (output.buffers.size() > 1) output.buffers = {planner.product(output.buffers, -1, false)};
            for (auto v : target) planner.mark[static_cast<std::size_t>(v)] = 0;
            output.scope = target;
            output.component = component[i];
            output.at = t;  // sorted below
            plan.outputs.push_back(std::move(output));
        }
    }
    std::sort(plan.outputs.begin(), plan.outputs.end(), [](const Output& x, const Output& y) { return x.at < y.at; });
    for (std::size_t t = 0; t < plan.outputs.size(); ++t) {
        plan.component_output[static_cast<std::size_t>(plan.outputs[t].component)] = static_cast<std::int32_t>(t);
        lay_out(plan, plan.outputs[t]);
    }
    place_buffers(plan);
    plan.built = true;
    return std::move(plan);
}

Plan plan_maximum(const Tables& tables, const std::vector<std::int32_t>& observed, const std::vector<std::int32_t>& chosen) {
    Planner planner(tables, observed);
    std::vector<char> wanted(tables.cards.size(), 0);
    std::vector<std::int32_t> group(tables.cards.size(), 0);  // sums before maxima
    for (auto v : chosen) wanted[static_cast<std::size_t>(v)] = 1, group[static_cast<std::size_t>(v)] = 1;
    for (auto v : observed) group[static_cast<std::size_t>(v)] = -1;
    auto scopes = planner.open_scopes(wanted, true);
    for (auto v : chosen) scopes.push_back({v});
    const Elimination elimination = best_elimination(scopes, tables.cards, group);
    planner.set_ranks(elimination);
    Plan& plan = planner.plan;
    plan.cost = cost_of(elimination);
    if (elimination.largest > PLANNABLE || elimination.total > PLANNABLE) return std::move(plan);
    List list = planner.slices(wanted, true);
    for (auto v : chosen) planner.mark[static_cast<std::size_t>(v)] = 1;
    list = planner.reduce(std::move(list), false);
    for (auto v : elimination.order) {
        if (!wanted[static_cast<std::size_t>(v)]) continue;
        if (!planner.held(list, v)) continue;  // in no table: any value is best
        planner.remove(list, v, true);
        plan.choices.push_back(static_cast<std::int32_t>(plan.steps.size()) - 1);
    }
    plan.constants = {list};
    plan.component_output = {-1};
    place_buffers(plan);
    plan.built = true;
    return std::move(plan);
}

}  // namespace novum::factors
