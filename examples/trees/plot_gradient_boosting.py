"""
Gradient boosting, tree by tree
===============================

Steps of trees follow a curve with a gap in the data and noise that grows: the mean by squared error, and the band between two
quantiles (:doc:`/theory/boosting`). Below, the error on new rows falls until the trees begin to learn the noise; early stopping
finds that place without being shown those rows.
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.ensemble import HistGradientBoostingRegressor

rng = np.random.default_rng(0)
x = rng.uniform(0, 10, 1500)
x = x[(x < 6) | (x > 7)]
curve = np.sin(x) + x / 4
y = curve + (0.1 + 0.06 * x) * rng.normal(size=len(x))
grid = np.linspace(0, 10, 600)
new = rng.uniform(0, 10, 4000)
target = np.sin(new) + new / 4 + (0.1 + 0.06 * new) * rng.normal(size=4000)

options = {"learning_rate": 0.08, "max_leaf_nodes": 8, "random_state": 0}
model = HistGradientBoostingRegressor(max_iter=400, early_stopping=False, **options).fit(x[:, None], y)
stopped = HistGradientBoostingRegressor(max_iter=400, early_stopping=True, **options).fit(x[:, None], y)
low, high = (
    HistGradientBoostingRegressor("quantile", quantile=q, max_iter=60, **options).fit(x[:, None], y) for q in (0.1, 0.9)
)
errors = [np.mean((p - target) ** 2) for p in model.staged_predict(new[:, None])]
print(f"least error after {np.argmin(errors) + 1} trees, early stopping after {stopped.n_iter_}")

# %%
figure, (above, below) = plt.subplots(2, 1, figsize=(8.5, 6.4), height_ratios=[3, 2], layout="constrained")
above.scatter(x, y, s=4, color="0.75")
above.fill_between(
    grid,
    low.predict(grid[:, None]),
    high.predict(grid[:, None]),
    color="#edae49",
    alpha=0.35,
    lw=0,
    label="10 % to 90 %",
)
for trees, color in ((1, "#a3b8cc"), (10, "#6384a8"), (stopped.n_iter_, "#1d3557")):
    stages = list(model.staged_predict(grid[:, None]))
    above.plot(grid, stages[trees - 1], color=color, lw=1.8, label=f"{trees} tree{'s' * (trees > 1)}")
above.legend(frameon=False, loc="upper left")
above.set(xlabel="x", ylabel="y", title="A sum of small trees")
below.plot(np.arange(1, len(errors) + 1), errors, color="#1d3557", lw=2)
below.axvline(stopped.n_iter_, color="#d1495b", lw=1.2, ls="--")
below.annotate(
    "early stopping", (stopped.n_iter_, max(errors) * 0.7), xytext=(6, 0), textcoords="offset points", color="#d1495b"
)
below.set(xlabel="trees", ylabel="squared error of new rows", yscale="log")
for axes in (above, below):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()
