"""Stochastic gradient descent, a step at a time with plain vectors: the oracle of novum/linear_model/sgd.h."""

import numpy as np

SLOPES = {
    "hinge": lambda f, y, e: -y * (y * f <= 1),
    "perceptron": lambda f, y, e: -y * (y * f <= 0),
    "squared_hinge": lambda f, y, e: -2 * y * max(0.0, 1 - y * f),
    "log_loss": lambda f, y, e: -y / (1 + np.exp(y * f)),
    "modified_huber": lambda f, y, e: -4.0 * y if y * f < -1 else -2 * y * max(0.0, 1 - y * f),
    "squared_error": lambda f, y, e: f - y,
    "huber": lambda f, y, e: np.clip(f - y, -e, e),
    "epsilon_insensitive": lambda f, y, e: np.sign(f - y) * (abs(f - y) > e),
    "squared_epsilon_insensitive": lambda f, y, e: 2 * np.sign(f - y) * max(0.0, abs(f - y) - e),
}


def train(X, y, *, loss, eta, alpha=0.0, rho=0.0, epsilon=0.1, batch=1, mean=True, first=0, epochs=1, decay=1.0):
    """Return weights and intercept, of the last step and averaged; eta is a function of the step t = 1, 2, ..."""
    w, b, t, owed, paid = np.zeros(X.shape[1]), 0.0, 1, 0.0, np.zeros(X.shape[1])
    kept = []
    for _ in range(epochs):
        for start in range(0, len(X), batch):
            rows = range(start, min(start + batch, len(X)))
            share = 1 / len(rows) if mean else 1.0
            change = [-eta(t) * share * SLOPES[loss](X[i] @ w + b, y[i], epsilon) for i in rows]
            w = max(0.0, 1 - eta(t) * (1 - rho) * alpha) * w
            for i, u in zip(rows, change):
                w, b = w + u * X[i], b + decay * u
            owed += eta(t) * rho * alpha
            for i in rows if rho * alpha else ():
                for j in np.flatnonzero(X[i] != 0):
                    before = w[j]
                    if before > 0:
                        w[j] = max(0.0, before - (owed + paid[j]))
                    elif before < 0:
                        w[j] = min(0.0, before + (owed - paid[j]))
                    paid[j] += w[j] - before
            if first and t >= first:
                kept.append(np.append(w, b))
            t += 1
    return w, b, np.mean(kept, axis=0) if kept else None
