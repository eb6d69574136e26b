r"""The first steps of a filter whose start is diffuse: V = V* + kappa B B' with kappa -> infinity, exactly.

For a cell x = c'z + N(0, r), with phi = B'c, F0 = phi'phi, M = V*c, F = c'M + r (Koopman and Durbin 2000, cell by cell):

    F0 > 0:   K = B phi / F0,  m += K v,  V* += K K'F - K M' - M K',  B loses the direction phi           (10)
              log-density  -(log 2 pi + log F0)/2
    F0 = 0:   the ordinary update of V*

and the limit of the smoother's gain J = V A'(A V A' + Q)^{-1}, with G = A B and W a basis of what is orthogonal to G:

    J = V*A'N + B G^+ (I - P*N),     N = W (W'P*W)^+ W',     P* = A V*A' + Q                              (11)

after which covariances obey (8) with V* in place of V, since (I - J A) B = 0.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Law", "diffuse_gain", "predict_law", "update_law", "with_infinities"]

Array = NDArray[Any]
NOTHING = 1e-12  # share of what it could be, below which a squared length is rounding
AGREES = 1e-6  # an observation without noise must agree so well with what is known
LOG_2PI = float(np.log(2 * np.pi))


class Law(NamedTuple):
    """A state's law: mean, finite part of the covariance, directions of infinite variance."""

    mean: Array  # (s,)
    covariance: Array  # (s, s)
    diffuse: Array  # (s, q)


def with_infinities(covariance: Array, diffuse: Array, other: Array | None = None) -> Array:
    """Return the covariance (of one state, or of one with another) as a user reads it: infinite where such a direction enters."""
    other = diffuse if other is None else other
    infinite = diffuse @ other.T
    scale = np.outer(np.linalg.norm(diffuse, axis=1), np.linalg.norm(other, axis=1))
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(infinite) > NOTHING * np.maximum(scale, NOTHING), np.sign(infinite) * np.inf, covariance)


def without_direction(diffuse: Array, phi: Array) -> Array:
    """Return B with the direction phi taken out: one column less, the same span elsewhere."""
    q = len(phi)
    head = phi / np.linalg.norm(phi)
    head = np.where(np.arange(q) == 0, head + (1.0 if head[0] >= 0 else -1.0), head)
    mirror = np.eye(q) - 2 * np.outer(head, head) / (head @ head)  # its first column is +-phi / |phi|
    return (diffuse @ mirror)[:, 1:]


def independent_cells(x: Array, observation: Array, noise: Array) -> tuple[Array, Array, Array]:
    """Return values, rows of C and variances of the observed cells, after L^{-1} of their noise L D L'."""
    seen = ~np.isnan(x)
    values, rows, covariance = x[seen], observation[seen], noise[np.ix_(seen, seen)].copy()
    k = len(values)
    lower, variances = np.eye(k), np.zeros(k)
    for j in range(k):
        pivot = covariance[j, j] - (lower[j, :j] ** 2) @ variances[:j]
        if pivot > 8 * k * np.finfo(float).eps * covariance[j, j]:
            variances[j] = pivot
            lower[j + 1 :, j] = (covariance[j + 1 :, j] - (lower[j + 1 :, :j] * lower[j, :j]) @ variances[:j]) / pivot
    if k > 1:
        values, rows = np.linalg.solve(lower, values), np.linalg.solve(lower, rows)
    return values, rows, variances


def update_law(law: Law, x: Array, observation: Array, noise: Array) -> tuple[Law, float]:
    """Return (10): the law given a row, and the row's log-density in the diffuse sense."""
    mean, covariance, diffuse = law
    total, start = 0.0, law.covariance
    for value, c, variance in zip(*independent_cells(x, observation, noise), strict=True):
        phi, M, innovation = diffuse.T @ c, covariance @ c, value - c @ mean
        F = float(c @ M + variance)
        F0 = float(phi @ phi)
        if F0 > NOTHING * float((np.abs(c) @ np.abs(diffuse)) @ (np.abs(c) @ np.abs(diffuse))) > 0:
            K = diffuse @ phi / F0
            mean = mean + K * innovation
            covariance = covariance + np.outer(K, K) * F - np.outer(K, M) - np.outer(M, K)
            diffuse = without_direction(diffuse, phi)
            total -= 0.5 * (LOG_2PI + np.log(F0))
            continue
        before = float(c @ start @ c)
        if (variance == 0 and NOTHING * before >= F) or F <= 0:
            if abs(innovation) > AGREES * (np.sqrt(max(before, 0.0)) + abs(value)):
                total = -np.inf
            continue
        K = M / F
        mean = mean + K * innovation
        rest = np.eye(len(mean)) - np.outer(K, c)
        covariance = rest @ covariance @ rest.T + variance * np.outer(K, K)
        total -= 0.5 * (LOG_2PI + np.log(F) + innovation**2 / F)
    return Law(mean, (covariance + covariance.T) / 2, diffuse), total


def predict_law(law: Law, transition: Array, offset: Array, noise: Array) -> Law:
    """Return the law of the next state; directions that the transition forgets are dropped."""
    moved = transition @ law.diffuse
    if moved.size:
        u, size, _ = np.linalg.svd(moved, full_matrices=False)
        moved = u[:, size > NOTHING * size.max(initial=0.0)] * size[size > NOTHING * size.max(initial=0.0)]
    covariance = transition @ law.covariance @ transition.T + noise
    return Law(transition @ law.mean + offset, (covariance + covariance.T) / 2, moved)


def diffuse_gain(law: Law, transition: Array, noise: Array) -> Array:
    """Return (11), the smoother's gain from a filtered law that is diffuse."""
    moved = transition @ law.diffuse  # G
    P = transition @ law.covariance @ transition.T + noise
    u, size, _ = np.linalg.svd(moved, full_matrices=True)
    rank = int((size > NOTHING * size.max(initial=0.0)).sum())
    W = u[:, rank:]
    N = W @ np.linalg.pinv(W.T @ P @ W, hermitian=True) @ W.T if W.size else np.zeros_like(P)
    inverse = np.linalg.pinv(moved, rcond=NOTHING)
    return law.covariance @ transition.T @ N + law.diffuse @ inverse @ (np.eye(len(P)) - P @ N)
