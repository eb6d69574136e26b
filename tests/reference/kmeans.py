"""k-means by its definition, one formula per line: the oracle of the compiled kernels."""

import numpy as np


def assign(X, centers):
    """Return the index of the nearest center of every row, the lowest of equals, and the squared distances."""
    square = ((X[:, None, :].astype(np.float64) - np.asarray(centers, np.float64)[None]) ** 2).sum(axis=2)
    label = square.argmin(axis=1)
    return label, square[np.arange(len(X)), label]


def step(X, weight, centers):
    """Return labels, sums, masses and inertia of one Lloyd pass."""
    k = len(centers)
    weight = np.ones(len(X)) if weight is None else weight
    label, square = assign(X, centers)
    sums = np.array([(weight[label == j, None] * X[label == j].astype(np.float64)).sum(axis=0) for j in range(k)])
    mass = np.array([weight[label == j].sum() for j in range(k)])
    return label, sums, mass, float(weight @ square)


def lloyd(X, weight, centers, passes):
    """Return centers after `passes` Lloyd passes, with the inertia that entered each; clusters must not run empty."""
    history = []
    for _ in range(passes):
        _, sums, mass, inertia = step(X, weight, centers)
        history.append(inertia)
        centers = sums / mass[:, None]
    return centers, history


def gains(X, weight, chosen, candidates):
    """Return by how much each candidate would lower the weighted sum of squared distances to the chosen centers."""
    weight = np.ones(len(X)) if weight is None else weight
    _, square = assign(X, chosen)
    return np.array([weight @ np.maximum(square - assign(X, c[None])[1], 0) for c in candidates])
