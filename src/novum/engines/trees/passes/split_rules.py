r"""Splits of single trees from histograms: the criteria of the exact grower, read off the bins.

With weights W of a node, W_k of class k, S the sum of w (y - shift), and L, R the two sides of a cut (as in
cpp/include/novum/trees/criteria.h, up to terms that all cuts of a node share):

    squared, and gini of two classes    (S_L W - W_L S)^2 / (W_L W_R)                                  (1)
    gini       sum_k W_Lk^2 / W_L + sum_k W_Rk^2 / W_R                                                 (2)
    entropy    sum_k W_Lk log W_Lk - W_L log W_L + the same for R                                      (3)

Targets in (1) are counted in units of their fixed point, so their size changes no cut. Rows without a value go right and then
left. Of cuts whose gains differ by rounding alone the first is taken: column by column, missing cells right before left, from
the least value on. The threshold is the middle between the largest value on the left and the least on the right, so a column
whose values have a bin each is cut where the exact grower cuts it.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.engines.trees.best_first import Node
from novum.engines.trees.bins import Bins
from novum.engines.trees.exact import Rules
from novum.engines.trees.passes.growth import Split
from novum.runtime.random import Stream

__all__ = ["RELATIVE", "ROUNDING", "CartRule", "Extremes", "between_bins", "block_extremes", "class_impurity"]

ROUNDING = float(np.finfo(float).eps)
RELATIVE = 1e-12  # gains closer than thousands of roundings are equal, as in the exact grower
COLUMN_PURPOSE = "columns of a node"
THRESHOLD_PURPOSE = "thresholds of a node"
SEED_MASK = 2**64 - 1


class Extremes(NamedTuple):
    """The least and the largest value in every bin."""

    low: NDArray  # (d, width)
    high: NDArray


def class_impurity(criterion: str, weight: NDArray) -> NDArray:
    """Return the impurity of rows of class weights."""
    total = weight.sum(axis=-1, keepdims=True)
    p = weight / np.where(total > 0, total, 1.0)
    if criterion == "gini":
        return 1.0 - (p * p).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return -np.where(p > 0, p * np.log2(p), 0.0).sum(axis=-1) + 0.0


def x_log_x(x: NDArray) -> NDArray:
    """Return x log x, 0 at 0."""
    return np.where(x > 0, x, 1.0) * np.log(np.where(x > 0, x, 1.0)) * (x > 0)


class CartRule:
    """Rules and criterion of a single tree.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "squared_error"}
    rules : Rules
    bins : Bins
    extremes : Extremes
    unit, weight_unit : float
        What one unit of a target's and of a weight's fixed point stands for.
    seed : int
        Of the columns tried at a node.
    """

    def __init__(
        self, criterion: str, rules: Rules, bins: Bins, extremes: Extremes, unit: float, weight_unit: float, seed: int
    ) -> None:
        self.criterion = "entropy" if criterion == "log_loss" else criterion
        self.numbers = criterion == "squared_error"
        self.rules, self.bins, self.extremes, self.seed = rules, bins, extremes, seed
        self.unit, self.weight_unit = unit, weight_unit
        self.total_weight = 0.0

    def weight(self, node: Node) -> float:
        """Return the weight of a node."""
        return float(node.sums[1] if self.numbers else node.sums.sum()) * self.weight_unit

    def root(self, cells: NDArray, counts: NDArray) -> Node:
        node = Node(0, 0, int(counts[0].sum(dtype=np.int64)), cells[0].sum(axis=0))
        node.cells, node.counts = cells, counts
        self.total_weight = self.weight(node)
        return node

    def stops(self, node: Node) -> bool:
        rules = self.rules
        pure = (
            node.info is not None and node.info[0] == node.info[1] if self.numbers else np.count_nonzero(node.sums) <= 1
        )
        few = node.rows < max(rules.min_samples_split, 2 * rules.min_samples_leaf)
        return bool(pure or few or node.depth >= rules.max_depth or self.weight(node) < 2 * rules.min_weight_leaf)

    def set_range(self, node: Node, low: float, high: float) -> None:
        node.info = (low, high) if self.numbers else None

    def divide(self, node: Node) -> tuple[Node, Node]:
        split: Split = node.split
        left = Node(node.depth + 1, 0, split.left_rows, split.left)
        return left, Node(node.depth + 1, 0, node.rows - split.left_rows, node.sums - split.left)

    def search(self, node: Node) -> None:
        assert node.cells is not None and node.counts is not None
        missing, counts = self.bins.missing, node.counts.astype(np.int64)
        columns = self._columns(node, counts)
        counts, cells = counts[columns], node.cells[columns]
        gaps, present = counts[:, missing], counts[:, :missing].sum(axis=1)
        below = np.cumsum(counts[:, :missing], axis=1)  # present rows up to a bin
        rows = below[:, None] + np.stack([np.zeros_like(gaps), gaps], axis=1)[:, :, None]  # (columns, 2, bins)
        inner = (counts[:, :missing] > 0) & (below < present[:, None])
        right = inner | ((counts[:, :missing] > 0) & (below == present[:, None]) & (gaps > 0)[:, None])
        allowed = np.stack([right, inner & (gaps > 0)[:, None]], axis=1)
        if self.rules.random:
            allowed &= self._drawn_cuts(node, columns, counts)[:, None]
        least = self.rules.min_samples_leaf
        allowed &= (rows >= least) & (node.rows - rows >= least)
        column, side, cut = np.nonzero(allowed)
        if not len(column):
            return
        sums = np.cumsum(cells[:, :missing], axis=1)[column, cut]
        sums = sums + np.where(side[:, None] == 1, cells[column, missing], 0)
        gain, margin = self._gains(node, sums)
        best = float(gain.max())
        if not np.isfinite(best):
            return
        at = int(np.argmax(gain >= best - margin))
        improvement = self._improvement(node, sums[at], float(gain[at]))
        if improvement + ROUNDING < self.rules.min_impurity_decrease:
            return
        j, b = int(columns[column[at]]), int(cut[at])
        left_rows = int(rows[column[at], side[at], cut[at]])
        missing_left = bool(side[at]) if gaps[column[at]] else 2 * left_rows > node.rows
        node.gain = improvement
        node.split = Split(
            j, b, missing_left, left=sums[at], left_rows=left_rows, threshold=self._threshold(j, b, counts[column[at]])
        )

    def _columns(self, node: Node, counts: NDArray) -> NDArray:
        """Return the columns that are tried at a node: more than drawn where all of those are constant."""
        d = len(counts)
        if self.rules.max_features >= d:
            return np.arange(d)
        order = np.argsort(Stream((self.seed ^ node.key) & SEED_MASK).uniform(COLUMN_PURPOSE, 0, d), kind="stable")
        varies = np.count_nonzero(counts[order], axis=1) > 1
        tried = self.rules.max_features
        if not varies[:tried].any() and varies.any():
            tried = int(np.argmax(varies)) + 1
        return order[:tried]

    def _drawn_cuts(self, node: Node, columns: NDArray, counts: NDArray) -> NDArray:
        """Return one cut of every column (columns, bins): at a value drawn between the least and the largest, moved to the
        nearer end of its bin; none where a single bin is filled."""
        missing = self.bins.missing
        filled = counts[:, :missing] > 0
        low, high = (part[columns, :missing] for part in self.extremes)
        least = np.where(filled, low, np.inf).min(axis=1)
        largest = np.where(filled, high, -np.inf).max(axis=1)
        last = missing - 1 - np.argmax(filled[:, ::-1], axis=1)
        share = Stream((self.seed ^ node.key) & SEED_MASK).uniform(THRESHOLD_PURPOSE, 0, self.bins.counts.size)[columns]
        with np.errstate(invalid="ignore"):
            value = least + share * (largest - least)
            below = filled & (low / 2 + high / 2 <= value[:, None]) & (np.arange(missing) < last[:, None])
        place = np.where(below.any(axis=1), missing - 1 - np.argmax(below[:, ::-1], axis=1), np.argmax(filled, axis=1))
        return np.arange(missing) == np.where(filled.sum(axis=1) > 1, place, -1)[:, None]

    def _gains(self, node: Node, sums: NDArray) -> tuple[NDArray, float]:
        """Return (1), (2) or (3) of left sums, minus infinity where a side is too light, and what rounding may change."""
        total = self.weight(node)
        if self.numbers:
            weight, rest = sums[:, 1] * self.weight_unit, (node.sums[1] - sums[:, 1]) * self.weight_unit
            # About the node's own mean, its whole part in whole numbers: so also a node of two rows loses no digits.
            whole, over = divmod(int(node.sums[0]), max(1, int(node.sums[1])))
            left = (sums[:, 0] - sums[:, 1] * whole) - sums[:, 1] * (float(over) / float(node.sums[1]))
            with np.errstate(divide="ignore", invalid="ignore"):
                gain = (left * total) ** 2 / (weight * rest)
            low, high = node.info
            margin = RELATIVE * total**2 * ((high - low) / self.unit) ** 2 / 4
        else:
            weight = sums.sum(axis=1) * self.weight_unit
            rest = (node.sums - sums).sum(axis=1) * self.weight_unit
            gain, margin = self._class_gains(node, sums, weight, rest)
        light = (weight < self.rules.min_weight_leaf) | (rest < self.rules.min_weight_leaf)
        return np.where(light | ~np.isfinite(gain), -np.inf, gain), margin

    def _class_gains(self, node: Node, sums: NDArray, weight: NDArray, rest: NDArray) -> tuple[NDArray, float]:
        # Sums are whole numbers: what is left of a cut goes off before they become weights, where the difference is exact.
        left, right = sums * self.weight_unit, (node.sums - sums) * self.weight_unit
        whole, total = node.sums * self.weight_unit, self.weight(node)
        if self.criterion == "entropy":
            gain = (x_log_x(left) + x_log_x(right)).sum(axis=1) - x_log_x(weight) - x_log_x(rest)
            return gain, RELATIVE * total * (1 + abs(np.log(total)))
        with np.errstate(divide="ignore", invalid="ignore"):
            if len(whole) <= 2:
                gain = (left[:, -1] * total - weight * whole[-1]) ** 2 / (weight * rest)
                return gain, RELATIVE * total**2 * float(class_impurity("gini", whole))
            return (left**2).sum(axis=1) / weight + (right**2).sum(axis=1) / rest, RELATIVE * total

    def _improvement(self, node: Node, left: NDArray, gain: float) -> float:
        """Return by how much a split lowers the impurity of the whole tree."""
        total = self.weight(node)
        if self.numbers:
            return gain / (total * self.total_weight) * self.unit * self.unit
        parts = np.stack([node.sums, left, node.sums - left]) * self.weight_unit
        share, impurity = parts.sum(axis=1) / total, class_impurity(self.criterion, parts)
        return total / self.total_weight * float(impurity[0] - share[2] * impurity[2] - share[1] * impurity[1])

    def _threshold(self, column: int, code: int, counts: NDArray) -> float:
        """Return the middle between the values on both sides of a cut, infinity where nothing but gaps is on the right."""
        after = np.flatnonzero(counts[code + 1 : self.bins.missing])
        if not len(after):
            return np.inf
        low, high = self.extremes.high[column, code], self.extremes.low[column, code + 1 + after[0]]
        middle = low / 2 + high / 2
        return float(middle if low <= middle < high else low)


def block_extremes(bins: Bins, codes: NDArray, X: NDArray, width: int) -> Extremes:
    """Return the least and the largest value of every bin among some rows; `codes` of shape (groups, n)."""
    d = X.shape[1]
    low, high = np.full((d, width), np.inf), np.full((d, width), -np.inf)
    for j in range(d):
        code = (codes[j // 4] >> np.uint32(8 * (j % 4))) & np.uint32(255)
        column: Any = X[:, j].astype(np.float64)
        here = code != bins.missing
        np.minimum.at(low[j], code[here], column[here])
        np.maximum.at(high[j], code[here], column[here])
    return Extremes(low, high)


def between_bins(threshold: NDArray, feature: NDArray, extremes: Extremes) -> NDArray:
    """Return thresholds with those that fall into a bin moved to the nearer end of it."""
    out = threshold.copy()
    for j in np.unique(feature[feature >= 0]):
        nodes = np.flatnonzero((feature == j) & np.isfinite(threshold))
        filled = np.isfinite(extremes.low[j])
        low, high = extremes.low[j][filled], extremes.high[j][filled]
        cut = threshold[nodes]
        b = np.maximum(np.searchsorted(low, cut, side="right") - 1, 0)
        inside = cut < high[b]
        last = np.where(cut < low[b] / 2 + high[b] / 2, b - 1, b)[inside]  # bin below the end
        below, above = high[last], np.append(low, np.inf)[last + 1]  # infinity: nothing but gaps is on the right
        middle = below / 2 + above / 2
        out[nodes[inside]] = np.where((below <= middle) & (middle < above) | np.isinf(above), middle, below)
    return out
