"""
Ridge regression: how it shrinks
================================

The coefficients of the diabetes table from nearly no penalty to a crushing one, and the error on rows left out, for
every penalty in closed form (:doc:`/theory/least_squares`). Attributes that carry nearly the same information, here the
blood lipids, hold each other in balance with large coefficients of opposite signs, and those give way first.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from novum.linear_model import Ridge

X, y = load_diabetes(return_X_y=True, as_frame=True)
X = (X - X.mean()) / X.std()
alphas = np.geomspace(1e-2, 1e5, 60)

coefficients, errors = [], []
for alpha in alphas:
    model = Ridge(alpha=alpha).fit(X, y)
    coefficients.append(model.coef_)
    errors.append(np.sqrt(np.mean((y - model.leave_one_out_predict(X, y)) ** 2)))
coefficients, errors = np.array(coefficients), np.array(errors)
best = alphas[errors.argmin()]
print(f"least leave-one-out error {errors.min():.2f} at alpha = {best:.3g}")

# %%
names = {"s1": "total cholesterol", "s2": "LDL", "s3": "HDL", "s4": "ratio", "s5": "log triglycerides", "s6": "glucose"}
figure, (above, below) = plt.subplots(2, 1, figsize=(8.5, 6.4), sharex=True, height_ratios=[3, 1], layout="constrained")
colors = plt.colormaps["tab10"](np.arange(10))
for path, color in zip(coefficients.T, colors):
    above.plot(alphas, path, color=color, lw=1.8)

# labels at the left edge, moved apart where they would overlap
order = np.argsort(coefficients[0])
heights = coefficients[0][order].copy()
for k in range(1, len(heights)):
    heights[k] = max(heights[k], heights[k - 1] + 3.6)
for k, height in zip(order, heights):
    label = names.get(X.columns[k], X.columns[k])
    above.annotate(
        label, (alphas[0], height), xytext=(-6, 0), textcoords="offset points", ha="right", va="center", color=colors[k]
    )
above.axhline(0, color="0.7", lw=0.8, zorder=0)
above.set(ylabel="coefficient (per standard deviation)", title="Ridge path of the diabetes table")
above.yaxis.tick_right()
above.yaxis.set_label_position("right")
above.spines[["top", "left"]].set_visible(False)

below.plot(alphas, errors, color="#33415c", lw=2)
for axes in (above, below):
    axes.axvline(best, color="#d1495b", lw=1.2, ls="--")
below.annotate(
    f"least at {best:.2g}",
    (best, errors.min() + 4),
    xytext=(6, -4),
    textcoords="offset points",
    va="top",
    color="#d1495b",
)
below.set(xscale="log", xlabel="penalty alpha", ylabel="leave-one-out\nerror")
below.set_ylim(errors.min() - 0.3, errors.min() + 4)
below.yaxis.tick_right()
below.yaxis.set_label_position("right")
below.spines[["top", "left"]].set_visible(False)
plt.show()
