"""
Perceptron: its steps, outliers and masking
===========================================

One correction of a perceptron, its mistakes against the bound, and the two defects of least squares as a classifier.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from novum.linear_model import Hyperplane, LeastSquaresClassifier, Perceptron, perceptron_mistake_bound

rng = np.random.default_rng(0)
figure, axes = plt.subplots(2, 2, figsize=(10, 8), layout="constrained")

# %%
# A mistake turns the weight vector toward the row (of class +1), and the boundary with it.
X = np.array([[1.0, 2.0], [2.0, 0.5], [-1.0, 0.5], [-0.5, -1.5]])
y = np.array([1, 1, -1, -1])
unit = Perceptron(fit_intercept=False, shuffle=False, tol=None, max_iter=1)
before = np.array([[-0.5, 1.0]])
after = unit.fit(X[1:2].repeat(2, 0), [1, -1], coef_init=before, sample_weight=[1, 0]).coef_[0]
ax = axes[0, 0]
ax.scatter(*X.T, c=np.where(y > 0, "C0", "C1"), zorder=3)
ax.scatter(*X[1], s=160, facecolors="none", edgecolors="black")
for w, style, name in ((before[0], "--", "before"), (after, "-", "after")):
    plane = Hyperplane(w)
    along = 3 * np.array([-plane.normal[1], plane.normal[0]])
    ax.plot(*np.stack([-along, along]).T, "k" + style, label=name)
    ax.annotate("", w, (0, 0), arrowprops={"arrowstyle": "->", "linestyle": style})
ax.set(title="one correction", aspect="equal", xlim=(-3, 3), ylim=(-3, 3))
ax.legend()

# %%
# On separable classes the number of corrections stays below (R / margin)^2, in any order.
wide = rng.normal(size=(400, 2))
side = wide @ [1.0, -1.0] + 0.2
kept = np.abs(side) > 0.15
bound = perceptron_mistake_bound(wide[kept], side[kept] > 0).bound
counts = [Perceptron(random_state=s, tol=None).fit(wide[kept], side[kept] > 0).n_updates_ for s in range(60)]
axes[0, 1].hist(counts, bins=15)
axes[0, 1].axvline(bound, color="black", linestyle="--", label="bound")
axes[0, 1].set(title="mistakes of 60 orders", xlabel="corrections", xscale="log")
axes[0, 1].legend()

# %%
# Far rows on the right side pull the boundary of least squares; logistic regression hardly notices.
near = np.vstack([rng.normal([-1.5, 0.5], 0.7, (60, 2)), rng.normal([1.5, -0.5], 0.7, (60, 2))])
far = np.vstack([near, rng.normal([9, -9], 0.6, (12, 2))])
labels = np.append(np.repeat([0, 1], 60), np.ones(12, int))
ax = axes[1, 0]
ax.scatter(*far.T, c=labels, cmap="coolwarm", s=10)
span = np.array([-4.0, 10.0])
for model, rows, style in (
    (LeastSquaresClassifier(), 120, "k--"),
    (LeastSquaresClassifier(), 132, "k-"),
    (LogisticRegression(), 132, "g-"),
):
    model.fit(far[:rows], labels[:rows])
    w, b = model.coef_[0], model.intercept_[0]
    name = type(model).__name__ + (", no far rows" if rows == 120 else "")
    ax.plot(span, -(w[0] * span + b) / w[1], style, label=name)
ax.set(title="outliers", ylim=(-12, 6))
ax.legend(fontsize=8)

# %%
# Three classes in a row: the middle function is the largest only where none of its rows lie.
three = np.concatenate([rng.normal(size=(60, 2)) * 0.6 + center for center in ([-3, -3], [0, 0], [3, 3])])
code = np.repeat([0, 1, 2], 60)
xs, ys = np.meshgrid(np.linspace(-5, 5, 200), np.linspace(-5, 5, 200))
regions = LeastSquaresClassifier().fit(three, code).predict(np.column_stack([xs.ravel(), ys.ravel()]))
axes[1, 1].contourf(xs, ys, regions.reshape(xs.shape), levels=[-0.5, 0.5, 1.5, 2.5], alpha=0.3)
axes[1, 1].scatter(*three.T, c=code, s=8)
axes[1, 1].set_title("masking")
plt.show()
