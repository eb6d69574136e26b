"""Rows of files kept as they came out of their checks, for the passes that follow.

A block is three parts, each kept under what decided its values and checks: the tile of features, the target, the weights. Where
files tell how many rows they have and memory has room for a part of all blocks, that is one array: tiles are decoded into it, and
later passes may take all rows as they lie. Else the first pass keeps parts in memory as far as the budget goes
(novum.runtime.room): a learner of one pass should not write its data to the disk. The second has shown that there are more, and
writes what memory did not take to the disk. A later pass reads the leading blocks of which all parts are there, and decodes the
files from there on. What was kept is the very numbers that were decoded, so nothing depends on how many were.

The cache belongs to one fit: it is made when a learner opens the scan and goes when the last copy of that scan does.
"""

import math
import threading
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.fold.homes.array_store import ArrayStore
from novum.fold.readers.table import DataFile
from novum.runtime.room import budget

__all__ = ["DecodedRows", "KeptBatch"]

Part = Hashable  # which part of every block, and all that its values depend on


class KeptBatch(NamedTuple):
    """A block whose parts are kept."""

    start: int  # number of the first row in the whole scan
    rows: int
    files: tuple[DataFile, ...]  # which its rows are from


class WholePart:
    """A part of all blocks as one array."""

    def __init__(self, array: NDArray) -> None:
        self.array = array
        self.rows: dict[int, int] = {}  # of the blocks that are there, by their first row

    def keeps(self, step: int) -> bool:
        """Return whether all blocks are there, of `step` rows each but the last."""
        n = len(self.array)
        even = all(start % step == 0 and rows == min(step, n - start) for start, rows in self.rows.items())
        return even and sum(self.rows.values()) == n


def read_only(array: NDArray) -> NDArray:
    """Return a view that nobody writes to."""
    view = array.view()
    view.flags.writeable = False
    return view


class DecodedRows:
    """Parts of the blocks of a scan whose rows take longer to decode than a copy of them to read."""

    def __init__(self, n_rows: int | None) -> None:
        self.n_rows = n_rows  # None where the files do not tell
        self.store, self.lock = ArrayStore(), threading.Lock()
        self.whole: dict[Part, WholePart | None] = {}  # None: there was no room
        self.blocks: dict[int, KeptBatch] = {}  # by first row
        self.passed: set[Part] = set()  # of which a pass has come to its end
        self.end: int | None = None  # rows in all, once a pass has counted them
        self.refused: dict[Part, int] = {}  # the first block that found no room in this pass

    def begin(self, parts: Sequence[Part]) -> list[KeptBatch]:
        """Begin a pass over `parts`; return the blocks of which all are kept, up to the first that lacks one."""
        out: list[KeptBatch] = []
        batch = self.blocks.get(0)
        while batch is not None and all(self.has(part, batch.start) for part in parts):
            out.append(batch)
            batch = self.blocks.get(batch.start + batch.rows)
        for part in parts:
            self.refused.pop(part, None)
        return out

    def finish(self, parts: Sequence[Part], end: int) -> None:
        """Say that a pass over `parts` has seen all rows."""
        self.passed.update(parts)
        self.end = end

    def has(self, part: Part, start: int) -> bool:
        """Return whether a part of the block from a row on is kept."""
        whole = self.whole.get(part)
        return (part, start) in self.store if whole is None else start in whole.rows

    def get(self, part: Part, batch: KeptBatch) -> NDArray | None:
        """Return a part of a block, None where it is not kept."""
        whole = self.whole.get(part)
        if whole is None:
            return self.store.get((part, batch.start))
        return read_only(whole.array[batch.start : batch.start + batch.rows]) if batch.start in whole.rows else None

    def place(self, part: Part, start: int, shape: tuple[int, ...], dtype: np.dtype) -> NDArray | None:
        """Return where a part of a block may be written before it is offered, None where it is not to be part of one array."""
        if self.n_rows is None or start + shape[0] > self.n_rows:
            return None
        with self.lock:
            if part not in self.whole:
                size = self.n_rows * math.prod(shape[1:]) * dtype.itemsize
                room = dtype.kind in "biuf" and None not in self.whole.values() and budget.take(size)
                self.whole[part] = WholePart(np.empty((self.n_rows, *shape[1:]), dtype)) if room else None
            whole = self.whole[part]
        if whole is None or start in whole.rows or (whole.array.dtype, whole.array.shape[1:]) != (dtype, shape[1:]):
            return None
        return whole.array[start : start + shape[0]]

    def all_rows(self, parts: Sequence[Part], step: int) -> list[NDArray] | None:
        """Return every part of all blocks as one array, None unless all are there, `step` rows in every block but the last."""
        found = [self.whole.get(part) for part in parts]
        if not all(whole is not None and whole.keeps(step) for whole in found):
            return None
        return [read_only(whole.array) for whole in found if whole is not None]

    def offer(self, part: Part, batch: KeptBatch, array: NDArray) -> None:
        """Keep a part of a block if there is room and was for those before: a hole would make the rest worth nothing."""
        if self.has(part, batch.start):
            return
        place, whole = self.place(part, batch.start, array.shape, array.dtype), self.whole.get(part)
        if whole is not None:
            if place is not None:
                if not np.may_share_memory(place, array):
                    place[...] = array
                self.blocks[batch.start] = batch
                whole.rows[batch.start] = batch.rows
            return
        if batch.start >= self.refused.get(part, batch.start + 1):
            return
        self.blocks[batch.start] = batch
        if not self.store.offer((part, batch.start), array, disk=part in self.passed):
            with self.lock:
                self.refused[part] = min(batch.start, self.refused.get(part, batch.start))

    def forget(self) -> None:
        """Give all room back."""
        self.store.close()
        with self.lock:
            whole, self.whole = self.whole, {}
            budget.give(sum(part.array.nbytes for part in whole.values() if part is not None))

    def __del__(self) -> None:
        self.forget()
