"""
Hidden Markov model: the dishonest casino
=========================================

A casino rolls a fair die and now and then a loaded one that shows six every other time. Only the rolls are seen. A hidden Markov
model learns both dice and says when which was used: the most probable path, and how sure it is.
"""

import numpy as np
from matplotlib import pyplot as plt

from novum.sequence import CategoricalHMM

truth = CategoricalHMM(2, random_state=1)
truth.startprob_, truth.transmat_ = [1.0, 0.0], [[0.97, 0.03], [0.06, 0.94]]
truth.emissionprob_ = [[1 / 6] * 6, [0.1] * 5 + [0.5]]
rolls, dice = truth.sample(1500)

model = CategoricalHMM(2, n_init=5, random_state=0).fit(rolls)
loaded = int(model.emissionprob_[:, 5].argmax())
print(model.emissionprob_.round(2))
print(f"right about the die: {np.mean((model.predict(rolls) == loaded) == (dice == 1)):.0%}")

# %%
# The posterior of the loaded die over 300 rolls; bands show when it was really used.

shown = slice(0, 300)
figure, ax = plt.subplots(figsize=(9, 3), layout="constrained")
ax.fill_between(range(300), dice[shown], step="mid", color="0.85", label="loaded die used")
ax.plot(model.predict_proba(rolls)[shown, loaded], color="C3", label="probability")
ax.set(xlabel="roll", ylabel="loaded")
ax.legend(loc="upper right")

# %%
# The trellis of a few rolls around a change: posteriors as nodes, the best path thick.

change = int(np.flatnonzero(np.diff(dice[20:]))[0]) + 20
model.plot_trellis(rolls[change - 8 : change + 12])
plt.show()
