r"""The node table of a tree that grew by passes over blocks.

Shares and impurities of classes follow from the whole numbers of the growth. For numbers the leaves are summed once more,
finer than splits need,

    W = sum w,   S = sum w (y - shift),   Q = sum w (y - shift)^2                                      (1)
    value = shift + S / W,   impurity = Q / W - (S / W)^2                                              (2)

each as two whole numbers, the upper and the lower half of 2^-52 of the largest term, so that every cut into blocks gives the
same bits. Inner nodes add up their children's. Subtrees that grew elsewhere take the place of their root.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.engines.trees.best_first import Growth, Node
from novum.engines.trees.nodes import LEAF, UNDEFINED, Tree
from novum.engines.trees.passes.split_rules import CartRule, class_impurity

__all__ = ["Totals", "assemble", "descendants", "limb_sums", "node_order", "scales"]

FINER = 2.0**-22  # from the units of the growth, 2^-30 of the largest, to those of (1)
HALF = 2.0**26


class Totals(NamedTuple):
    """(1), in whole numbers: upper and lower halves."""

    upper: NDArray  # (nodes, 3) int64
    lower: NDArray


def limb_sums(leaf: NDArray, nodes: int, moved: NDArray, mass: NDArray, scale: tuple[float, ...]) -> Totals:
    """Return (1) of the rows of one block in units of `scale`; `moved` is y - shift."""
    upper, lower = np.zeros((nodes, 3), np.int64), np.zeros((nodes, 3), np.int64)
    for k, term in enumerate((mass, mass * moved, mass * moved * moved)):
        whole = np.rint(term / scale[k])
        high = np.floor(whole / HALF)
        upper[:, k] = np.bincount(leaf, weights=high, minlength=nodes)  # sums of fewer than 2^27 halves are exact
        lower[:, k] = np.bincount(leaf, weights=whole - high * HALF, minlength=nodes)
    return Totals(upper, lower)


def scales(largest: float, mass: float) -> tuple[float, float, float]:
    """Return the units of (1), powers of two, for terms of at most `largest` in size and weights of at most `mass`."""
    unit = _core.trees.passes.unit_of
    return unit(mass) * FINER, unit(mass * largest) * FINER, unit(mass * largest * largest) * FINER


def node_order(growth: Growth) -> list[Node]:
    """Return the nodes of the finished tree in its order: as they were split under a limit of leaves, else depth first."""
    if growth.max_leaves:
        return growth.settled
    out, stack = [], [growth.settled[0]]
    while stack:
        node = stack.pop()
        out.append(node)
        if is_inner(node):
            stack += [node.right, node.left]  # type: ignore[list-item]
    return out


def is_inner(node: Node) -> bool:
    """Return whether a node was split in the end."""
    return node.left is not None and node.left.final >= 0


def sums_of(nodes: list[Node], totals: Totals, scale: tuple[float, ...]) -> NDArray:
    """Return (1) of every node, in the order of `nodes`, where parents come before children."""
    exact: dict[int, list[int]] = {}
    for node in reversed(nodes):
        if is_inner(node):
            left, right = exact[node.left.number], exact[node.right.number]  # type: ignore[union-attr]
            exact[node.number] = [a + b for a, b in zip(left, right)]
        else:
            # Rows below a leaf that was divided ahead of its turn are its own.
            parts = [below.number for below in descendants(node)]
            upper, lower = totals.upper[parts].sum(axis=0), totals.lower[parts].sum(axis=0)
            exact[node.number] = [int(u) * int(HALF) + int(v) for u, v in zip(upper, lower)]
    return np.array([exact[node.number] for node in nodes], np.float64) * scale


def descendants(node: Node) -> list[Node]:
    """Return a node and all that was ever below it."""
    out, stack = [], [node]
    while stack:
        here = stack.pop()
        out.append(here)
        if here.left is not None and here.right is not None:
            stack += [here.left, here.right]
    return out


def assemble(
    growth: Growth, rule: CartRule, d: int, classes: int, totals: Totals | None, task: Any, below: dict[int, Tree]
) -> Tree:
    """Return the table, with the trees `below` in the places of their roots, by the roots' numbers."""
    nodes = node_order(growth)
    place = {node.number: i for i, node in enumerate(nodes)}
    count = len(nodes)
    left, right = np.full(count, LEAF, np.int64), np.full(count, LEAF, np.int64)
    feature, threshold = np.full(count, UNDEFINED, np.int64), np.full(count, float(UNDEFINED))
    missing = np.zeros(count, np.uint8)
    for i, node in enumerate(nodes):
        if is_inner(node):
            left[i], right[i] = place[node.left.number], place[node.right.number]  # type: ignore[union-attr]
            feature[i], threshold[i], missing[i] = node.split.feature, node.split.threshold, node.split.missing_left
    if classes:
        mass = np.array([node.sums for node in nodes]) * rule.weight_unit
        weight = mass.sum(axis=1)
        value, impurity = (mass / weight[:, None])[:, None], class_impurity(rule.criterion, mass)
    else:
        assert totals is not None
        weight, first, second = sums_of(nodes, totals, task.scale).T
        value = (task.shift + first / weight)[:, None, None]
        pure = np.array([node.info is not None and node.info[0] == node.info[1] for node in nodes])
        impurity = np.where(pure, 0.0, np.maximum(0.0, second / weight - (first / weight) ** 2))
    fields = {
        "children_left": left,
        "children_right": right,
        "feature": feature,
        "threshold": threshold,
        "impurity": impurity,
        "n_node_samples": np.array([node.rows for node in nodes], np.int64),
        "weighted_n_node_samples": weight,
        "value": value,
        "missing_go_to_left": missing,
    }
    grafts = {place[number]: tree for number, tree in below.items()}
    numbers = np.array([classes or 1])
    return Tree(d, numbers, **graft_trees(fields, grafts)) if grafts else Tree(d, numbers, **fields)


def graft_trees(fields: dict[str, NDArray], below: dict[int, Tree]) -> dict[str, NDArray]:
    """Return a table in depth-first order with trees in the places of some leaves."""
    size = np.ones(len(fields["feature"]), np.int64)
    for at, tree in below.items():
        size[at] = tree.node_count
    begin = np.concatenate([[0], np.cumsum(size)])[:-1]  # depth first, so a graft moves all that follows
    out = {}
    for name, own in fields.items():
        if name.startswith("children"):
            own = np.where(own == LEAF, LEAF, begin[own])
        result = np.empty((int(size.sum()), *own.shape[1:]), own.dtype)
        result[begin] = own
        for at, tree in below.items():
            part = getattr(tree, name)
            if name.startswith("children"):
                part = np.where(part == LEAF, LEAF, part + begin[at])
            result[begin[at] : begin[at] + size[at]] = part
        out[name] = result
    return out
