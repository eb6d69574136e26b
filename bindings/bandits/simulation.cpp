#include "novum/bandits/simulation.h"
#include "../arrays.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

using namespace nb::literals;
using namespace novum::bandits;

void bind_bandits_simulation(nb::module_& m) {
    m.def(
        "simulate",
        [](int arms, Matrix<const double> table, Matrix<const double> contexts, double noise, int player, Vector<const double> parameters,
           std::uint64_t seed, std::uint32_t purpose, std::uint64_t first, Vector<const double> schedule, Vector<const std::int64_t> times,
           Matrix<double> cost, Vector<double> reward, Matrix<std::int64_t> pulls) {
            require(arms >= 0 && arms <= static_cast<int>(Arms::linear) && player >= 0 && player <= static_cast<int>(Player::lin_ucb),
                    "bandits: unknown kind of bandit or policy");
            const Game game{static_cast<Arms>(arms),
                            {table.data(), table.shape(0), table.shape(1)},
                            {contexts.data(), contexts.shape(0), contexts.shape(1)},
                            noise};
            const std::size_t horizon = schedule.size(), count = cost.shape(0), needed = 3;
            require(game.n_arms() > 0 && game.dimension() > 0, "bandits: no arms");
            require(game.arms != Arms::bernoulli || table.shape(1) == 2, "bandits: arms need a mean and a scale");
            require(game.arms != Arms::gaussian || table.shape(1) == 2, "bandits: arms need a mean and a scale");
            require(game.arms != Arms::given || table.shape(0) >= horizon, "bandits: fewer rewards than rounds");
            require(game.arms != Arms::linear || contexts.shape(0) == 0 || contexts.shape(1) == table.shape(1),
                    "bandits: inconsistent contexts");
            require(times.size() > 0 && cost.shape(1) == times.size() && reward.size() == count && pulls.shape(0) == count &&
                        pulls.shape(1) == game.n_arms() && parameters.size() == needed,
                    "bandits: inconsistent shapes");
            for (std::size_t i = 0; i < times.size(); ++i)
                require(times.data()[i] > (i ? times.data()[i - 1] : 0) && static_cast<std::size_t>(times.data()[i]) <= horizon,
                        "bandits: times must increase from one to the horizon");
            nb::gil_scoped_release release;
            simulate(game, static_cast<Player>(player), parameters.data(),
                     {seed,
                      purpose,
                      first,
                      {schedule.data(), horizon},
                      {times.data(), times.size()},
                      count,
                      cost.data(),
                      reward.data(),
                      pulls.data()});
        },
        "arms"_a, "table"_a.noconvert(), "contexts"_a.noconvert(), "noise"_a, "player"_a, "parameters"_a.noconvert(), "seed"_a, "purpose"_a,
        "first"_a, "schedule"_a.noconvert(), "times"_a.noconvert(), "cost"_a.noconvert(), "reward"_a.noconvert(), "pulls"_a.noconvert(),
        "Play a policy in a bandit, a run for every row of cost.");
    m.def(
        "bernoulli_upper",
        [](Vector<const double> p, Vector<const double> c, Vector<double> out) {
            require(c.size() == p.size() && out.size() == p.size(), "bandits: inconsistent shapes");
            for (std::size_t j = 0; j < p.size(); ++j) out.data()[j] = bernoulli_upper(p.data()[j], c.data()[j]);
        },
        "p"_a.noconvert(), "c"_a.noconvert(), "out"_a.noconvert(), "Write the largest q with kl(p, q) <= c, for every p.");
}
