r"""From moments of classes to linear discriminants: three solvers of one problem.

With S the within-class covariance, pi_c the priors, xbar = sum_c pi_c mean_c:

    delta_c(x) = w_c . x + b_c,   w_c = inv(S) mean_c,   b_c = -1/2 mean_c' inv(S) mean_c + log pi_c          (3)

"lsqr" solves (3) as it stands, with the least-norm w where S is singular. "svd" whitens: with sigma the standard deviations,
R = S / (sigma sigma') = V diag(l) V', directions with sqrt(l) <= tol left out,

    A = diag(1/sigma) V diag(l)^(-1/2),   A' S A = I                                               (6)
    M = rows sqrt(n pi_c / (K - 1)) (mean_c - xbar)' A = P diag(t) Q',   G = A Q                   (7)

G are the Fisher directions, the ratios t^2 / sum t^2 the shares of between-class variance, and (3) is the nearest mean in the
coordinates (x - xbar) G. "eigen" finds the same directions from S_B g = lambda S g, S_B = S_T - S       (8)
"""

from typing import NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

__all__ = ["Solved", "by_eigen", "by_least_squares", "by_whitening", "whitening"]


class Solved(NamedTuple):
    """The linear discriminants (3), and the directions where the solver has them."""

    coef: NDArray  # (k, d)
    intercept: NDArray  # (k,)
    scalings: NDArray | None  # (d, directions)
    ratio: NDArray | None  # (directions,)


def whitening(covariance: NDArray, tol: float) -> NDArray:
    """Return A of (6)."""
    std = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    std[std == 0] = 1.0
    value, vector = np.linalg.eigh(covariance / np.outer(std, std))
    root = np.sqrt(np.maximum(value[::-1], 0.0))
    rank = int((root > tol).sum())
    return (vector[:, ::-1][:, :rank] / std[:, None]) / root[:rank]


def thin_whitening(rows: NDArray, tol: float) -> NDArray:
    """Return A of (6) from the rows about their class means, for fewer rows than columns."""
    std = rows.std(axis=0)
    std[std == 0] = 1.0
    _, root, right = scipy.linalg.svd(rows / (std * np.sqrt(len(rows))), full_matrices=False)
    rank = int((root > tol).sum())
    return (right[:rank] / std).T / root[:rank]


def by_whitening(A: NDArray, mean: NDArray, prior: NDArray, n: float, tol: float) -> Solved:
    """Return the solution by (6) and (7)."""
    k = len(prior)
    center = prior @ mean
    between = np.sqrt(n * prior / max(k - 1, 1))[:, None] * (mean - center)
    _, size, right = scipy.linalg.svd(between @ A, full_matrices=False)
    rank = int((size > tol * size[0]).sum()) if len(size) else 0
    G = A @ right.T[:, :rank]
    projected = (mean - center) @ G
    coef = projected @ G.T
    with np.errstate(divide="ignore", invalid="ignore"):  # a prior of zero; a single class has no variance
        intercept = -0.5 * (projected**2).sum(axis=1) + np.log(prior) - coef @ center
        ratio = size**2 / (size**2).sum() if k > 1 else np.empty(0)
    return Solved(coef, intercept, G, ratio)


def intercept_of(mean: NDArray, coef: NDArray, prior: NDArray) -> NDArray:
    """Return b of (3)."""
    with np.errstate(divide="ignore"):
        return -0.5 * np.einsum("cj,cj->c", mean, coef) + np.log(prior)


def by_least_squares(covariance: NDArray, mean: NDArray, prior: NDArray) -> Solved:
    """Return (3) by Cholesky, of least norm where the covariance is singular."""
    try:
        coef = scipy.linalg.solve(covariance, mean.T, assume_a="pos").T if well_posed(covariance) else None
    except np.linalg.LinAlgError:
        coef = None
    if coef is None:
        coef = scipy.linalg.lstsq(covariance, mean.T)[0].T
    return Solved(coef, intercept_of(mean, coef, prior), None, None)


def well_posed(covariance: NDArray) -> bool:
    """Return whether the smallest pivot of the scaled matrix is far from rounding."""
    std = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    if not (std > 0).all():
        return False
    try:
        pivots = np.diag(np.linalg.cholesky(covariance / np.outer(std, std)))
    except np.linalg.LinAlgError:
        return False
    return bool(pivots.min() ** 2 > len(std) * 64 * np.finfo(float).eps)


def by_eigen(within: NDArray, total: NDArray, mean: NDArray, prior: NDArray) -> Solved:
    """Return the solution by (8)."""
    value, vector = scipy.linalg.eigh(total - within, within)
    order = np.argsort(value)[::-1]
    G = vector[:, order]
    coef = mean @ G @ G.T
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sort(value / value.sum())[::-1]
    return Solved(coef, intercept_of(mean, coef, prior), G, ratio)
