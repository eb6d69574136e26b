"""
Bandits: regret under its bounds
================================

Policies in a bandit with three arms, a thousand runs each: greedy play loses linearly, UCB1 stays far below its bound, KL-UCB and
Thompson sampling run along the bound of Lai and Robbins. Against an adversary only chance helps (:doc:`/theory/bandits`).
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.bandits import (
    EXP3,
    KLUCB,
    UCB1,
    AdversarialBandit,
    BernoulliBandit,
    ContextualBandit,
    EpsilonGreedy,
    Greedy,
    LinUCB,
    ThompsonSampling,
    simulate,
)

bandit = BernoulliBandit([0.9, 0.8, 0.5])
policies = {
    "greedy": Greedy(),
    "0.1-greedy": EpsilonGreedy(0.1),
    "UCB1": UCB1(),
    "KL-UCB": KLUCB(),
    "Thompson": ThompsonSampling(),
}
found = simulate(bandit, policies, 10_000, n_runs=1000, random_state=0)
print(found)
figure, axes = plt.subplots(1, 2, figsize=(12, 4.5), layout="constrained")
found.plot(axes[0], bounds=["lai-robbins", "thompson", "ucb1"])
axes[0].set_xscale("log")
axes[0].set_ylim(0, 300)
axes[0].set_title("Mean regret, 95 % intervals")
shown = simulate(
    bandit, {name: policies[name] for name in ("greedy", "UCB1", "Thompson")}, 2000, n_runs=500, random_state=1
)
shown.plot(axes[1], band="runs")
axes[1].set_title("Where 95 % of the runs lie")

# %%
# An adversary who pays arm 3 in the first half and arm 7 in the second. UCB1 has no chance to hide behind; EXP3 has.
rewards = np.full((4000, 10), 0.2)
rewards[:2000, 3] = rewards[2000:, 7] = 0.9
trap = simulate(
    AdversarialBandit(rewards),
    {"EXP3": EXP3(), "EXP3, anytime": EXP3(anytime=True), "UCB1": UCB1()},
    4000,
    n_runs=300,
    random_state=0,
)
trap.plot(bounds=["exp3", "exp3-anytime", "minimax"])

# %%
# Rewards that depend on a context: who looks at it learns, who does not pays in every round.
rng = np.random.default_rng(0)
world = ContextualBandit(rng.normal(size=(4, 3)), noise=0.3)
simulate(world, {"LinUCB": LinUCB(), "UCB1": UCB1()}, 3000, n_runs=200, random_state=0).plot()
