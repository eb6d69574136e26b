r"""Trees grown on histograms of codes, best leaf first.

A node with sums of gradients G and curvatures H over its rows takes the value (1); a split is worth (2):

    v(G, H) = -G / (H + l2)                                                                            (1)
    gain    = G_l^2/(H_l + l2) + G_r^2/(H_r + l2) - G^2/(H + l2)                                        (2)

Gradients and curvatures are whole numbers of a unit (a power of two: 2^-30 of the largest,
cpp/include/novum/trees/histograms.h), so the sums do not depend on the order of rows, and trees do not depend on blocks,
threads or workers. A single regression tree grows by the same sums: with g = mean - t and h = 1, (1) is the mean of the
leaf less that of all and (2) the fall of the squared error.

Here: the table of a tree as it grows (`NODE`), what limits it (`Growing`), the grower (`Grower`: codes in, `grow(pairs, units,
number)` for every tree, then `table`, and `set_thresholds` of all), and the packed form in which many trees meet rows (`Packed`).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.engines.trees.bins import Bins
from novum.fold.blocks import Block
from novum.runtime import arrays

__all__ = ["NODE", "Grower", "Growing", "Packed", "add_packed", "as_bytes", "pack", "set_thresholds"]

LEAST_CURVATURE = 1e-3  # on either side of a split, as in scikit-learn: with less, (1) is noise
# The table of a tree: scikit-learn's names; `bin_threshold` is the last code that goes left.
NODE = np.dtype(
    {
        "names": [
            *("value", "num_threshold", "gain", "feature_idx", "left", "right", "count", "depth", "bitset_idx"),
            *("is_leaf", "missing_go_to_left", "is_categorical", "bin_threshold"),
        ],
        "formats": [*("f8", "f8", "f8", "i4", "u4", "u4", "u4", "u4", "u4"), *("u1", "u1", "u1", "u1")],
        "offsets": [*(0, 8, 16, 24, 28, 32, 36, 40, 44), *(48, 49, 50, 51)],
        "itemsize": 56,
    }
)
PACKED = np.dtype([("threshold", "f8"), ("feature", "u4"), ("left", "u4")])


class Growing(NamedTuple):
    """What limits a tree."""

    learning_rate: float
    max_leaf_nodes: int | None
    max_depth: int | None
    min_samples_leaf: int
    l2_regularization: float
    max_features: float
    monotone: NDArray  # (d,) int8
    together: list[list[int]]  # sets of columns that may follow each other on a path; empty: all
    seed: int


class Packed(NamedTuple):
    """Trees one after another, as cpp/include/novum/trees/traversal.h walks them."""

    nodes: NDArray  # (nodes, 16) bytes
    value: NDArray  # (nodes,)
    sets: NDArray  # (sets, 8) uint32: categories that go left
    root: NDArray  # (trees,) int64
    outputs: int


def as_bytes(table: NDArray) -> NDArray:
    """Return a structured array as rows of bytes, without a copy."""
    return table.view(np.uint8).reshape(len(table), table.dtype.itemsize)


class Grower:
    """Grows trees over codes in memory; a tree's rows stay known until the next is grown.

    Parameters
    ----------
    team : _core.runtime.threads.Team
        The threads.
    words : array of shape (groups, n), uint32
        From novum.engines.trees.bins.encode.
    bins : Bins
    growing : Growing
    """

    def __init__(self, team: Any, words: NDArray, bins: Bins, growing: Growing) -> None:
        self.bins = bins
        self.native = _core.trees.boosting.Growth(
            team=team,
            words=words,
            bins=bins.counts,
            categorical=(bins.categories > 0).astype(np.uint8),
            monotone=growing.monotone,
            together=growing.together,
            missing=bins.missing,
            l2=growing.l2_regularization,
            least_curvature=LEAST_CURVATURE,
            learning_rate=growing.learning_rate,
            feature_share=growing.max_features,
            least_rows=growing.min_samples_leaf,
            most_leaves=growing.max_leaf_nodes or 0,
            most_depth=growing.max_depth or 0,
            seed=growing.seed,
        )

    def grow(self, pairs: NDArray, units: tuple[float, float], number: int) -> tuple[int, int]:
        """Grow tree `number` on pairs of gradient and curvature; return how many nodes and sets of categories it has."""
        return self.native.grow(pairs, *units, number)

    def table(self, size: tuple[int, int]) -> tuple[NDArray, NDArray]:
        """Return the tree grown last, of that size, and its sets of categories; `set_thresholds` is still to be called."""
        nodes, sets = np.zeros(size[0], NODE), np.empty((size[1], 8), np.uint32)
        self.native.read(as_bytes(nodes), sets)
        return nodes, sets


def set_thresholds(nodes: NDArray, bins: Bins) -> None:
    """Write the numbers at which the nodes of trees split, from their codes."""
    inner = np.flatnonzero((nodes["is_leaf"] == 0) & (nodes["is_categorical"] == 0))
    feature, code = nodes["feature_idx"][inner], nodes["bin_threshold"][inner].astype(np.int64)
    nodes["num_threshold"][inner] = bins.threshold(feature, code)


def pack(nodes: NDArray, root: NDArray, sets: NDArray, outputs: int) -> Packed:
    """Return trees packed for walking: `nodes` one tree after another, tree t from root[t] on, with its own node numbers."""
    begin = np.repeat(root, np.diff(np.append(root, len(nodes))))
    leaf, categorical = nodes["is_leaf"] == 1, nodes["is_categorical"] == 1
    packed = np.empty(len(nodes), PACKED)
    packed["threshold"] = np.where(leaf, np.inf, np.where(categorical, nodes["bitset_idx"], nodes["num_threshold"]))
    packed["left"] = np.where(leaf, np.arange(len(nodes)), begin + nodes["left"])
    missing_left = leaf | (nodes["missing_go_to_left"] == 1)
    packed["feature"] = (
        np.where(leaf, 0, nodes["feature_idx"]).astype(np.uint32)
        | missing_left * np.uint32(_core.trees.traversal.MISSING_LEFT)
        | (categorical & ~leaf) * np.uint32(_core.trees.traversal.CATEGORICAL)
    )
    return Packed(as_bytes(packed), np.ascontiguousarray(nodes["value"]), sets, root, outputs)


def add_packed(packed: Packed, block: Block, raw: NDArray) -> NDArray:
    """Add the values of all trees for the rows of a block to `raw`, of shape (rows, outputs), and return it."""
    _core.trees.traversal.add_values(
        packed.nodes, packed.value, packed.sets, packed.root, arrays.to_numpy(block.X), raw
    )
    return raw
