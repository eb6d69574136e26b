"""
Principal component analysis: before and after
==============================================

A cloud of heights and weights with the axes of its ellipse, and the same people in the coordinates of the axes, where
nothing is correlated any more (:doc:`/theory/pca`). Then handwritten digits, drawn again from the scores of a few
components: 64 numbers each, of which a dozen hold most of what can be seen.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from novum.decomposition import PCA, ProbabilisticPCA, plot_components

rng = np.random.default_rng(0)
height = rng.normal(172, 9, 300)
people = np.column_stack([height, 0.9 * (height - 172) + 70 + rng.normal(0, 7, 300)])
model = PCA().fit(people)
print("axes:", model.components_.round(3).tolist(), "shares:", model.explained_variance_ratio_.round(3))

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
plot_components(model, people, axes)
axes[0].set(xlabel="height, cm", ylabel="weight, kg")
plt.show()

# %%
# Digits from 1, 4, 12 and 30 of their 64 components, with the share of the variance that these explain.
X = load_digits().data
counts = (1, 4, 12, 30)
everything = PCA().fit(X)
figure, grid = plt.subplots(len(counts) + 1, 8, figsize=(8, 5.4), layout="constrained")
for row, k in enumerate((None, *counts)):
    drawn = X if k is None else PCA(k).fit(X).inverse_transform(PCA(k).fit(X).transform(X))
    share = 1.0 if k is None else everything.explained_variance_ratio_[:k].sum()
    grid[row, 0].set_ylabel(
        "original" if k is None else f"{k}: {100 * share:.0f} %", rotation=0, ha="right", va="center"
    )
    for ax, digit in zip(grid[row], drawn[:8]):
        ax.imshow(digit.reshape(8, 8), cmap="gray_r", vmin=0, vmax=16)
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
plt.show()

# %%
# A fifth of the pixels missing, and filled in from the others by a probabilistic model of 12 components.
gaps = np.where(rng.random(X.shape) < 0.2, np.nan, X)
seen = X.std(axis=0) > 0.5  # pixels at the border are always white
missing = ProbabilisticPCA(12, tol=1e-3).fit(gaps[:, seen])
filled = X.copy()
filled[:, seen] = missing.impute(gaps[:, seen])
figure, grid = plt.subplots(3, 8, figsize=(8, 3.3), layout="constrained")
for row, (name, rows) in enumerate((("original", X), ("given", gaps), ("filled in", filled))):
    grid[row, 0].set_ylabel(name, rotation=0, ha="right", va="center")
    for ax, digit in zip(grid[row], rows[:8]):
        ax.imshow(
            np.ma.masked_invalid(digit.reshape(8, 8)),
            cmap=plt.colormaps["gray_r"].with_extremes(bad="#e9c46a"),
            vmin=0,
            vmax=16,
        )
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
plt.show()
