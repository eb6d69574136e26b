r"""The best split of every node by one column: a branch per category, a set of categories, or a threshold.

Nodes are numbered 0, ..., m - 1 and treated together. A column of categories is counted into cells (node, category, channel); one
of numbers is sorted by node and value, and the cumulated channels give both sides of every candidate

    t = (a_i + a_(i+1)) / 2   between neighbours a_i < a_(i+1)                                                 (1)

By a set of categories the node is cut in the order of the share of a class (of every class where there are more than two),
or of the mean, as Fisher (1958) allows.
"""

import itertools
from typing import NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum.engines.trees.exact import Rules, Target
from novum.tree.splits import Judged, channels, judge, masses, n_channels, tables, weights

__all__ = ["Column", "ColumnSplit", "Entries", "column_of", "search", "stable_order", "threshold_candidates"]

SLACK = 1e-9  # parts of rows add up to whole ones but for rounding
EXACT = 2.0**53  # whole numbers below add up without rounding
TIE = 1e-12  # gains closer than this are one gain, summed in another order


class Column(NamedTuple):
    """A column as the search reads it."""

    levels: int  # number of categories; 0 for numbers
    code: NDArray  # (n,) category, or rank of the number; -1 where missing
    values: NDArray  # (ranks,) numbers in order; empty for categories
    complete: bool


class Entries(NamedTuple):
    """Rows, or parts of rows, at the nodes of a level; sorted by node."""

    row: NDArray
    node: NDArray
    part: NDArray  # of the row that is here
    weight: NDArray  # of this part


class ColumnSplit(NamedTuple):
    """The best split of every node by a column."""

    judged: Judged  # (m,)
    groups: NDArray  # (m, V, channels) rows whose cell is known
    valid: NDArray  # (m,)
    threshold: NDArray | None = None  # (m,)
    left: NDArray | None = None  # (m, levels): set of categories


def column_of(x: NDArray, levels: int) -> Column:
    """Return a float column ready for the search."""
    missing = np.isnan(x)
    complete = not missing.any()
    if levels:
        return Column(levels, np.where(missing, -1, x).astype(np.int64), np.zeros(0), complete)
    values, rank = np.unique(x[~missing], return_inverse=True)
    code = np.full(len(x), -1, np.int64)
    code[~missing] = rank
    return Column(0, code, values.astype(np.float64), complete)


def stable_order(key: NDArray, size: int) -> NDArray:
    """Return the order that sorts keys below `size`, equal ones as they came, in linear time."""
    begin = np.arange(len(key) + 1)
    by_row = scipy.sparse.csr_array((np.zeros(len(key), np.int8), key, begin), shape=(len(key), size))
    return by_row.tocsc().indices


def search(column: Column, at: Entries, m: int, target: Target, rules: Rules, binary: bool, policy: str) -> ColumnSplit:
    """Return the best split of nodes 0, ..., m - 1; `target` holds the entries' own rows, in their order."""
    code = column.code[at.row]
    known: slice | NDArray = slice(None)
    lost = np.zeros((m, n_channels(target)))
    if not column.complete:
        known = np.flatnonzero(code >= 0)
        gone = np.flatnonzero(code < 0)
        lost = tables(target, at.node[gone], m, gone, at.weight[gone])
    if column.levels:
        return by_category(
            column.levels,
            code=code[known],
            known=known,
            at=at,
            lost=lost,
            target=target,
            rules=rules,
            binary=binary,
            policy=policy,
        )
    rows = np.arange(len(code)) if isinstance(known, slice) else known
    return by_threshold(
        column, code=code[known], rows=rows, at=at, lost=lost, target=target, rules=rules, policy=policy
    )


def by_category(
    levels: int,
    code: NDArray,
    known: slice | NDArray,
    at: Entries,
    lost: NDArray,
    target: Target,
    rules: Rules,
    binary: bool,
    policy: str,
) -> ColumnSplit:
    """Return the split of every node by a column of categories."""
    m = len(lost)
    cell = at.node[known] * levels + code
    groups = tables(target, cell, m * levels, known, at.weight[known]).reshape(m, levels, -1)
    size = np.bincount(cell, at.part[known], m * levels).reshape(m, levels)
    if not binary:
        large = (size >= rules.min_samples_leaf - SLACK) & (weights(target, groups) >= rules.min_weight_leaf)
        valid = (large & (size > 0)).sum(1) >= 2
        return ColumnSplit(judge(target, groups, lost, policy), groups, valid)
    best: ColumnSplit | None = None
    for order in category_orders(target, groups, size):
        found = cut_in_order(order, groups, size, lost, target, rules, policy)
        if best is None:
            best = found
            continue
        better = found.valid & (~best.valid | (found.judged.gain > best.judged.gain + TIE))
        best = ColumnSplit(
            Judged(*(np.where(better, new, old) for new, old in zip(found.judged, best.judged))),
            np.where(better[:, None, None], found.groups, best.groups),
            best.valid | found.valid,
            None,
            np.where(better[:, None], np.asarray(found.left), np.asarray(best.left)),
        )
    assert best is not None
    return best


def category_orders(target: Target, groups: NDArray, size: NDArray) -> list[NDArray]:
    """Return orders of the categories at every node, (m, levels) each; those without rows come last."""
    if target.y is not None:
        chosen = range(1, 1 + len(target.n_classes))
    elif len(target.n_classes) == 1 and target.n_classes[0] <= 2:
        chosen = range(1)
    else:
        chosen = range(int(target.n_classes.sum()))
    total = np.maximum(weights(target, groups), np.finfo(float).tiny)
    return [np.where(size > 0, groups[..., k] / total, np.inf).argsort(1, kind="stable") for k in chosen]


def cut_in_order(
    order: NDArray, groups: NDArray, size: NDArray, lost: NDArray, target: Target, rules: Rules, policy: str
) -> ColumnSplit:
    """Return the best cut of every node's categories in an order."""
    m, levels = order.shape
    sides = np.take_along_axis(groups, order[:, :, None], 1)
    sides = np.stack(
        [sides.cumsum(1)[:, :-1], sides[:, :0:-1].cumsum(1)[:, ::-1]], axis=2
    )  # (m, levels - 1, 2, channels)
    left = np.take_along_axis(size, order, 1).cumsum(1)
    count = np.stack([left[:, :-1], left[:, -1:] - left[:, :-1]], axis=2)
    valid = large_enough(count, weights(target, sides), rules)
    if levels == 1:
        none = np.zeros(m)
        return ColumnSplit(
            Judged(none, none, none.astype(int)), np.zeros((m, 2, groups.shape[2])), none > 0, None, left > 0
        )
    judged = judge(target, sides, np.broadcast_to(lost[:, None], (m, levels - 1, lost.shape[1])), policy)
    gain = np.where(valid, judged.gain, -np.inf)
    best = (gain >= gain.max(1, keepdims=True) - TIE).argmax(1)
    node = np.arange(m)
    judged = Judged(*(field[node, best] for field in judged))
    member = np.empty((m, levels), bool)
    np.put_along_axis(member, order, np.arange(levels) <= best[:, None], 1)
    member = np.where(size > 0, member, judged.missing[:, None] == 0)  # unseen here: as a missing cell
    return ColumnSplit(judged, sides[node, best], valid[node, best], None, member)


def large_enough(count: NDArray, weight: NDArray, rules: Rules) -> NDArray:
    """Return where both sides (..., 2) have rows and weight enough."""
    enough = (count > SLACK) & (count >= rules.min_samples_leaf - SLACK)
    return np.asarray((enough & (weight >= rules.min_weight_leaf)).all(-1))


def threshold_candidates(column: Column, code: NDArray, node: NDArray, m: int) -> tuple[NDArray, NDArray, NDArray]:
    """Return the order of entries by node and number, the last place before each candidate, and the thresholds (1)."""
    order = stable_order(code, max(len(column.values), 1))
    order = order[stable_order(node[order], m)]
    rank, where = code[order], node[order]
    (place,) = ((where[:-1] == where[1:]) & (rank[:-1] < rank[1:])).nonzero()
    low, high = column.values[rank[place]], column.values[rank[place + 1]]
    middle = low / 2 + high / 2  # no overflow
    return order, place, np.where((middle > low) & (middle < high), middle, low)


def running_sums(values: NDArray, begin: NDArray) -> NDArray:
    """Return the sums of values (n, channels) up to each, from where its run begins; runs are begin[k]:begin[k + 1].

    One sum over all runs, less what came before, is as good where nothing rounds; else runs of small numbers after large ones
    would be rounding, so each has its own.
    """
    if (values == np.floor(values)).all() and np.abs(values).sum() < EXACT:
        sums = values.cumsum(0)
        before = np.concatenate([np.zeros((1, values.shape[1])), sums])[begin[:-1]]
        return sums - before.repeat(np.diff(begin), axis=0)
    return np.concatenate([values[a:b].cumsum(0) for a, b in itertools.pairwise(begin)] or [values])


def by_threshold(
    column: Column, code: NDArray, rows: NDArray, at: Entries, lost: NDArray, target: Target, rules: Rules, policy: str
) -> ColumnSplit:
    """Return the best threshold of every node on a column of numbers."""
    m, width = lost.shape
    order, place, threshold = threshold_candidates(column, code, at.node[rows], m)
    rows = rows[order]
    node, weight = at.node[rows], at.weight[rows]
    total = tables(target, node, m, rows, weight)
    each = channels(target, rows, weight)
    counts = np.concatenate([[0.0], at.part[rows].cumsum()])
    begin = np.searchsorted(node, np.arange(m + 1))
    if not len(place):
        none = np.zeros(m)
        return ColumnSplit(Judged(none, none, none.astype(int)), np.zeros((m, 2, width)), none > 0, none)
    owner = node[place]
    left = running_sums(each, begin)[place]
    right = running_sums(each[::-1], len(each) - begin[::-1])[::-1][place + 1]
    first = counts[place + 1] - counts[begin[owner]]
    second = (counts[begin[1:]] - counts[begin[:-1]])[owner] - first
    least = max(rules.min_samples_leaf - SLACK, SLACK)
    fits = (first >= least) & (second >= least)
    if rules.min_weight_leaf > 0:
        fits &= np.minimum(weights(target, left), weights(target, right)) >= rules.min_weight_leaf
    if policy == "fractional" or not lost.any():  # the order of gains is that of what the sides leave
        known = np.maximum(weights(target, total), np.finfo(float).tiny)
        gain = (masses(target, total) / known)[owner] - (masses(target, left) + masses(target, right)) / known[owner]
    else:
        gain = judge(target, np.stack([left, right], axis=1), lost[owner], policy).gain
    gain = np.where(fits, gain, -np.inf)
    best = np.full(m, -np.inf)
    np.maximum.at(best, owner, gain)
    (hit,) = ((gain >= best[owner] - TIE) & fits).nonzero()
    chosen = np.zeros(m, np.int64)
    chosen[owner[hit[::-1]]] = hit[::-1]  # the first of equal ones is written last
    sides = np.stack([left[chosen], right[chosen]], axis=1)
    return ColumnSplit(judge(target, sides, lost, policy), sides, best > -np.inf, threshold[chosen])
