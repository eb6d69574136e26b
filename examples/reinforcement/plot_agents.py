"""
Deep agents and self-play: a pole in balance, and checkers
==========================================================

Several runs of every agent with different seeds, with bands; then a program that learns a game from its own games
(:doc:`/theory/policy_gradient`). Agents with networks are trained where PyTorch is installed.
"""

from importlib.util import find_spec

import matplotlib.pyplot as plt

from novum.reinforcement import ActorCritic, SemiGradientSARSA, StateFeatures, compare_agents, plot_learning_curves
from novum.teaching import self_play

STEPS, SEEDS = 20_000, 3
features = StateFeatures("tiles", low=[-2.4, -3, -0.21, -3], high=[2.4, 3, 0.21, 3], n_tilings=8, n_tiles=4)
curves = {
    "SARSA with tiles": [
        SemiGradientSARSA(
            features, n_episodes=200, learning_rate=0.2, exploration=0.02, trace_decay=0.5, random_state=seed
        )
        .fit("CartPole-v1")
        .history_
        for seed in range(SEEDS)
    ]
}
if find_spec("torch"):
    curves["PPO"] = [
        ActorCritic(total_steps=STEPS, random_state=seed, device="cpu").fit("CartPole-v1").history_
        for seed in range(SEEDS)
    ]
plot_learning_curves(curves)
plt.title("CartPole-v1")

# %%
# Is one better? From the last episodes of five or more runs; here the returns of another study.
found = compare_agents({"A": [480, 500, 495, 500, 490, 500], "B": [420, 500, 310, 500, 480, 260]})
print(found)
found.plot()

# %%
# Checkers: thirty games against itself, the weights of the notes' seven features, and games won against a random player.
learned = self_play("checkers", 30, n_checks=3, check_games=20, random_state=0)
print(learned)
learned.plot()
