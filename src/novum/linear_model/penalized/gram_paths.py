r"""Paths of penalised least squares from Gram statistics, and what every solver of them shares.

With r = y - X w over rows that are centred (if there is an intercept) and scaled by the roots of their weights,

    minimise  1/2 |r|^2 + l1 |w|_1 + l2/2 |w|^2     (w >= 0 if positive)                           (1)
    l1 = W alpha l1_ratio,   l2 = W alpha (1 - l1_ratio),   W the sum of the weights               (2)
    gap(w) = 1/2 q + l1 |w|_1 - theta r'y + theta^2/2 q,   q = |r|^2 + l2 |w|^2,
    theta = min(1, l1 / max_j |x_j'r - l2 w_j|)                                                    (4)

The gap bounds how far (1) is above its minimum. A path ends at each alpha where gap <= tol |y|^2. Given X'X, X'y and y'y
nothing else of the data is needed: coordinate descent by covariance updates (novum/linear_model/descent.h).
"""

from typing import NamedTuple

import numpy as np

from novum import _core

__all__ = ["Penalties", "Rule", "Traced", "alpha_grid", "duality_gap", "penalties", "trace_gram"]


SMALL_EPOCH_COLUMNS = 64  # columns up to which an epoch costs less than the call that requests it
EXACT = 1e-11  # gap that so few columns are polished to, so that weights equal repetition whatever tol is
POLISH = 20_000  # most epochs of it


class Rule(NamedTuple):
    """When to stop, and in what order to go."""

    tol: float  # of the gap, relative to |y|^2
    max_iter: int
    positive: bool = False
    seed: int | None = None  # of randomly drawn coordinates; None takes them in turn


class Penalties(NamedTuple):
    """(2) for every alpha of a path."""

    l1: np.ndarray  # (k,)
    l2: np.ndarray  # (k,)


class Traced(NamedTuple):
    """A path: one entry per alpha."""

    coef: np.ndarray  # (p, k)
    gap: np.ndarray  # (k,): of (1)
    epochs: np.ndarray  # (k,)
    converged: np.ndarray  # (k,) bool


def penalties(alphas: np.ndarray, l1_ratio: float, weight: float) -> Penalties:
    """Return (2)."""
    strength = weight * np.asarray(alphas, dtype=np.float64)
    return Penalties(strength * l1_ratio, strength * (1 - l1_ratio))


def alpha_grid(xy: np.ndarray, weight: float, l1_ratio: float, eps: float, count: int, positive: bool) -> np.ndarray:
    """Return `count` alphas from the least that leaves all coefficients zero down to eps times it, evenly in the logarithm.

    `xy` holds X'y, one column per target or flat.
    """
    length = xy.ravel() if xy.ndim == 1 or xy.shape[1] == 1 else np.sqrt((xy**2).sum(axis=1))
    top = max(0.0, float(length.max())) if positive else float(np.abs(length).max())
    top /= weight * l1_ratio
    smallest = float(np.finfo(np.float64).resolution)
    return np.full(count, smallest) if top <= smallest else np.geomspace(top, top * eps, num=count)


def duality_gap(rr: float, ry: float, scores: np.ndarray, w: np.ndarray, l1: float, l2: float) -> tuple[float, float]:
    """Return (4) and its theta; `scores` are |x_j'r - l2 w_j|, signed where w >= 0."""
    q = rr + l2 * float(w @ w)
    top = max(float(scores.max(initial=0.0)), 0.0)
    theta = l1 / top if top > l1 else 1.0
    return 0.5 * q + l1 * float(np.abs(w).sum()) - theta * ry + 0.5 * theta**2 * q, theta


def trace_gram(
    xx: np.ndarray, xy: np.ndarray, yy: float, path: Penalties, rule: Rule, start: np.ndarray | None = None
) -> Traced:
    """Follow a path given X'X, X'y and y'y, each alpha from the solution of the one before."""
    xx, xy = np.ascontiguousarray(xx, dtype=np.float64), np.ascontiguousarray(xy, dtype=np.float64)
    p, k = len(xy), len(path.l1)
    w = np.zeros(p) if start is None else np.array(start, dtype=np.float64)
    gradient, limit = np.empty(p), rule.tol * yy
    out = Traced(np.empty((p, k)), np.empty(k), np.empty(k, dtype=np.int64), np.empty(k, dtype=bool))
    for i in range(k):
        problem = xx, xy, yy, path.l1[i], path.l2[i], rule.positive
        out.gap[i], out.epochs[i], out.converged[i] = _core.linear_model.descent.descend_gram(
            *problem, limit, rule.max_iter, rule.seed, w, gradient
        )
        if p <= SMALL_EPOCH_COLUMNS and out.converged[i] and out.gap[i] > EXACT * yy:
            out.gap[i], *_ = _core.linear_model.descent.descend_gram(
                *problem, EXACT * yy, POLISH, rule.seed, w, gradient
            )
        out.coef[:, i] = w
    return out
