"""
Linear regression with the bands that belong to it
==================================================

A line through noisy points with two bands: where the line may lie, and where a new point may fall. Beside it a plane
through a sample in space. Formulas: :doc:`/theory/least_squares`, (2) and (14).
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats

from novum.linear_model import LinearRegression

rng = np.random.default_rng(3)
INK, LINE, BAND = "#33415c", "#d1495b", "#edae49"

# %%
# The variance of the line at x follows from the covariance of the coefficients; a new point adds the variance of the noise.
x = np.sort(rng.uniform(0, 10, 40))
y = 1.5 + 0.8 * x + rng.normal(scale=1.2, size=40)
model = LinearRegression().fit(x[:, None], y)
table = model.inference()
print(table)

grid = np.linspace(-1, 11, 200)
design = np.column_stack([np.ones_like(grid), grid])
variance = np.einsum("ij,jk,ik->i", design, table.covariance, design)
reach = stats.t.ppf(0.975, table.degrees_of_freedom)
middle = model.predict(grid[:, None])

# %%
# Two predictors make a plane; ``plot`` draws the sample and the plane, vertical lines show the residuals.
X = rng.uniform(-1, 1, size=(60, 2))
z = 1 + X @ [1.0, -0.7] + rng.normal(scale=0.25, size=60)
plane = LinearRegression().fit(X, z)

figure = plt.figure(figsize=(11, 4.6), layout="constrained")
left = figure.add_subplot(1, 2, 1)
for spread, color, label in (
    (variance + table.noise_variance, "#f4e3bf", "a new point, 95 %"),
    (variance, BAND, "the line, 95 %"),
):
    half = reach * np.sqrt(spread)
    left.fill_between(grid, middle - half, middle + half, color=color, lw=0, label=label)
left.plot(grid, middle, color=LINE, lw=2, label=f"{model.intercept_:.2f} + {model.coef_[0]:.2f} x")
left.scatter(x, y, s=18, color=INK, zorder=3)
left.set(xlabel="x", ylabel="y", xlim=(-1, 11), title="A line and what is known about it")
left.legend(frameon=False, loc="upper left")
left.spines[["top", "right"]].set_visible(False)

right = figure.add_subplot(1, 2, 2, projection="3d")
plane.plot(X, z, ax=right)
for point, height, fitted in zip(X, z, plane.predict(X)):
    right.plot(*([v, v] for v in point), [fitted, height], color=INK, lw=0.7, alpha=0.6)
right.set(xlabel="$x_1$", ylabel="$x_2$", zlabel="z", title=f"A plane, R² = {plane.score(X, z):.2f}")
right.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1], zticks=[0, 1, 2])
right.view_init(elev=22, azim=-62)
right.set_box_aspect((1, 1, 0.9), zoom=1.12)
plt.show()
