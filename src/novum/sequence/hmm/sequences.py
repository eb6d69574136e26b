"""Homes of sequences: what a pass runs over, in memory, in files and on a cluster.

A block of the fold is a bundle of whole sequences. In memory bundles are cut by lengths; from files they are put together from
batches, a sequence that a batch cuts waiting for the next; on Dask every partition holds whole sequences. In files and on Dask
the group column says which rows belong together: rows of one sequence follow each other. Without it all rows are one sequence,
whose partitions meet on one worker (novum.sequence.hmm.sequence_input).
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.fold.blocks import Block, Source, add, merge_tree
from novum.runtime.pool import inside, map_ordered
from novum.runtime.threads import thread_count
from novum.sequence.hmm.bundles import Bundle, offsets_of

__all__ = ["DaskSequences", "FileSequences", "MemorySequences", "Sequences"]


class Sequences:
    """Bundles of sequences that a learner passes over as often as it likes."""

    n_features: int
    n_rows: int | None = None
    at_hand = False
    recorded = False

    def total(self, statistics: Callable, params: Any, merge: Callable = add) -> Any:
        """Return the merge of `statistics(params, bundle)` over all bundles, in one tree."""
        raise NotImplementedError

    def first(self) -> Bundle:
        """Return the first bundle: enough to start from."""
        raise NotImplementedError


class MemorySequences(Sequences):
    """Sequences at hand."""

    at_hand = True

    def __init__(self, bundles: list[Bundle], n_jobs: int | None, order: NDArray | None = None) -> None:
        self.bundles = bundles
        self.order = order  # which of the rows that were passed each row is, if they were gathered by group
        self.n_features = bundles[0].X.shape[1]
        self.n_rows = sum(len(one.X) for one in bundles)
        self.n_sequences = sum(len(one.offsets) - 1 for one in bundles)
        self.threads = thread_count(n_jobs)

    def map(self, function: Callable[[Bundle], Any]) -> Iterator[Any]:
        """Yield `function(bundle)` of every bundle, in order."""
        if len(self.bundles) == 1:
            return iter([inside(function, self.bundles[0])])
        return map_ordered(function, self.bundles, min(self.threads, len(self.bundles)))

    def total(self, statistics: Any, params: Any, merge: Any = add) -> Any:
        if len(self.bundles) == 1:
            return inside(partial(statistics, params), self.bundles[0])
        return merge_tree(self.map(partial(statistics, params)), merge)

    def first(self) -> Bundle:
        return self.bundles[0] if len(self.bundles) == 1 else self.whole()

    def whole(self) -> Bundle:
        """Return all sequences as one bundle."""
        lengths = np.concatenate([np.diff(one.offsets) for one in self.bundles])
        weight, states = self.bundles[0].weight, self.bundles[0].states
        return Bundle(
            np.concatenate([one.X for one in self.bundles]),
            offsets_of(lengths),
            None if weight is None else np.concatenate([one.weight for one in self.bundles]),
            None if states is None else np.concatenate([one.states for one in self.bundles]),
            0,
            {},
        )


def group_lengths(groups: NDArray | None, n: int) -> NDArray:
    """Return the lengths of the runs of equal groups."""
    if groups is None:
        return np.array([n], np.int64)
    ends = np.concatenate([np.flatnonzero(groups[1:] != groups[:-1]) + 1, [n]])
    return np.diff(np.concatenate([[0], ends])).astype(np.int64)


def bundle_of(block: Block, convert: Callable[[NDArray], NDArray]) -> Bundle:
    """Return the sequences of a block whose target is the group of every row; the weight of a sequence is that of its first row."""
    X = convert(np.asarray(block.X))
    lengths = group_lengths(None if block.y is None else np.asarray(block.y), len(X))
    offsets = offsets_of(lengths)
    weight = None if block.weight is None else np.ascontiguousarray(np.asarray(block.weight)[offsets[:-1]], np.float64)
    return Bundle(X, offsets, weight, None, block.start, block.memory)


class FileSequences(Sequences):
    """Sequences of a scan, in constant memory but for the longest of them."""

    def __init__(self, source: Source, convert: Callable[[NDArray], NDArray], n_jobs: int | None) -> None:
        self.source, self.convert, self.n_features = source, convert, source.n_features
        self.threads = thread_count(n_jobs)

    def blocks(self) -> Iterator[Block]:
        """Yield blocks that end where a sequence ends."""
        held: list[Block] = []
        seen: set[Any] = set()
        for block in self.source.each():
            lengths = group_lengths(None if block.y is None else np.asarray(block.y), block.rows)
            if held and block.y is not None and block.y[0] != held[-1].y[-1]:
                yield joined(held)
                held = []
            cut = block.rows - int(lengths[-1])
            if block.y is not None:
                check_groups_once(seen, np.asarray(block.y), held)
            if cut and block.y is not None:
                yield joined([*held, part(block, 0, cut)])
                held = []
            held.append(part(block, cut, block.rows) if block.y is not None else block)
        if held:
            yield joined(held)

    def total(self, statistics: Any, params: Any, merge: Any = add) -> Any:
        def one(block: Block) -> Any:
            return statistics(params, bundle_of(block, self.convert))

        return merge_tree(map_ordered(one, self.blocks(), self.threads), merge)

    def first(self) -> Bundle:
        return bundle_of(next(self.blocks()), self.convert)


def check_groups_once(seen: set[Any], groups: NDArray, held: list[Block]) -> None:
    """Raise where a group comes back after another one: its rows would make two sequences."""
    starts = np.concatenate([[True], groups[1:] != groups[:-1]])
    names = groups[starts].tolist()
    going_on = bool(held) and held[-1].y is not None and held[-1].y[-1] == groups[0]
    for number, name in enumerate(names):
        if name in seen and not (number == 0 and going_on):
            raise DataError(
                f"group {name!r} has rows in two places of the file; sort it by the group column, so that the rows of a sequence"
                " follow each other."
            )
        seen.add(name)


def part(block: Block, low: int, high: int) -> Block:
    """Return some rows of a block."""
    y = None if block.y is None else block.y[low:high]
    weight = None if block.weight is None else block.weight[low:high]
    return Block(block.X[low:high], y, weight, block.start + low)


def joined(blocks: list[Block]) -> Block:
    """Return consecutive blocks as one."""
    if len(blocks) == 1:
        return blocks[0]
    y = None if blocks[0].y is None else np.concatenate([block.y for block in blocks])
    weight = None if blocks[0].weight is None else np.concatenate([block.weight for block in blocks])
    return Block(np.concatenate([block.X for block in blocks]), y, weight, blocks[0].start)


class PartitionPass(NamedTuple):
    """A pass over the sequences of one partition: what a worker does with its block."""

    statistics: Callable
    params: Any
    convert: Callable


def run_partition(work: PartitionPass, block: Block) -> Any:
    """Return the statistics of a partition's sequences."""
    return work.statistics(work.params, bundle_of(block, work.convert))


class Edges(NamedTuple):
    names: list  # of the groups of every partition
    starts: list  # number of its first row


def edges_of(_: None, block: Block) -> Edges:
    """Return the groups of a partition."""
    return Edges([sorted(set(np.asarray(block.y).tolist()))], [block.start])


class DaskSequences(Sequences):
    """Sequences of a Dask collection: every partition holds whole ones."""

    def __init__(self, source: Any, convert: Callable[[NDArray], NDArray]) -> None:
        self.source, self.convert, self.n_features = source, convert, source.n_features
        if source.has_target:
            counted: dict[Any, int] = {}
            for names in source.total(edges_of).names:
                for name in names:
                    counted[name] = counted.get(name, 0) + 1
            twice = next((name for name, count in counted.items() if count > 1), None)
            if twice is not None:
                raise DataError(
                    f"group {twice!r} has rows in two partitions; partition the collection by the group column, so that the rows of"
                    " a sequence lie together."
                )

    def total(self, statistics: Any, params: Any, merge: Any = add) -> Any:
        return self.source.total(run_partition, PartitionPass(statistics, params, self.convert), merge)

    def first(self) -> Bundle:
        return bundle_of(self.source.first_partition(), self.convert)
