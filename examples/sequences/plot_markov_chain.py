"""
Markov chain: the weather
=========================

A chain learned from a drawn year, its graph, and how soon a forecast forgets today (:doc:`/theory/markov_chains`).
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.sequence import MarkovChain

names = ["sun", "cloud", "rain"]
truth = MarkovChain(transition=[[0.7, 0.25, 0.05], [0.3, 0.4, 0.3], [0.1, 0.5, 0.4]], states=names)
year = truth.sample(365, random_state=0)
chain = MarkovChain(states=names).fit(year)
print(chain.classes(), chain.is_ergodic(), chain.mixing_time(), chain.hitting_times("rain"), sep="\n")
print(chain.compare_orders(year))

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
chain.plot(left)
days = np.arange(1, 11)
for today in names:
    right.plot(days, chain.forecast([today], 10)[:, 2], marker="o", label=f"{today} today")
right.axhline(chain.stationary()[2], color="0.6", linestyle="--", label="stationary law")
right.set(xlabel="days ahead", ylabel="probability of rain", title="the start is forgotten")
right.legend(frameon=False)
plt.show()
