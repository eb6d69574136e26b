"""Penalised least squares as its definition says: objective, duality gap, optimality conditions, plain coordinate descent."""

import numpy as np


def objective(X, y, w, l1, l2):
    """1/2 |y - X w|^2 + l1 |w|_1 + l2/2 |w|^2."""
    r = y - X @ w
    return 0.5 * r @ r + l1 * np.abs(w).sum() + 0.5 * l2 * w @ w


def duality_gap(X, y, w, l1, l2, positive=False):
    """Primal minus dual at the scaled residual of the problem with sqrt(l2) I stacked below X."""
    A, b = np.vstack([X, np.sqrt(l2) * np.eye(len(w))]), np.concatenate([y, np.zeros(len(w))])
    r = b - A @ w
    c = A.T @ r
    top = c.max() if positive else np.abs(c).max()
    v = r * min(1.0, l1 / top) if top > 0 else r
    return objective(X, y, w, l1, l2) - (v @ b - 0.5 * v @ v)


def violation(X, y, w, l1, l2, positive=False):
    """Largest violation of the optimality conditions, relative to l1."""
    c = X.T @ (y - X @ w) - l2 * w
    zero = w == 0
    inside = np.maximum(c[zero] if positive else np.abs(c[zero]), l1) - l1
    return max(np.append(inside, np.abs(c[~zero] - l1 * np.sign(w[~zero])))) / l1


def descend(X, y, l1, l2, positive=False, epochs=2000):
    """Coordinate after coordinate, nothing else."""
    w, r = np.zeros(X.shape[1]), y.copy()
    for _ in range(epochs):
        for j in range(len(w)):
            square = X[:, j] @ X[:, j]
            t = X[:, j] @ r + square * w[j]
            new = max(t - l1, 0.0) - (0.0 if positive else max(-t - l1, 0.0))
            new = new / (square + l2) if square > 0 else 0.0
            r -= (new - w[j]) * X[:, j]
            w[j] = new
    return w


def block_epochs(G, C, l1, l2, epochs):
    """Block coordinate descent on the L2,1 norm, one column after the other, from zero."""
    W = np.zeros_like(C)
    for _ in range(epochs):
        for j in range(len(G)):
            z = C[j] - G[j] @ W + G[j, j] * W[j]
            size = np.sqrt((z**2).sum())
            W[j] = max(0.0, 1 - l1 / size) * z / (G[j, j] + l2) if size > 0 and G[j, j] > 0 else 0.0
    return W


def block_gap(X, Y, W, l1, l2):
    """Primal minus dual of the L2,1 problem, from the rows themselves."""
    R = Y - X @ W
    scores = np.sqrt(((X.T @ R - l2 * W) ** 2).sum(axis=1))
    theta = min(1.0, l1 / scores.max())
    whole = (R**2).sum() + l2 * (W**2).sum()
    primal = whole / 2 + l1 * np.sqrt((W**2).sum(axis=1)).sum()
    return primal - theta * (R * Y).sum() + theta**2 * whole / 2
