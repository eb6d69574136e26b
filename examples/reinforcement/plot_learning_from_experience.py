"""
Temporal differences, Monte Carlo, Q-learning and SARSA
=======================================================

First against every visit, temporal differences against Monte Carlo on the random walk, and Q-learning against SARSA at the cliff
(:doc:`/theory/reinforcement`).
"""

import matplotlib.pyplot as plt

from novum.reinforcement import MDP, SARSA, TD, MonteCarloPrediction, QLearning
from novum.teaching import cliff_walk, random_walk

loop = MDP({"a": {"x": [(0.8, "a", 1.0), (0.2, "end", 1.0)]}}, terminal=["end"])
walk, cliff = random_walk(), cliff_walk()
many = {"n_runs": 100, "random_state": 0}

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(15, 4), layout="constrained")
for visits in ("first", "every"):
    MonteCarloPrediction(200, visits=visits, **many).fit(loop).plot(left)
left.get_legend().get_texts()[0].set_text("first visit")
left.get_legend().get_texts()[1].set_text("every visit")
TD(100, learning_rate=0.05, initial_value=0.5, **many).fit(walk).plot(middle)
MonteCarloPrediction(100, visits="every", learning_rate=0.02, initial_value=0.5, **many).fit(walk).plot(middle)
for agent in (SARSA, QLearning):
    agent(500, learning_rate=0.5, exploration=0.1, n_runs=50, random_state=0).fit(cliff).plot(right)
right.set_ylim(-100, 0)
plt.show()
