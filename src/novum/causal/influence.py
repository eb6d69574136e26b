r"""Means under each treatment and how much every row moves them: the errors of `novum.causal.estimates`.

m(x, s): regression of y within treatment x, e(x | s): propensity, z = (1, s)
adjustment by regressions:  psi_i = m(x, s_i) - mu_x + [x_i = x] a'z_i (y_i - m(x, s_i)) / sqrt(1 - h_i),
    a = (sum_{x_i = x} v_i z_i z_i')^-1 sum_i v_i z_i,   v = 1 (linear) or m (1 - m) (logistic), h: leverages      (5)
inverse weights:  psi_i = w_i (y_i - mu_x) / mean(w), less its projection on the scores z_i ([x_i = x'] - e(x' | s_i))
    of the propensity model, as estimated weights are better than the true ones; divided by 1 - h_i - w_i / sum w,
    the pull of the row, as in HC3, because a few large weights otherwise hide their own error                    (6)
doubly robust:    psi_i = m(x, s_i) + w_i (y_i - m(x, s_i)) - mu_x                                                 (7)
strata s with n_s rows, n_xs of them treated with x:
    var mu_x = sum_s (n_s / n)^2 v_xs / n_xs + sum_s (n_s / n) (m(x, s) - mu_x)^2 / n                              (8)
    v_xs: the variance within the cell, drawn to that of all cells of x as by `PRIOR_ROWS` rows, so that cells of one or two
    rows, or of equal outcomes, do not count as known; Student's t with Satterthwaite's degrees of freedom
    variances of psi with the kurtosis k have about  2 n / (k - 1)  degrees of freedom: few rows with large weights say little of
        their own variance                                                                                               (9)
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Means", "by_regression_means", "by_robust_means", "by_weights", "stratum_means"]

Array = NDArray[np.float64]
PRIOR_ROWS = 3.0  # that the variance of all cells is worth in each
MOST_LEVERAGE = 0.99
MOST_PULL = 0.9
LEAST_FREEDOM, MOST_FREEDOM = 4.0, 1e6


class Means(NamedTuple):
    mu: Array  # (k,)
    covariance: Array  # (k, k)
    freedom: float = np.inf


def with_ones(design: Array) -> Array:
    return np.column_stack([np.ones(len(design)), design])


def from_influence(mu: Array, influence: Array) -> Means:
    """Return means with the errors of their influences, and Student's degrees of freedom (9)."""
    n = len(influence)
    square = influence**2
    if influence.shape[1] > 1:
        square = np.column_stack([square, (influence[:, -1] - influence[:, 0]) ** 2])
    mean = square.mean(axis=0)
    kurtosis = float(np.max((square**2).mean(axis=0)[mean > 0] / mean[mean > 0] ** 2, initial=1.0))
    freedom = max(2 * n / max(kurtosis - 1, 2 * n / MOST_FREEDOM), LEAST_FREEDOM)
    return Means(mu, influence.T @ influence / (n * max(n - 1, 1)), freedom)


def by_regression_means(x: NDArray[np.int32], y: Array, design: Array, means: Array, logistic: list[bool]) -> Means:
    """Return (1) of the estimates with the errors (5)."""
    Z, mu = with_ones(design), means.mean(axis=0)
    influence = means - mu
    for state in range(means.shape[1]):
        part = x == state
        m = means[:, state]
        v = m * (1 - m) if logistic[state] else np.ones(len(y))
        inverse = np.linalg.pinv((Z[part] * v[part, None]).T @ Z[part], hermitian=True)
        a = inverse @ (Z.T @ v)
        leverage = np.einsum("ij,jk,ik->i", Z[part], inverse, Z[part]) * v[part]
        residual = (y[part] - m[part]) / np.sqrt(1 - np.minimum(leverage, MOST_LEVERAGE))
        influence[part, state] += (Z[part] @ a) * residual
    return from_influence(mu, influence)


def by_weights(x: NDArray[np.int32], y: Array, design: Array, shares: Array, weight: Array) -> Means:
    """Return (2) of the estimates with the errors (6)."""
    mu = (weight * y[:, None]).sum(axis=0) / weight.sum(axis=0)
    influence = weight * (y[:, None] - mu) / weight.mean(axis=0)
    k, Z = shares.shape[1], with_ones(design)
    excess = (x[:, None] == np.arange(1, k)) - shares[:, 1:]
    scores = (Z[:, :, None] * excess[:, None, :]).reshape(len(y), -1)
    basis = np.linalg.qr(scores)[0]
    influence = influence - basis @ (basis.T @ influence)
    pull = (basis**2).sum(axis=1)[:, None] + weight / weight.sum(axis=0)  # of a row on the propensities and on the mean
    return from_influence(mu, influence / (1 - np.minimum(pull, MOST_PULL)))


def by_robust_means(y: Array, means: Array, weight: Array) -> Means:
    """Return (3) of the estimates with the errors (7)."""
    robust = means + weight * (y[:, None] - means)
    mu = robust.mean(axis=0)
    return from_influence(mu, robust - mu)


def stratum_means(x: NDArray[np.int32], y: Array, strata: NDArray[np.int64], k: int) -> Means:
    """Return the means over strata with the errors (8); every cell has a row."""
    n, size = len(y), int(strata.max()) + 1
    cell = strata * k + x
    count = np.bincount(cell, minlength=size * k).astype(np.float64).reshape(size, k)
    mean = np.bincount(cell, y, size * k).reshape(size, k) / count
    squares = np.bincount(cell, (y - mean.reshape(-1)[cell]) ** 2, size * k).reshape(size, k)
    share = count.sum(axis=1) / n
    mu = share @ mean
    spare = count - 1
    rest = spare.sum(axis=0)
    pooled = np.where(rest > 0, squares.sum(axis=0) / np.maximum(rest, 1), y.var() * n / max(n - 1, 1))
    known = spare + PRIOR_ROWS
    variance = (squares + PRIOR_ROWS * pooled) / known
    parts = share[:, None] ** 2 * variance / count  # (strata, k)
    between = mean - mu
    covariance = np.diag(parts.sum(axis=0)) + (between * share[:, None]).T @ between / n
    total = float(parts.sum())
    # cells lend each other PRIOR_ROWS rows, and can together not know more than all rows have to tell
    freedom = min(total**2 / float((parts**2 / known).sum()), max(float(rest.sum()), 1.0)) if total > 0 else np.inf
    return Means(mu, covariance, freedom)
