"""
Cost-complexity pruning: how large should a tree be?
====================================================

The cost-complexity path gives one tree for every price of a leaf, each a pruning of the one before. The training data want the
largest of them, fresh rows do not; folds find the price (:doc:`/theory/trees`).
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score, train_test_split

from novum.tree import DecisionTreeClassifier

X, y = load_breast_cancer(return_X_y=True)
X, fresh, y, truth = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
alphas = np.unique(DecisionTreeClassifier().cost_complexity_pruning_path(X, y).ccp_alphas.clip(0))[:-1]
trees = [DecisionTreeClassifier(ccp_alpha=alpha).fit(X, y) for alpha in alphas]
folds = [cross_val_score(DecisionTreeClassifier(ccp_alpha=alpha), X, y, cv=10).mean() for alpha in alphas]
leaves = [tree.get_n_leaves() for tree in trees]
chosen = int(np.argmax(folds))
print(f"folds choose the price {alphas[chosen]:.4f}: {leaves[chosen]} of {leaves[0]} leaves")

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
left.step(alphas, leaves, where="post", color="#00798c")
left.set(xlabel="price of a leaf", ylabel="leaves")
curves = {
    "training rows": ([t.score(X, y) for t in trees], "#8d8d8d"),
    "ten folds": (folds, "#00798c"),
    "fresh rows": ([t.score(fresh, truth) for t in trees], "#d1495b"),
}
for name, (score, color) in curves.items():
    right.plot(leaves, score, marker="o", markersize=3, color=color, label=name)
right.axvline(leaves[chosen], color="#00798c", linewidth=0.8, linestyle=":")
right.set(xlabel="leaves", ylabel="accuracy", xscale="log")
right.legend(frameon=False)
for ax in (left, right):
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
