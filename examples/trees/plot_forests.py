"""
Random forest: one tree, many trees
===================================

A deep tree draws every noisy point into its regions, a forest averages this away, boosted stumps add up half-planes
(:doc:`/theory/forests`). Below: the out-of-bag curve needs no new rows, and wrong labels hurt boosting more than bagging.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification, make_moons

from novum.ensemble import AdaBoostClassifier, RandomForestClassifier
from novum.teaching import plot_committee
from novum.tree import DecisionTreeClassifier

X, y = make_moons(400, noise=0.3, random_state=0)
grid = np.stack(np.meshgrid(np.linspace(-2, 3, 240), np.linspace(-1.5, 2, 200)), axis=-1)
models = {
    "a tree": DecisionTreeClassifier(),
    "a forest of 200": RandomForestClassifier(200, random_state=0),
    "200 boosted stumps": AdaBoostClassifier(n_estimators=200),
}

figure, panels = plt.subplots(2, 3, figsize=(11, 6.6), layout="constrained")
for axes, (name, model) in zip(panels[0], models.items()):
    share = model.fit(X, y).predict_proba(grid.reshape(-1, 2))[:, 1].reshape(grid.shape[:2])
    axes.contourf(grid[..., 0], grid[..., 1], share, levels=np.linspace(0, 1, 11), cmap="RdBu_r", alpha=0.7)
    axes.contour(grid[..., 0], grid[..., 1], share, levels=[0.5], colors="0.2", linewidths=1.2)
    axes.scatter(*X.T, c=y, s=7, cmap="RdBu_r", edgecolors="white", linewidths=0.3)
    axes.set(title=name, xticks=[], yticks=[])

# %%
# Out-of-bag accuracy by number of trees, beside that of new rows.
curve_axes, noise_axes, proximity_axes = panels[1]
forest = models["a forest of 200"]
new, truth = make_moons(4000, noise=0.3, random_state=1)
forest.oob_curve(X, y).plot(curve_axes, color="#1d3557", lw=1.8, label="out of bag")
curve_axes.axhline(forest.score(new, truth), color="#d1495b", ls="--", lw=1.2, label="new rows, all trees")
curve_axes.legend(frameon=False, loc="lower right")
curve_axes.set_title("no new rows needed")

# %%
# Labels flipped at random: deep trees bagged, and the same number of shallow ones boosted.
levels = [0, 0.1, 0.2, 0.3]
errors: dict[str, list[float]] = {"bagging (forest)": [], "boosting": []}
for level in levels:
    each: dict[str, list[float]] = {name: [] for name in errors}
    for seed in range(4):
        A, b = make_classification(1200, 10, n_informative=4, flip_y=0, random_state=seed)
        noisy = np.where(np.random.default_rng(seed).random(600) < level, 1 - b[:600], b[:600])
        bagged = RandomForestClassifier(80, random_state=0)
        boosted = AdaBoostClassifier(DecisionTreeClassifier(max_depth=4), n_estimators=80)
        for name, model in zip(errors, (bagged, boosted)):
            each[name].append(1 - model.fit(A[:600], noisy).score(A[600:], b[600:]))
    for name, found in each.items():
        errors[name].append(float(np.mean(found)))
for (name, found), color in zip(errors.items(), ("#1d3557", "#d1495b")):
    noise_axes.plot(levels, found, "o-", color=color, label=name)
noise_axes.legend(frameon=False)
noise_axes.set(xlabel="share of wrong labels in training", ylabel="error on right ones", title="label noise")

# %%
# Rows in the order of their classes: those that share leaves form blocks.
order = np.argsort(y, kind="stable")
proximity_axes.imshow(forest.proximity(X[order]), cmap="magma_r", vmax=0.5)
proximity_axes.set(title="proximity", xticks=[], yticks=[])
for axes in (curve_axes, noise_axes):
    axes.spines[["top", "right"]].set_visible(False)

# %%
# A point between the moons on its way through three trees, and what all trees say.
plot_committee(RandomForestClassifier(25, max_depth=3, random_state=0).fit(X, y), [0.5, 0.3])
print({name: np.round(found, 3).tolist() for name, found in errors.items()})
plt.show()
