r"""The node tables of trees that grew on a device: levels become trees in depth-first order, and leaves get their means.

With size the number of nodes from one on downwards, and its place counted in its tree,

    place(left) = place(parent) + 1,   place(right) = place(parent) + 1 + size(left)                   (1)

Shares, means and impurities are those of novum.engines.trees.passes.node_table, from the same whole numbers.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.engines.trees.device.drawn_rows import DrawnRows, sums_between
from novum.engines.trees.device.draws import BY_PASSES
from novum.engines.trees.device.levels import Level
from novum.engines.trees.nodes import LEAF, UNDEFINED, Tree
from novum.engines.trees.passes.node_table import HALF
from novum.engines.trees.passes.split_rules import class_impurity
from novum.runtime import arrays

__all__ = ["Lines", "leaf_totals", "lines_of", "trees_of"]

EXACT = 2**53  # whole numbers up to it are float64


class Lines(NamedTuple):
    """All nodes of some trees, level after level, in memory."""

    level: NDArray  # (nodes,)
    tree: NDArray
    rows: NDArray
    sums: NDArray  # (nodes, channels)
    pure: NDArray  # whether all targets of numbers are equal
    below: NDArray  # whether its threshold came from middles of bins
    left: NDArray  # the line of the left child, which the right one follows; -1 in a leaf
    feature: NDArray
    threshold: NDArray
    missing_left: NDArray
    limbs: NDArray  # (nodes, 3, 2) whole numbers of numbers' leaves: W, S and Q in upper and lower halves


def leaf_totals(drawn: DrawnRows, begin: Any, rows: Any, weight: Any) -> Any:
    """Return W, S and Q of lists of rows, (lists, 3, 2); `weight` (n,) in place of how often a row was drawn, or None."""
    import torch

    row, task = drawn.row.long(), drawn.task
    mass = drawn.mass.double() if weight is None else weight[row]
    moved = drawn.target[row] - task.shift
    out = []
    for term, scale in zip((mass, mass * moved, mass * moved * moved), task.scale):
        whole = (term / scale).round()
        upper = (whole / HALF).floor()
        out += [sums_between(part, begin, rows) for part in (upper, whole - upper * HALF)]
    return torch.stack(out, dim=1).view(len(begin), 3, 2)


def lines_of(drawn: DrawnRows, levels: list[Level], weight: Any) -> Lines:
    """Return the nodes of levels, brought here."""
    import torch

    count = [len(level.tree) for level in levels]
    first = np.cumsum([0, *count])
    split = torch.cat([level.split for level in levels])
    begin, rows = (torch.cat([getattr(level.nodes, name) for level in levels]) for name in ("begin", "rows"))
    limbs = torch.zeros((0, 3, 2), dtype=torch.int64, device=begin.device)
    if drawn.target is not None:
        limbs = torch.zeros((len(rows), 3, 2), dtype=torch.int64, device=begin.device)
        limbs[~split] = leaf_totals(drawn, begin[~split], rows[~split], weight)
    there = arrays.to_numpy(split)

    def brought(name: str, empty: Any) -> NDArray:
        values = arrays.to_numpy(torch.cat([getattr(level.cuts, name) for level in levels]))
        out = np.full(len(there), empty, values.dtype)
        out[there] = values
        return out

    def of_nodes(function: Any) -> NDArray:
        return arrays.to_numpy(torch.cat([function(level) for level in levels]))

    left = np.full(len(there), LEAF, np.int64)
    for k in range(len(levels) - 1):
        here = first[k] + np.flatnonzero(there[first[k] : first[k + 1]])
        left[here] = first[k + 1] + 2 * np.arange(len(here))
    return Lines(
        level=np.repeat(np.arange(len(levels)), count),
        tree=of_nodes(lambda level: level.tree),
        rows=arrays.to_numpy(rows),
        sums=of_nodes(lambda level: level.nodes.sums),
        pure=of_nodes(lambda level: level.nodes.low == level.nodes.high),
        below=of_nodes(lambda level: level.nodes.kind != BY_PASSES),
        left=left,
        feature=brought("feature", UNDEFINED),
        threshold=brought("threshold", UNDEFINED),
        missing_left=brought("missing_left", False),
        limbs=arrays.to_numpy(limbs),
    )


def inner_lines(lines: Lines) -> list[NDArray]:
    """Return the lines that are split, of every level."""
    inner = np.flatnonzero(lines.left >= 0)
    bounds = np.searchsorted(lines.level[inner], np.arange(lines.level[-1] + 2))
    return [inner[a:b] for a, b in pairwise(bounds)]


def moments_of(lines: Lines, inner: list[NDArray], scale: tuple[float, ...]) -> NDArray:
    """Return W, S and Q of every node (nodes, 3): those of inner nodes are the sums of their children's."""
    limbs = lines.limbs.copy()
    for here in reversed(inner):
        limbs[here] = limbs[lines.left[here]] + limbs[lines.left[here] + 1]
    carry = limbs[..., 1] // int(HALF)
    upper, lower = limbs[..., 0] + carry, limbs[..., 1] - carry * int(HALF)
    whole = upper * HALF + lower  # one rounding, where the upper half is a float64
    for at in np.argwhere(np.abs(upper) > EXACT).tolist():
        whole[tuple(at)] = float(int(upper[tuple(at)]) * int(HALF) + int(lower[tuple(at)]))
    return whole * np.asarray(scale)


def places_of(lines: Lines, inner: list[NDArray], trees: int) -> tuple[NDArray, NDArray]:
    """Return (1) for every line, and how many nodes every tree has."""
    size, place = np.ones(len(lines.rows), np.int64), np.zeros(len(lines.rows), np.int64)
    for here in reversed(inner):
        size[here] += size[lines.left[here]] + size[lines.left[here] + 1]
    for here in inner:
        left = lines.left[here]
        place[left] = place[here] + 1
        place[left + 1] = place[here] + 1 + size[left]
    return place, size[:trees]


def trees_of(lines: Lines, task: Any, d: int, trees: int, between: Any) -> list[Tree]:
    """Return the trees; `between(threshold, feature)` moves thresholds that fall into a bin to an end of it."""
    inner = inner_lines(lines)
    place, counts = places_of(lines, inner, trees)
    begin = np.concatenate([[0], np.cumsum(counts)])
    threshold = lines.threshold.copy()
    moved = np.flatnonzero((lines.left >= 0) & lines.below)
    threshold[moved] = between(threshold[moved], lines.feature[moved])
    if task.classes:
        mass = lines.sums * task.weight_unit
        weight = mass.sum(axis=1)
        value, impurity = (mass / weight[:, None])[:, None], class_impurity(task.criterion, mass)
    else:
        weight, first, second = moments_of(lines, inner, task.scale).T
        value = (task.shift + first / weight)[:, None, None]
        impurity = np.where(lines.pure, 0.0, np.maximum(0.0, second / weight - (first / weight) ** 2))
    leaf = lines.left < 0
    fields: dict[str, Any] = {
        "children_left": np.where(leaf, LEAF, place[lines.left]),
        "children_right": np.where(leaf, LEAF, place[lines.left + 1 - leaf]),
        "feature": lines.feature,
        "threshold": threshold,
        "impurity": impurity,
        "n_node_samples": lines.rows,
        "weighted_n_node_samples": weight,
        "value": value,
        "missing_go_to_left": lines.missing_left.astype(np.uint8),
    }
    order = np.empty(len(place), np.int64)
    order[begin[lines.tree] + place] = np.arange(len(place))
    fields = {name: values[order] for name, values in fields.items()}
    numbers = np.array([task.classes or 1])
    return [
        Tree(d, numbers, **{name: values[a:b].copy() for name, values in fields.items()}) for a, b in pairwise(begin)
    ]
