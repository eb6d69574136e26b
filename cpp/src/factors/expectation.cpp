#include "novum/factors/expectation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include "novum/runtime/interrupt.h"
#include "novum/runtime/simd.h"

namespace novum::factors {

namespace {

constexpr std::size_t CHUNK = 4096;  // rows whose positions stay in the first cache
constexpr double MOST_BYTES = 0x1p31;

}  // namespace

namespace {

constexpr std::size_t LANES = 4;                          // counters per cell: rows that fall into one cell need not wait for each other
constexpr std::size_t MOST_LANED = std::size_t{1} << 13;  // cells whose counters stay in the first cache

/// Go on with positions of table cells by one more variable; returns the OR of its codes: negative if one is missing.
NOVUM_CLONES std::int32_t add_digit(const std::int32_t* code, std::int32_t card, std::size_t n, std::int32_t* position) {
    std::int32_t any = 0;
    for (std::size_t i = 0; i < n; ++i) {
        position[i] = position[i] * card + code[i];
        any |= code[i];
    }
    return any;
}

}  // namespace

void count_rows(std::span<const std::int32_t* const> columns, std::span<const std::int32_t> cards, const double* weight, std::size_t rows,
                double* count) {
    std::int32_t position[CHUNK];
    std::size_t cells = 1;
    for (auto card : cards) cells *= static_cast<std::size_t>(card);
    const bool laned = !weight && cells <= MOST_LANED && rows < (std::size_t{1} << 32);
    std::vector<std::uint32_t> lanes(laned ? LANES * cells : 0);
    interrupt::Poller<64> poller;
    for (std::size_t begin = 0; begin < rows; begin += CHUNK) {
        poller.tick();
        const std::size_t n = std::min(CHUNK, rows - begin);
        std::int32_t any = 0;
        std::fill(position, position + n, 0);
        for (std::size_t j = 0; j < columns.size(); ++j) any |= add_digit(columns[j] + begin, cards[j], n, position);
        if (any < 0)  // a missing cell somewhere: leave out its row
            for (std::size_t j = 0; j < columns.size(); ++j)
                for (std::size_t i = 0; i < n; ++i)
                    if (columns[j][begin + i] < 0) position[i] = -1;
        if (weight) {
            for (std::size_t i = 0; i < n; ++i)
                if (position[i] >= 0) count[position[i]] += weight[begin + i];
        } else if (laned && any >= 0) {
            std::size_t i = 0;
            for (; i + LANES <= n; i += LANES)
                for (std::size_t lane = 0; lane < LANES; ++lane) ++lanes[lane * cells + static_cast<std::size_t>(position[i + lane])];
            for (; i < n; ++i) ++lanes[static_cast<std::size_t>(position[i])];
        } else {
            for (std::size_t i = 0; i < n; ++i)
                if (position[i] >= 0) count[position[i]] += 1;
        }
    }
    for (std::size_t cell = 0; cell < (laned ? cells : 0); ++cell)
        for (std::size_t lane = 0; lane < LANES; ++lane) count[cell] += lanes[lane * cells + cell];
}

Plan Expectation::plan_of(const Group& group) const {
    Tables part;
    part.cards = tables.cards;
    std::vector<std::vector<std::int32_t>> targets;
    for (auto f : group.families) {
        const auto& scope = tables.scopes[static_cast<std::size_t>(f)];
        part.scopes.push_back(scope);
        part.heads.push_back(tables.heads[static_cast<std::size_t>(f)]);
        part.start.push_back(tables.start[static_cast<std::size_t>(f)]);
        auto& target = targets.emplace_back();
        for (auto v : scope)
            if (std::binary_search(group.missing.begin(), group.missing.end(), v)) target.push_back(v);
    }
    return plan_marginals(part, group.observed, targets);
}

Expectation::Expectation(Tables given, std::int64_t cells, const std::int32_t* rows, const double* weight, std::size_t n)
    : tables(std::move(given)), fixed(static_cast<std::size_t>(cells), 0.0) {
    const std::size_t variables = tables.cards.size(), families = tables.scopes.size();
    std::vector<std::vector<std::int32_t>> holders(variables);
    for (std::size_t f = 0; f < families; ++f)
        for (auto v : tables.scopes[f]) holders[static_cast<std::size_t>(v)].push_back(static_cast<std::int32_t>(f));
    std::map<std::vector<std::int32_t>, std::size_t> place;  // ordered: the order of the groups must not depend on hashes
    std::vector<char> reached(variables), taken(families), around(variables);
    std::vector<std::map<std::vector<std::int32_t>, double>> found;
    interrupt::Poller<256> poller;
    for (std::size_t r = 0; r < n; ++r) {
        poller.tick();
        const std::int32_t* row = rows + r * variables;
        const double w = weight ? weight[r] : 1.0;
        if (w == 0) continue;
        std::fill(reached.begin(), reached.end(), 0);
        std::fill(taken.begin(), taken.end(), 0);
        for (std::size_t start = 0; start < variables; ++start) {
            if (row[start] >= 0 || reached[start]) continue;
            std::vector<std::int32_t> missing{static_cast<std::int32_t>(start)}, touched;
            reached[start] = 1;
            for (std::size_t i = 0; i < missing.size(); ++i)
                for (auto f : holders[static_cast<std::size_t>(missing[i])]) {
                    if (taken[static_cast<std::size_t>(f)]) continue;
                    taken[static_cast<std::size_t>(f)] = 1;
                    touched.push_back(f);
                    for (auto v : tables.scopes[static_cast<std::size_t>(f)])
                        if (row[v] < 0 && !reached[static_cast<std::size_t>(v)])
                            reached[static_cast<std::size_t>(v)] = 1, missing.push_back(v);
                }
            std::sort(missing.begin(), missing.end());
            const auto [at, fresh] = place.emplace(missing, groups.size());
            if (fresh) {
                std::sort(touched.begin(), touched.end());
                std::vector<std::int32_t> observed;
                for (auto f : touched)
                    for (auto v : tables.scopes[static_cast<std::size_t>(f)])
                        if (row[v] >= 0) observed.push_back(v);
                std::sort(observed.begin(), observed.end());
                observed.erase(std::unique(observed.begin(), observed.end()), observed.end());
                groups.push_back({missing, std::move(observed), std::move(touched), {}, {}, {}});
                found.emplace_back();
            }
            std::vector<std::int32_t> values;
            for (auto v : groups[at->second].observed) values.push_back(row[v]);
            found[at->second][std::move(values)] += w;
        }
        for (std::size_t f = 0; f < families; ++f) {
            if (taken[f]) continue;
            std::int64_t position = 0;
            for (auto v : tables.scopes[f]) position = position * tables.cards[static_cast<std::size_t>(v)] + row[v];
            fixed[static_cast<std::size_t>(tables.start[f] + position)] += w;
        }
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
        Group& group = groups[g];
        for (const auto& [values, w] : found[g]) {
            group.values.insert(group.values.end(), values.begin(), values.end());
            group.weight.push_back(w);
        }
        distinct += group.weight.size();
        group.plan = plan_of(group);
        if (!group.plan.built || group.plan.cost.bytes > MOST_BYTES)
            throw std::length_error("the missing cells of a row form too large a clique");
    }
}

double Expectation::add_expected(const double* cells, std::size_t block, double* count) const {
    double total = 0;
    std::vector<double> work, out;
    for (std::size_t g = block; g < groups.size(); g += BLOCKS) {
        const Group& group = groups[g];
        const Plan& plan = group.plan;
        work.resize(static_cast<std::size_t>(plan.workspace) + 1);
        out.resize(static_cast<std::size_t>(plan.results));
        std::vector<std::int32_t> column(tables.cards.size(), -1);
        for (std::size_t j = 0; j < group.observed.size(); ++j)
            column[static_cast<std::size_t>(group.observed[j])] = static_cast<std::int32_t>(j);
        // Where the cells of a marginal lie in the table of its family: offsets of its own cells, and the strides of the observed
        // variables.
        struct Place {
            std::vector<std::int64_t> cells;
            std::vector<std::pair<std::int32_t, std::int64_t>> fixed;
        };
        std::vector<Place> places;
        for (auto f : group.families) {
            const auto& scope = tables.scopes[static_cast<std::size_t>(f)];
            Place place{{tables.start[static_cast<std::size_t>(f)]}, {}};
            std::vector<std::int64_t> stride(scope.size());
            std::int64_t step = 1;
            for (std::size_t axis = scope.size(); axis-- > 0;) {
                stride[axis] = step;
                step *= tables.cards[static_cast<std::size_t>(scope[axis])];
            }
            for (std::size_t axis = 0; axis < scope.size(); ++axis) {
                const auto v = static_cast<std::size_t>(scope[axis]);
                if (column[v] >= 0) {
                    place.fixed.push_back({column[v], stride[axis]});
                    continue;
                }
                std::vector<std::int64_t> next;
                for (auto base : place.cells)
                    for (std::int64_t k = 0; k < tables.cards[v]; ++k) next.push_back(base + k * stride[axis]);
                place.cells = std::move(next);
            }
            places.push_back(std::move(place));
        }
        const std::size_t width = group.observed.size();
        for (std::size_t c = 0; c < group.weight.size(); ++c) {
            const std::int32_t* values = group.values.data() + c * width;
            const double w = group.weight[c];
            const double log = run_marginals(plan, cells, values, work.data(), out.data());
            total += w * log;
            if (!(log > -std::numeric_limits<double>::infinity())) return log;
            for (std::size_t t = 0; t < places.size(); ++t) {
                std::int64_t base = 0;
                for (const auto& [j, stride] : places[t].fixed) base += values[j] * stride;
                const double* p = out.data() + plan.outputs[t].at;
                for (std::size_t i = 0; i < places[t].cells.size(); ++i) count[places[t].cells[i] + base] += w * p[i];
            }
        }
    }
    return total;
}

}  // namespace novum::factors
