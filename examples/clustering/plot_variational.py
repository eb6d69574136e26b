"""
EM and variational Bayes: bounds that climb
===========================================

Expectation maximisation raises a lower bound of the log-likelihood and closes the gap to it, in turn. Variational Bayes raises the
same bound over products of distributions; what a product cannot have is the dependence between its factors
(:doc:`/theory/variational`).
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.distributions import NormalGamma
from novum.linear_model import BayesianRidge
from novum.variational import em, laplace, mean_field, vb_normal

rng = np.random.default_rng(0)

# %%
# EM for the means of two Gaussians
# ---------------------------------
# Every M step lifts the bound above where the E step left it, and opens a gap to the log-likelihood; the next E step closes it.
x = np.concatenate([rng.normal(-1.2, 1, 40), rng.normal(1.4, 1, 60)])
run = em(
    np.array([-0.2, 0.1]),
    lambda q, mu: q.T @ x / q.sum(axis=0),
    log_joint=lambda mu: -0.5 * (x[:, None] - mu) ** 2 - 0.5 * np.log(2 * np.pi) + np.log(0.5),
)
print(run)
figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
run.plot(axes[0])
axes[0].set_xlim(-0.2, 12.2)

# %%
# A factorised posterior beside the exact one
# -------------------------------------------
# Five observations of a normal, its mean and precision unknown. In the exact posterior a small precision leaves the mean uncertain;
# the product has one width for all.
found = vb_normal([1, 2, 4, 3.5, 2.2], NormalGamma(mean=0, strength=1, shape=2, rate=1))
print(found)
found.plot(axes[1])
axes[1].set(xlim=(0.4, 3.8), ylim=(0, 2.2))

# %%
# Regression and Laplace
# ----------------------
X = rng.standard_normal((40, 3))
y = X @ [1.0, 0.0, -0.5] + 0.4 * rng.standard_normal(40)
posterior = mean_field(BayesianRidge(), X, y)
toss = laplace(lambda p: 7 * np.log(p) + 3 * np.log(1 - p), {"p": 0.5}, bounds={"p": (0, 1)})
figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
posterior.plot(axes[0])
toss.plot(axes[1])
axes[1].set_title("Seven heads in ten tosses")
plt.show()
