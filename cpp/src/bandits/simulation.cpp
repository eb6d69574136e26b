#include "novum/bandits/simulation.h"

#include "novum/runtime/interrupt.h"

namespace novum::bandits {

namespace {

template <class Policy, class Environment>
void play(const Game& game, const double* parameters, const Runs& runs) {
    const Setting setting{game.n_arms(), game.dimension(), parameters};
    const std::size_t horizon = runs.schedule.size();
    interrupt::Poller<256> poller;
    for (std::size_t run = 0; run < runs.count; ++run) {
        Generator g(runs.seed, runs.purpose, runs.first + run);
        Environment environment(game.table, game.contexts, game.noise);
        Policy policy(setting);
        double* cost_at = runs.cost + run * runs.times.size();
        std::int64_t* pulls = runs.pulls + run * setting.arms;
        std::size_t point = 0;
        double cost = 0, gained = 0;
        for (std::size_t t = 0; t < horizon; ++t) {
            poller.tick();
            environment.next(t, g);
            const double now = runs.schedule[t];
            const double* x = environment.context();
            const std::size_t a = policy.select(now, x, g);
            const double reward = environment.reward(a, g);
            cost += environment.cost(a);
            gained += reward;
            ++pulls[a];
            policy.update(a, reward, now, x, g);
            if (static_cast<std::int64_t>(t) + 1 == runs.times[point]) {
                cost_at[point] = cost;
                if (++point == runs.times.size()) break;
            }
        }
        runs.reward[run] = gained;
    }
}

template <class Policy>
void in_environment(const Game& game, const double* parameters, const Runs& runs) {
    switch (game.arms) {
        case Arms::bernoulli: return play<Policy, BernoulliArms>(game, parameters, runs);
        case Arms::gaussian: return play<Policy, GaussianArms>(game, parameters, runs);
        case Arms::given: return play<Policy, GivenRewards>(game, parameters, runs);
        case Arms::linear: return play<Policy, LinearArms>(game, parameters, runs);
    }
}

}  // namespace

void simulate(const Game& game, Player player, const double* parameters, const Runs& runs) {
    switch (player) {
        case Player::epsilon_greedy: return in_environment<EpsilonGreedy>(game, parameters, runs);
        case Player::softmax: return in_environment<Softmax>(game, parameters, runs);
        case Player::upper_confidence: return in_environment<UpperConfidence>(game, parameters, runs);
        case Player::kl_upper_confidence: return in_environment<KLUpperConfidence>(game, parameters, runs);
        case Player::thompson_bernoulli: return in_environment<ThompsonBernoulli>(game, parameters, runs);
        case Player::thompson_gaussian: return in_environment<ThompsonGaussian>(game, parameters, runs);
        case Player::exp3: return in_environment<Exp3>(game, parameters, runs);
        case Player::exp3_anytime: return in_environment<Exp3Anytime>(game, parameters, runs);
        case Player::lin_ucb: return in_environment<LinUCB>(game, parameters, runs);
    }
}

}  // namespace novum::bandits
