// A finite decision process to be lived in: sampled steps, and the random numbers that they use.
//
// Step t of run k uses row t of stream (seed, purpose, iteration k): column 0 decides where an action leads, column 1 which action is
// taken, column 2 is the coin of double learning. Episode e begins by row e of another purpose. So a run is a function of (seed, k) alone,
// whoever computes it; novum/reinforcement/experience.py makes the same numbers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "novum/runtime/rng.h"

namespace novum::decisions {

/// The arrays of novum/reinforcement/model.py; next < 0 means that the episode ends at ~next.
struct World {
    std::size_t n, m;
    const std::int64_t* start;     // (pairs + 1)
    const std::int32_t* next;      // (entries)
    const double* bound;           // (entries): probabilities added up within a pair
    const double* gain;            // (entries): what a transition pays, the discounted reward of a terminal state included
    const std::uint8_t* terminal;  // (n)
    const double* begin;           // (n): probabilities of first states, added up
    double discount;
    std::vector<std::int32_t> pair;   // (n * m): the pair of a state and an action, or -1
    std::vector<std::int32_t> count;  // (n): how many actions there are
};

struct Step {
    std::int32_t next;
    double reward;
    bool ended;
};

/// Streams of one run.
struct Draws {
    rng::Stream steps, starts;
    rng::Block words{};
    std::uint64_t row = ~std::uint64_t(0);
    double uniform(std::uint64_t at, int column) {
        if (column >= 2) return rng::uniform<double>(rng::bits(steps, at, 2));
        if (at != row) {
            words = rng::block(steps, at, 0);
            row = at;
        }
        const std::size_t first = 2 * static_cast<std::size_t>(column);
        return rng::uniform<double>((std::uint64_t(words[first + 1]) << 32) | words[first]);
    }
};

/// The first entry of a row of sums that is above u; the last one if rounding leaves none.
inline std::int64_t place(const double* bound, std::int64_t from, std::int64_t to, double u) {
    if (to - from > 16) {
        std::int64_t low = from, high = to - 1;
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            if (u < bound[middle])
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }
    for (std::int64_t e = from; e < to - 1; ++e)
        if (u < bound[e]) return e;
    return to - 1;
}

inline Step step(const World& world, std::int32_t pair, double u) {
    const std::int64_t e = place(world.bound, world.start[pair], world.start[pair + 1], u);
    const std::int32_t next = world.next[e];
    if (next < 0) return {~next, world.gain[e], true};
    return {next, world.gain[e], world.terminal[next] != 0};
}

inline std::int32_t first_state(const World& world, double u) {
    return static_cast<std::int32_t>(place(world.begin, 0, static_cast<std::int64_t>(world.n), u));
}

/// Discounted returns, plain totals and lengths of episodes of a policy pi (n x m, sums by row), from `state` or (-1) a drawn first state.
void simulate(const World& world, const double* sums, std::int32_t state, std::int64_t episodes, std::int64_t most, Draws draws,
              double* returns, double* totals, std::int32_t* lengths);

}  // namespace novum::decisions
