#include "novum/decisions/world.h"

#include "novum/runtime/interrupt.h"

namespace novum::decisions {

void simulate(const World& world, const double* sums, std::int32_t state, std::int64_t episodes, std::int64_t most, Draws draws,
              double* returns, double* totals, std::int32_t* lengths) {
    std::uint64_t t = 0;
    interrupt::Poller<1024> poller;
    const std::int64_t m = static_cast<std::int64_t>(world.m);
    for (std::int64_t episode = 0; episode < episodes; ++episode) {
        std::int32_t s = state;
        if (s < 0) s = first_state(world, rng::uniform<double>(rng::bits(draws.starts, static_cast<std::uint64_t>(episode))));
        double total = 0, value = 0, factor = 1;
        std::int32_t length = 0;
        while (!world.terminal[s] && length < most) {
            const std::int64_t a = place(sums + s * m, 0, m, draws.uniform(t, 1));
            const Step taken = step(world, world.pair[static_cast<std::size_t>(s * m + a)], draws.uniform(t, 0));
            ++t;
            ++length;
            total += taken.reward;
            value += factor * taken.reward;
            factor *= world.discount;
            s = taken.next;
            poller.tick();
            if (taken.ended) break;
        }
        returns[episode] = value;
        totals[episode] = total;
        lengths[episode] = length;
    }
}

}  // namespace novum::decisions
