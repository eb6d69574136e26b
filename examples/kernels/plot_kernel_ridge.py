"""
Kernel ridge regression, exact and with few landmarks
=====================================================

The exact model keeps all rows; a ridge regression on the features of twenty landmarks (Nystroem's) comes close to it, on
those of five it does not (:doc:`/theory/kernel_machines`).
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.kernel_approximation import Nystroem
from novum.kernel_ridge import KernelRidge
from novum.linear_model import Ridge

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 10, 80))[:, None]
y = np.sin(x[:, 0]) + x[:, 0] / 5 + rng.normal(scale=0.3, size=80)
grid = np.linspace(0, 10, 300)[:, None]

figure, axes = plt.subplots(figsize=(7, 3.8), layout="constrained")
axes.plot(x, y, "o", ms=4, color="0.6", label="rows")
exact = KernelRidge(alpha=0.1, kernel="rbf", gamma=0.5).fit(x, y).predict(grid)
axes.plot(grid, exact, color="black", lw=2, label="exact: 80 rows kept")
for count, style in [(5, ":"), (20, "--")]:
    features = Nystroem(gamma=0.5, n_components=count, random_state=0).fit(x)
    model = Ridge(alpha=0.1, fit_intercept=False).fit(features.transform(x), y)
    near = model.predict(features.transform(grid))
    axes.plot(grid, near, style, lw=2, label=f"{count} landmarks")
    print(count, "landmarks: largest difference", round(float(np.abs(near - exact).max()), 3))
axes.set(xlabel="x", ylabel="y")
axes.legend()
plt.show()
