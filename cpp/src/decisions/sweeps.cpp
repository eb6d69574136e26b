#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

#include "novum/decisions/process.h"
#include "novum/runtime/interrupt.h"
#include "novum/runtime/simd.h"

namespace novum::decisions {

namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();

NOVUM_INLINE double expectation(const std::int32_t* next, const double* probability, std::int64_t from, std::int64_t to, const double* v) {
    double sum = 0;
    for (std::int64_t e = from; e < to; ++e) sum += probability[e] * v[next[e]];
    return sum;
}

NOVUM_INLINE double best_pair(const Process& p, const double* v, std::size_t s, double margin, std::int64_t& choice) {
    const std::int64_t from = p.first[s], to = p.first[s + 1];
    std::int64_t best = from;
    double top = -INFINITE, kept = -INFINITE;
    for (std::int64_t k = from; k < to; ++k) {
        const double q = p.reward[k] + p.discount * expectation(p.next, p.probability, p.start[k], p.start[k + 1], v);
        if (k == choice) kept = q;
        if (q > top) {
            top = q;
            best = k;
        }
    }
    if (!(kept >= top - margin)) choice = best;
    return top;
}

/// Changes of all chunks together.
struct Changes {
    explicit Changes(std::uint32_t chunks) : parts(chunks, Change{INFINITE, -INFINITE, 0}) {}
    std::vector<Change> parts;
    Change total() const {
        Change all{INFINITE, -INFINITE, 0};
        for (const Change& part : parts) {
            all.low = std::min(all.low, part.low);
            all.high = std::max(all.high, part.high);
            all.changed += part.changed;
        }
        return all;
    }
};

NOVUM_CLONES Change improve_chunk(const Process& p, std::size_t from, std::size_t to, const double* v, double margin, double* out,
                                  std::int64_t* choice) {
    Change change{INFINITE, -INFINITE, 0};
    for (std::size_t s = from; s < to; ++s) {
        const std::int64_t before = choice[s];
        const double top = best_pair(p, v, s, margin, choice[s]);
        const double step = top - v[s];
        out[s] = top;
        change.low = std::min(change.low, step);
        change.high = std::max(change.high, step);
        change.changed += choice[s] != before;
    }
    return change;
}

NOVUM_CLONES Change evaluate_chunk(const Process& p, const Rows& rows, std::size_t from, std::size_t to, const double* v, double* out) {
    Change change{INFINITE, -INFINITE, 0};
    const std::int32_t* next = rows.next.data();
    const double* probability = rows.probability.data();
    for (std::size_t s = from; s < to; ++s) {
        const double q = rows.reward[s] + p.discount * expectation(next, probability, rows.start[s], rows.start[s + 1], v);
        const double step = q - v[s];
        out[s] = q;
        change.low = std::min(change.low, step);
        change.high = std::max(change.high, step);
    }
    return change;
}

}  // namespace

void pair_values(const Process& p, const double* v, Team& team, double* out) {
    team.run(p.chunks(), [&](std::uint32_t chunk, int) {
        const std::size_t from = chunk * CHUNK, to = std::min(p.n, from + CHUNK);
        for (std::int64_t k = p.first[from]; k < p.first[to]; ++k)
            out[k] = p.reward[k] + p.discount * expectation(p.next, p.probability, p.start[k], p.start[k + 1], v);
    });
}

Change improve(const Process& p, const double* v, double margin, Team& team, double* out, std::int64_t* choice) {
    Changes changes(p.chunks());
    team.run(p.chunks(), [&](std::uint32_t chunk, int) {
        const std::size_t from = chunk * CHUNK, to = std::min(p.n, from + CHUNK);
        changes.parts[chunk] = improve_chunk(p, from, to, v, margin, out, choice);
    });
    return changes.total();
}

namespace {

/// (2) in place for the states that `state(0)`, `state(1)`, ... name.
template <class Order>
Change in_turn(const Process& p, Order&& state, double margin, double* v, std::int64_t* choice) {
    Change change{INFINITE, -INFINITE, 0};
    interrupt::Poller<CHUNK> poller;
    for (std::size_t k = 0; k < p.n; ++k, poller.tick()) {
        const std::size_t s = state(k);
        const std::int64_t before = choice[s];
        const double top = best_pair(p, v, s, margin, choice[s]), step = top - v[s];
        v[s] = top;
        change.low = std::min(change.low, step);
        change.high = std::max(change.high, step);
        change.changed += choice[s] != before;
    }
    return change;
}

}  // namespace

Change improve_in_place(const Process& p, const std::int64_t* order, double margin, double* v, std::int64_t* choice) {
    return in_turn(p, [order](std::size_t k) { return static_cast<std::size_t>(order[k]); }, margin, v, choice);
}

Change improve_in_place(const Process& p, bool forwards, double* v, std::int64_t* choice) {
    if (forwards) return in_turn(p, [](std::size_t k) { return k; }, 0.0, v, choice);
    return in_turn(p, [&p](std::size_t k) { return p.n - 1 - k; }, 0.0, v, choice);
}

std::int64_t prioritized(const Process& p, const std::int64_t* begin, const std::int32_t* from, double tol, std::int64_t most, double* v,
                         std::int64_t* choice, Path* path) {
    std::vector<double> waiting(p.n);  // the change that a backup of a state would bring
    std::priority_queue<std::pair<double, std::size_t>> queue;
    const auto look = [&](std::size_t s) {
        std::int64_t best = choice[s];
        const double change = std::fabs(best_pair(p, v, s, 0.0, best) - v[s]);
        if (change > tol && change != waiting[s]) queue.emplace(change, s);
        waiting[s] = change;
    };
    for (std::size_t s = 0; s < p.n; ++s) look(s);
    std::int64_t backups = 0;
    interrupt::Poller<CHUNK> poller;
    for (; backups < most && !queue.empty(); poller.tick()) {
        const auto [change, s] = queue.top();
        queue.pop();
        if (change != waiting[s]) continue;  // changed again since
        v[s] = best_pair(p, v, s, 0.0, choice[s]);
        waiting[s] = 0;
        ++backups;
        if (path) path->keep(static_cast<std::int64_t>(s), v + s);
        for (std::int64_t e = begin[s]; e < begin[s + 1]; ++e) look(static_cast<std::size_t>(from[e]));
    }
    return backups;
}

void gather(const Process& p, const std::int64_t* choice, Team& team, Rows& rows) {
    rows.start.resize(p.n + 1);
    rows.reward.resize(p.n);
    std::int64_t total = 0;
    for (std::size_t s = 0; s < p.n; ++s) {
        rows.start[s] = total;
        total += p.start[choice[s] + 1] - p.start[choice[s]];
    }
    rows.start[p.n] = total;
    rows.next.resize(static_cast<std::size_t>(total));
    rows.probability.resize(static_cast<std::size_t>(total));
    team.run(p.chunks(), [&](std::uint32_t chunk, int) {
        const std::size_t from = chunk * CHUNK, to = std::min(p.n, from + CHUNK);
        for (std::size_t s = from; s < to; ++s) {
            const std::int64_t k = choice[s];
            rows.reward[s] = p.reward[k];
            std::copy(p.next + p.start[k], p.next + p.start[k + 1], rows.next.begin() + rows.start[s]);
            std::copy(p.probability + p.start[k], p.probability + p.start[k + 1], rows.probability.begin() + rows.start[s]);
        }
    });
}

Change evaluate(const Process& p, const Rows& rows, const double* v, Team& team, double* out) {
    Changes changes(p.chunks());
    team.run(p.chunks(), [&](std::uint32_t chunk, int) {
        const std::size_t from = chunk * CHUNK, to = std::min(p.n, from + CHUNK);
        changes.parts[chunk] = evaluate_chunk(p, rows, from, to, v, out);
    });
    return changes.total();
}

}  // namespace novum::decisions
