"""Linear dynamical systems by their joint Gaussian: all states of all steps at once, conditioned on all observed cells."""

import numpy as np


def at(matrix, t, axes):
    """Return the entry of step t."""
    matrix = np.asarray(matrix, dtype=float)
    return matrix if matrix.ndim == axes else matrix[t]


def joint(system, n):
    """Return mean (n s,) and covariance of the stacked states, for a dict of matrices with a finite start."""
    s = len(system["initial_mean"])
    mean, V = np.zeros((n, s)), np.zeros((n * s, n * s))
    mean[0], V[:s, :s] = system["initial_mean"], system["initial_covariance"]
    for t in range(n - 1):
        A, Q = at(system["transition"], t, 2), at(system["transition_covariance"], t, 2)
        mean[t + 1] = A @ mean[t] + at(system.get("transition_offset", np.zeros(s)), t, 1)
        here, there = slice(t * s, (t + 1) * s), slice((t + 1) * s, (t + 2) * s)
        V[there, : (t + 1) * s] = A @ V[here, : (t + 1) * s]
        V[: (t + 1) * s, there] = V[there, : (t + 1) * s].T
        V[there, there] = A @ V[here, here] @ A.T + Q
    return mean.ravel(), V


def conditioned(system, X, upto=None):
    """Return means (n, s), covariances (n, s, s), lag-one covariances and log p(X) of the states given the rows before `upto`."""
    n, p = X.shape
    mean, V = joint(system, n)
    s = len(mean) // n
    H, R, d = np.zeros((n * p, n * s)), np.zeros((n * p, n * p)), np.zeros(n * p)
    for t in range(n):
        rows = slice(t * p, (t + 1) * p)
        H[rows, t * s : (t + 1) * s] = at(system["observation"], t, 2)
        R[rows, rows] = at(system["observation_covariance"], t, 2)
        d[rows] = at(system.get("observation_offset", np.zeros(p)), t, 1)
    seen = ~np.isnan(X).ravel() & (np.arange(n * p) < (n if upto is None else upto) * p)
    H, S = H[seen], (H @ V @ H.T + R)[np.ix_(seen, seen)]
    off = (X.ravel() - d)[seen] - H @ mean
    gain = np.linalg.lstsq(S, H @ V, rcond=None)[0].T if seen.any() else np.zeros((n * s, 0))
    V = V - gain @ H @ V
    cut = [slice(t * s, (t + 1) * s) for t in range(n)]
    value = 0.0
    if seen.any() and np.linalg.matrix_rank(S) == len(S):
        value = -0.5 * (off @ np.linalg.solve(S, off) + np.linalg.slogdet(S)[1] + len(off) * np.log(2 * np.pi))
    pairs = [V[cut[t + 1], cut[t]] for t in range(n - 1)]
    return (
        (mean + gain @ off).reshape(n, s),
        np.stack([V[c, c] for c in cut]),
        np.array(pairs).reshape(n - 1, s, s),
        value,
    )
