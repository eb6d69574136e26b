"""From the splits of a level to the next: children are numbered, rows sent to them, and all levels joined to a node table.

Children have numbers in the order of their parents and outcomes; outcomes that no row has share the last child of their node. A row
whose cell is missing goes where the policy says, or is divided by the shares of the known weight.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.engines.trees.exact import Target
from novum.engines.trees.nodes import LEAF, UNDEFINED, Tree
from novum.engines.trees.walk import DIVIDE, outcomes
from novum.tree.column_splits import Entries, stable_order

__all__ = ["Choice", "Level", "assemble_levels", "children_of", "divide_rows"]


class Level(NamedTuple):
    """Nodes of one depth, as columns of the node table."""

    feature: NDArray
    threshold: NDArray
    impurity: NDArray
    n_rows: NDArray
    weight: NDArray
    value: NDArray
    missing: NDArray  # outcome of a missing cell
    sets: list[NDArray]  # words of the set of every node
    branches: NDArray  # children of all nodes in turn
    n_branches: NDArray
    n_categories: NDArray

    @property
    def category_begin(self) -> NDArray:
        return np.concatenate([[0], np.cumsum([len(words) for words in self.sets])]).astype(np.int64)

    @property
    def category_words(self) -> NDArray:
        return np.concatenate([*self.sets, np.zeros(0, np.uint32)]).astype(np.uint32)


class Choice(NamedTuple):
    """The split of every node of a level; the column is UNDEFINED at leaves."""

    feature: NDArray
    threshold: NDArray
    missing: NDArray
    occupied: list[NDArray]  # per node: which outcomes have rows
    sets: list[NDArray]
    share: list[NDArray]  # per node: of the known weight by outcome
    own: NDArray | None  # (m, channels): outcome of a missing cell by class


def children_of(choice: Choice, width: NDArray, first: int) -> tuple[NDArray, NDArray]:
    """Return the children of all nodes in turn, and the parent of every child; outcomes without rows share the last child."""
    if not width.any():
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    node = np.repeat(np.arange(len(width)), width)
    occupied = np.concatenate(choice.occupied)
    number = np.bincount(node, occupied, len(width)).astype(np.int64)
    made = number + (number < width)
    begin = np.cumsum(made) - made
    before = np.cumsum(occupied) - occupied
    place = before - np.concatenate([[0], np.cumsum(number)])[node]
    branches = first + begin[node] + np.where(occupied, place, number[node])
    return branches, np.repeat(np.arange(len(width)), made)


def divide_rows(X: NDArray, level: Level, choice: Choice, at: Entries, first: int, target: Target) -> Entries:
    """Return the entries of a level at the children of their nodes, sorted by child."""
    inner = np.flatnonzero(level.feature[at.node] != UNDEFINED)
    at = Entries(*(field[inner] for field in at))
    begin = np.concatenate([[0], np.cumsum(level.n_branches)])
    out = outcomes(level, X, at.row, at.node)
    lost = out == DIVIDE
    if choice.own is not None and lost.any():
        assert target.code is not None
        out[lost] = choice.own[at.node[lost], target.code[at.row[lost], 0]]
    out = np.where(out == DIVIDE, level.missing[at.node], out)
    one = out != DIVIDE
    child = level.branches[begin[at.node[one]] + out[one]] - first
    moved = Entries(at.row[one], child, at.part[one], at.weight[one])
    if not one.all():
        rest = Entries(*(field[~one] for field in at))
        number = level.n_branches[rest.node]
        of = np.repeat(np.arange(len(number)), number)
        outcome = np.arange(len(of)) - np.repeat(np.cumsum(number) - number, number)
        flat = begin[rest.node[of]] + outcome
        share = np.concatenate(choice.share)[flat]
        kept = share > 0
        of, share = of[kept], share[kept]
        copies = Entries(
            rest.row[of], level.branches[flat[kept]] - first, rest.part[of] * share, rest.weight[of] * share
        )
        moved = Entries(*(np.concatenate(pair) for pair in zip(moved, copies)))
    order = stable_order(moved.node, int(level.branches.max()) - first + 1)
    return Entries(*(field[order] for field in moved))


def assemble_levels(levels: list[Level], d: int, target: Target, divides: bool) -> Tree:
    """Return the levels as a node table; a plain one where every node has two children and no row is divided."""

    def joined(name: str) -> NDArray:
        return np.concatenate([getattr(level, name) for level in levels])

    feature, width, branches = joined("feature"), joined("n_branches"), joined("branches")
    begin = np.concatenate([[0], np.cumsum(width)])
    inner = width > 0
    left, right = np.full(len(width), LEAF), np.full(len(width), LEAF)
    left[inner], right[inner] = branches[begin[:-1][inner]], branches[begin[1:][inner] - 1]
    sets = [words for level in levels for words in level.sets]
    missing = np.where(inner, joined("missing"), 0)
    fields: dict[str, Any] = {}
    n_categories = levels[0].n_categories
    sizes = np.array([len(words) for words in sets])
    multiway = inner & (sizes == 0) & (n_categories[np.where(inner, feature, 0)] > 0)
    if multiway.any() or divides:
        fields = {"branch_begin": begin, "branch_node": branches, "missing_branch": missing}
    return Tree(
        d,
        target.n_classes,
        children_left=left,
        children_right=right,
        feature=feature,
        threshold=joined("threshold"),
        impurity=joined("impurity"),
        n_node_samples=joined("n_rows"),
        weighted_n_node_samples=joined("weight"),
        value=joined("value"),
        missing_go_to_left=(inner & (missing == 0)).astype(np.uint8),
        category_begin=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        category_words=np.concatenate([*sets, np.zeros(0, np.uint32)]).astype(np.uint32),
        n_categories=n_categories,
        **fields,
    )
