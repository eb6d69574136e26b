"""Logistic regression along a grid of penalties on every fold: each minimum is the start of the next.

Folds and l1_ratios are independent and run on threads; within a path the solver begins where the weaker neighbor ended.
"""

import inspect
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from sklearn.metrics import get_scorer, make_scorer

from novum.fold.homes.memory import ArrayTiles, MemorySource, SparseTiles
from novum.linear_model.logistic.minimum import Design, framed, minimum
from novum.runtime import sklearn_private
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count

__all__ = ["Path", "Table", "along", "paths", "score_of", "with_all_labels"]


class Table(NamedTuple):
    """The data of a fit in memory, to be cut by rows."""

    X: Any  # array or CSR
    code: np.ndarray
    weight: np.ndarray | None

    def source(self, rows: np.ndarray | slice) -> MemorySource:
        """Return some rows as a source."""
        X = self.X[rows]
        tiles = SparseTiles(X) if scipy.sparse.issparse(X) else ArrayTiles(np.ascontiguousarray(X))
        return MemorySource(tiles, self.code[rows], None if self.weight is None else self.weight[rows], 1)


class Path(NamedTuple):
    """Minima along a grid of C."""

    theta: np.ndarray  # (n_C, K or 1, p + 1)
    n_iter: np.ndarray  # (n_C,)
    unfinished: list[float]  # gradients left where the iterations ended too early


def along(
    source: MemorySource,
    design: Callable[[float, MemorySource], Design],
    Cs: np.ndarray,
    tol: float,
    max_iter: int,
    start: Any = None,
) -> Path:
    """Return the minima for every C, each from the one before."""
    theta, found, unfinished = start, [], []
    rows, first = framed(source, design(float(Cs[0]), source), "LogisticRegressionCV")
    frame, constant = first.frame, first.constant
    theta = theta if frame is None or theta is None else frame.inward(theta, constant)
    for C in Cs:
        here = minimum(rows, design(float(C), source)._replace(frame=frame), theta, tol, max_iter)
        theta = here.theta
        if len(theta) > 1:  # no probability changes when all intercepts move together
            theta = theta - theta.mean(axis=0) * (np.arange(theta.shape[1]) == theta.shape[1] - 1)
        found.append((theta if frame is None else frame.outward(theta, constant), here.n_iter))
        if not here.converged:
            unfinished.append(here.norm)
    return Path(np.stack([t for t, _ in found]), np.array([n for _, n in found], dtype=np.int32), unfinished)


def paths(
    table: Table, tasks: list[tuple[np.ndarray, Callable]], Cs: np.ndarray, tol: float, max_iter: int, n_jobs: Any
) -> Iterator[Path]:
    """Yield the path of every (rows, design) of `tasks`, in order."""

    def run(task: Any) -> Any:
        rows, design = task
        return along(table.source(rows), design, Cs, tol, max_iter)

    return map_ordered(run, tasks, min(len(tasks), thread_count(n_jobs)))


def with_all_labels(scorer: Any, classes: np.ndarray) -> Any:
    """Return a scorer that knows all classes, where its score takes labels: a fold need not hold every class."""
    function = getattr(scorer, "_score_func", None)
    known = inspect.signature(function).parameters if function is not None else {}
    if "labels" not in known:
        return scorer
    positive = {"pos_label": classes[-1]} if len(classes) == 2 and "pos_label" in known else {}
    kwargs = {"labels": classes, **positive, **getattr(scorer, "_kwargs", {})}
    return make_scorer(function, greater_is_better=scorer._sign == 1, response_method=scorer._response_method, **kwargs)


def score_of(scoring: Any, classes: np.ndarray, X: Any, params: dict, test: np.ndarray) -> Callable:
    """Return a function of (fitted model, X_test, y_test) that scores one fold."""
    scorer = with_all_labels(get_scorer(scoring), classes)
    chosen = sklearn_private.check_method_params(X, params=params, indices=test)
    return lambda model, X_test, y_test: scorer(model, X_test, y_test, **chosen)
