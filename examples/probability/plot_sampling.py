"""
Sampling: an envelope, a staircase, chains with their diagnosis
===============================================================

Rejection keeps the points under the target. Gibbs sampling climbs a correlated Gaussian in steps along the axes,
Metropolis' walk in small moves, the No-U-Turn sampler in long ones (:doc:`/theory/sampling`).
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from novum.distributions import Uniform
from novum.sampling import GibbsSampler, HamiltonianMonteCarlo, MetropolisHastings, rejection_sample

found = rejection_sample(lambda x: x * (1 - x), Uniform(0, 1), 600, bound=0.25, random_state=0)
print(found)
found.plot()

# %%
# Three samplers on two normals with correlation 0.95: fifty draws each, and how many independent ones a thousand are worth.
rho = 0.95
step = np.sqrt(1 - rho**2)
precision = np.linalg.inv([[1, rho], [rho, 1]])


def log_prob(x):
    slope = -precision @ x
    return 0.5 * (x @ slope), slope


options = {"n_samples": 5000, "random_state": 1}
start = {"x": -2.0, "y": -2.0}
chains = {
    "Gibbs": GibbsSampler(
        {"x": lambda s, rng: rho * s["y"] + step * rng.normal(), "y": lambda s, rng: rho * s["x"] + step * rng.normal()}
    ).sample(start=start, **options),
    "Metropolis": MetropolisHastings(lambda x: log_prob(x)[0]).sample(start=[-2.0, -2.0], names=["x", "y"], **options),
    "No-U-Turn": HamiltonianMonteCarlo(log_prob, True).sample(start=[-2.0, -2.0], names=["x", "y"], **options),
}
figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained", sharex=True, sharey=True)
for ax, (name, drawn) in zip(axes, chains.items()):
    drawn.plot_path("x", "y", ax)
    ax.set_title(f"{name}: {drawn.diagnosis.ess_bulk[0] / 20:.0f} of 1,000")

# %%
# Traces with R-hat and effective draws, and the table that a sampler prints.
print(chains["No-U-Turn"])
chains["No-U-Turn"].plot()

# %%
# Eight schools in the centered form: the chains diverge where the scale is small, and say so.
y, s = np.array([28.0, 8, -3, 7, -1, 1, 18, 12]), np.array([15.0, 10, 16, 11, 9, 11, 10, 18])


def centered(x):
    mu, log_tau, theta = x[0], x[1], x[2:]
    tau2 = np.exp(2 * log_tau)
    z, e = theta - mu, (y - theta) / s**2
    value = -0.5 * (y - theta) @ e - 0.5 * z @ z / tau2 - 7 * log_tau - mu**2 / 50 - np.log1p(tau2 / 25)
    return value, np.concatenate([[z.sum() / tau2 - mu / 25, z @ z / tau2 - 7 - 2 * tau2 / (25 + tau2)], e - z / tau2])


with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    schools = HamiltonianMonteCarlo(centered, True).sample(
        1000, start=10, names={"mu": (), "log_tau": (), "theta": (8,)}, random_state=0
    )
print(said[0].message)
ax = plt.figure(figsize=(6, 4), layout="constrained").subplots()
divergent = schools.statistics["diverging"]
ax.plot(schools["theta[0]"].ravel(), schools["log_tau"].ravel(), ".", ms=2, alpha=0.4)
ax.plot(schools["theta[0]"][divergent], schools["log_tau"][divergent], ".", color="C3", label="divergent")
ax.set(xlabel="theta of the first school", ylabel="log tau")
ax.legend()
plt.show()
