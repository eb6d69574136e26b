"""The posterior of the weights of a linear regression from moments of the data: (1), (3) and (5) of `bayesian.py`."""

from typing import NamedTuple

import numpy as np
import scipy.linalg

from novum.engines.moments.second import Moments
from novum.exceptions import DataError

__all__ = ["DataMoments", "Prior", "best_precisions", "merge_moments", "posterior", "sums_of"]


class DataMoments(NamedTuple):
    """What the data say: second moments about the mean, which add up exactly."""

    weight: float
    mean: np.ndarray  # (p + 1,): of x, then of t
    inner: np.ndarray  # (p + 1, p + 1)


class Prior(NamedTuple):
    mean: np.ndarray  # (m,)
    precision: np.ndarray  # (m, m)


class WeightPosterior(NamedTuple):
    """(1) and (3)."""

    mean: np.ndarray  # (m,)
    factor: np.ndarray  # (m, m): upper Cholesky factor of S_N^-1
    sse: float
    log_evidence: float


def sums_of(moments: Moments) -> DataMoments:
    """Return the moments of rows and target as one matrix."""
    inner = np.block([[moments.xx, moments.xy], [moments.xy.T, moments.yy]])
    return DataMoments(moments.weight, moments.mean, inner)


def merge_moments(a: DataMoments, b: DataMoments) -> DataMoments:
    """Return the moments of both portions together."""
    weight = a.weight + b.weight
    gap = b.mean - a.mean
    share = b.weight / weight
    return DataMoments(weight, a.mean + share * gap, a.inner + b.inner + a.weight * share * np.outer(gap, gap))


def about_zero(sums: DataMoments, intercept: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return T and u."""
    square = sums.inner + sums.weight * np.outer(sums.mean, sums.mean)
    T, u = square[:-1, :-1], square[:-1, -1]
    if not intercept:
        return T, u
    first = sums.weight * sums.mean
    return np.block([[np.full((1, 1), sums.weight), first[None, :-1]], [first[:-1, None], T]]), np.r_[first[-1], u]


def squared_error(sums: DataMoments, weights: np.ndarray, intercept: bool) -> float:
    """Return sum w (t - w'phi)^2, from moments about the mean so that nothing cancels but what must."""
    slope = np.r_[-weights[1:] if intercept else -weights, 1.0]
    level = sums.mean @ slope - (weights[0] if intercept else 0.0)
    return float(max(0.0, slope @ sums.inner @ slope) + sums.weight * level**2)


def posterior(sums: DataMoments, prior: Prior, beta: float, intercept: bool) -> WeightPosterior:
    """Return (1) and (3)."""
    T, u = about_zero(sums, intercept)
    factor = scipy.linalg.cholesky(prior.precision + beta * T)
    mean = scipy.linalg.cho_solve((factor, False), prior.precision @ prior.mean + beta * u)
    sse = squared_error(sums, mean, intercept)
    gap = mean - prior.mean
    sign, log_prior = np.linalg.slogdet(prior.precision)
    evidence = 0.5 * (
        sums.weight * np.log(beta / (2 * np.pi))
        + (log_prior if sign > 0 else -np.inf)
        - 2 * float(np.log(np.diag(factor)).sum())
        - beta * sse
        - float(gap @ prior.precision @ gap)
    )
    return WeightPosterior(mean, factor, sse, float(evidence))


def best_precisions(
    sums: DataMoments, alpha: float, beta: float, intercept: bool, max_iter: int, tol: float
) -> tuple[float, float, list[float], bool]:
    """Return alpha and beta after (5), the log evidence on the way, and whether they settled."""
    T, _ = about_zero(sums, intercept)
    eigenvalues = np.maximum(np.linalg.eigvalsh(T), 0.0)
    m = len(eigenvalues)
    history: list[float] = []
    for _ in range(max_iter):
        found = posterior(sums, Prior(np.zeros(m), alpha * np.eye(m)), beta, intercept)
        history.append(found.log_evidence)
        gamma = float((beta * eigenvalues / (alpha + beta * eigenvalues)).sum())
        new_alpha = gamma / max(float(found.mean @ found.mean), np.finfo(float).tiny)
        new_beta = (sums.weight - gamma) / max(found.sse, np.finfo(float).tiny)
        if new_beta <= 0:
            raise DataError(
                f"BayesianLinearRegression: {sums.weight:g} rows leave nothing to learn the noise of {m} weights from; give"
                " more rows, or alpha and beta with optimize=False."
            )
        change = max(abs(np.log(new_alpha / alpha)), abs(np.log(new_beta / beta)))
        alpha, beta = new_alpha, new_beta
        if change < tol:
            return alpha, beta, history, True
    return alpha, beta, history, False
