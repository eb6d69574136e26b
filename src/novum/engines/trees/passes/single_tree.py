r"""One decision tree from rows outside memory: histograms for large nodes, the exact grower for small ones.

The stages of the fold, each a pass:

    survey     classes or the range of the target, the largest weight                                 (1)
    bins       a sample of rows for the edges (novum.engines.trees.bins), then codes, and the values in every bin (2)
    growth     histograms of the leaves to be split, until no leaf has more than `EXACT_ROWS` rows     (3)
    exact      the rows of small leaves, as many leaves at a time as memory allows, grown by novum.engines.trees.exact (4)
    totals     weights, sums and squares of the targets of a regression's leaves                       (5)

Numbers are summed as whole numbers: in (3) to 2^-30 of the largest, in (5) to 2^-52. Where a column has at most 255 values the
splits are those of the exact grower; elsewhere a large node is cut between bins of the column.
"""

from collections import deque
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.engines.trees.best_first import Growth, Node
from novum.engines.trees.bins import Bins, sample_bins
from novum.engines.trees.exact import Rules, Target, class_target, grow, layout_of, number_target, prepare
from novum.engines.trees.nodes import Tree
from novum.engines.trees.passes.growth import (
    Channels,
    Histograms,
    Request,
    grow_trees,
    histograms_of,
    merge_histograms,
    room_for,
    whole_request,
    width_of,
    words_of,
)
from novum.engines.trees.passes.node_table import Totals, assemble, limb_sums, node_order, scales
from novum.engines.trees.passes.split_rules import CartRule, Extremes, block_extremes
from novum.engines.trees.passes.survey import Survey
from novum.fold.blocks import Block, Source
from novum.fold.homes.spill import spill_blocks
from novum.runtime.pool import map_ordered
from novum.runtime.random import Stream
from novum.runtime.threads import thread_count

__all__ = [
    "MAX_BINS",
    "ChannelEncoding",
    "below_rules",
    "fixed_pairs",
    "grow_from_blocks",
    "merge_extremes",
    "target_of",
    "task_of",
    "weights_of",
    "whole_request",
]

MAX_BINS = 255
EXACT_ROWS = (
    2**13
)  # a node of so many rows is sorted in milliseconds, and needs fewer numbers than a histogram of its columns
GATHERED_VALUES = 2**22  # of X, brought here at a time: 32 MiB of float64


class ChannelEncoding(NamedTuple):
    """How rows become channels."""

    bins: Bins
    criterion: str
    classes: int  # 0: a regression
    factor: NDArray | None  # (classes,): multiplies the weights
    shift: float
    unit: float
    weight_unit: float
    integral: bool
    scale: tuple[float, ...]  # units of (5)


def task_of(
    bins: Bins, criterion: str, found: Survey, classes: int, factor: NDArray | None, draws: int | None = None
) -> ChannelEncoding:
    """Return how rows become channels; rows that are drawn, at most `draws` times each, count as often, whatever their weight."""
    if draws is not None:
        largest, weighted, integral = float(draws), False, True
    else:
        weighted = factor is not None or not (
            found.integral and found.largest.max() == 1 and found.mass.sum() == found.rows
        )
        largest = float((found.largest if factor is None else found.largest * factor).max())
        integral = found.integral and factor is None
    weight_unit = _core.trees.passes.unit_of(largest) if weighted else 1.0
    shift = 0.0 if classes else found.low / 2 + found.high / 2
    half = 0.0 if classes else found.high / 2 - found.low / 2
    unit = _core.trees.passes.unit_of(half * largest)
    return ChannelEncoding(
        bins=bins,
        criterion=criterion,
        classes=classes,
        factor=factor,
        shift=shift,
        unit=unit,
        weight_unit=weight_unit,
        integral=integral,
        scale=scales(half, largest),
    )


def weights_of(task: ChannelEncoding, block: Block) -> NDArray | None:
    """Return the weights of a block with those of the classes, None for ones."""
    weight = block.weight
    if task.factor is None:
        return weight
    factor = task.factor[block.y.astype(np.int64)]
    return factor if weight is None else weight * factor


def remember(task: ChannelEncoding, block: Block) -> Extremes:
    """Fill the memory of a block; return (2)."""
    weight = weights_of(task, block)
    keep = None if weight is None or (weight > 0).all() else weight > 0
    X, y = block.X, block.y
    if keep is not None:
        X, y, weight = X[keep], y[keep], weight[keep]  # type: ignore[index]
    words = words_of(task.bins, block, keep)
    memory: Any = block.memory
    if task.classes:
        memory["code"] = y.astype(np.int32)
        if weight is not None:
            memory["weight"] = np.rint(weight / task.weight_unit).astype(np.int32)
    else:
        memory["pairs"] = fixed_pairs(task, y.astype(np.float64), weight)
        memory["target"] = y.astype(np.float64)
        memory["mass"] = np.ones(len(y)) if weight is None else weight
    memory["words"] = words
    return block_extremes(task.bins, words, X, width_of(task.bins))


def fixed_pairs(task: ChannelEncoding, y: NDArray, weight: NDArray | None) -> NDArray:
    """Return w (y - shift) and w of every row in fixed point; whole weights multiply what was rounded."""
    pairs = np.ones((len(y), 2), np.int32)
    moved = (y - task.shift) / task.unit
    if weight is None:
        pairs[:, 0] = np.rint(moved)
    else:
        pairs[:, 0] = np.rint(moved) * weight if task.integral else np.rint(moved * weight)
        pairs[:, 1] = np.rint(weight / task.weight_unit)
    return pairs


def merge_extremes(a: Extremes, b: Extremes) -> Extremes:
    """Return the range of every bin in two blocks."""
    return Extremes(np.minimum(a.low, b.low), np.maximum(a.high, b.high))


class Pass(NamedTuple):
    """What a pass of (3) carries."""

    task: ChannelEncoding
    requests: tuple[Request, ...]


def block_histograms(params: Pass, block: Block) -> Histograms:
    """Return the histograms of one block."""
    task, memory = params.task, block.memory
    assert memory is not None
    if "words" not in memory:
        remember(task, block)

    def channels(_: int) -> Channels:
        if task.classes:
            return Channels(code=memory["code"], weight=memory.get("weight"))
        return Channels(pairs=memory["pairs"], target=memory["target"])

    return histograms_of(params.requests, channels, memory["words"], task.bins, memory, task.classes or 2)


def block_totals(params: Pass, block: Block) -> Totals:
    """Return (5) of one block."""
    task, memory = params.task, block.memory
    assert memory is not None
    if "words" not in memory:
        remember(task, block)
    words, request = memory["words"], params.requests[0]
    leaf = np.zeros(words.shape[1], np.int32)
    table = np.array(request.nodes)
    _core.trees.passes.advance(
        table.view(np.uint8).reshape(len(table), -1), np.array(request.sets), words, task.bins.missing, leaf
    )
    moved, mass = memory["target"] - task.shift, memory["mass"]
    return limb_sums(leaf, len(table), moved, mass, task.scale)


class LeafRows(NamedTuple):
    """Rows of some leaves, block after block."""

    X: list[NDArray]
    y: list[NDArray]
    weight: list[NDArray]
    leaf: list[NDArray]


class Gather(NamedTuple):
    """What a pass of (4) carries."""

    task: ChannelEncoding
    tree: Tree
    marked: NDArray  # (nodes,) bool: leaves whose rows are wanted


def gather_block(params: Gather, block: Block) -> LeafRows:
    """Return the rows of one block that end in the leaves that are marked."""
    task, tree, marked = params
    X = block.X
    weight = weights_of(task, block)
    leaf = tree.apply(X)
    here = marked[leaf] if weight is None else marked[leaf] & (weight > 0)
    mass = np.ones(len(X)) if weight is None else weight
    return LeafRows([X[here]], [block.y[here]], [mass[here]], [leaf[here]])


def grow_from_blocks(
    source: Source, criterion: str, rules: Rules, found: Survey, classes: int, factor: NDArray | None, seed: int
) -> Tree:
    """Return the tree of a source whose target is numbers, or codes of `classes` classes."""
    bins = sample_bins(source, Stream(seed), MAX_BINS, n_rows=found.rows)
    task = task_of(bins, criterion, found, classes, factor)
    with spill_blocks(source, remember, task, merge_extremes, last=False) as (kept, extremes):
        rule = CartRule(criterion, rules, bins, extremes, task.unit, task.weight_unit, seed)
        aside = 0 if rules.max_leaf_nodes else EXACT_ROWS
        growth = Growth(rule, rules.max_leaf_nodes, room_for(bins, classes or 2), aside)
        grow_trees([growth], lambda requests: kept.total(block_histograms, Pass(task, requests), merge_histograms))
        totals = None if classes else kept.total(block_totals, Pass(task, (whole_request(growth),)))
    tree = assemble(growth, rule, source.n_features, classes, totals, task, {})
    if not growth.aside:
        return tree
    below = exact_subtrees(source, task, rule, growth, tree)
    return assemble(growth, rule, source.n_features, classes, totals, task, below)


def exact_subtrees(
    source: Source, task: ChannelEncoding, rule: CartRule, growth: Growth, tree: Tree
) -> dict[int, Tree]:
    """Return (4): for every node put aside, by its number, the tree below it."""
    d, threads = source.n_features, thread_count(getattr(source, "n_jobs", None))
    out: dict[int, Tree] = {}
    waiting = deque(sorted(growth.aside, key=lambda node: node.number))
    place = tree_places(growth)
    while waiting:
        some = [waiting.popleft()]
        room = GATHERED_VALUES // d - some[0].rows
        while waiting and waiting[0].rows <= room:
            room -= waiting[0].rows
            some.append(waiting.popleft())
        marked = np.zeros(tree.node_count, bool)
        marked[[place[node.number] for node in some]] = True
        found = source.total(gather_block, Gather(task, tree, marked))
        leaf = np.concatenate(found.leaf)
        order = np.argsort(leaf, kind="stable")
        X, y, weight = (np.concatenate(part)[order] for part in (found.X, found.y, found.weight))
        leaf = leaf[order]

        def one(node: Node, X: NDArray = X, y: NDArray = y, weight: NDArray = weight, leaf: NDArray = leaf) -> Tree:
            here = slice(*np.searchsorted(leaf, [place[node.number], place[node.number] + 1]))
            return subtree(task, rule, node, X[here], y[here], weight[here])

        for node, grown in zip(some, map_ordered(one, some, threads)):
            out[node.number] = grown
    return out


def tree_places(growth: Growth) -> dict[int, int]:
    """Return where the settled nodes stand in the assembled tree, by their numbers."""
    return {node.number: place for place, node in enumerate(node_order(growth))}


def below_rules(rule: CartRule, node: Node) -> Rules:
    """Return the rules of a tree of its own that continues below a node."""
    rules = rule.rules
    scale = rule.total_weight / max(rule.weight(node), np.finfo(float).tiny)
    return rules._replace(
        max_depth=rules.max_depth - node.depth, min_impurity_decrease=rules.min_impurity_decrease * scale
    )


def target_of(task: ChannelEncoding, y: NDArray) -> Target:
    """Return the target of some rows as growers in memory read it."""
    if task.classes:
        return class_target(task.criterion, y.astype(np.int32)[:, None], np.array([task.classes]))
    return number_target(task.criterion, y.astype(np.float64)[:, None])


def subtree(task: ChannelEncoding, rule: CartRule, node: Node, X: NDArray, y: NDArray, weight: NDArray) -> Tree:
    """Return the exact tree below a node."""
    here = below_rules(rule, node)
    columns = prepare(X, [0] * X.shape[1], layout_of(here, X.shape[1], False))
    plain = bool((weight == 1).all())
    seed = rule.seed ^ node.key
    return grow(columns, target_of(task, y), here, None if plain else weight, seed, consume=True)
