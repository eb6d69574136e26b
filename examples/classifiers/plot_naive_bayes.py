"""
Gaussian naive Bayes: where it draws the line
=============================================

With equal variances in both classes the boundary is straight, with different ones it is a conic with axes along the
coordinates, and three classes meet where two boundaries cross. The shade is the probability of the winner
(:doc:`/theory/gaussian_naive_bayes`).
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgb

from novum.naive_bayes import GaussianNB

rng = np.random.default_rng(1)
COLORS = np.array([to_rgb(c) for c in ("#00798c", "#d1495b", "#edae49")])


def sample(means, deviations, rows=150):
    """Return rows and labels of axis-aligned normal classes, with exactly these means and deviations."""
    noise = rng.normal(size=(len(means), rows, 2))
    noise = (noise - noise.mean(axis=1, keepdims=True)) / noise.std(axis=1, keepdims=True)
    X = np.array(means)[:, None] + np.array(deviations)[:, None] * noise
    return X.reshape(-1, 2), np.repeat(np.arange(len(means)), rows)


problems = {
    "equal variances: a line": sample([(-1.2, -0.8), (1.2, 0.8)], [(1.0, 0.8), (1.0, 0.8)]),
    "one class inside the other: an ellipse": sample([(0, 0), (0.3, 0.2)], [(0.6, 0.5), (2.0, 1.6)]),
    "three classes": sample([(-2, -1), (2, -0.5), (0, 1.8)], [(0.8, 0.9), (0.5, 1.1), (1.2, 0.5)]),
}

figure, axes = plt.subplots(1, 3, figsize=(13, 4.4), layout="constrained")
for ax, (title, (X, y)) in zip(axes, problems.items()):
    model = GaussianNB().fit(X, y)
    low, high = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
    first, second = np.meshgrid(np.linspace(low[0], high[0], 300), np.linspace(low[1], high[1], 300))
    probability = model.predict_proba(np.column_stack([first.ravel(), second.ravel()]))
    shade = probability @ COLORS[: probability.shape[1]]
    ax.imshow(
        (0.35 + 0.65 * (1 - 0.55 * (1 - shade))).clip(0, 1).reshape(300, 300, 3),
        extent=(low[0], high[0], low[1], high[1]),
        origin="lower",
        aspect="auto",
    )
    winner = probability.argmax(axis=1).reshape(300, 300)
    ax.contour(first, second, winner, levels=np.arange(probability.shape[1] - 1) + 0.5, colors="white", linewidths=2)
    ax.scatter(*X.T, c=COLORS[y], s=12, edgecolor="white", linewidth=0.3)
    for mean, variance, color in zip(model.theta_, model.var_, COLORS):
        turn = np.linspace(0, 2 * np.pi, 100)
        ring = mean + 2 * np.sqrt(variance) * np.column_stack([np.cos(turn), np.sin(turn)])
        ax.plot(*ring.T, color=color, lw=1.2, ls=":")
    ax.set(title=f"{title}\ntraining accuracy {model.score(X, y):.2f}", xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    ax.set_xticks([])
    ax.set_yticks([])
plt.show()
