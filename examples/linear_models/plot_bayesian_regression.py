"""
Bayesian linear regression, one point after the other
=====================================================

Likelihood of the newest point, the posterior of intercept and slope, and lines drawn from it; then the predictive band of a sine
and the evidence against the order of a polynomial.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from novum.datasets import make_sine
from novum.linear_model import BayesianLinearRegression, compare_evidence
from novum.preprocessing import GaussianBasis
from novum.teaching import (
    plot_equivalent_kernel,
    plot_evidence_over_datasets,
    plot_posterior_steps,
    plot_predictive_band,
)

rng = np.random.default_rng(1)
x = rng.uniform(-1, 1, 20)
t = -0.3 + 0.5 * x + 0.2 * rng.normal(size=20)

# %%
# Rows: after 0, 1, 2 and 20 points. The cross marks the true weights.
model = BayesianLinearRegression(alpha=2.0, beta=25.0)
plot_posterior_steps(model, x, t, steps=(0, 1, 2, 20), truth=(-0.3, 0.5))

# %%
# The band of one standard deviation narrows where there are data.
X, y = make_sine(25, noise=0.2, random_state=0, return_X_y=True)
bumps = make_pipeline(GaussianBasis(np.linspace(0, 1, 9), width=0.12), BayesianLinearRegression(1.0, 25.0))
plot_predictive_band(bumps, X, y, sizes=(2, 8, 25), truth=lambda u: np.sin(2 * np.pi * u))

# %%
# Every prediction is a weighted sum of the targets; near ones weigh most.
plot_equivalent_kernel(bumps.fit(X, y), np.linspace(0, 1, 101), slices=[0.2, 0.5, 0.9])

# %%
# The evidence of polynomials is largest for the cubic: lower orders do not reach the data, higher ones reach too much.
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
X, y = make_sine(30, noise=0.2, random_state=2, return_X_y=True)
orders = {}
for order in range(1, 9):
    pipeline = make_pipeline(PolynomialFeatures(order, include_bias=False), BayesianLinearRegression(5e-3, 25.0))
    orders[str(order)] = pipeline.fit(2 * X - 1, y)
compare_evidence(orders).plot(left)
left.set_xlabel("order of the polynomial")
reach = {
    name: make_pipeline(PolynomialFeatures(order, include_bias=False), BayesianLinearRegression(alpha, 25.0))
    for name, order, alpha in (("simple", 1, 1.0), ("medium", 3, 1.0), ("complex", 9, 0.1))
}
points = np.linspace(-1, 1, 12)
plot_evidence_over_datasets(reach, points[:, None], points**3, ax=right)
plt.show()
