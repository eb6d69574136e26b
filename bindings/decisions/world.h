// How a process that is lived in enters the bindings: its arrays, checked and held.
#pragma once
#include "../arrays.h"
#include "novum/decisions/world.h"
#include "novum/runtime/indices.h"
#include "novum/runtime/team.h"

/// A world with the arrays that it stands on.
class LivedWorld {
  public:
    LivedWorld(std::size_t m, Vector<const std::int64_t> first, Vector<const std::int32_t> action, Vector<const std::int64_t> start,
               Vector<const std::int32_t> next, Vector<const double> bound, Vector<const double> gain, Vector<const std::uint8_t> terminal,
               Vector<const double> begin, double discount)
        : start(start), next(next), bound(bound), gain(gain), terminal(terminal), begin(begin) {
        const std::size_t n = terminal.shape(0), pairs = action.shape(0), entries = next.shape(0);
        require(n > 0 && first.shape(0) == n + 1 && start.shape(0) == pairs + 1 && bound.shape(0) == entries && gain.shape(0) == entries &&
                    begin.shape(0) == n,
                "world: inconsistent shapes");
        world = {n, m, start.data(), next.data(), bound.data(), gain.data(), terminal.data(), begin.data(), discount, {}, {}};
        world.pair.assign(n * m, -1);
        world.count.assign(n, 0);
        for (std::size_t s = 0; s < n; ++s) {
            require(first.data()[s] <= first.data()[s + 1] && first.data()[s + 1] <= static_cast<std::int64_t>(pairs),
                    "world: pairs out of order");
            for (std::int64_t k = first.data()[s]; k < first.data()[s + 1]; ++k) {
                const std::int32_t a = action.data()[k];
                if (a < 0) continue;
                require(static_cast<std::size_t>(a) < m && start.data()[k] < start.data()[k + 1] &&
                            start.data()[k + 1] <= static_cast<std::int64_t>(entries) && start.data()[k] >= 0,
                        "world: a pair leads nowhere");
                world.pair[s * m + static_cast<std::size_t>(a)] = static_cast<std::int32_t>(k);
                ++world.count[s];
            }
            require(terminal.data()[s] || world.count[s] > 0, "world: a state without action");
        }
        for (std::size_t e = 0; e < entries; ++e) {
            const std::int32_t to = next.data()[e] < 0 ? ~next.data()[e] : next.data()[e];
            require(static_cast<std::size_t>(to) < n, "world: a next state is out of range");
        }
    }
    Vector<const std::int64_t> start;
    Vector<const std::int32_t> next;
    Vector<const double> bound, gain;
    Vector<const std::uint8_t> terminal;
    Vector<const double> begin;
    novum::decisions::World world;

    /// Every state has an action of positive probability, where it is not terminal.
    void check_policy(const Matrix<const double>& sums) const {
        require(sums.shape(0) == world.n && sums.shape(1) == world.m, "world: the policy has another shape");
        for (std::size_t s = 0; s < world.n; ++s) {
            double before = 0;
            for (std::size_t a = 0; a < world.m && !world.terminal[s]; ++a) {
                const double here = sums(s, a);
                require(here == before || (here > before && world.pair[s * world.m + a] >= 0),
                        "world: the policy takes what cannot be taken");
                before = here;
            }
            require(world.terminal[s] || before >= 1, "world: the policy does nothing in a state");
        }
    }
    novum::decisions::Draws draws(std::uint64_t seed, std::uint32_t purpose, std::uint32_t starts, std::uint32_t run) const {
        return {{seed, purpose, run}, {seed, starts, run}, {}, ~std::uint64_t(0)};
    }
};
