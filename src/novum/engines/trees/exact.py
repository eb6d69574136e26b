r"""The exact grower as the estimators call it: columns sorted once, then any number of trees grown from them.

    columns = prepare(X, levels, layout_of(...))                 once per table; X is an array or a CSC matrix
    tree    = grow(columns, target, rules, weight, seed)         once per tree; rows of weight zero are absent

A forest prepares once and grows with bootstrap counts as weights, `rules.max_features` and a seed per tree; the same
arguments give the same tree on any number of threads. Kernels: cpp/include/novum/trees/exact_grower.h, whose formulas hold here.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum import _core
from novum.engines.trees.nodes import Tree
from novum.runtime.pool import map_ordered

__all__ = [
    "CRITERIA",
    "LEAST_CELLS",
    "Rules",
    "Target",
    "class_target",
    "grow",
    "layout_of",
    "number_target",
    "prepare",
]

CRITERIA = {"gini": 0, "entropy": 1, "log_loss": 1, "squared_error": 2, "absolute_error": 3, "poisson": 4}
VALUES, ORDER, RANKS = 0, 1, 2  # how columns are prepared
# Dividing a sorted column costs about a quarter of sorting a node's rows by it, so all are kept sorted unless fewer are tried.
SORTED_SHARE = 4
LARGE_SHARE = (
    4  # nodes above 1 / (LARGE_SHARE threads) of the rows are shared by column: enough subtrees remain for all
)
LEAST_CELLS = 2**17  # below it a tree is done before a second thread has begun


class Target(NamedTuple):
    """What the leaves predict: codes of classes, or numbers."""

    criterion: str
    code: NDArray | None  # (n, outputs) int32
    y: NDArray | None  # (n, outputs) float64
    n_classes: NDArray  # (outputs,); ones for numbers


class Rules(NamedTuple):
    """How a tree grows and when it stops, in numbers of rows and columns."""

    max_features: int
    random: bool = False
    max_depth: int = 2**31 - 1
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_leaf: float = 0.0
    max_leaf_nodes: int = 0  # 0: no limit, and depth first
    min_impurity_decrease: float = 0.0
    monotone: tuple[int, ...] = ()  # sign per column: of a number, or of the share of the first class

    def limits(self) -> dict[str, Any]:
        """Return what every grower in memory takes, by the names that the kernels have for it."""
        return {
            "random": self.random,
            "max_features": self.max_features,
            "min_split": self.min_samples_split,
            "min_leaf": self.min_samples_leaf,
            "max_depth": self.max_depth,
            "min_weight_leaf": self.min_weight_leaf,
            "min_decrease": self.min_impurity_decrease,
        }


def class_target(criterion: str, code: NDArray, n_classes: NDArray) -> Target:
    """Return codes (n, outputs) as a target."""
    return Target(criterion, np.ascontiguousarray(code, np.int32), None, np.asarray(n_classes, np.int64))


def number_target(criterion: str, y: NDArray) -> Target:
    """Return numbers (n, outputs) as a target."""
    return Target(criterion, None, np.ascontiguousarray(y, np.float64), np.ones(y.shape[1], np.int64))


def layout_of(rules: Rules, d: int, sparse: bool) -> int:
    """Return how the columns are best prepared for these rules."""
    if rules.random:
        return VALUES
    return ORDER if not sparse and SORTED_SHARE * rules.max_features >= d else RANKS


def prepare(X: Any, levels: list[int], layout: int, n_threads: int = 1) -> Any:
    """Return the sorted columns of a float array or CSC matrix; `levels[j]` is the number of categories of a column, or 0."""
    if scipy.sparse.issparse(X):
        X = X.tocsc()
        if not X.has_canonical_format:  # of a caller who did not come through the door: never written
            X = X.copy()
            X.sum_duplicates()
        row, value = X.indices.astype(np.int32, copy=False), X.data.astype(np.float64, copy=False)
        columns = _core.trees.exact.sparse_columns(
            X.indptr.astype(np.int64, copy=False), row, value, X.shape[0], layout
        )
    else:
        columns = _core.trees.exact.dense_columns(X, levels, layout)
    if layout == VALUES:
        return columns
    if X.shape[0] * X.shape[1] < LEAST_CELLS:
        n_threads = 1
    for _ in map_ordered(columns.sort, range(X.shape[1]), n_threads):
        pass
    return columns


def grow(
    columns: Any,
    target: Target,
    rules: Rules,
    weight: NDArray | None = None,
    seed: int = 0,
    *,
    n_threads: int = 1,
    consume: bool = False,
) -> Tree:
    """Return a tree; `consume` lets it take the sorted columns, which then serve no other."""
    n, d = columns.shape
    grower = _core.trees.exact.grower(
        columns,
        criterion=CRITERIA[target.criterion],
        code=target.code,
        y=target.y,
        classes=target.n_classes.tolist(),
        weight=weight,
        max_leaves=rules.max_leaf_nodes,
        seed=seed,
        monotone=list(rules.monotone),
        consume=consume,
        **rules.limits(),
    )
    if n_threads == 1 or rules.max_leaf_nodes or n * d < LEAST_CELLS:
        grower.run()
    else:
        share(grower, n // (LARGE_SHARE * n_threads), n_threads)
    fields = grower.table()
    shape = (len(fields["feature"]), len(target.n_classes), int(target.n_classes.max()))
    fields["value"] = fields["value"].reshape(shape)
    return Tree(d, target.n_classes, n_categories=columns.levels, **fields)


def share(grower: Any, limit: int, n_threads: int) -> None:
    """Grow a tree by several threads: nodes above `limit` rows by column, what is below them by subtree."""
    parts = range(n_threads)
    while grower.next_large(limit):
        for _ in map_ordered(lambda part: grower.search(part, n_threads), parts, n_threads):
            pass
        if grower.divide():
            for _ in map_ordered(lambda part: grower.partition(part, n_threads), parts, n_threads):
                pass
    for _ in map_ordered(grower.finish, range(grower.subtrees), n_threads):
        pass
