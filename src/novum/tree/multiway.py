r"""The grower of the notes' trees: a branch per category, rows divided where a cell is missing, any score of a split.

All nodes of a level are split at once, by the column with the best score

    gain or gain ratio                                     see `splits`                                        (1)
    gain^2 / cost                                          Tan and Schlimmer (1990)                            (2)
    (2^gain - 1) / (cost + 1)^w                            Nunez (1991), 0 <= w <= 1                           (3)

(the ratio in place of the gain where it is the criterion); of equal scores the first column's. Columns whose split passes no test
of independence at level `significance` are left out (Quinlan 1986). A node without a column left, pure, or too small is a
leaf. A category that no row of the node has leads to a leaf that says what the node says.

    columns = [column_of(X[:, j], levels[j]) for j in range(d)]
    tree    = grow_branches(X, columns, target, rules, policy, weight, seed)

Cost: O(rows columns) per level, by counting.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.engines.trees.exact import LEAST_CELLS, Rules, Target
from novum.engines.trees.nodes import UNDEFINED, Tree
from novum.engines.trees.walk import DIVIDE
from novum.runtime.pool import map_ordered
from novum.runtime.random import Stream
from novum.tree.column_splits import SLACK, TIE, Column, ColumnSplit, Entries, search
from novum.tree.multiway_levels import Choice, Level, assemble_levels, children_of, divide_rows
from novum.tree.splits import gain_ratio, independence, masses, n_channels, tables, weights

__all__ = ["Policy", "grow_branches", "score"]

MOST_CELLS = (
    2**22
)  # of a table that is counted at once: nodes are taken in parts, so that wide columns need no more memory
PURE = 1e-14  # impurity of a node that rounding alone keeps from zero


class Policy(NamedTuple):
    """What the notes' trees let one choose beyond the rules of CART."""

    binary: bool  # sets of categories instead of a branch for each
    missing: str
    significance: float | None = None
    cost: NDArray | None = None  # (d,)
    cost_form: str = "tan_schlimmer"
    cost_weight: float = 1.0


def score(gain: NDArray, split_entropy: NDArray, criterion: str, policy: Policy, j: int) -> NDArray:
    """Return (1), (2) or (3) of a split by column j."""
    out = gain_ratio(gain, split_entropy) if criterion == "gain_ratio" else gain
    if policy.cost is None:
        return out
    if policy.cost_form == "nunez":
        return (2.0**out - 1) / (policy.cost[j] + 1) ** policy.cost_weight
    return np.maximum(out, 0.0) ** 2 / policy.cost[j]


def grow_branches(
    X: NDArray,
    columns: list[Column],
    target: Target,
    rules: Rules,
    policy: Policy,
    weight: NDArray | None = None,
    seed: int = 0,
    n_threads: int = 1,
) -> Tree:
    """Return a tree; rows of weight zero are absent."""
    n, stream = X.shape[0], Stream(seed)
    row = np.arange(n) if weight is None else np.flatnonzero(weight)
    center = np.zeros(len(target.n_classes))
    if target.y is not None:  # sums of squares about the middle keep their digits
        center = target.y[row].mean(0)
        target = target._replace(y=target.y - center)
    mass = np.ones(len(row)) if weight is None else weight[row].astype(np.float64)
    at = Entries(row, np.zeros(len(row), np.int64), np.ones(len(row)), mass)
    levels: list[Level] = []
    n_categories = np.array([column.levels for column in columns], np.int64)
    parent_value: NDArray | None = None
    parent_impurity = np.zeros(1)
    m, whole = 1, float(mass.sum())
    while True:
        table = tables(target, at.node, m, at.row, at.weight)
        total = weights(target, table)
        empty = total <= 0
        impurity = np.where(empty, parent_impurity, masses(target, table) / np.where(empty, 1.0, total))
        value = values_of(target, table, center)
        if parent_value is not None:
            value[empty] = parent_value[empty]
        size = np.bincount(at.node, at.part, m)
        open_ = (impurity > PURE) & (size >= rules.min_samples_split - SLACK) & (total >= 2 * rules.min_weight_leaf)
        open_ &= ~empty & (len(levels) < rules.max_depth)
        choice = choose(
            columns,
            at=at,
            m=m,
            open_=open_,
            target=target,
            rules=rules,
            policy=policy,
            whole=whole,
            stream=stream,
            depth=len(levels),
            n_threads=n_threads,
        )
        width = np.array([len(one) for one in choice.occupied], np.int64)
        first = sum(len(level.feature) for level in levels) + m  # number of the first child
        branches, parents = children_of(choice, width, first)
        level = Level(
            feature=choice.feature,
            threshold=choice.threshold,
            impurity=impurity,
            n_rows=np.bincount(at.node, minlength=m),
            weight=total,
            value=value,
            missing=choice.missing,
            sets=choice.sets,
            branches=branches,
            n_branches=width,
            n_categories=n_categories,
        )
        levels.append(level)
        if not len(parents):
            return assemble_levels(levels, X.shape[1], target, policy.missing == "fractional")
        at = divide_rows(X, level, choice, at, first, target)
        m, parent_value, parent_impurity = len(parents), value[parents], impurity[parents]


def values_of(target: Target, table: NDArray, center: NDArray) -> NDArray:
    """Return what nodes predict, (m, outputs, classes)."""
    total = np.maximum(weights(target, table), np.finfo(float).tiny)
    if target.y is not None:
        return (table[:, 1 : 1 + len(center)] / total[:, None] + center)[:, :, None]
    out = np.zeros((len(table), len(target.n_classes), int(target.n_classes.max())))
    for o, (k, end) in enumerate(zip(target.n_classes, np.cumsum(target.n_classes))):
        out[:, o, :k] = table[:, end - k : end] / total[:, None]
    return out


def choose(
    columns: list[Column],
    at: Entries,
    m: int,
    open_: NDArray,
    target: Target,
    rules: Rules,
    policy: Policy,
    whole: float,
    stream: Stream,
    depth: int,
    n_threads: int,
) -> Choice:
    """Return the best split of every open node of a level."""
    none = np.zeros(0, bool)
    out = Choice(
        np.full(m, UNDEFINED),
        np.full(m, float(UNDEFINED)),
        np.zeros(m, np.int64),
        [none] * m,
        [np.zeros(0, np.uint32)] * m,
        [np.zeros(0)] * m,
        None,
    )
    (nodes,) = open_.nonzero()
    if not len(nodes):
        return out
    width = n_channels(target)
    if policy.missing == "fill_by_class":
        out = out._replace(own=np.zeros((m, width), np.int64))
    step = max(1, MOST_CELLS // (max(2, *(column.levels for column in columns)) * width))
    begin = np.searchsorted(at.node, np.arange(m + 1))
    number = np.cumsum(open_) - 1
    inside = np.flatnonzero(open_[at.node])
    keys = stream.uniform("columns", depth, m, len(columns))[nodes] if rules.max_features < len(columns) else None
    edge = np.concatenate([[0], np.cumsum((begin[1:] - begin[:-1])[nodes])])
    for start in range(0, len(nodes), step):
        stop = min(start + step, len(nodes))
        part = inside[edge[start] : edge[stop]]
        here = Entries(at.row[part], number[at.node[part]] - start, at.part[part], at.weight[part])
        key = None if keys is None else keys[start:stop]
        choose_part(
            out,
            nodes=nodes[start:stop],
            columns=columns,
            here=here,
            target=target,
            rules=rules,
            policy=policy,
            whole=whole,
            key=key,
            n_threads=n_threads,
        )
    return out


def choose_part(
    out: Choice,
    nodes: NDArray,
    columns: list[Column],
    here: Entries,
    target: Target,
    rules: Rules,
    policy: Policy,
    whole: float,
    key: NDArray | None,
    n_threads: int,
) -> None:
    """Write the splits of some nodes, whose entries are numbered 0, 1, ... in their order."""
    m, d = len(nodes), len(columns)
    own = target._replace(
        code=None if target.code is None else target.code[here.row], y=None if target.y is None else target.y[here.row]
    )
    weight = np.bincount(here.node, here.weight, m)
    found: list[ColumnSplit] = []
    scores = np.full((m, d), -np.inf)
    threads = n_threads if len(here.row) * d >= LEAST_CELLS else 1
    searched = map_ordered(
        lambda column: search(column, here, m, own, rules, policy.binary, policy.missing), columns, threads
    )
    for j, one in enumerate(searched):
        valid = one.valid & (one.judged.gain * weight / whole >= rules.min_impurity_decrease - TIE)
        if policy.significance is not None:
            valid &= independence(one.groups) <= policy.significance
        worth = score(one.judged.gain, one.judged.split_entropy, target.criterion, policy, j)
        scores[:, j] = np.where(valid, worth, -np.inf)
        found.append(one)
    if key is not None:  # the first columns, in a drawn order, among those that can split the node
        place = np.where(scores > -np.inf, key, np.inf).argsort(1).argsort(1)
        scores[place >= rules.max_features] = -np.inf
    top = scores.max(1)
    best = (scores >= (top - TIE * np.maximum(np.abs(np.where(top > -np.inf, top, 0)), 1e-3))[:, None]).argmax(1)
    for j in np.unique(best[top > -np.inf]):
        (mine,) = ((best == j) & (top > -np.inf)).nonzero()
        record(out, nodes[mine], mine, int(j), found[j], own, policy)


def record(
    out: Choice, nodes: NDArray, mine: NDArray, j: int, one: ColumnSplit, target: Target, policy: Policy
) -> None:
    """Write the split by column j of the nodes `mine` of this part, which are `nodes` of the level."""
    groups = one.groups[mine]
    mass = weights(target, groups)
    share = mass / mass.sum(1, keepdims=True)
    out.feature[nodes] = j
    if one.threshold is not None:
        out.threshold[nodes] = one.threshold[mine]
    out.missing[nodes] = DIVIDE if policy.missing == "fractional" else one.judged.missing[mine]
    if out.own is not None:
        heaviest = one.judged.missing[mine, None]
        out.own[nodes] = np.where(groups.any(1), groups.argmax(1), heaviest)
    occupied = mass > 0
    words = None
    if one.left is not None:
        padded = np.zeros((len(mine), -(-one.left.shape[1] // 32) * 32), bool)
        padded[:, : one.left.shape[1]] = one.left[mine]
        words = np.packbits(padded, axis=1, bitorder="little").view("<u4").astype(np.uint32)
    for k, node in enumerate(nodes.tolist()):
        out.occupied[node], out.share[node] = occupied[k], share[k]
        if words is not None:
            out.sets[node] = words[k]
