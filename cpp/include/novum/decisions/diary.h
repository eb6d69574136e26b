// What a learner from experience lived through and what it knew on the way, written down where somebody asks for it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "novum/decisions/world.h"

namespace novum::decisions {

struct Diary {
    std::int64_t every;  // episodes between two entries of what was known; there is one at the end of the last episode, too
    std::size_t most;    // transitions that are written down: the first ones

    std::vector<std::int64_t> episodes;  // (k): episodes that were over at each entry
    std::vector<double> values;          // (k cells): the table of values
    std::vector<std::int64_t> counts;    // (k cells): that of visits, for learners that count them

    std::vector<std::int64_t> episode;  // (t): of each transition
    std::vector<std::int32_t> state, action, next;
    std::vector<double> reward;
    std::vector<std::uint8_t> ended;

    bool wants(std::int64_t done, std::int64_t last) const { return done % every == 0 || done == last; }

    void know(std::int64_t done, const double* v, const std::int64_t* n, std::size_t cells) {
        episodes.push_back(done);
        values.insert(values.end(), v, v + cells);
        if (n) counts.insert(counts.end(), n, n + cells);
    }
    void live(std::int64_t number, std::int32_t s, std::int64_t a, const Step& taken) {
        if (state.size() == most) return;
        episode.push_back(number);
        state.push_back(s);
        action.push_back(static_cast<std::int32_t>(a));
        reward.push_back(taken.reward);
        next.push_back(taken.next);
        ended.push_back(taken.ended);
    }
};

}  // namespace novum::decisions
