"""
Bias-variance decomposition
===========================

Ridge regression on 24 Gaussian bumps, 100 training sets of 25 points of a sine. A large penalty makes all fits alike and wrong, a
small one makes them right on average and scattered; the expected error is least in between (:doc:`/theory/bias_variance`).
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline

from novum.evaluation import bias_variance_decomposition
from novum.linear_model import Ridge
from novum.preprocessing import GaussianBasis


def sine(x):
    return np.sin(2 * np.pi * x[:, 0])


def draw(rng):
    x = rng.uniform(size=(25, 1))
    return x, sine(x) + 0.3 * rng.normal(size=25)


grid = np.linspace(0.01, 0.99, 60)[:, None]
curve = bias_variance_decomposition(
    make_pipeline(GaussianBasis(24), Ridge()),
    sampler=draw,
    X_test=grid,
    truth=sine,
    noise=0.3,
    parameter="ridge__alpha",
    values=[float(value) for value in np.exp(np.linspace(-7, 3, 11))],
)
print(curve)

figure, axes = plt.subplots(1, 4, figsize=(16, 3.6), layout="constrained")
curve.plot_fits(ax=axes[:3])
curve.plot(axes[3])
plt.show()
