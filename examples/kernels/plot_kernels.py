"""
Kernels: functions, words and graphs
====================================

A kernel says how alike two objects are, as an inner product of features nobody writes down. Its algebra makes priors over
functions; the same idea compares strings and graphs (:doc:`/theory/kernels`).
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

from novum.kernels import RBF, Constant, Linear, Matern, Periodic, Spectrum, White, wl_isomorphism_test

rng = np.random.default_rng(0)

# %%
# What kernels believe about functions
# ------------------------------------
# Draws from a Gaussian with the Gram matrix as covariance: smooth, rough, periodic with a trend, and the sum of four parts.
X = np.linspace(0, 5, 200)[:, None]
kernels = {
    "RBF": RBF(0.8),
    "Matern 1/2": Matern(0.8, nu=0.5),
    "periodic + linear": Periodic(1.0, 1.5) + 0.2 * Linear(),
    "four parameters": 1.0 * RBF(0.5) + Constant(1.0) + 0.5 * Linear(),
}
figure, axes = plt.subplots(1, 4, figsize=(13, 3), layout="constrained")
for ax, (name, kernel) in zip(axes, kernels.items()):
    factor = np.linalg.cholesky((kernel + White(1e-6))(X))
    ax.plot(X, factor @ rng.standard_normal((200, 4)), lw=1)
    ax.set_title(name, fontsize="medium")
    print(f"{name}: {kernel.formula()}; {kernel.is_psd(X).verdict}")

# %%
# Words that two strings share
# ----------------------------
figure, ax = plt.subplots(figsize=(6, 2.6), layout="constrained")
found = Spectrum(3).compare("banana", "ananas")
found.plot(ax)
print(found)

# %%
# Graphs after rounds of relabelling
# ----------------------------------
# One round tells a path from a star: their nodes see different numbers of neighbors.
figure, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
wl_isomorphism_test(nx.path_graph(4), nx.star_graph(3)).plot(ax)
plt.show()
