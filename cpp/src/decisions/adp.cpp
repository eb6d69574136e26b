#include "novum/decisions/adp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

#include "novum/runtime/interrupt.h"

namespace novum::decisions {

namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();

struct Outcome {
    std::int32_t next;  // ~state where the episode ended
    std::int64_t count;
};

class Counted {
  public:
    Counted(const World& world, const Adaptive& plan, Draws draws, double* q, std::int64_t* visits, double* u, Diary* diary)
        : world(world),
          plan(plan),
          draws(draws),
          m(world.m),
          q(q),
          visits(visits),
          u(u),
          diary(diary),
          outcomes(world.n * m),
          gains(world.n * m),
          before(world.n),
          waiting(world.n) {}

    std::int64_t learn(double* totals, std::int32_t* lengths) {
        interrupt::Poller<256> poller;
        std::uint64_t t = 0;
        for (std::int64_t episode = 0; episode < plan.episodes; ++episode) {
            std::int32_t s = first_state(world, rng::uniform<double>(rng::bits(draws.starts, static_cast<std::uint64_t>(episode))));
            double total = 0;
            std::int32_t length = 0;
            while (!world.terminal[s] && length < plan.most) {
                const std::int32_t a = act(s, plan.exploration[episode], draws.uniform(t, 1));
                const std::size_t cell = at(s, static_cast<std::size_t>(a));
                const Step taken = step(world, world.pair[cell], draws.uniform(t, 0));
                ++t;
                ++length;
                total += taken.reward;
                if (diary) diary->live(episode, s, a, taken);
                count(cell, s, taken);
                sweep(s);
                s = taken.next;
                poller.tick();
                if (taken.ended) break;
            }
            totals[episode] = total;
            lengths[episode] = length;
            if (diary && diary->wants(episode + 1, plan.episodes)) {
                std::vector<double> table(q, q + world.n * m);
                worths(table.data());
                diary->know(episode + 1, table.data(), visits, table.size());
            }
        }
        worths(q);
        return static_cast<std::int64_t>(t);
    }

  private:
    const World& world;
    const Adaptive& plan;
    Draws draws;
    std::size_t m;
    double* q;
    std::int64_t* visits;
    double* u;
    Diary* diary;
    std::vector<std::vector<Outcome>> outcomes;
    std::vector<double> gains;
    std::vector<std::vector<std::int32_t>> before;
    std::vector<double> waiting;

    std::size_t at(std::int32_t s, std::size_t a) const { return static_cast<std::size_t>(s) * m + a; }

    /// r + gamma sum p U of a pair that was tried.
    double worth(std::size_t cell) const {
        double sum = 0;
        for (const Outcome& one : outcomes[cell])
            if (one.next >= 0) sum += static_cast<double>(one.count) * u[one.next];
        return (gains[cell] + world.discount * sum) / static_cast<double>(visits[cell]);
    }

    void worths(double* table) const {
        for (std::size_t cell = 0; cell < world.n * m; ++cell)
            if (visits[cell]) table[cell] = worth(cell);
    }

    /// f of (2); a pair that was never tried is worth its first guess.
    double hoped(std::size_t cell) const {
        if (visits[cell] < plan.tries) return plan.optimism;
        return visits[cell] ? worth(cell) : q[cell];
    }

    double value(std::int32_t s) const {
        double best = -INFINITE, mean = 0, last = 0;
        for (std::size_t a = 0; a < m; ++a) {
            const std::size_t cell = at(s, a);
            if (plan.policy) {
                const double probability = std::min(plan.policy[cell], 1.0) - last;
                last += probability;
                if (probability > 0) mean += probability * (visits[cell] ? worth(cell) : q[cell]);
            } else if (world.pair[cell] >= 0) {
                best = std::max(best, hoped(cell));
            }
        }
        return plan.policy ? mean : best;
    }

    std::int32_t act(std::int32_t s, double epsilon, double draw) const {
        if (plan.policy)
            return static_cast<std::int32_t>(place(plan.policy + static_cast<std::size_t>(s) * m, 0, static_cast<std::int64_t>(m), draw));
        const int number = world.count[static_cast<std::size_t>(s)];
        const bool random = draw < epsilon;
        double best = -INFINITE;
        int ties = 0;
        for (std::size_t a = 0; a < m && !random; ++a) {
            if (world.pair[at(s, a)] < 0) continue;
            const double h = hoped(at(s, a));
            ties = h > best ? 1 : ties + (h == best);
            best = std::max(best, h);
        }
        const int among = random ? number : ties;
        int k = std::min(among - 1, static_cast<int>((random ? draw / epsilon : (draw - epsilon) / (1 - epsilon)) * among));
        for (std::size_t a = 0; a < m; ++a)
            if (world.pair[at(s, a)] >= 0 && (random || hoped(at(s, a)) == best) && k-- == 0) return static_cast<std::int32_t>(a);
        return 0;
    }

    void count(std::size_t cell, std::int32_t s, const Step& taken) {
        ++visits[cell];
        gains[cell] += taken.reward;
        const std::int32_t key = taken.ended ? ~taken.next : taken.next;
        auto& seen = outcomes[cell];
        const auto found = std::find_if(seen.begin(), seen.end(), [&](const Outcome& one) { return one.next == key; });
        if (found != seen.end()) {
            ++found->count;
            return;
        }
        seen.push_back({key, 1});
        if (taken.ended) return;
        auto& list = before[static_cast<std::size_t>(taken.next)];
        if (std::find(list.begin(), list.end(), s) == list.end()) list.push_back(s);
    }

    void sweep(std::int32_t s) {
        std::priority_queue<std::pair<double, std::int32_t>> queue;
        const auto look = [&](std::int32_t state) {
            const double change = std::fabs(value(state) - u[state]);
            waiting[static_cast<std::size_t>(state)] = change;
            if (change > plan.tol) queue.emplace(change, state);
        };
        look(s);
        for (std::int64_t k = 0; k < plan.backups && !queue.empty();) {
            const auto [change, state] = queue.top();
            queue.pop();
            if (change != waiting[static_cast<std::size_t>(state)]) continue;
            u[state] = value(state);
            waiting[static_cast<std::size_t>(state)] = 0;
            ++k;
            for (const std::int32_t other : before[static_cast<std::size_t>(state)]) look(other);
        }
    }
};

}  // namespace

std::int64_t adapt(const World& world, const Adaptive& plan, Draws draws, double* q, std::int64_t* visits, double* u, double* totals,
                   std::int32_t* lengths, Diary* diary) {
    return Counted(world, plan, draws, q, visits, u, diary).learn(totals, lengths);
}

}  // namespace novum::decisions
