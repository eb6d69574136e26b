"""A tree that has grown, told split by split, in the order of best-first growth; and what other columns offered at a node.

    the next split is that with the largest fall of W I among the nodes that could be split                                  (1)

So the first t splits of a binary tree are the tree of max_leaf_nodes = t + 1, whichever grower made it.
"""

from collections.abc import Callable
from functools import partial
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.engines.trees.exact import Rules, Target
from novum.engines.trees.nodes import Tree
from novum.engines.trees.pruning import collapse
from novum.tree.column_splits import Entries, column_of, search

__all__ = ["SplitCandidate", "candidates_at", "first_splits", "report_growth", "splits_in_order"]

JUDGED = ("gini", "entropy", "log_loss", "squared_error", "gain_ratio")  # criteria whose candidates can be told again


class SplitCandidate(NamedTuple):
    """The best split of a node by one column."""

    feature: int
    gain: float  # fall of the impurity, per weight of the node; 0 where the column cannot split it
    threshold: float  # NaN for categories, and where there is no split


def splits_in_order(tree: Tree) -> list[int]:
    """Return the nodes that are split, in the order (1); of equal falls the first node."""
    mass = tree.weighted_n_node_samples * tree.impurity
    fall = {node: mass[node] - mass[tree.children(node)].sum() for node in np.flatnonzero(tree.feature >= 0).tolist()}
    waiting = [(-fall[0], 0)] if 0 in fall else []
    heapify(waiting)
    order = []
    while waiting:
        order.append(heappop(waiting)[1])
        for child in tree.children(order[-1]).tolist():
            if child in fall:
                heappush(waiting, (-fall[child], child))
    return order


def first_splits(tree: Tree, order: list[int], count: int) -> Tree:
    """Return the tree with the first splits only."""
    return collapse(tree, np.array(order[count:], np.int64))


def candidates_at(
    tree: Tree, node: int, X: Any, levels: list[int], target: Target, weight: NDArray | None, missing: str
) -> list[SplitCandidate]:
    """Return what every column offers at a node, by column: the search of the growers over all columns, without their limits."""
    dense = np.asarray(X if isinstance(X, np.ndarray) else X.toarray(), np.float64)
    part = np.asarray(tree.decision_path(dense)[:, [node]].todense(), np.float64).ravel()
    part = part if weight is None else part * (weight > 0)
    row = np.flatnonzero(part)
    mass = part[row] if weight is None else part[row] * weight[row]
    at = Entries(np.arange(len(row)), np.zeros(len(row), np.int64), part[row], mass)
    here = target._replace(
        code=None if target.code is None else target.code[row], y=None if target.y is None else target.y[row]
    )
    rules, found = Rules(max_features=dense.shape[1]), []
    for j, count in enumerate(levels):
        split = search(column_of(dense[row, j], count), at, 1, here, rules, tree.branch_begin is None, missing)
        there = bool(split.valid[0])
        threshold = float(split.threshold[0]) if there and split.threshold is not None else float("nan")
        found.append(SplitCandidate(j, float(split.judged.gain[0]) if there else 0.0, threshold))
    return found


def report_growth(tree: Tree, report: Any, candidates: Callable[[int], list[SplitCandidate]] | None) -> Tree:
    """Report the splits of a tree; return it, or its first splits where a callback stopped it."""
    order, total = splits_in_order(tree), tree.weighted_n_node_samples[0]
    mass = tree.weighted_n_node_samples * tree.impurity / total
    left, kept = float(mass[0]), {0}
    if order:
        report.begin(partial(first_splits, tree, order, 0))
    for count, node in enumerate(order, 1):
        children = tree.children(node).tolist()
        gain = float(mass[node] - mass[children].sum())
        left -= gain
        facts: dict[str, Any] = {
            "node": sum(other < node for other in kept),
            "feature": int(tree.feature[node]),
            "threshold": float(tree.threshold[node]) if not tree.n_categories[tree.feature[node]] else float("nan"),
            "gain": gain,
            "rows": int(tree.n_node_samples[node]),
        }
        if candidates is not None:
            facts["candidates"] = partial(candidates, node)
        kept.update(children)
        if report(count, left, partial(first_splits, tree, order, count), **facts):
            return first_splits(tree, order, count)
    return tree
