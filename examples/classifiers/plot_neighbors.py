"""
Nearest neighbors: cells, votes and densities
=============================================

With one neighbor every row rules its Voronoi cell; more of them vote, and the border between the classes smooths. A density
needs no classes: a bump about every row, as wide as makes each row most likely given the others (:doc:`/theory/neighbors`).
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.neighbors import KernelDensity, KNeighborsClassifier, plot_neighbors, plot_regions
from novum.teaching import plot_voronoi

rng = np.random.default_rng(1)
y = np.repeat([0, 1], 40)
X = rng.normal(size=(80, 2)) + 1.6 * y[:, None] * [1.0, 0.4]

figure, axes = plt.subplots(2, 2, figsize=(10, 8), layout="constrained")
plot_voronoi(X, y, ax=axes[0, 0]).set_title("one neighbor: Voronoi cells")
plot_regions(KNeighborsClassifier(1).fit(X, y), ax=axes[0, 1])
plot_regions(KNeighborsClassifier(15).fit(X, y), ax=axes[1, 0])
plot_neighbors(KNeighborsClassifier(5).fit(X, y), [0.9, 0.3], ax=axes[1, 1])
for ax in axes.ravel():
    ax.set(xticks=[], yticks=[])

# %%
# The width of the bumps: too narrow follows the sample, too wide blurs it.
figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
for ax, bandwidth in zip(axes, (0.15, "leave_one_out", 1.5)):
    KernelDensity(bandwidth=bandwidth).fit(X).plot(ax)
    ax.set(xticks=[], yticks=[])
plt.show()
