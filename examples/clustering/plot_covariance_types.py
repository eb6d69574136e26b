"""
Gaussian mixture: the same rows under five forms of covariance
==============================================================

What the ellipses may look like decides what a Gaussian mixture can say: any ellipse each (full), one for all (tied), axes along
the coordinates (diag), circles (spherical), equal circles (tied_spherical). The Bayesian criterion weighs the fit against the
number of parameters: the lowest is best (:doc:`/theory/mixtures`).
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.mixture import GaussianMixture, plot_ellipses

rng = np.random.default_rng(0)
turn = np.array([[0.8, -0.6], [0.6, 0.8]])
X = np.concatenate(
    [
        rng.normal(size=(200, 2)) * [2.5, 0.4] @ turn.T,
        rng.normal(size=(200, 2)) * [0.4, 1.6] + [5, 1],
        rng.normal(size=(200, 2)) * 0.7 + [1, 5],
    ]
)

forms = ("full", "tied", "diag", "spherical", "tied_spherical")
models = [GaussianMixture(3, covariance_type=form, n_init=5, random_state=0, max_iter=500).fit(X) for form in forms]
figure, axes = plt.subplots(1, 5, figsize=(16, 3.8), sharex=True, sharey=True, layout="constrained")
for ax, form, model in zip(axes, forms, models):
    plot_ellipses(model, X, ax=ax)
    ax.set_title(f"{form}\nBIC {model.bic(X):.0f}, {model._n_parameters()} parameters")
plt.show()
