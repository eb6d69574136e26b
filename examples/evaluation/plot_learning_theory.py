"""
VC dimension: what lines can express, and what a bound promises
===============================================================

All labelings of four corners by lines: two need a curve (:doc:`/theory/vc_dimension`). Then the error that structural risk
minimization promises for trees of growing size, a learner that cannot win on average, columns of noise, and the curse of
dimensionality.
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.neighbors import KNeighborsClassifier
from novum.teaching import curse_of_dimensionality, irrelevant_features, no_free_lunch, plot_hypothesis_space
from novum.theory import shatters, structural_risk_minimization
from novum.tree import DecisionTreeClassifier

corners = shatters("lines", [[0, 0], [1, 0], [0, 1], [1, 1]])
figure, axes = plt.subplots(2, 8, figsize=(13, 3.6), layout="constrained")
for labeling, ax in enumerate(axes.flat):
    corners.plot(ax, labeling=labeling)
print(corners)

# %%
# Training error falls with every leaf; the bound has a minimum.
rng = np.random.default_rng(0)
X = rng.uniform(size=(8000, 2))
y = (X > 0.5).all(axis=1) ^ (rng.uniform(size=8000) < 0.1)
trees = {str(k): DecisionTreeClassifier(max_leaf_nodes=k) for k in (2, 3, 5, 10, 30, 100)}
risk = structural_risk_minimization(trees, X, y)
print(risk)
figure, axes = plt.subplots(1, 3, figsize=(13, 3.8), layout="constrained")
risk.plot(axes[0])
plot_hypothesis_space(axes[1])
lunch = no_free_lunch({"always true": lambda X, y, unseen: [True] * len(unseen), "1-NN": KNeighborsClassifier(1)})
lunch.plot(axes[2])
print(lunch)

# %%
# Neighbors believe every column; nearly all of a cube of many dimensions is its shell.
figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
noisy = irrelevant_features(
    KNeighborsClassifier(), X, y, n_train=(100, 4000), n_noise=(0, 2, 5, 10, 20), random_state=0, n_repeats=2
)
noisy.plot(axes[0])
print(noisy)
curse_of_dimensionality().plot(axes[1])
plt.show()
