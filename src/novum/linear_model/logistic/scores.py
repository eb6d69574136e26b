"""The scores of the rows of a logistic regression, and their squares summed by rows or by clusters: M of the sandwich (16)."""

from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import DataError
from novum.fold.blocks import Block, Source
from novum.linear_model.least_squares.clusters import ClusterSums, cluster_sums
from novum.runtime import arrays

__all__ = ["cluster_sums_of", "meat_of"]

SAME_DATA = 1e-6  # relative difference of log-likelihoods that rounding may leave between two passes over the same rows


class FittedLogistic(NamedTuple):
    """What (16) needs to know of the fit."""

    theta: np.ndarray  # (1, m) or (K, m)
    constant: float
    by_class: np.ndarray | None
    frequency: bool


class Scores(NamedTuple):
    """M of (16) and the log-likelihood at the fit."""

    outer: np.ndarray
    log_likelihood: float


class Gradients(NamedTuple):
    """Of the rows of a block: their scores, how likely their class is, weight and class factor."""

    rows: np.ndarray  # (n, K m)
    log_p: np.ndarray
    weight: np.ndarray
    factor: np.ndarray


def log_probabilities(reach: np.ndarray) -> np.ndarray:
    """Return the logarithms of the probabilities of all classes, (n, K); of two classes only the second has a column."""
    reach = np.column_stack([np.zeros(len(reach)), reach]) if reach.shape[1] == 1 else reach
    reach = reach - reach.max(axis=1, keepdims=True)
    return np.asarray(reach - np.log(np.exp(reach).sum(axis=1, keepdims=True)))


def gradients(fit: FittedLogistic, block: Any) -> Gradients:
    """Return the scores of the rows of one block, unweighted."""
    X = np.asarray(arrays.to_numpy(arrays.dense(block.X)), dtype=np.float64)
    code = np.asarray(arrays.to_numpy(block.y)).astype(np.int64)
    design = np.column_stack([X, np.full(len(X), fit.constant)])  # (n, m)
    log_p = log_probabilities(design @ fit.theta.T)
    gap = np.exp(log_p)
    own = log_p[np.arange(len(X)), code]
    gap[np.arange(len(X)), code] -= 1
    gap = gap[:, 1:] if len(fit.theta) == 1 else gap
    w = np.ones(len(X)) if block.weight is None else np.asarray(arrays.to_numpy(block.weight), dtype=np.float64)
    factor = np.ones(len(X)) if fit.by_class is None else fit.by_class[code]
    return Gradients((gap[:, :, None] * design[:, None, :]).reshape(len(X), -1), own, w, factor)


def row_scores(fit: FittedLogistic, block: Block) -> Scores:
    """Return M of (16) for one block."""
    rows, own, w, factor = gradients(fit, block)
    u = w * factor**2 if fit.frequency else (w * factor) ** 2
    return Scores((rows * u[:, None]).T @ rows, float((w * factor) @ own))


def fitted_of(owner: str, model: Any, source: Source, weights: str) -> FittedLogistic:
    """Return what the scores need to know of a fit to these columns."""
    if source.n_features != model.n_features_in_:
        raise DataError(f"{owner}: X has {source.n_features} columns, the training data had {model.n_features_in_}.")
    return FittedLogistic(model._theta, model._constant, model._class_factor, weights == "frequency")


def meat_of(owner: str, model: Any, source: Source, weights: str) -> np.ndarray:
    """Return M of (16) by rows; refuse rows that the model was not fitted to."""
    found = source.total(row_scores, fitted_of(owner, model, source, weights))
    seen = model._log_likelihood
    if not np.isclose(found.log_likelihood, seen, rtol=SAME_DATA, atol=SAME_DATA):
        raise DataError(
            f"{owner}: these rows have a log-likelihood of {found.log_likelihood:.6g}, those that were fitted {seen:.6g}; give"
            " X, y and sample_weight that `fit` saw."
        )
    k, full = model._theta.shape
    free = full - (not model.fit_intercept)  # without an intercept its column does not exist
    return found.outer.reshape(k, full, k, full)[:, :free, :, :free].reshape(k * free, k * free)


def cluster_sums_of(
    owner: str,
    model: Any,
    source: Source,
    weights: str,
    kind: str,
    groups: Any,
    base: int,
    half: tuple[np.ndarray, np.ndarray],
) -> ClusterSums:
    """Return what clusters say of the coefficients against the base class.

    `half` of the inverse information, in the order (class, column), and the same for the coefficients as they are printed. The
    information of a row is that of one draw, diag(p) - p p' = A A' with A = (diag(1) - p 1') diag(sqrt(p)).
    """
    fit = fitted_of(owner, model, source, weights)
    held: Any = source.in_memory("rows are added up by cluster")
    rows, _, w, factor = gradients(fit, Block(held.array(), held.y, held.weight))
    k, full = model._theta.shape
    free, classes = full - (not model.fit_intercept), [0] if k == 1 else [c for c in range(k) if c != base]
    scores = rows.reshape(-1, k, full)[:, classes, :free].reshape(len(rows), -1) @ half[0]
    X = np.asarray(arrays.to_numpy(arrays.dense(held.array())), dtype=np.float64)
    design = np.column_stack([X, np.full(len(X), fit.constant)])
    p = np.exp(log_probabilities(design @ fit.theta.T))
    design = design[:, :free] * np.sqrt(w * factor)[:, None]
    by_class = half[0].reshape(len(classes), free, -1)
    if k == 1:
        working = (design * np.sqrt(p[:, 0] * p[:, 1])[:, None] @ by_class[0])[:, None, :]
    else:
        along = np.einsum("nm,cmr->ncr", design, by_class)
        common = np.einsum("nc,ncr->nr", p[:, classes], along)
        each = np.zeros((len(X), k, along.shape[2]))
        each[:, classes] = along
        working = (each - common[:, None, :]) * np.sqrt(p)[:, :, None]
    n = float(w.sum()) if fit.frequency else float(np.count_nonzero(w))
    return cluster_sums(
        owner,
        kind=kind,
        groups=groups,
        used=w > 0,
        rows=working,
        scores=scores * (w * factor)[:, None],
        half=half[1],
        n=n,
    )
