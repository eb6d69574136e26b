r"""Gaussian weights with a precision of their own: posterior, evidence and its maximisation in the eigenbasis of the design.

Given C = V diag(e) V' (the centred Gram matrix of the design, with its weights), the least-squares solution b and its
residual sum rss, W the sum of the weights, alpha the precision of the noise and lambda that of the weights:

    mean   w = V diag(e / (e + lambda/alpha)) V' b,   covariance  S = V diag(1 / (lambda + alpha e)) V'         (1)
    sse(w) = rss + sum_j e_j (v_j'b - v_j'w)^2                                                                  (2)
    log p(y | alpha, lambda) = 1/2 [p log lambda + W log alpha - alpha sse - lambda |w|^2
                                    - sum_j log(lambda + alpha e_j) - W log 2 pi]                               (3)
    gamma = sum_j alpha e_j / (lambda + alpha e_j)                                                              (4)
    lambda <- (gamma + 2 l_1) / (|w|^2 + 2 l_2),   alpha <- (W - gamma + 2 a_1) / (sse + 2 a_2)                 (5)

Priors of the precisions and the rule that stops (5) are in units of the target and the columns. Where those are far from one, as
targets of 1e6, they would decide in place of the data; there the target is divided by t and the columns by u, powers of two,

    e -> e/u^2,   b -> b u/t,   rss -> rss/t^2,   alpha -> alpha t^2,   lambda -> lambda t^2/u^2                        (6)

(5) is MacKay's fixed point (1992) for the maximum of (3) under Gamma priors (a_1, a_2), (l_1, l_2) of the precisions. After
one pass over the data and one decomposition an iteration costs O(p).
"""

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from sklearn.exceptions import DataConversionWarning

from novum.exceptions import DataError, ParameterError
from novum.fold.blocks import Block, Source
from novum.linear_model.least_squares.solve import Solution, solve
from novum.runtime import arrays
from novum.runtime.warn import warn

__all__ = [
    "Gammas",
    "Posterior",
    "Spectrum",
    "maximize",
    "one_target",
    "posterior",
    "rescaled",
    "spectrum",
    "target_variance",
    "unit_of",
]

LOG_2_PI = math.log(2 * math.pi)
FARTHEST = 250  # exponent of a unit: squares of quotients of two are still numbers
ORDINARY = 2.0**7  # a scale between its reciprocal and itself is left in the user's units, as in scikit-learn


class Spectrum(NamedTuple):
    """What (1) to (5) need to know of the data."""

    eigenvalues: np.ndarray  # (r,): e, those that may differ from zero
    vectors: np.ndarray  # (r, p): rows v_j
    best: np.ndarray  # (r,): v_j'b
    rss: float
    weight: float  # W
    n_features: int
    solution: Solution


class Gammas(NamedTuple):
    """The priors of the precisions."""

    alpha_1: float
    alpha_2: float
    lambda_1: float
    lambda_2: float


class Posterior(NamedTuple):
    """(1) to (4) at one pair of precisions; w in the eigenbasis."""

    weights: np.ndarray  # (r,)
    sse: float
    gamma: float
    log_evidence: float  # (3)


class Maximum(NamedTuple):
    alpha: float
    lambda_: float
    weights: np.ndarray  # (r,)
    scores: list[float]  # (3) plus the log priors, before every step and at the end
    n_iter: int
    converged: bool


class TargetSums(NamedTuple):
    weight: float
    total: float
    square: float


def one_target(source: Source, estimator: Any) -> Source:
    """Return the source if it has one target; a column of targets is taken, with scikit-learn's warning."""
    if source.n_targets > 1:
        raise DataError(
            f"y should be a 1d array, got an array of {source.n_targets} columns instead. {type(estimator).__name__} learns one"
            " target; fit one model per column."
        )
    if source.n_targets == 1 and source.at_hand:
        warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,), for"
            " example using ravel().",
            DataConversionWarning,
        )
    return source


def spectrum(source: Source, fit_intercept: bool) -> Spectrum:
    """Return the decomposition of the design: one pass, or a factor where the design is wide or badly conditioned."""
    solution = solve(source, fit_intercept=fit_intercept)
    _, s, vectors = scipy.linalg.svd(solution.root, full_matrices=False, check_finite=False)
    rank = int((s > s[0] * np.finfo(float).eps * max(solution.root.shape)).sum()) if len(s) and s[0] > 0 else 0
    vectors = vectors[:rank]
    return Spectrum(
        s[:rank] ** 2,
        vectors,
        vectors @ solution.coef[0],
        float(solution.rss[0]),
        solution.weight,
        source.n_features,
        solution,
    )


def unit_of(scale: np.ndarray | float) -> np.ndarray:
    """Return the powers of two nearest to the scales, all ones where none of them is far from one."""
    size = np.asarray(scale, dtype=np.float64)
    size = np.where((size > 0) & np.isfinite(size), size, 1.0)
    far = bool(((size > ORDINARY) | (size < 1 / ORDINARY)).any())
    return np.exp2(np.clip(np.rint(np.log2(size)), -FARTHEST, FARTHEST)) if far else np.ones_like(size)


def rescaled(data: Spectrum, t: float, u: float) -> Spectrum:
    """Return the data in the units of (6)."""
    return data._replace(eigenvalues=data.eigenvalues / u**2, best=data.best * (u / t), rss=data.rss / t**2)


def log_of(x: float) -> float:
    """Return the logarithm of a number that is not negative."""
    return math.log(x) if x > 0 else -math.inf


def posterior(data: Spectrum, alpha: float, lambda_: float) -> Posterior:
    """Return (1) to (4)."""
    e, p, n = data.eigenvalues, data.n_features, data.weight
    share = e / (e + lambda_ / alpha)
    shrunk = data.best * share
    off = data.best - shrunk
    sse = data.rss + float((e * off) @ off)
    log_determinant = float(np.log(lambda_ + alpha * e).sum()) + (p - len(e)) * log_of(lambda_)
    fit = alpha * sse + lambda_ * float(shrunk @ shrunk)
    evidence = 0.5 * (p * log_of(lambda_) + n * log_of(alpha) - fit - log_determinant - n * LOG_2_PI)
    return Posterior(shrunk, sse, float(share.sum()), evidence)


def log_prior(gammas: Gammas, alpha: float, lambda_: float) -> float:
    """Return the log density of the precisions under their priors, up to a constant."""
    of_lambda = gammas.lambda_1 * log_of(lambda_) - gammas.lambda_2 * lambda_
    return of_lambda + gammas.alpha_1 * log_of(alpha) - gammas.alpha_2 * alpha


def maximize(
    data: Spectrum,
    alpha: float,
    lambda_: float,
    gammas: Gammas,
    *,
    max_iter: int,
    tol: float,
    unit: float = 0.0,
    report: Any = None,
) -> Maximum:
    """Repeat (5) until the weights move by less than `tol` in sum, as scikit-learn does; scores are less by `unit`."""
    scores: list[float] = []
    before, converged, n_iter = None, False, 0
    if report is not None:
        report.begin((alpha, lambda_))
    for n_iter in range(1, max_iter + 1):
        found = posterior(data, alpha, lambda_)
        scores.append(found.log_evidence + log_prior(gammas, alpha, lambda_) - unit)
        lambda_ = (found.gamma + 2 * gammas.lambda_1) / (float(found.weights @ found.weights) + 2 * gammas.lambda_2)
        alpha = (data.weight - found.gamma + 2 * gammas.alpha_1) / (found.sse + 2 * gammas.alpha_2)
        if not (0 < alpha < np.inf and 0 < lambda_ < np.inf):
            raise ParameterError(
                f"the priors alpha_1={gammas.alpha_1:g}, alpha_2={gammas.alpha_2:g}, lambda_1={gammas.lambda_1:g} and"
                f" lambda_2={gammas.lambda_2:g} leave no finite precision (alpha {alpha:g}, lambda {lambda_:g}); give smaller ones."
            )
        moved = np.inf if before is None else float(np.abs(data.vectors.T @ (found.weights - before)).sum())
        stopped = report is not None and report(n_iter, scores[-1], (alpha, lambda_))
        before = found.weights
        if moved < tol or stopped:
            converged = True
            break
    last = posterior(data, alpha, lambda_)
    scores.append(last.log_evidence + log_prior(gammas, alpha, lambda_) - unit)
    return Maximum(float(alpha), float(lambda_), last.weights, scores, n_iter, converged)


def target_sums(_: Any, block: Block) -> TargetSums:
    """Return the sums of one block's target that make its variance."""
    y = arrays.to_numpy(block.y).astype(np.float64).ravel()
    w = np.ones(len(y)) if block.weight is None else arrays.to_numpy(block.weight)
    return TargetSums(float(w.sum()), float(w @ y), float(w @ (y * y)))


def target_variance(source: Source, solution: Solution, fit_intercept: bool) -> float:
    """Return the variance of the target about its mean."""
    if fit_intercept:
        return float(solution.tss[0]) / solution.weight
    sums = source.total(target_sums)
    return max(0.0, sums.square / sums.weight - (sums.total / sums.weight) ** 2)
