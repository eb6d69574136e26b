"""
Generative classifiers: LDA, QDA, and beliefs about candy bags
==============================================================

Gaussian classes with one covariance and with their own, the beliefs about candy bags, and what a density shows that a boundary
does not.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from novum.datasets import load_candy_bags
from novum.decision_theory import GenerativeClassifier, HypothesisPosterior
from novum.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from novum.teaching import plot_generative_vs_discriminative

rng = np.random.default_rng(0)
figure, axes = plt.subplots(2, 3, figsize=(13, 8), layout="constrained")

# %%
# Three classes whose covariances differ: one shared covariance draws boundaries in the wrong places.
shapes = (((1, 1), (0, 0)), ((3, 0.4), (5, 0)), ((0.4, 3), (0, 5)))
X = np.vstack([rng.normal(size=(80, 2)) * spread + mean for spread, mean in shapes])
y = np.repeat([0, 1, 2], 80)
LinearDiscriminantAnalysis().fit(X, y).plot(X, y, axes[0, 0])
QuadraticDiscriminantAnalysis().fit(X, y).plot(X, y, axes[0, 1])

# %%
# Lime after lime: the posterior of five kinds of bags.
bags = load_candy_bags()
belief = HypothesisPosterior(bags.prior, [[1 - p, p] for p in bags.lime], ["cherry", "lime"], bags.hypotheses)
belief.update(["lime"] * 10).plot(axes[0, 2])

# %%
# A discriminative model knows the boundary, a generative one the classes.
two = y < 2
density = GenerativeClassifier("multivariate_normal").fit(X[two], y[two])
line = LogisticRegression().fit(X[two], y[two])
plot_generative_vs_discriminative(density, line, X[two], y[two], axes[1, :2])
LinearDiscriminantAnalysis().fit(X[two][:, :1], y[two]).plot(ax=axes[1, 2])
