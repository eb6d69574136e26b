"""
AdaBoost: rounds and margins
============================

AdaBoost with stumps on two half-moons. The size of a point is its weight before the round: what the first stumps get wrong grows.
Margins go on rising after the last training mistake is gone.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from novum.ensemble import AdaBoostClassifier
from novum.teaching import plot_attention, plot_flow

X, y = make_moons(160, noise=0.18, random_state=0)
model = AdaBoostClassifier(n_estimators=300).fit(X, y)

# %%
# Weights of the rows and the decision so far, after 0, 2, 9 and 49 rounds.
weights = list(model.staged_weights(X, y))
grid = np.stack(np.meshgrid(np.linspace(-1.6, 2.6, 160), np.linspace(-1.1, 1.6, 120)), axis=-1)
regions = list(model.staged_predict(grid.reshape(-1, 2)))
figure, axes = plt.subplots(1, 4, figsize=(12, 3), sharex=True, sharey=True, layout="constrained")
for ax, m in zip(axes, (0, 2, 9, 49)):
    ax.contourf(*grid.transpose(2, 0, 1), regions[m].reshape(grid.shape[:2]), levels=1, alpha=0.25, cmap="coolwarm")
    ax.scatter(*X.T, c=y, s=3000 * weights[m], cmap="coolwarm", edgecolor="k", linewidth=0.3)
    ax.set_title(f"before round {m + 1}")

# %%
# Share of rows with at most a given margin, after 5, 30 and 300 rounds.
figure, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
for rounds in (5, 30, 300):
    margin = np.sort(AdaBoostClassifier(n_estimators=rounds).fit(X, y).margins(X, y))
    ax.step(margin, np.arange(1, len(margin) + 1) / len(margin), label=f"{rounds} rounds")
ax.axvline(0, color="grey", linewidth=0.8)
ax.set(xlabel="margin", ylabel="share of rows with at most this margin")
ax.legend()

# %%
# What the single stumps of the first rounds say, and the flow of boosting beside those of bagging and stacking.
plot_attention(model, X, y, rounds=(1, 2, 3))
figure, axes = plt.subplots(3, 1, figsize=(9, 8), layout="constrained")
for ax, kind in zip(axes, ("bagging", "boosting", "stacking")):
    plot_flow(kind, ax)
plt.show()
