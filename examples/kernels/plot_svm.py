"""
Support vector machines: margins, slack and tubes
=================================================

The widest strip between two classes, the same with an outlier and slack, a boundary bent by a kernel, and regression within a tube.
Rings are the support vectors: all other points could be left out (:doc:`/theory/svm`).
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.svm import SVC, SVR, plot_margin, plot_tube
from novum.teaching import plot_feature_lift

X = np.array([[0, 0], [1, 0], [0, 1], [2, 2], [3, 2], [2, 3.0]])
y = np.array([-1, -1, -1, 1, 1, 1])
figure, axes = plt.subplots(2, 2, figsize=(11, 10), layout="constrained")
hard = SVC(kernel="linear", C=np.inf).fit(X, y)
plot_margin(hard, X, y, ax=axes[0, 0]).set(title=f"hard margin, {2 / np.linalg.norm(hard.coef_):.2f} wide")

noisy, labels = np.vstack([X, [0.5, 0.5]]), np.append(y, 1)
soft = SVC(kernel="linear", C=0.1).fit(noisy, labels)
plot_margin(soft, noisy, labels, ax=axes[0, 1], slack=True).set(title="soft margin, C = 0.1: slack beside the points")

rng = np.random.default_rng(0)
points = rng.normal(size=(120, 2))
ring = (points**2).sum(axis=1) + 0.3 * rng.normal(size=120) > 1.2
curved = SVC(C=10).fit(points, ring)
plot_margin(curved, points, ring, ax=axes[1, 0]).set(title=f"Gaussian kernel, {len(curved.support_)} support vectors")

x = np.sort(rng.uniform(0, 6, 60))
target = np.sin(x) + 0.15 * rng.normal(size=60)
tube = SVR(C=20, epsilon=0.2).fit(x[:, None], target)
plot_tube(tube, x, target, ax=axes[1, 1]).set(title="regression within a tube of 0.2")

# %%
# Why a kernel bends the boundary: lifted to squares and products, the ring is cut off by a plane.
inside = (points**2).sum(axis=1) < 1.2
plot_feature_lift(points, inside)
plot_feature_lift(points[:, 0], np.abs(points[:, 0]) > 0.7)
plt.show()
