"""The scores of the rows of a logistic regression, and their squares summed by rows or by clusters: M of the sandwich (16)."""

from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import DataError
from novum.fold.blocks import Block, Source
from novum.linear_model.least_squares.clusters import cluster_factor, cluster_outer
from novum.runtime import arrays

__all__ = ["meat_of"]

SAME_DATA = 1e-6  # relative difference of log-likelihoods that rounding may leave between two passes over the same rows


class Fitted(NamedTuple):
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


def gradients(fit: Fitted, block: Any) -> Gradients:
    """Return the scores of the rows of one block, unweighted."""
    X = np.asarray(arrays.to_numpy(arrays.dense(block.X)), dtype=np.float64)
    code = np.asarray(arrays.to_numpy(block.y)).astype(np.int64)
    design = np.column_stack([X, np.full(len(X), fit.constant)])  # (n, m)
    reach = design @ fit.theta.T
    reach = np.column_stack([np.zeros(len(X)), reach]) if len(fit.theta) == 1 else reach
    reach = reach - reach.max(axis=1, keepdims=True)
    log_p = reach - np.log(np.exp(reach).sum(axis=1, keepdims=True))
    gap = np.exp(log_p)
    own = log_p[np.arange(len(X)), code]
    gap[np.arange(len(X)), code] -= 1
    gap = gap[:, 1:] if len(fit.theta) == 1 else gap
    w = np.ones(len(X)) if block.weight is None else np.asarray(arrays.to_numpy(block.weight), dtype=np.float64)
    factor = np.ones(len(X)) if fit.by_class is None else fit.by_class[code]
    return Gradients((gap[:, :, None] * design[:, None, :]).reshape(len(X), -1), own, w, factor)


def row_scores(fit: Fitted, block: Block) -> Scores:
    """Return M of (16) for one block."""
    rows, own, w, factor = gradients(fit, block)
    u = w * factor**2 if fit.frequency else (w * factor) ** 2
    return Scores((rows * u[:, None]).T @ rows, float((w * factor) @ own))


def meat_of(owner: str, model: Any, source: Source, weights: str, groups: Any = None) -> tuple[np.ndarray, int | None]:
    """Return M of (16), by rows or by clusters, and how many clusters; refuse rows that the model was not fitted to."""
    if source.n_features != model.n_features_in_:
        raise DataError(f"{owner}: X has {source.n_features} columns, the training data had {model.n_features_in_}.")
    fit = Fitted(model._theta, model._constant, model._class_factor, weights == "frequency")
    found = source.total(row_scores, fit)
    seen = model._log_likelihood
    if not np.isclose(found.log_likelihood, seen, rtol=SAME_DATA, atol=SAME_DATA):
        raise DataError(
            f"{owner}: these rows have a log-likelihood of {found.log_likelihood:.6g}, those that were fitted {seen:.6g}; give"
            " X, y and sample_weight that `fit` saw."
        )
    outer, n_clusters = found.outer, None
    if groups is not None:
        held: Any = source.in_memory("rows are added up by cluster")
        rows, _, w, factor = gradients(fit, Block(held.array(), held.y, held.weight))
        outer, n_clusters = cluster_outer(owner, rows * (w * factor)[:, None], w > 0, groups)
        n = float(w.sum()) if fit.frequency else float(np.count_nonzero(w))
        outer = outer * cluster_factor(
            n_clusters, n, (len(model.classes_) - 1) * (source.n_features + model.fit_intercept)
        )
    k, full = model._theta.shape
    free = full - (not model.fit_intercept)  # without an intercept its column does not exist
    return outer.reshape(k, full, k, full)[:, :free, :, :free].reshape(k * free, k * free), n_clusters
