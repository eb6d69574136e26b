"""
Conjugate updates: priors that learn by adding
==============================================

A conjugate posterior has the form of its prior, with sums over the data added to its parameters. A coin, a rate of counts, and a
mean of measurements: each starts from a prior and sees more and more data. The width of every posterior falls like one over the
root of the number of observations, and what the prior said is forgotten (:doc:`/theory/conjugacy`).
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.distributions import (
    Bernoulli,
    Beta,
    Gamma,
    MultivariateNormal,
    Normal,
    Poisson,
    conjugate_pairs,
    posterior_sequence,
)

rng = np.random.default_rng(1)
print(conjugate_pairs)

# %%
# Three parameters of one number
# ------------------------------
sizes = (0, 1, 4, 16, 64, 256)
panels = [
    ("a coin that falls on heads with 0.7", Beta(2, 2), Bernoulli, (rng.random(256) < 0.7).astype(float), 0.7),
    ("a rate of 4 calls an hour", Gamma(2, 1), Poisson, rng.poisson(4.0, 256).astype(float), 4.0),
    ("a mean of 1 in noise of 2", Normal(-1, 4), Normal(var=4.0), rng.normal(1.0, 2.0, 256), 1.0),
]
figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
for ax, (title, prior, likelihood, data, truth) in zip(axes, panels):
    found = posterior_sequence(prior, data, sizes, likelihood)
    found.plot(ax)
    ax.axvline(truth, color="#d1495b", lw=1, ls="--")
    ax.set_title(title, fontsize="medium")
    print(f"{title}: {found.posteriors[-1]}, next observation {found.posteriors[-1].predictive()}")

# %%
# A mean of two coordinates
# -------------------------
# The prior is round; the noise is not, and with the data its shape takes over.
noise = np.array([[1.0, 0.8], [0.8, 2.0]])
data = rng.multivariate_normal([1.0, -0.5], noise, size=100)
found = posterior_sequence(
    MultivariateNormal([0.0, 0.0], 2.0), data, (0, 1, 3, 10, 100), MultivariateNormal([0, 0], noise)
)
figure, ax = plt.subplots(figsize=(5.2, 4.6), layout="constrained")
found.plot(ax)
ax.plot(1.0, -0.5, "*", color="#d1495b", ms=12)
ax.set(title="Posterior of a mean: one standard deviation", aspect="equal")
plt.show()
