r"""Counts of labelled rows as a fold, and scores that are linear in the rows: what discrete naive Bayes is made of.

    N_c = sum of w over the rows of class c,    N_cj = sum of w t(x_j) over them                   (3)
    s_c(x) = b_c + sum_j t(x_j) T_jc                                                               (5)

t(x) is x itself, or 1 if x exceeds a threshold and else 0. Where T_jc is minus infinity (a word never seen in a class, without
smoothing) a row with t(x_j) = 0 is left alone and any other gets minus infinity.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum import _core
from novum.base.generative import dense_best, dense_linear
from novum.fold.blocks import Block
from novum.runtime import arrays as _array
from novum.runtime.pool import map_ordered

__all__ = [
    "Counts",
    "LinearScores",
    "Plan",
    "best_score",
    "class_counts",
    "linear_scores",
    "scores_of",
    "sparse_counts",
]


class Plan(NamedTuple):
    """Number of classes, and the threshold of t, or None."""

    k: int
    threshold: float | None


class Counts(NamedTuple):
    """(3), and the least cell (zero if none is below)."""

    mass: NDArray  # (k,)
    counts: NDArray  # (k, d)
    least: float


class LinearScores(NamedTuple):
    """The parameters of (5)."""

    table: NDArray  # (d, k), finite
    constant: NDArray  # (k,)
    threshold: float | None
    impossible: NDArray | None  # (d, k): 1 where T is minus infinity; None if nowhere


def class_counts(plan: Plan, block: Block) -> Counts:
    """Return (3) for one block."""
    X, k = block.X, plan.k
    d = int(X.shape[1])
    if _array.is_tensor(X):
        member = _array.one_hot(X, block.y, k)
        weighted = member if block.weight is None else member * block.weight[:, None]
        cells = _array.double(X if plan.threshold is None else plan.threshold < X)
        least = min(0.0, float(X.min())) if X.shape[0] else 0.0
        return Counts(_array.to_numpy(weighted.sum(0)), _array.to_numpy(weighted.T @ cells), least)
    mass, code = np.zeros(k), np.ascontiguousarray(block.y)
    if scipy.sparse.issparse(X):
        return sparse_counts(plan, X, code, block.weight, 1)
    count = np.zeros((k, d))
    least = _core.classes.counts.class_counts(X, code, block.weight, plan.threshold, mass, count)
    return Counts(mass, count, least)


def sparse_counts(plan: Plan, X: Any, code: NDArray, weight: NDArray | None, n_threads: int) -> Counts:
    """Return (3) for sparse rows, every thread the rows of its own classes: nothing is merged, and the bits are the same for any
    number of threads.
    """
    mass, count = np.zeros(plan.k), np.zeros((plan.k, X.shape[1]))
    edges = [plan.k * i // n_threads for i in range(n_threads + 1)]

    def counted(i: int) -> float:
        part = slice(edges[i], edges[i + 1])
        arrays = (X.indptr, X.indices, X.data, code, weight, plan.threshold, edges[i], mass[part], count[part])
        return _core.classes.counts.class_counts_sparse(*arrays)[0]

    return Counts(mass, count, min(map_ordered(counted, range(n_threads), n_threads)))


def merge_counts(a: Counts, b: Counts) -> Counts:
    """Return the counts of two portions of data."""
    return Counts(a.mass + b.mass, a.counts + b.counts, min(a.least, b.least))


def linear_scores(weights: NDArray, bias: NDArray, threshold: float | None = None) -> LinearScores:
    """Return the parameters of (5) from weights (k, d) and a bias (k,); weights may be minus infinity."""
    table = np.ascontiguousarray(weights.T, np.float64)
    if table.min() > -np.inf:
        return LinearScores(table, np.ascontiguousarray(bias, np.float64), threshold, None)
    never = np.isneginf(table)
    return LinearScores(np.where(never, 0.0, table), np.ascontiguousarray(bias), threshold, never.astype(np.float64))


def product(X: Any, table: NDArray, constant: NDArray, threshold: float | None) -> Any:
    """Return (5) with a finite table, in the dtype and home of X."""
    if scipy.sparse.issparse(X):
        out = np.empty((X.shape[0], table.shape[1]), X.dtype)
        _core.classes.counts.sparse_scores(X.indptr, X.indices, X.data, threshold, table, constant, out)
        return out
    if _array.is_tensor(X):
        cells = X if threshold is None else (threshold < X).to(X.dtype)
        return cells @ _array.like(X, table) + _array.like(X, constant)
    return dense_linear(X if threshold is None else (threshold < X).astype(X.dtype), table, constant)


def best_score(params: Any, block: Block) -> NDArray[np.int64] | None:
    """Return the place of the largest of (5) in every row, or None where some scores may be infinite."""
    if not isinstance(params, LinearScores) or params.impossible is not None:
        return None
    X = block.X
    if not scipy.sparse.issparse(X):
        return dense_best(X, params.table, params.constant, params.threshold)
    label = np.empty(X.shape[0], np.int64)
    parts = (X.indptr, X.indices, X.data)
    return (
        label
        if _core.classes.counts.sparse_best(*parts, params.threshold, params.table, params.constant, label)
        else None
    )


def scores_of(params: LinearScores, block: Block) -> Any:
    """Return (5) of every row and class."""
    score = product(block.X, params.table, params.constant, params.threshold)
    if params.impossible is not None:
        met = product(block.X, params.impossible, np.zeros(len(params.constant)), params.threshold)
        score[met > 0] = -np.inf
    return score
