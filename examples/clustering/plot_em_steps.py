"""
EM for a Gaussian mixture, step by step
=======================================

Three components start in the wrong place. Each pass shares the rows out by their probabilities (the colors mix), then moves the
components to the rows they answer for. The mean log-likelihood above each panel never falls (:doc:`/theory/mixtures`).
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.mixture import GaussianMixture
from novum.teaching import plot_em_steps

rng = np.random.default_rng(3)
X = np.concatenate(
    [
        rng.multivariate_normal([0, 0], [[2.0, 1.6], [1.6, 2.0]], 150),
        rng.multivariate_normal([5, 1], [[1.0, -0.7], [-0.7, 1.0]], 150),
        rng.multivariate_normal([2, 5], [[2.0, 0.0], [0.0, 0.3]], 150),
    ]
)
start = {
    "weights_init": np.full(3, 1 / 3),
    "means_init": np.array([[1.0, 2.0], [2.0, 2.0], [3.0, 2.0]]),
    "precisions_init": np.stack([np.eye(2)] * 3),
}
steps = (0, 1, 3, 5, 8, 20)
figure, axes = plt.subplots(2, 3, figsize=(11, 7), sharex=True, sharey=True, layout="constrained")
plot_em_steps(GaussianMixture(3, **start), X, steps=steps, ax=axes)
plt.show()
