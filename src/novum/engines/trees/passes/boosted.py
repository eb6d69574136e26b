r"""Boosted trees from histograms that come in passes: the rules and the table of the grower in memory.

(1) and (2) of novum.engines.trees.histograms decide; the search is the same compiled one
(cpp/include/novum/trees/histogram_splits.h), so a tree is the same, bit for bit, whether its rows are in memory or anywhere
else.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.engines.trees.best_first import Growth, Node
from novum.engines.trees.bins import Bins
from novum.engines.trees.histograms import LEAST_CURVATURE, NODE, Growing
from novum.engines.trees.passes.growth import MOST_COUNT, NO_SETS, Split, write_split
from novum.exceptions import DataError

__all__ = ["HistRule", "table_of"]


class HistRule:
    """What limits a boosted tree.

    Parameters
    ----------
    growing : Growing
    bins : Bins
    units : (float, float)
        What one unit of the fixed point of gradients and of curvatures stands for.
    tree : int
        Number of the tree, for draws of columns.
    """

    def __init__(self, growing: Growing, bins: Bins, units: tuple[float, float], tree: int) -> None:
        self.growing, self.bins, self.units, self.tree = growing, bins, units, tree
        self.together = [frozenset(group) for group in growing.together]

    def _value(self, node: Node, low: float, high: float) -> float:
        return _core.trees.passes.value(node.sums, low, high, self.growing.l2_regularization, self.units)

    def root(self, cells: NDArray, counts: NDArray) -> Node:
        rows = int(counts[0].sum(dtype=np.int64))
        if rows > MOST_COUNT:
            raise DataError(
                f"Histogram gradient boosting counts the rows of a leaf in 32 bits, up to {MOST_COUNT:,}, and was given {rows:,}:"
                " give a sample of the rows, or a random forest, which counts further."
            )
        gradient, curvature = cells[0].sum(axis=0).tolist()
        node = Node(0, 0, rows, (gradient, curvature, rows))
        node.cells, node.counts = cells, counts
        node.open_sets = list(range(len(self.together)))
        node.value = self._value(node, node.low, node.high)
        gaps = (counts[:, self.bins.missing] > 0).astype(np.uint8)
        categorical = (self.bins.categories > 0).astype(np.uint8)
        self.columns = _core.trees.passes.Columns(
            self.bins.counts, gaps, categorical, self.growing.monotone, self.bins.missing
        )
        return node

    def stops(self, node: Node) -> bool:
        growing = self.growing
        few = node.rows < 2 * growing.min_samples_leaf
        deep = growing.max_depth is not None and node.depth >= growing.max_depth
        return few or deep or node.sums[1] * self.units[1] < LEAST_CURVATURE or growing.max_leaf_nodes == 1

    def set_range(self, node: Node, low: float, high: float) -> None:
        pass

    def search(self, node: Node) -> None:
        growing, d = self.growing, len(self.bins.categories)
        assert node.cells is not None and node.counts is not None
        allowed = sorted(set().union(*(self.together[s] for s in node.open_sets))) if self.together else list(range(d))
        gain, feature, code, missing_left, categorical, categories, left = _core.trees.passes.search(
            self.columns,
            cells=node.cells,
            counts=node.counts.astype(np.uint32, copy=False),  # below 2^32, as the root is
            allowed=allowed,
            share=growing.max_features,
            seed=growing.seed,
            tree=self.tree,
            key=node.key,
            sums=node.sums,
            value=node.value,
            low=node.low,
            high=node.high,
            l2=growing.l2_regularization,
            least_curvature=LEAST_CURVATURE,
            least_rows=growing.min_samples_leaf,
            units=self.units,
        )
        if gain > 0:
            node.gain = gain
            node.split = Split(feature, code, missing_left, categorical, categories, left, left[2])

    def divide(self, node: Node) -> tuple[Node, Node]:
        split: Split = node.split
        rest = tuple(a - b for a, b in zip(node.sums, split.left))
        left, right = Node(node.depth + 1, 0, split.left[2], split.left), Node(node.depth + 1, 0, rest[2], rest)
        sets = [s for s in node.open_sets if split.feature in self.together[s]]
        for child in (left, right):
            child.low, child.high, child.open_sets = node.low, node.high, sets
            child.value = self._value(child, node.low, node.high)
        middle, sign = (left.value + right.value) / 2, int(self.growing.monotone[split.feature])
        if sign > 0:
            left.high = right.low = middle
        elif sign < 0:
            left.low = right.high = middle
        return left, right


def table_of(growth: Growth, learning_rate: float, bins: Bins) -> tuple[NDArray, NDArray]:
    """Return the finished tree and its sets of categories, as the grower in memory does."""
    nodes = np.zeros(len(growth.settled), NODE)
    sets: list[Any] = []
    for node in growth.settled:
        row = nodes[node.final]
        row["value"] = (
            learning_rate * node.value if node.final else 0.0
        )  # a root that nothing splits has nothing to say
        row["feature_idx"], row["count"], row["depth"], row["is_leaf"] = -1, node.rows, node.depth, 1
        if node.left is not None and node.right is not None and node.left.final >= 0:
            write_split(row, node, node.left.final, node.right.final, sets)
            row["gain"] = node.gain
            if not node.split.categorical:
                feature, code = np.array([node.split.feature]), np.array([node.split.bin], np.int64)
                row["num_threshold"] = bins.threshold(feature, code)[0]
    return nodes, np.array(sets, np.uint32).reshape(-1, 8) if sets else NO_SETS
