"""
Reduced-error pruning: held-out rows choose the size of a tree
==============================================================

Training rows want every leaf, held-out rows do not. Left: both errors of all subtrees of the cost-complexity path. Right:
reduced-error pruning makes leaves of nodes, one after the other, as long as the held-out rows do not mind
(:doc:`/theory/decision_trees_notes`).
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.tree import DecisionTreeClassifier

rng = np.random.default_rng(1)
X = rng.integers(0, 4, (1500, 6)).astype(float)
y = ((X[:, 0] == 1) | ((X[:, 1] > 1) & (X[:, 2] == 3))) ^ (rng.random(1500) < 0.15)
model = DecisionTreeClassifier(
    criterion="entropy", branching="multiway", categorical_features=range(6), validation_fraction=0.3, random_state=0
)
curve = model.pruning_curve(X, y)
print(curve)

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
curve.plot(left)
left.set_title("cost-complexity path")
log = model.set_params(pruning="reduced_error").fit(X, y).pruning_log_
right.step(range(len(log["after"]) + 1), [log["before"][0], *log["after"]], where="post", color="#00798c")
right.set(
    xlabel="nodes made leaves",
    ylabel="held-out accuracy",
    title=f"reduced-error pruning: {model.get_n_leaves()} leaves",
)
for ax in (left, right):
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
