"""Rows of a tensor down trees that are finished: all trees at once, a level at a time, with what their leaves say.

A row goes left where its cell is at most the threshold, compared in float64 as in memory, and where the node says if it is missing;
so the leaves are those of memory, and means are added in the order of the trees.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.engines.trees.device.passes import depth_of
from novum.engines.trees.nodes import Tree
from novum.exceptions import DataError
from novum.runtime import arrays

__all__ = ["leaves_on_device", "means_on_device", "value_at"]

AT_ONCE = 2**24  # rows times trees that walk together


def tables_of(trees: list[Tree]) -> tuple[NDArray, NDArray, NDArray]:
    """Return the nodes of all trees one after another, as `depth_of` reads them, their thresholds, and the roots."""
    if any(tree.branch_begin is not None or tree.n_categories.any() for tree in trees):
        raise DataError(
            "Trees with categories or with several branches answer in the memory of the processor, and X is on a device; give"
            " X.cpu()."
        )
    begin = np.cumsum([0, *(tree.node_count for tree in trees)])
    fields = np.zeros((begin[-1], 5), np.int32)
    for first, tree in zip(begin, trees):
        own = fields[first : first + tree.node_count]
        inner = tree.children_left >= 0
        own[:, 0] = np.where(inner, tree.feature, -1)
        own[:, 2] = tree.missing_go_to_left
        own[:, 3] = np.where(inner, tree.children_left + first, 0)
        own[:, 4] = np.where(inner, tree.children_right + first, 0)
    return fields, np.concatenate([tree.threshold for tree in trees]), begin[:-1]


def leaves_on_device(trees: list[Tree], X: Any) -> Any:
    """Return the leaf of every row in every tree, (rows, trees) in int64, by its number in that tree."""
    import torch

    fields, edges, roots = tables_of(trees)
    depth = depth_of(fields, roots)
    table, edge = arrays.like(X, fields, "int32"), arrays.like(X, edges, "float64")
    root = arrays.like(X, roots, "int64")
    feature, missing_left, left, right = (table[:, k].long() for k in (0, 2, 3, 4))
    parts = []
    for rows in X.split(max(1, AT_ONCE // len(trees))):
        at = root.expand(len(rows), -1)
        for _ in range(depth):
            column = feature[at]
            x = rows.gather(1, column.clamp(min=0)).double()
            goes_left = torch.where(x.isnan(), missing_left[at] > 0, x <= edge[at])
            at = torch.where(column >= 0, torch.where(goes_left, left[at], right[at]), at)
        parts.append(at - root)
    return torch.cat(parts)


def value_at(values: NDArray, leaf: Any) -> Any:
    """Return what the nodes say that rows are at."""
    return arrays.like(leaf, values, "float64")[leaf]


def means_on_device(trees: list[Tree], values: list[NDArray], X: Any) -> Any:
    """Return the mean over the trees of what the leaves say, (rows, width), added in the order of the trees."""
    leaves = leaves_on_device(trees, X)
    total: Any = 0.0
    for t, value in enumerate(values):
        total = total + value_at(value, leaves[:, t])
    return total / len(trees)
