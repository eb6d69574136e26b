"""
Gaussian processes: before and after the data
=============================================

Functions drawn from priors, what data leave of them, and the evidence that chooses between explanations
(:doc:`/theory/gaussian_processes`).
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.gaussian_process import (
    GaussianProcessRegressor,
    SparseGaussianProcessRegressor,
    plot_band,
    plot_draws,
    plot_evidence,
)
from novum.kernels import RBF, Constant, Linear, White

rng = np.random.default_rng(2)

# %%
# What each parameter of the notes' kernel does
# ---------------------------------------------
# theta0 exp(-\|x - z\|^2 / (2 theta1)) + theta2 + theta3 x z, one theta changed at a time; every panel has the same chance.
settings = {
    "theta = (1, 0.25, 0, 0)": (1.0, 0.25, 1e-9, 1e-9),
    "theta0 = 9: louder": (9.0, 0.25, 1e-9, 1e-9),
    "theta1 = 0.01: quicker": (1.0, 0.01, 1e-9, 1e-9),
    "theta2 = 100: offsets": (1.0, 0.25, 100.0, 1e-9),
    "theta3 = 25: trends": (1.0, 0.25, 1e-9, 25.0),
}
figure, axes = plt.subplots(1, 5, figsize=(14, 3), layout="constrained")
plot_draws({name: a * RBF(np.sqrt(b)) + Constant(c) + d * Linear() for name, (a, b, c, d) in settings.items()}, ax=axes)

# %%
# Mean and band
# -------------
# Surer where there are data; a longer length scale is surer between them, more noise less sure at them.
x = np.sort(np.concatenate([rng.uniform(0, 2, 9), rng.uniform(4, 5, 4)]))
y = np.sin(2 * x) + 0.1 * rng.standard_normal(len(x))
figure, axes = plt.subplots(1, 3, figsize=(13, 3.4), layout="constrained")
for ax, (scale, noise) in zip(axes, ((0.3, 0.01), (1.0, 0.01), (0.8, 0.3)), strict=True):
    plot_band(GaussianProcessRegressor(RBF(scale), alpha=noise, optimizer=None).fit(x[:, None], y), x, y, ax)
    ax.set_title(f"length scale {scale}, noise {noise}")

# %%
# Two explanations
# ----------------
# The evidence over length scale and noise: little noise and a quick function, or much noise and a slow one.
model = GaussianProcessRegressor(1.0 * RBF(1.0) + White(0.1), n_restarts_optimizer=3, random_state=0).fit(x[:, None], y)
figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
plot_evidence(model, (1, 2), axes[0], width=3.0, grid=40)
plot_band(model, x, y, axes[1])
print(model.kernel_)

# %%
# A hundred thousand rows, twelve inducing points
# -----------------------------------------------
X = rng.uniform(0, 5, (100_000, 1))
noisy = np.sin(2 * X[:, 0]) + 0.1 * rng.standard_normal(len(X))
sparse = SparseGaussianProcessRegressor(1.0 * RBF(0.7), n_inducing=12, noise_level=0.01, optimizer=None, random_state=0)
sparse.fit(X, noisy)
figure, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
plot_band(sparse, X[:300, 0], noisy[:300], ax)
ax.plot(sparse.inducing_points_[:, 0], np.full(12, -1.4), "r|", markersize=14, label="inducing points")
ax.legend()
plt.show()
