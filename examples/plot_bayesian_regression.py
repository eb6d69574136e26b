"""
Bayesian regression, one point after the other
==============================================

Likelihood of the newest point, the posterior of intercept and slope, and lines drawn from it; then the predictive band of a sine
and the evidence against the order of a polynomial.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import multivariate_normal, norm
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from novum.datasets import make_sine
from novum.linear_model import BayesianLinearRegression, compare_evidence
from novum.preprocessing import GaussianBasis

rng = np.random.default_rng(1)
x = rng.uniform(-1, 1, 20)
t = -0.3 + 0.5 * x + 0.2 * rng.normal(size=20)
w0, w1 = np.meshgrid(np.linspace(-1, 1, 200), np.linspace(-1, 1, 200))
grid = np.stack([w0, w1], axis=-1)
line = np.array([-1.0, 1.0])

# %%
# Rows: after 1, 2 and 20 points. The cross marks the true weights.
figure, axes = plt.subplots(3, 3, figsize=(9, 9), layout="constrained")
for row, n in zip(axes, (1, 2, 20)):
    model = BayesianLinearRegression(alpha=2.0, beta=25.0).fit(x[:n, None], t[:n])
    row[0].contourf(w0, w1, norm(w0 + w1 * x[n - 1], 0.2).pdf(t[n - 1]), 20)
    row[1].contourf(w0, w1, multivariate_normal(model.mean_, model.covariance_).pdf(grid), 20)
    for ax in row[:2]:
        ax.plot(-0.3, 0.5, "w+", markersize=12)
    for a, b in model.sample_weights(6, random_state=0):
        row[2].plot(line, a + b * line, color="C3", linewidth=0.8)
    row[2].plot(x[:n], t[:n], "o")
    row[2].set(xlim=(-1, 1), ylim=(-1, 1))
for ax, title in zip(axes[0], ("likelihood of the newest point", "posterior", "lines from the posterior")):
    ax.set_title(title)

# %%
# The band of one standard deviation narrows where there are data. The evidence of polynomials is largest for the cubic.
X, y = make_sine(12, noise=0.2, random_state=0, return_X_y=True)
wide = np.linspace(0, 1, 200)[:, None]
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
bumps = GaussianBasis(np.linspace(0, 1, 9), width=0.12).fit(X)
mean, std = (
    BayesianLinearRegression(1.0, 25.0).fit(bumps.transform(X), y).predict(bumps.transform(wide), return_std=True)
)
left.fill_between(wide[:, 0], mean - std, mean + std, alpha=0.3)
left.plot(wide, mean)
left.plot(wide, np.sin(2 * np.pi * wide), "C2")
left.plot(X, y, "o")
left.set_title("predictive mean and one standard deviation")
X, y = make_sine(30, noise=0.2, random_state=2, return_X_y=True)
orders = {}
for order in range(1, 9):
    pipeline = make_pipeline(PolynomialFeatures(order, include_bias=False), BayesianLinearRegression(5e-3, 25.0))
    orders[str(order)] = pipeline.fit(2 * X - 1, y)
compare_evidence(orders).plot(right)
right.set_xlabel("order of the polynomial")
plt.show()
