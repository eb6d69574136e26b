"""
Conformal prediction: intervals that cover, whatever the model
==============================================================

A line through data that are no line, with noise that grows. The split interval has one width and covers on average; quantile
regression makes it narrow where the target is sure (:doc:`/theory/scores`).
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.ensemble import HistGradientBoostingRegressor
from novum.evaluation import ConformalRegressor
from novum.linear_model import LinearRegression

rng = np.random.default_rng(0)
X = rng.uniform(0, 4, (2000, 1))
y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 0] * rng.normal(size=2000)
grid = np.linspace(0, 4, 200)[:, None]
models = {
    "a line, split": ConformalRegressor(LinearRegression(), random_state=0),
    "a line, CV+": ConformalRegressor(LinearRegression(), method="cv_plus", random_state=0),
    "boosted quantiles": ConformalRegressor(
        HistGradientBoostingRegressor(loss="quantile", quantile=0.5, max_iter=60), method="quantile", random_state=0
    ),
}
figure, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained", sharey=True)
for ax, (name, model) in zip(axes, models.items()):
    covered, width = model.fit(X[:1000], y[:1000]).coverage(X[1000:], y[1000:])
    _, low, high = model.predict(grid, interval="prediction")
    ax.plot(X[1000:1400], y[1000:1400], ".", color="#9fb4c7", markersize=3)
    ax.plot(grid, model.predict(grid), color="#d1495b")
    ax.fill_between(grid[:, 0], low, high, color="#33415c", alpha=0.2)
    ax.set(title=f"{name}: {covered:.0%} covered, width {width:.2f}", xlabel="x")
    print(f"{name}: {covered:.3f} of new rows covered (asked .9), mean width {width:.2f}")
axes[0].set_ylabel("y")
plt.show()
