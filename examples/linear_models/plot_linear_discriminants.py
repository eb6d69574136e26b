"""
Linear decisions
================

A plane with its normal and the distances of points, and the regions that one-against-the-rest and pairs leave open.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

from novum.linear_model import Hyperplane

rng = np.random.default_rng(0)
figure, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")

# %%
# The sign of w'x + b decides; divided by the length of w it is the distance.
Hyperplane([3.0, 4.0], -5.0).plot(axes[0], X=[[3.0, 3.0], [-1.0, 0.5], [1.0, -2.0], [2.0, 0.5]])

# %%
# One classifier per class: points that none or several of them claim. Pairs: points where every class has one vote.
X = np.concatenate([rng.normal(size=(60, 2)) + center for center in ([0, 4], [4, -2], [-4, -2])])
y = np.repeat([0, 1, 2], 60)
xs, ys = np.meshgrid(np.linspace(-9, 9, 300), np.linspace(-8, 9, 300))
grid = np.column_stack([xs.ravel(), ys.ravel()])

rest = OneVsRestClassifier(LogisticRegression()).fit(X, y)
claims = sum(model.predict(grid) for model in rest.estimators_)
pairs = OneVsOneClassifier(LogisticRegression()).fit(X, y)
votes = np.zeros((len(grid), 3))
for (i, j), model in zip([(0, 1), (0, 2), (1, 2)], pairs.estimators_):
    votes[np.arange(len(grid)), np.where(model.predict(grid) == 1, j, i)] += 1
open_points = {
    "one against the rest: nobody's or several's": claims != 1,
    "pairs: three votes, three classes": (votes == 1).all(1),
}
for ax, (title, unclear), winner in zip(axes[1:], open_points.items(), (rest.predict(grid), pairs.predict(grid))):
    ax.contourf(xs, ys, winner.reshape(xs.shape), levels=[-0.5, 0.5, 1.5, 2.5], alpha=0.25)
    ax.contourf(xs, ys, unclear.reshape(xs.shape).astype(float), levels=[0.5, 1.5], colors="gray")
    ax.scatter(*X.T, c=y, s=8)
    ax.set_title(title)
plt.show()
