r"""Trees that grow by passes over blocks: the histograms of many leaves at once, added up wherever the rows are.

    cell[s, j, b] = sum of the channels of the rows of leaf s with code b in column j                  (1)

A pass carries the edges of the bins, the nodes so far and which leaves are wanted; only (1) comes back, in whole numbers, so
any cut into blocks gives the same bits. A block remembers the codes of its rows and the node each was last seen at; both can
be made again from what the pass carries, so a lost worker costs time and nothing else. Channels: gradient and curvature
(boosting; a regression is the same with the target and the weight), or the weights of the classes.

The master (novum.engines.trees.best_first) chooses the leaves; the kernels are in
cpp/include/novum/trees/leaf_histograms.h. Several trees that do not depend on each other grow in the same passes: the
classes of a boosting iteration, and a forest's trees, which differ in the weights of their rows alone; the leaf of a row
that a tree has not drawn is -1.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.engines.trees.best_first import Growth, Node
from novum.engines.trees.bins import Bins, encode
from novum.engines.trees.histograms import NODE
from novum.fold.blocks import Block
from novum.runtime import arrays

__all__ = [
    "MOST_COUNT",
    "Channels",
    "Histograms",
    "Request",
    "Split",
    "grow_trees",
    "histograms_of",
    "leaf_of_rows",
    "merge_histograms",
    "nodes_of",
    "room_for",
    "whole_request",
    "width_of",
    "words_of",
]

HISTOGRAM_BYTES = 2**24  # of a pass: several blocks at work and the partial sums of the merge tree hold as much each
MOST_COUNT = 2**32 - 1  # of uint32: half the bytes of what nearly all data need
NO_SETS = np.empty((0, 8), np.uint32)


class Split(NamedTuple):
    """Where a node is cut, in codes."""

    feature: int
    bin: int  # codes up to it go left
    missing_left: bool
    categorical: bool = False
    categories: Any = None  # 8 words: codes that go left
    left: Any = None  # sums of the left child
    left_rows: int = 0
    threshold: float = np.inf


class Channels(NamedTuple):
    """What the rows of a block add to a tree's histograms."""

    pairs: NDArray | None = None  # (n, 2) int32
    code: NDArray | None = None  # (n,) int32: classes, with
    weight: NDArray | None = None  # (n,) int32: what a row adds at its class; None: one
    target: NDArray | None = None  # (n,): whose range is watched


class Request(NamedTuple):
    """What a pass is to do for one tree."""

    nodes: NDArray  # NODE: the tree so far
    sets: NDArray  # (sets, 8)
    slot: NDArray  # (nodes,) int32: place of a node's histogram, -1 for none
    watch: NDArray  # (nodes,) int32: place of a node's range
    slots: int
    watches: int


class Histograms(NamedTuple):
    """(1) of all trees, one after another, the ranges of watched nodes, and how many blocks had lost what they knew."""

    cells: NDArray  # (slots, d, width, channels) int64
    counts: NDArray  # (slots, d, width) uint32; int64 where the rows are more than those tell
    low: NDArray  # (watches,)
    high: NDArray
    lost: int = 0
    rows: int = 0  # of the blocks


def width_of(bins: Bins) -> int:
    """Return the cells of a column: above every code, a multiple of four."""
    return (bins.missing + 4) // 4 * 4


def room_for(bins: Bins, channels: int, trees: int = 1) -> int:
    """Return how many histograms of a tree a pass may make."""
    return max(1, HISTOGRAM_BYTES // ((len(bins.start) - 1) * width_of(bins) * (8 * channels + 4) * trees))


def nodes_of(growth: Growth) -> tuple[NDArray, NDArray]:
    """Return the tree so far, with leaves divided ahead of their turn, as blocks walk it."""
    out = np.zeros(max(1, len(growth.nodes)), NODE)
    sets: list[Any] = []
    out["is_leaf"] = 1
    inner = [node for node in growth.nodes if node.left is not None and node.right is not None]
    at, splits = [node.number for node in inner], [node.split for node in inner]
    out["is_leaf"][at] = 0
    out["left"][at] = [node.left.number for node in inner]  # type: ignore[union-attr]
    out["right"][at] = [node.right.number for node in inner]  # type: ignore[union-attr]
    out["feature_idx"][at] = [split.feature for split in splits]
    out["bin_threshold"][at] = [split.bin for split in splits]
    out["missing_go_to_left"][at] = [split.missing_left for split in splits]
    for number, split in zip(at, splits):
        if split.categorical:
            write_categories(out[number], split, sets)
    return out, np.array(sets, np.uint32).reshape(-1, 8) if sets else NO_SETS


def write_split(row: Any, node: Node, left: int, right: int, sets: list) -> None:
    """Write an inner node into a row of the table."""
    split: Split = node.split
    row["is_leaf"] = 0
    row["feature_idx"], row["left"], row["right"] = split.feature, left, right
    row["bin_threshold"], row["missing_go_to_left"] = split.bin, split.missing_left
    if split.categorical:
        write_categories(row, split, sets)


def write_categories(row: Any, split: Split, sets: list) -> None:
    """Write the set of categories of a split, and where it stands."""
    row["is_categorical"], row["bitset_idx"] = 1, len(sets)
    sets.append(split.categories)


def words_of(bins: Bins, block: Block, keep: NDArray | None) -> NDArray:
    """Return the codes of the rows of a block that are kept."""
    X = block.X if isinstance(block.X, np.ndarray) else arrays.to_numpy(block.X)
    return encode(bins, X if keep is None else np.ascontiguousarray(X[keep]))


def leaf_of_rows(request: Request, words: NDArray, missing: int, memory: Any, key: str) -> NDArray:
    """Return the leaf of every row, -1 of an absent one, going on from where the block last saw it."""
    leaf = memory.get(key)
    if leaf is None or len(leaf) != words.shape[1]:
        leaf = np.zeros(words.shape[1], np.int32)
    leaf = np.array(leaf)  # a pass that is repeated must not find what it left half done
    nodes = np.array(request.nodes)
    table = nodes.view(np.uint8).reshape(len(nodes), nodes.dtype.itemsize)  # as the kernel walks it
    _core.trees.passes.advance(table, np.array(request.sets), words, missing, leaf)
    memory[key] = leaf
    return leaf


def histograms_of(
    requests: tuple[Request, ...], channels: Callable[[int], Channels], words: NDArray, bins: Bins, memory: Any, n: int
) -> Histograms:
    """Return (1) of one block for all trees; `n` is the number of channels."""
    d, width = len(bins.start) - 1, width_of(bins)
    slots, watches = sum(r.slots for r in requests), sum(r.watches for r in requests)
    cells, counts = np.zeros((slots, d, width, n), np.int64), np.zeros((slots, d, width), np.uint32)
    low, high = np.full(watches, np.inf), np.full(watches, -np.inf)
    at, spot = 0, 0
    active = [k for k, request in enumerate(requests) if request.slots]
    leaves = [leaf_of_rows(requests[k], words, bins.missing, memory, f"leaf{k}") for k in active]
    for k, leaf in zip(active, leaves):
        request, own = requests[k], channels(k)
        slot, here = np.array(request.slot), slice(at, at + request.slots)
        if own.pairs is not None:
            _core.trees.passes.add_pairs(words, leaf, slot, own.pairs, cells[here], counts[here])
        else:
            assert own.code is not None
            _core.trees.passes.add_classes(words, leaf, slot, own.code, own.weight, cells[here], counts[here])
        if own.target is not None:
            place = np.where(leaf < 0, -1, request.watch[leaf])
            seen = place >= 0
            np.minimum.at(low, spot + place[seen], own.target[seen])
            np.maximum.at(high, spot + place[seen], own.target[seen])
        at, spot = at + request.slots, spot + request.watches
    return Histograms(cells, counts, low, high, rows=words.shape[1])


def merge_histograms(a: Histograms, b: Histograms) -> Histograms:
    """Return the histograms of two blocks together."""
    low, high = np.minimum(a.low, b.low), np.maximum(a.high, b.high)
    rows = a.rows + b.rows
    wide = np.int64 if rows > MOST_COUNT else np.uint32
    counts = np.add(a.counts, b.counts, dtype=wide)
    return Histograms(a.cells + b.cells, counts, low, high, a.lost + b.lost, rows)


def whole_request(growth: Growth) -> Request:
    """Return a request that carries the finished tree and wants nothing."""
    nodes, sets = nodes_of(growth)
    none = np.full(len(nodes), -1, np.int32)
    return Request(nodes, sets, none, none, 0, 0)


def request_of(growth: Growth, wanted: Any, watched: Any) -> Request:
    """Return what one tree needs next: the histograms of some nodes, the ranges of others."""
    nodes, sets = nodes_of(growth)
    slot, watch = np.full(len(nodes), -1, np.int32), np.full(len(nodes), -1, np.int32)
    slot[wanted] = np.arange(len(wanted))
    watch[watched] = np.arange(len(watched))
    return Request(nodes, sets, slot, watch, len(wanted), len(watched))


def grow_trees(growths: list[Growth], ask: Callable[[tuple[Request, ...]], Histograms]) -> int:
    """Grow trees together until all are done; `ask` makes a pass. Returns the number of passes."""
    passes = 0
    while True:
        wanted = [growth.requested() for growth in growths]
        requests = tuple(request_of(growth, *some) for growth, some in zip(growths, wanted))
        if not any(request.slots for request in requests):
            return passes
        found = ask(requests)
        passes += 1
        at, spot = 0, 0
        for growth, request in zip(growths, requests):
            end, stop = at + request.slots, spot + request.watches
            if request.slots:
                growth.give(found.cells[at:end], found.counts[at:end], found.low[spot:stop], found.high[spot:stop])
            at, spot = end, stop
