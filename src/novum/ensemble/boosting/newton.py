r"""Gradient boosting with Newton steps: trees that fit the slope of a loss, added one after another.

    F_0     = argmin_c sum_i w_i l(t_i, c)                                                             (1)
    g_i     = w_i l'(t_i, F_{m-1}(x_i)),   h_i = w_i l''(t_i, F_{m-1}(x_i))                             (2)
    T_m     = the tree whose leaves minimise  sum_i g_i T(x_i) + h_i T(x_i)^2 / 2 + l2/2 sum_leaves v^2   (3)
    F_m     = F_{m-1} + learning_rate T_m                                                              (4)

The leaf values of (3) are -sum g / (sum h + l2); splits by the fall of (3) they bring (novum.engines.trees.histograms).
Several classes: one tree for each, on the slopes of the shared softmax. Stopping: when none of the last `patience` scores
is above the one before
them plus `tol`                                                                                        (5)

Derivation: docs/theory/boosting.md.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.engines.trees.bins import Bins
from novum.engines.trees.histograms import NODE, Grower, Growing, as_bytes, set_thresholds
from novum.ensemble.boosting.slopes import Descent
from novum.runtime.journal import step

__all__ = ["Rows", "Trees", "boost", "join", "should_stop"]


class Trees(NamedTuple):
    """Trees one after another; `nodes` of tree t begin at root[t] and number their children from there."""

    nodes: NDArray  # NODE
    root: NDArray  # (trees,) int64
    sets: NDArray  # (sets, 8) uint32: categories that go left


class Rows(NamedTuple):
    """Coded rows with their targets."""

    words: NDArray  # (groups, n) uint32
    target: NDArray  # (n,) float64
    weight: NDArray | None  # (n,) float64
    raw: NDArray  # (outputs, n) float64: scores so far


NO_TREES = Trees(np.empty(0, NODE), np.empty(0, np.int64), np.empty((0, 8), np.uint32))


def join(parts: list[tuple[NDArray, NDArray]], before: Trees = NO_TREES) -> Trees:
    """Return trees given as (nodes, sets of categories) after those that were there."""
    counts = np.array([len(nodes) for nodes, _ in parts], np.int64)
    root = len(before.nodes) + np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])[: len(parts)]
    shifted, n_sets = [before.nodes], len(before.sets)
    for nodes, sets in parts:
        if len(sets):
            nodes = nodes.copy()
            nodes["bitset_idx"] += np.uint32(n_sets) * nodes["is_categorical"]
        shifted.append(nodes)
        n_sets += len(sets)
    sets = np.concatenate([before.sets, *(sets for _, sets in parts)])
    return Trees(np.concatenate(shifted), np.concatenate([before.root, root]), sets)


def boosted_attributes(
    made: list[tuple[NDArray, NDArray]], *, before: Trees, start: NDArray, weighted: bool
) -> dict[str, Any]:
    """Return the fitted attributes of trees grown after others: plain arrays, what a file may hold."""
    nodes, root, sets = join(made, before)
    kept = {"_nodes": nodes, "_root": root, "_sets": sets, "_start": start}
    return {**kept, "_weighted_fit": weighted, "n_trees_per_iteration_": len(start)}


def should_stop(scores: list[float], patience: int, tol: float) -> bool:
    """Return (5)."""
    if len(scores) <= patience:
        return False
    return not any(score > scores[-patience - 1] + tol for score in scores[-patience:])


def boost(
    team: Any,
    descent: Descent,
    growing: Growing,
    bins: Bins,
    train: Rows,
    held: Rows | None,
    iterations: range,
    after: Callable[[int, Callable[[], list[tuple[NDArray, NDArray]]]], bool],
) -> list[tuple[NDArray, NDArray]]:
    """Return the trees of (2) to (4), with their sets of categories; raw scores of both kinds of rows are kept up to date.

    `after(iteration, trees)` is called after every iteration and ends the descent by returning True; `trees()` returns all so far.
    """
    grower = Grower(team, train.words, bins, growing)
    pairs = np.empty((descent.outputs, len(train.target), 2), np.int32)
    made: list[tuple[NDArray, NDArray]] = []

    def add(rows: Rows, trees: list[tuple[NDArray, NDArray]]) -> None:
        for k, (nodes, sets) in enumerate(trees):
            _core.trees.boosting.add_coded(team, as_bytes(nodes), sets, rows.words, bins.missing, rows.raw[k])

    def grown(iteration: int) -> list[tuple[NDArray, NDArray]]:
        trees = []
        units = descent.slopes(team, train.target, train.raw, train.weight, pairs)
        for k in range(descent.outputs):
            size = grower.grow(pairs[k], units[k], iteration * descent.outputs + k)
            if descent.refit is not None:
                grower.native.refit_quantiles(train.target, train.raw[k], train.weight, descent.refit)
            trees.append(grower.table(size))
            grower.native.add_values(train.raw[k])
        return trees

    for iteration in iterations:
        trees = step("trees", partial(grown, iteration), iteration, read=partial(add, train))
        if held is not None:
            add(held, trees)
        made += trees
        if after(iteration, partial(with_thresholds, made[:], bins)):
            break
    return with_thresholds(made, bins)


def with_thresholds(made: list[tuple[NDArray, NDArray]], bins: Bins) -> list[tuple[NDArray, NDArray]]:
    """Return copies of trees that walk numbers; while they are made they walk codes."""
    if not made:
        return []
    nodes = np.concatenate([tree for tree, _ in made])
    set_thresholds(nodes, bins)  # of all trees at once
    ends = np.cumsum([len(tree) for tree, _ in made])
    return list(zip(np.split(nodes, ends[:-1]), [sets for _, sets in made]))
