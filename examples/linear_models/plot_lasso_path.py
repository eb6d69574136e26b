"""
Lasso: why it selects
=====================

Ridge shrinks every coefficient and zeroes none; the lasso sets one after the other to exactly zero. The reason is a corner:
the set of coefficients that a penalty allows is a ball of its norm, and the solution is where the smallest ellipse of constant
error touches it (:doc:`/theory/penalised_regression`). The ball of the L1 norm has corners on the axes.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from novum.linear_model import LassoCV, Ridge, lasso_path, plot_path
from novum.teaching import plot_norm_balls

rng = np.random.default_rng(0)
A = rng.normal(size=(60, 2)) @ np.array([[1.0, 0.5], [0.0, 0.9]])
b = A @ [0.35, 1.4] + 0.3 * rng.normal(size=60)
figure, axes = plt.subplots(1, 2, figsize=(8.5, 4.2), layout="constrained")
plot_norm_balls(A, b, ax=axes)
plt.show()

# %%
# The same on ten attributes of 442 patients: paths of coefficients, and the penalty that cross-validation takes.
X, y = load_diabetes(return_X_y=True, as_frame=True)
names = list(X.columns)
X, y = ((X - X.mean()) / X.std()).to_numpy(), (y - y.mean()).to_numpy()
chosen = LassoCV(cv=10).fit(X, y)
alphas, coefs, _ = lasso_path(X, y)
print(f"alpha {chosen.alpha_:.3g} keeps", [name for name, b in zip(names, chosen.coef_) if b])

strengths = np.geomspace(1e-1, 1e5, 80)
ridge = np.array([Ridge(alpha).fit(X, y).coef_ for alpha in strengths]).T
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12.5, 4), layout="constrained")
plot_path(alphas, coefs, names=names, chosen=chosen.alpha_, title="lasso: to zero", ax=left)
plot_path(strengths, ridge, title="ridge: towards zero", ax=middle)
chosen.plot(ax=right)
right.set_title("ten folds")
for ax in (left, middle, right):
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
