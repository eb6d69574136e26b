r"""Forests from rows outside memory: trees that grow in the same passes, each on its own draw of the rows.

The stages of the fold, each one pass or more:

    codes      rows become codes of one byte (novum.engines.trees.bins), which stay with the blocks                        (1)
    draws      how often tree t counts row i: novum.ensemble.forest.samples (3), a function of its seed and of i alone   (2)
    growth     histograms of the leaves to be split, of `TOGETHER` trees at a time (novum.engines.trees.passes.growth)       (3)
    below      the codes of leaves that fit into memory, grown further by the growers of rows in memory            (4)

A code stands for the middle of the values in its bin. A threshold of (4) that falls into a bin is moved to the nearer end of
it, so a tree divides values as it divided codes:

    t in [low_b, middle_b)   ->   between bins b - 1 and b;     t in [middle_b, high_b)   ->   between b and b + 1   (5)

Sums are whole numbers and (4) sees rows in their order, so neither blocks nor workers change a bit of a tree.
"""

from collections import deque
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.engines.trees.best_first import Growth, Node
from novum.engines.trees.bins import Bins
from novum.engines.trees.bins import encode as encode_rows
from novum.engines.trees.exact import Rules, grow, layout_of, prepare
from novum.engines.trees.nodes import Tree
from novum.engines.trees.passes.growth import (
    Channels,
    Histograms,
    Request,
    grow_trees,
    histograms_of,
    leaf_of_rows,
    merge_histograms,
    room_for,
    whole_request,
    width_of,
)
from novum.engines.trees.passes.node_table import Totals, assemble, limb_sums
from novum.engines.trees.passes.single_tree import (
    ChannelEncoding,
    below_rules,
    fixed_pairs,
    merge_extremes,
    target_of,
    weights_of,
)
from novum.engines.trees.passes.split_rules import CartRule, Extremes, between_bins, block_extremes
from novum.engines.trees.ranks import encode_columns, grow_coded, knows_target
from novum.ensemble.forest.samples import BlockSampling
from novum.fold.blocks import Block, Source
from novum.fold.homes.spill import spill_blocks
from novum.runtime.journal import step
from novum.runtime.pool import map_ordered
from novum.runtime.room import budget
from novum.runtime.threads import thread_count

__all__ = ["GATHERED_VALUES", "Plan", "grow_forest"]

TOGETHER = 16  # trees in the same passes: a block keeps 8 bytes per row and tree, about as much as its rows were
GATHERED_VALUES = 2**23  # that (4) looks at together, for each thread as far as memory goes: 8 MiB of codes
GROWN_BYTES = 16  # of a value while a tree grows on it: codes as they come, by node, by column, and as ranks


class Plan(NamedTuple):
    """What a pass carries."""

    task: ChannelEncoding
    sampling: BlockSampling | None  # None: every tree sees all rows
    seeds: tuple[int, ...] = ()  # of the trees that grow now
    first: int = 0  # number of the first of them
    requests: tuple[Request, ...] = ()
    marks: tuple[NDArray, ...] = ()  # per tree (nodes,): place of a leaf in what (4) gathers, -1 for none


def remember(plan: Plan, block: Block) -> Extremes:
    """Make (1) of a block; return the values in every bin."""
    task, memory = plan.task, block.memory
    assert memory is not None
    width, X = width_of(task.bins), block.X
    words = encode_rows(task.bins, X)
    weight = None if block.weight is None and task.factor is None else weights_of(task, block)
    memory["target"] = block.y.astype(np.int32 if task.classes else np.float64)
    if weight is not None:
        memory["weight"] = weight
    memory["words"] = words
    if weight is not None and not (weight > 0).all():
        words, X = np.ascontiguousarray(words[:, weight > 0]), X[weight > 0]
    return block_extremes(task.bins, words, X, width)


def begin(plan: Plan, block: Block) -> Any:
    """Return the memory of a block after (2): the draws of the trees that grow now, and all rows at the roots."""
    memory = block.memory
    assert memory is not None
    if "words" not in memory:
        remember(plan, block)
    if "first" in memory and int(memory["first"][0]) == plan.first:
        return memory
    weight, n = memory.get("weight"), block.X.shape[0]
    counts: list[Any] = []
    if plan.sampling is not None:
        counts = plan.sampling.counts_by_tree(plan.seeds, range(block.start, block.start + n), weight)
    for k in range(len(plan.seeds)):
        leaf = np.zeros(n, np.int32)
        if plan.sampling is not None:
            memory[f"count{k}"] = counts[k].astype(np.int32)
            leaf[counts[k] == 0] = -1
        elif weight is not None:
            leaf[weight == 0] = -1
        memory[f"leaf{k}"] = leaf
    memory["first"] = np.array([plan.first])
    return memory


def mass_of(plan: Plan, memory: Any, tree: int) -> NDArray | None:
    """Return what the rows of a block count in a tree, None for one each."""
    return memory.get("weight") if plan.sampling is None else memory[f"count{tree}"]


def block_histograms(plan: Plan, block: Block) -> Histograms:
    """Return (3) of one block."""
    task, memory = plan.task, begin(plan, block)
    target = memory["target"]

    def channels(k: int) -> Channels:
        mass = mass_of(plan, memory, k)
        if not task.classes:
            return Channels(pairs=fixed_pairs(task, target, mass), target=target)
        whole = mass if mass is None else np.rint(mass / task.weight_unit).astype(np.int32)
        return Channels(code=target, weight=whole)

    return histograms_of(plan.requests, channels, memory["words"], task.bins, memory, task.classes or 2)


def block_totals(plan: Plan, block: Block) -> Totals:
    """Return the sums of the targets at the leaves of all trees, one tree after another, of one block."""
    task, memory = plan.task, begin(plan, block)
    words, moved, parts = memory["words"], memory["target"] - plan.task.shift, []
    for k, request in enumerate(plan.requests):
        leaf = leaf_of_rows(request, words, task.bins.missing, memory, f"leaf{k}")
        here, mass = leaf >= 0, mass_of(plan, memory, k)
        own = np.ones(np.count_nonzero(here)) if mass is None else mass[here].astype(np.float64)
        parts.append(limb_sums(leaf[here], len(request.nodes), moved[here], own, task.scale))
    return Totals(np.concatenate([part.upper for part in parts]), np.concatenate([part.lower for part in parts]))


class CodedLeafRows(NamedTuple):
    """Rows of some leaves, block after block."""

    words: list[NDArray]
    target: list[NDArray]
    mass: list[NDArray]
    place: list[NDArray]


def gather_block(plan: Plan, block: Block) -> CodedLeafRows:
    """Return the rows of one block that end in the leaves that are marked."""
    memory, out = begin(plan, block), CodedLeafRows([], [], [], [])
    words, target = memory["words"], memory["target"]
    marked = [k for k, mark in enumerate(plan.marks) if len(mark)]
    masses = [mass_of(plan, memory, k) for k in marked]
    leaves = [leaf_of_rows(plan.requests[k], words, plan.task.bins.missing, memory, f"leaf{k}") for k in marked]
    for k, leaf, mass in zip(marked, leaves, masses):
        place = np.where(leaf < 0, -1, plan.marks[k][leaf])
        here = np.flatnonzero(place >= 0)
        out.words.append(words[:, here])
        out.target.append(target[here])
        out.mass.append(np.ones(len(here)) if mass is None else mass[here].astype(np.float64))
        out.place.append(place[here])
    return out


def middles_of(bins: Bins, extremes: Extremes) -> NDArray:
    """Return what every code stands for (d, width); NaN for missing cells."""
    with np.errstate(invalid="ignore"):
        middle = extremes.low / 2 + extremes.high / 2
    middle[:, bins.missing] = np.nan
    return middle


def bytes_of(words: NDArray, middle: NDArray) -> Iterator[tuple[NDArray, NDArray]]:
    """Yield the codes of every column as bytes, and what they stand for."""
    value = np.zeros((len(middle), 256))
    value[:, : middle.shape[1]] = middle
    for j, own in enumerate(value):
        yield ((words[j // 4] >> np.uint32(8 * (j % 4))) & np.uint32(255)).astype(np.uint8), own


def decode_rows(columns: list[tuple[NDArray, NDArray]]) -> NDArray:
    """Return rows as numbers (n, d) from what `bytes_of` gives."""
    X = np.empty((len(columns[0][0]), len(columns)))
    for j, (byte, value) in enumerate(columns):
        X[:, j] = value[byte]
    return X


def tree_below(
    task: ChannelEncoding, rule: CartRule, node: Node, words: NDArray, y: NDArray, mass: NDArray, middle: NDArray
) -> Tree:
    """Return (4) of one node."""
    here, target = below_rules(rule, node), target_of(task, y)
    weight, seed = None if (mass == 1).all() else mass, rule.seed ^ node.key
    columns = list(bytes_of(words, middle))
    missing = any((byte == task.bins.missing).any() for byte, _ in columns)
    if not missing and knows_target(target, here):
        cells = decode_rows(columns) if here.random else None
        tree = grow_coded(encode_columns(columns, target, cells), here, weight, seed)
    else:
        X = decode_rows(columns)
        tree = grow(
            prepare(X, [0] * X.shape[1], layout_of(here, X.shape[1], False)), target, here, weight, seed, consume=True
        )
    tree.threshold = between_bins(tree.threshold, tree.feature, rule.extremes)
    return tree


def gathered_values(threads: int) -> int:
    """Return how many values (4) may look at together: a tree that grows below a node keeps one thread busy."""
    return max(GATHERED_VALUES, min(threads * GATHERED_VALUES, budget.left() // GROWN_BYTES))


def trees_below(
    source: Source, plan: Plan, rules: list[CartRule], growths: list[Growth], middle: NDArray
) -> list[dict[int, Tree]]:
    """Return (4): for every tree and node put aside, by its number, the tree below it."""
    threads = thread_count(getattr(source, "n_jobs", None))
    out: list[dict[int, Tree]] = [{} for _ in growths]
    pairs = [(k, node) for k, growth in enumerate(growths) for node in growth.aside]
    waiting = deque(sorted(pairs, key=lambda pair: (pair[0], pair[1].number)))
    while waiting:
        some = [waiting.popleft()]
        room = gathered_values(threads) // len(middle) - some[0][1].rows
        while waiting and waiting[0][1].rows <= room:
            room -= waiting[0][1].rows
            some.append(waiting.popleft())
        marks = [np.empty(0, np.int32)] * len(growths)
        for number, (k, node) in enumerate(some):
            if not len(marks[k]):
                marks[k] = np.full(len(plan.requests[k].nodes), -1, np.int32)
            marks[k][node.number] = number
        found = source.total(gather_block, plan._replace(marks=tuple(marks)))
        place = np.concatenate(found.place)
        order = np.argsort(place, kind="stable")
        begins = np.searchsorted(place[order], np.arange(len(some) + 1))
        words = np.concatenate(found.words, axis=1)
        y, mass = np.concatenate(found.target), np.concatenate(found.mass)

        def one(
            item: int,
            some: Any = some,
            order: Any = order,
            begins: Any = begins,
            words: Any = words,
            y: Any = y,
            mass: Any = mass,
        ) -> Tree:
            rows, (k, node) = order[begins[item] : begins[item + 1]], some[item]
            return tree_below(plan.task, rules[k], node, words[:, rows], y[rows], mass[rows], middle)

        for (k, node), tree in zip(some, map_ordered(one, range(len(some)), threads)):
            out[k][node.number] = tree
    return out


def grow_group(source: Source, plan: Plan, rules: Rules, extremes: Extremes) -> list[Tree]:
    """Return the trees of some seeds; the blocks of the source remember their codes."""
    task, d, classes = plan.task, source.n_features, plan.task.classes
    own = [CartRule(task.criterion, rules, task.bins, extremes, task.unit, task.weight_unit, s) for s in plan.seeds]
    aside = 0 if rules.max_leaf_nodes else GATHERED_VALUES // d
    room = room_for(task.bins, classes or 2, len(own))
    growths = [Growth(rule, rules.max_leaf_nodes, room, aside) for rule in own]
    grow_trees(
        growths, lambda requests: source.total(block_histograms, plan._replace(requests=requests), merge_histograms)
    )
    plan = plan._replace(requests=tuple(map(whole_request, growths)))
    totals = None if classes else source.total(block_totals, plan)
    middle = middles_of(task.bins, extremes)
    out, at = [], 0
    for rule, growth, request, below in zip(
        own, growths, plan.requests, trees_below(source, plan, own, growths, middle)
    ):
        end = at + len(request.nodes)
        mine = None if totals is None else Totals(totals.upper[at:end], totals.lower[at:end])
        out.append(assemble(growth, rule, d, classes, mine, task, below))
        at = end
    return out


def grow_forest(source: Source, plan: Plan, rules: Rules, seeds: list[int]) -> list[Tree]:
    """Return a tree per seed from a source whose target is numbers, or codes of classes."""
    out: list[Tree] = []
    with spill_blocks(source, remember, plan, merge_extremes) as (kept, extremes):
        for first in range(0, len(seeds), TOGETHER):
            here = plan._replace(seeds=tuple(seeds[first : first + TOGETHER]), first=first)
            out += step("trees", partial(grow_group, kept, here, rules, extremes), here.seeds)
    return out
