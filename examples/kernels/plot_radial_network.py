"""
Radial basis function network, plain and normalised
===================================================

Three bumps and their normalised form, which adds up to one everywhere, and the networks that they make of data with a gap: the
plain one falls to zero where no center is near, the normalised one goes on as the nearest center says
(:doc:`/theory/kernel_machines`).
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.kernels import RBFNetwork

rng = np.random.default_rng(0)
t = np.concatenate([rng.uniform(-1, 1.2, 30), rng.uniform(2.8, 4, 20)])
target = 1.5 + np.cos(t) + 0.1 * rng.normal(size=50)
x = np.linspace(-3, 7, 400)
figure, axes = plt.subplots(2, 2, figsize=(11, 7), layout="constrained", sharex=True)
for row, normalized in enumerate((False, True)):
    model = RBFNetwork([[0.0], [1.0], [3.5]], width=0.6, normalized=normalized, fit_intercept=False).fit(
        t[:, None], target
    )
    model.plot(x, ax=axes[row, 0]).set(title="normalised basis functions" if normalized else "basis functions")
    ax = model.plot(x, ax=axes[row, 1], show="parts")
    ax.plot(t, target, ".", color="gray", label="data")
    ax.set(title=f"{'normalised' if normalized else 'plain'} network, R2 = {model.score(t[:, None], target):.2f}")
axes[0, 0].legend()
plt.show()
