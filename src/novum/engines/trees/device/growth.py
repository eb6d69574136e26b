"""A table on a device made ready for trees, and the trees that grow on draws of its rows there.

    codes      rows become codes of one byte, by the bins that fits by passes have                     (1)
    ends       the least and the largest value of every bin, from sorted columns                       (2)
    trees      level by level, or best first under a limit of leaves                                   (3)

Everything up to the finished tables stays on the device; nodes are sent as lines, rows never.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.engines.trees.bins import Bins, sample_bins
from novum.engines.trees.device.best_cuts import BinEnds, Search
from novum.engines.trees.device.best_first import grow_best_first
from novum.engines.trees.device.bins import encode_rows
from novum.engines.trees.device.drawn_rows import DrawnRows, Nodes, ranges_of, sums_between
from novum.engines.trees.device.draws import BY_PASSES, FROM_CODES, IN_MEMORY, signed
from novum.engines.trees.device.levels import Below, grow_levels
from novum.engines.trees.device.node_tables import lines_of, trees_of
from novum.engines.trees.exact import Rules
from novum.engines.trees.nodes import Tree
from novum.engines.trees.passes.growth import width_of
from novum.engines.trees.passes.single_tree import EXACT_ROWS, MAX_BINS, ChannelEncoding, task_of
from novum.engines.trees.passes.split_rules import Extremes, between_bins
from novum.engines.trees.passes.survey import Survey
from novum.engines.trees.ranks import MOST_CLASSES
from novum.exceptions import DataError
from novum.fold.blocks import Block, Source
from novum.runtime import arrays
from novum.runtime.random import Stream

__all__ = ["TreeTable", "grow_on", "grow_one", "table_of"]

MOST_ROWS = 2**31 - 1


class TreeTable(NamedTuple):
    """A table on a device as trees read it."""

    task: ChannelEncoding
    codes: Any  # (n, d) uint8
    gaps: Any  # (n,) bool
    label: Any  # (n,) int32, or None
    target: Any  # (n,) float64, or None
    weight: Any  # (n,) float64 with the factors of the classes, or None
    ends: BinEnds


def coded_block(bins: Bins, block: Block) -> Any:
    """Return (1) of one block."""
    return encode_rows(bins, block.X).T.contiguous()


def weights_of(factor: NDArray | None, y: Any, weight: Any) -> Any:
    """Return the weights of rows with those of their classes, None for ones."""
    if factor is None:
        return weight
    own = arrays.like(y, factor, "float64")[y.long()]
    return own if weight is None else weight * own


def bin_ends(bins: Bins, X: Any) -> BinEnds:
    """Return (2); a bin without rows has an infinite least value."""
    import torch

    width = width_of(bins)
    low = torch.full((X.shape[1], width), torch.inf, dtype=torch.float64, device=X.device)
    high = -low
    for j in range(X.shape[1]):
        ordered = X[:, j].sort().values.double()  # missing values last
        edges = arrays.like(ordered, bins.edges[bins.start[j] : bins.start[j + 1]], "float64")
        there = (~ordered.isnan()).sum().reshape(1)
        found = torch.searchsorted(ordered.nan_to_num(nan=torch.inf), edges, right=True)  # no order holds NaN
        after = torch.cat([found, there])
        first = torch.nn.functional.pad(after[:-1], (1, 0))
        (filled,) = (first < after).nonzero(as_tuple=True)
        low[j, filled], high[j, filled] = ordered[first[filled]], ordered[after[filled] - 1]
    return BinEnds(low, high, low / 2 + high / 2)


def table_of(source: Source, task: ChannelEncoding) -> TreeTable:
    """Return a tensor's rows as trees read them."""
    home: Any = source
    if len(home.X) > MOST_ROWS:
        raise DataError(
            f"Trees on a device number rows in 32 bits, up to {MOST_ROWS:,}, and X has {len(home.X):,}; give a sample."
        )
    codes, y = home.rows(coded_block, task.bins), home.y
    weight = weights_of(task.factor, y, home.weight)
    there = home.X if weight is None else home.X[weight > 0]
    return TreeTable(
        task=task,
        codes=codes,
        gaps=(codes == task.bins.missing).any(dim=1),
        label=y.int() if task.classes else None,
        target=None if task.classes else y.double(),
        weight=weight,
        ends=bin_ends(task.bins, there),
    )


def drawn_of(table: TreeTable, draws: list[tuple[Any, Any]] | None, trees: int) -> tuple[DrawnRows, list[int]]:
    """Return the rows that trees see, and how many each; `draws` are rows and how often of every tree, None: all by weight."""
    import torch

    task, weight = table.task, table.weight
    if draws is None:
        (row,) = (torch.ones(len(table.codes), device=table.codes.device) if weight is None else weight).nonzero(
            as_tuple=True
        )
        own = torch.ones_like(row, dtype=torch.float64) if weight is None else weight[row]
        draws = [(row, own)] * trees
    row, mass = (torch.cat(parts) for parts in zip(*draws))
    moment = None
    if table.target is not None:
        moved = (table.target[row] - task.shift) / task.unit
        moment = (moved.round() * mass if task.integral else (moved * mass).round()).int()
    drawn = DrawnRows(
        task=task,
        codes=table.codes,
        label=table.label,
        target=table.target,
        gaps=table.gaps,
        row=row.int(),
        mass=(mass.double() / task.weight_unit).round().int(),
        moment=moment,
    )
    return drawn, [len(rows) for rows, _ in draws]


def roots_of(drawn: DrawnRows, counts: list[int], seeds: list[int]) -> Nodes:
    """Return the roots of trees whose rows follow each other."""
    import torch

    begin = arrays.like(drawn.codes, np.cumsum([0, *counts])[:-1], "int64")
    rows = arrays.like(drawn.codes, np.array(counts), "int64")
    if drawn.label is None:
        parts = [drawn.moment, drawn.mass]
    else:
        label = drawn.label[drawn.row.long()]
        parts = [drawn.mass.masked_fill(label != k, 0) for k in range(drawn.channels)]
    low, high = ranges_of(drawn, begin, rows)
    return Nodes(
        kind=rows * 0 + BY_PASSES,
        seed=arrays.like(drawn.codes, np.array([signed(seed) for seed in seeds]), "int64"),
        key=rows * 0,
        begin=begin,
        rows=rows,
        sums=torch.stack([sums_between(part, begin, rows) for part in parts], dim=1),
        low=low,
        high=high,
    )


def grow_on(
    table: TreeTable,
    rules: Rules,
    seeds: list[int],
    draws: list[tuple[Any, Any]] | None,
    below: tuple[int, bool],
) -> list[Tree]:
    """Return (3), a tree per seed.

    Nodes of at most below[0] rows draw as in memory, where below[1] says whether the grower from codes knows such trees.
    """
    drawn, counts = drawn_of(table, draws, len(seeds))
    search, roots = Search(drawn, rules, table.ends), roots_of(drawn, counts, seeds)
    weight = table.weight if draws is None else None
    extremes = Extremes(arrays.to_numpy(table.ends.low), arrays.to_numpy(table.ends.high))
    if rules.max_leaf_nodes:
        return grow_best_first(search, extremes, roots, seeds, weight)
    from_codes = below[1] and table.task.classes <= MOST_CLASSES
    taken = Below(below[0], FROM_CODES if from_codes else IN_MEMORY, bool(table.gaps.any()))
    levels = grow_levels(search, roots, taken)
    between = partial(between_bins, extremes=extremes)
    return trees_of(lines_of(drawn, levels, weight), table.task, table.codes.shape[1], len(seeds), between)


def grow_one(
    source: Source, criterion: str, rules: Rules, found: Survey, classes: int, factor: NDArray | None, seed: int
) -> Tree:
    """Return the tree of a source whose target is numbers, or codes of `classes` classes."""
    bins = sample_bins(source, Stream(seed), MAX_BINS, n_rows=found.rows)
    table = table_of(source, task_of(bins, criterion, found, classes, factor))
    return grow_on(table, rules, [seed], None, (EXACT_ROWS, False))[0]
