#include "novum/decisions/control.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "novum/runtime/interrupt.h"

namespace novum::decisions {

namespace {

constexpr double FAINT = 1e-6;     // a trace below this is forgotten
constexpr std::size_t MEMORY = 8;  // outcomes of a pair that Dyna remembers
constexpr double INFINITE = std::numeric_limits<double>::infinity();

/// The greedy actions of a state.
struct Best {
    double value;
    int ties;
};

class Run {
  public:
    Run(const World& world, const Control& plan, Draws draws, double* q, std::int64_t* visits, Diary* diary)
        : world(world), plan(plan), draws(draws), m(world.m), q(q), visits(visits), diary(diary) {
        const std::size_t cells = world.n * m;
        if (plan.method == Method::DOUBLE) second.assign(q, q + cells);
        if (plan.trace_decay > 0) trace.assign(cells, 0.0);
        if (plan.planning > 0) {
            remembered.resize(cells * MEMORY);
            known.assign(cells, 0);
        }
        if (plan.any_start)
            for (std::size_t s = 0; s < world.n; ++s)
                if (!world.terminal[s]) open.push_back(static_cast<std::int32_t>(s));
        scores.resize(m);
    }

    std::int64_t learn(double* totals, std::int32_t* lengths) {
        const bool early = plan.method == Method::SARSA || plan.trace_decay > 0;  // the next action is drawn before the update
        for (std::int64_t episode = 0; episode < plan.episodes; ++episode) {
            explore = plan.exploration[episode];
            rate = plan.episode_rate ? plan.episode_rate[episode] : 0;
            std::int32_t s = begin(episode);
            clear_traces();
            double total = 0;
            std::int32_t length = 0, a = -1;
            while (!world.terminal[s] && length < plan.most) {
                if (a < 0) a = act(s, t);
                const std::size_t cell = at(s, a);
                const Step taken = step(world, world.pair[cell], draws.uniform(t, 0));
                ++length;
                total += taken.reward;
                if (diary) diary->live(episode, s, a, taken);
                std::int32_t following = -1;
                if (early && !taken.ended) following = act(taken.next, t + 1);
                update(cell, taken, following);
                if (plan.planning > 0) dream(cell, taken);
                ++t;
                s = taken.next;
                a = following;
                poller.tick();
                if (taken.ended) break;
            }
            totals[episode] = total;
            lengths[episode] = length;
            if (diary && diary->wants(episode + 1, plan.episodes)) know(episode + 1);
        }
        if (plan.method == Method::DOUBLE)
            for (std::size_t c = 0; c < world.n * m; ++c) q[c] = 0.5 * (q[c] + second[c]);
        return static_cast<std::int64_t>(t);
    }

  private:
    const World& world;
    const Control& plan;
    Draws draws;
    std::size_t m;
    double* q;
    std::int64_t* visits;
    Diary* diary;
    std::vector<double> second, trace, scores;
    std::vector<std::size_t> touched, dreamed;
    std::vector<Step> remembered;
    std::vector<std::uint32_t> known;
    std::vector<std::int32_t> open;
    double explore = 0, rate = 0;
    std::uint64_t t = 0;
    interrupt::Poller<1024> poller;

    std::size_t at(std::int32_t s, std::int32_t a) const { return static_cast<std::size_t>(s) * m + static_cast<std::size_t>(a); }
    double value(std::size_t cell) const { return second.empty() ? q[cell] : 0.5 * (q[cell] + second[cell]); }

    void know(std::int64_t done) {
        std::vector<double> table(world.n * m);
        for (std::size_t c = 0; c < table.size(); ++c) table[c] = value(c);
        diary->know(done, table.data(), visits, table.size());
    }

    std::int32_t begin(std::int64_t episode) {
        const double u = rng::uniform<double>(rng::bits(draws.starts, static_cast<std::uint64_t>(episode)));
        if (!plan.any_start) return first_state(world, u);
        return open[std::min(open.size() - 1, static_cast<std::size_t>(u * static_cast<double>(open.size())))];
    }

    Best best(std::int32_t s) const {
        Best found{-INFINITE, 0};
        for (std::size_t a = 0; a < m; ++a) {
            const std::size_t cell = static_cast<std::size_t>(s) * m + a;
            if (world.pair[cell] < 0) continue;
            const double v = value(cell);
            if (v > found.value)
                found = {v, 1};
            else if (v == found.value)
                ++found.ties;
        }
        return found;
    }

    /// The k-th action of a state that passes a test.
    template <class Test>
    std::int32_t pick(std::int32_t s, double share, int count, Test&& test) const {
        int k = std::min(count - 1, static_cast<int>(share * count));
        for (std::size_t a = 0; a < m; ++a) {
            const std::size_t cell = static_cast<std::size_t>(s) * m + a;
            if (world.pair[cell] >= 0 && test(cell) && k-- == 0) return static_cast<std::int32_t>(a);
        }
        return 0;
    }

    std::int32_t act(std::int32_t s, std::uint64_t row) {
        const double u = draws.uniform(row, 1);
        if (plan.softmax) return boltzmann(s, u);
        if (u < explore) return pick(s, u / explore, world.count[static_cast<std::size_t>(s)], [](std::size_t) { return true; });
        const Best top = best(s);
        return pick(s, (u - explore) / (1 - explore), top.ties, [&](std::size_t cell) { return value(cell) == top.value; });
    }

    std::int32_t boltzmann(std::int32_t s, double u) {
        const Best top = best(s);
        double sum = 0;
        for (std::size_t a = 0; a < m; ++a) {
            const std::size_t cell = static_cast<std::size_t>(s) * m + a;
            scores[a] = world.pair[cell] < 0 ? 0.0 : std::exp((value(cell) - top.value) / explore);
            sum += scores[a];
        }
        double reached = 0;
        std::int32_t last = 0;
        for (std::size_t a = 0; a < m; ++a) {
            if (scores[a] == 0) continue;
            reached += scores[a];
            last = static_cast<std::int32_t>(a);
            if (u * sum < reached) break;
        }
        return last;
    }

    /// The probability of an action under the epsilon-greedy policy, ties shared.
    double probability(std::int32_t s, std::int32_t a, double epsilon) const {
        const Best top = best(s);
        const double share = epsilon / world.count[static_cast<std::size_t>(s)];
        return share + (value(at(s, a)) == top.value ? (1 - epsilon) / top.ties : 0.0);
    }

    double expected(std::int32_t s) {
        const double epsilon = plan.target_epsilon < 0 ? explore : plan.target_epsilon;
        if (plan.softmax && plan.target_epsilon < 0) {
            const Best top = best(s);
            double sum = 0, mean = 0;
            for (std::size_t a = 0; a < m; ++a) {
                const std::size_t cell = static_cast<std::size_t>(s) * m + a;
                if (world.pair[cell] < 0) continue;
                const double weight = std::exp((value(cell) - top.value) / explore);
                sum += weight;
                mean += weight * value(cell);
            }
            return mean / sum;
        }
        double mean = 0;
        for (std::size_t a = 0; a < m; ++a)
            if (const std::size_t cell = static_cast<std::size_t>(s) * m + a; world.pair[cell] >= 0) mean += value(cell);
        return epsilon * mean / world.count[static_cast<std::size_t>(s)] + (1 - epsilon) * best(s).value;
    }

    double target(const Step& taken, std::int32_t following) {
        if (taken.ended) return 0;
        switch (plan.method) {
            case Method::SARSA: {
                const double next = q[at(taken.next, following)];
                if (plan.target_epsilon < 0) return next;
                return next * probability(taken.next, following, plan.target_epsilon) / probability(taken.next, following, explore);
            }
            case Method::EXPECTED: return expected(taken.next);
            default: return best(taken.next).value;
        }
    }

    double step_size(std::size_t cell) {
        const std::int64_t n = ++visits[cell];
        return plan.visit_rate ? plan.visit_rate[std::min(plan.rates, static_cast<std::size_t>(n)) - 1] : rate;
    }

    void update(std::size_t cell, const Step& taken, std::int32_t following) {
        const double alpha = step_size(cell);
        if (plan.method == Method::DOUBLE) {
            update_double(cell, taken, alpha);
            return;
        }
        const double delta = taken.reward + world.discount * target(taken, following) - q[cell];
        if (plan.trace_decay <= 0) {
            q[cell] += alpha * delta;
            return;
        }
        if (trace[cell] == 0) touched.push_back(cell);
        trace[cell] = plan.replacing ? 1.0 : trace[cell] + 1.0;
        const bool cut = plan.method == Method::Q && following >= 0 && value(at(taken.next, following)) < best(taken.next).value;
        const double decay = cut ? 0.0 : world.discount * plan.trace_decay;
        std::size_t kept = 0;
        for (const std::size_t c : touched) {
            q[c] += alpha * delta * trace[c];
            trace[c] *= decay;
            if (trace[c] < FAINT)
                trace[c] = 0;
            else
                touched[kept++] = c;
        }
        touched.resize(kept);
    }

    void update_double(std::size_t cell, const Step& taken, double alpha) {
        const bool coin = draws.uniform(t, 2) < 0.5;
        double* one = coin ? q : second.data();
        const double* two = coin ? second.data() : q;
        double next = 0;
        if (!taken.ended) {
            double top = -INFINITE;
            for (std::size_t a = 0; a < m; ++a) {
                const std::size_t c = static_cast<std::size_t>(taken.next) * m + a;
                if (world.pair[c] >= 0 && one[c] > top) {
                    top = one[c];
                    next = two[c];
                }
            }
        }
        one[cell] += alpha * (taken.reward + world.discount * next - one[cell]);
    }

    void clear_traces() {
        for (const std::size_t c : touched) trace[c] = 0;
        touched.clear();
    }

    /// (4): remember the step, then learn from remembered ones.
    void dream(std::size_t cell, const Step& taken) {
        if (known[cell] == 0) dreamed.push_back(cell);
        remembered[cell * MEMORY + known[cell] % MEMORY] = taken;
        ++known[cell];
        for (int k = 0; k < plan.planning; ++k) {
            const std::uint64_t column = 4 + 2 * static_cast<std::uint64_t>(k);
            const double u = rng::uniform<double>(rng::bits(draws.steps, t, column)),
                         w = rng::uniform<double>(rng::bits(draws.steps, t, column + 1));
            const std::size_t other =
                dreamed[std::min(dreamed.size() - 1, static_cast<std::size_t>(u * static_cast<double>(dreamed.size())))];
            const std::size_t held = std::min<std::size_t>(known[other], MEMORY);
            const Step& old = remembered[other * MEMORY + std::min(held - 1, static_cast<std::size_t>(w * static_cast<double>(held)))];
            const double size = plan.visit_rate ? plan.visit_rate[std::min(plan.rates, static_cast<std::size_t>(visits[other])) - 1] : rate;
            const double next = old.ended ? 0.0 : plan.method == Method::EXPECTED ? expected(old.next) : best(old.next).value;
            q[other] += size * (old.reward + world.discount * next - q[other]);
        }
    }
};

}  // namespace

std::int64_t control(const World& world, const Control& plan, Draws draws, double* q, std::int64_t* visits, double* totals,
                     std::int32_t* lengths, Diary* diary) {
    return Run(world, plan, draws, q, visits, diary).learn(totals, lengths);
}

}  // namespace novum::decisions
