"""
Logistic regression beside least squares: points that are right and far
=======================================================================

Least squares on targets 0 and 1 asks every point to score exactly 0 or 1, and charges a point far on its own side as much
as one on the wrong side.
A few such points turn its boundary. The cross-entropy charges them nothing (:doc:`/theory/logistic_regression`).
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.linear_model import Hyperplane, LinearRegression, LogisticRegression
from novum.teaching import plot_masking, plot_multiclass_regions, plot_outlier_pull

rng = np.random.default_rng(0)
X = np.concatenate([rng.normal([-1.0, 1.0], 0.7, size=(80, 2)), rng.normal([1.0, -0.6], 0.7, size=(80, 2))])
y = np.repeat([0, 1], 80)
far = rng.normal([6.5, -6.5], 0.5, size=(25, 2))  # of class 1, and on its side
samples = {
    "as drawn": (X, y),
    "with 25 points far on their own side": (np.concatenate([X, far]), np.append(y, np.ones(25, int))),
}

figure, axes = plt.subplots(1, 2, figsize=(11, 5), layout="constrained", sharex=True, sharey=True)
first, second = np.meshgrid(np.linspace(-4, 8.5, 300), np.linspace(-8.5, 4, 300))
grid = np.column_stack([first.ravel(), second.ravel()])
for ax, (title, (rows, labels)) in zip(axes, samples.items()):
    logistic = LogisticRegression().fit(rows, labels)
    squares = LinearRegression().fit(rows, labels)
    shade = logistic.predict_proba(grid)[:, 1].reshape(first.shape)
    ax.contourf(first, second, shade, levels=np.linspace(0, 1, 11), cmap="RdBu", alpha=0.35)
    ax.scatter(*rows.T, c=np.where(labels, "#00798c", "#d1495b"), s=14, edgecolor="white", linewidth=0.3)
    lines = {"logistic regression": (logistic.decision_function(grid), "black")}
    lines["least squares"] = (squares.predict(grid) - 0.5, "#7a28a0")
    for name, (score, color) in lines.items():
        ax.contour(first, second, score.reshape(first.shape), levels=[0], colors=color, linewidths=2)
        ax.plot([], [], color=color, lw=2, label=name)
    wrong = int(((squares.predict(X) > 0.5) != y).sum()), int((logistic.predict(X) != y).sum())
    ax.set(title=f"{title}\nwrong among the first 160: least squares {wrong[0]}, logistic {wrong[1]}")
    distance = Hyperplane(squares.coef_, squares.intercept_ - 0.5).signed_distance(rows)
    ax.set_xlabel(f"farthest point from the plane of least squares: {np.abs(distance).max():.1f}")
axes[0].legend(loc="lower left")

# %%
# The boundaries alone, without and with the far points.
plot_outlier_pull(X, y, far, np.ones(25, int))

# %%
# Three classes in a row: least squares never gives the middle one the largest score, logistic regression does.
row = np.vstack([rng.normal(center, 0.5, (60, 2)) for center in ([-3.0, -3.0], [0.0, 0.0], [3.0, 3.0])])
plot_masking(row, np.repeat(["left", "middle", "right"], 60))

# %%
# Three classes by two-class learners: one against the rest leaves points that nobody or several claim (dark).
corners = np.vstack([rng.normal(center, 1.0, (60, 2)) for center in ([0.0, 4.0], [4.0, -2.0], [-3.0, -3.0])])
plot_multiclass_regions(corners, np.repeat(["a", "b", "c"], 60))
plt.show()
