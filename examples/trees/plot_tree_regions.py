"""
Decision tree: its regions are boxes
====================================

A tree asks one column at a time, so its regions are boxes. Grown to the end it gives every odd point a box of its own; a price
per leaf takes them away again, the weakest first (:doc:`/theory/trees`).
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgb

from novum.tree import DecisionTreeClassifier

rng = np.random.default_rng(3)
COLORS = np.array([to_rgb(c) for c in ("#00798c", "#d1495b")])
angle = np.repeat([0.0, np.pi], 150) + rng.uniform(0, np.pi, 300)
y = np.repeat([0, 1], 150)
X = np.column_stack([np.cos(angle) + y, np.sin(angle) + 0.4 * y]) + 0.35 * rng.normal(size=(300, 2))
first, second = np.meshgrid(np.linspace(-1.8, 2.8, 300), np.linspace(-1.6, 1.9, 300))

figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")
for ax, alpha in zip(axes, (0.0, 0.006, 0.03)):
    model = DecisionTreeClassifier(ccp_alpha=alpha).fit(X, y)
    share = model.predict_proba(np.column_stack([first.ravel(), second.ravel()]))
    shade = 1 - 0.55 * (1 - share @ COLORS)
    ax.imshow(shade.reshape(300, 300, 3), origin="lower", extent=(-1.8, 2.8, -1.6, 1.9), aspect="auto")
    ax.scatter(*X.T, c=COLORS[y], s=12, edgecolor="white", linewidth=0.4)
    ax.set_title(f"{model.get_n_leaves()} leaves, price {alpha:g}")
    ax.set(xticks=[], yticks=[])
plt.show()
