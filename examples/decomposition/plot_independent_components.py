"""
Independent component analysis: sources out of their mixtures
=============================================================

Three signals and three microphones, each of which hears all of them (:doc:`/theory/independent_components`). Principal components
are uncorrelated and still mixtures; independent components are the signals again, but for order, sign and scale.
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.decomposition import ICA, PCA

rng = np.random.default_rng(0)
t = np.linspace(0, 8, 2000)
sources = np.column_stack([np.sin(2 * t), np.sign(np.sin(3 * t)), 2 * (1.3 * t % 1) - 1]) + 0.05 * rng.normal(
    size=(2000, 3)
)
mixed = sources @ np.array([[1.0, 0.5, 1.5], [1.0, 2.0, 1.0], [1.0, 1.0, 2.0]]).T

model = ICA().fit(mixed)
found = model.transform(mixed)
match = np.abs(np.corrcoef(found.T, sources.T)[:3, 3:])
print("correlation with the sources:", match.max(axis=1).round(3), "kinds of tails:", model.signs_)

figure, axes = plt.subplots(4, 1, figsize=(9, 7), layout="constrained", sharex=True)
for ax, signals, title in zip(
    axes,
    (sources, mixed, PCA(whiten=True).fit_transform(mixed), found),
    ("sources", "what is recorded", "principal components", "independent components"),
):
    ax.plot(t, signals / signals.std(axis=0) + 4 * np.arange(3), linewidth=0.8)
    ax.set(title=title, yticks=[])
plt.show()

# %%
# Why: two uniform sources fill a square, mixtures a parallelogram. Whitening makes it a turned square; what is left is the turn.
square = rng.uniform(-1, 1, (1500, 2))
skewed = square @ np.array([[1.0, 0.6], [0.5, 1.0]]).T
figure, axes = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained")
for ax, points, title in zip(
    axes,
    (skewed, PCA(whiten=True).fit_transform(skewed), ICA(orthogonal=True).fit_transform(skewed)),
    ("mixed", "white", "independent"),
):
    ax.scatter(*points.T, s=3)
    ax.set(title=title, aspect="equal")
plt.show()
