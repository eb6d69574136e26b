"""Rows of files kept as they came out of their checks, for the passes that follow.

A block is three parts, each kept under what decided its values and checks: the tile of features, the target, the weights. The
first pass keeps parts in memory as far as the budget goes (novum.runtime.room): a learner of one pass should not write its
data to the disk. The second has shown that there are more, and writes what memory did not take to the disk. A later pass reads
the leading blocks of which all parts are there, and decodes the files from there on. What was kept is the very arrays that
were decoded, so nothing depends on how many were.

The cache belongs to one fit: it is made when a learner opens the scan and goes when the last copy of that scan does.
"""

import threading
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from numpy.typing import NDArray

from novum.fold.homes.array_store import ArrayStore
from novum.fold.readers.table import DataFile

__all__ = ["DecodedRows", "KeptBatch"]

Part = Hashable  # which part of every block, and all that its values depend on


class KeptBatch(NamedTuple):
    """A block whose parts are kept."""

    start: int  # number of the first row in the whole scan
    rows: int
    files: tuple[DataFile, ...]  # which its rows are from


class DecodedRows:
    """Parts of the blocks of a scan whose rows take longer to decode than a copy of them to read."""

    def __init__(self) -> None:
        self.store, self.lock = ArrayStore(), threading.Lock()
        self.blocks: dict[int, KeptBatch] = {}  # by first row
        self.passed: set[Part] = set()  # of which a pass has come to its end
        self.end: int | None = None  # rows in all, once a pass has counted them
        self.refused: dict[Part, int] = {}  # the first block that found no room in this pass

    def begin(self, parts: Sequence[Part]) -> list[KeptBatch]:
        """Begin a pass over `parts`; return the blocks of which all are kept, up to the first that lacks one."""
        out: list[KeptBatch] = []
        batch = self.blocks.get(0)
        while batch is not None and all((part, batch.start) in self.store for part in parts):
            out.append(batch)
            batch = self.blocks.get(batch.start + batch.rows)
        for part in parts:
            self.refused.pop(part, None)
        return out

    def finish(self, parts: Sequence[Part], end: int) -> None:
        """Say that a pass over `parts` has seen all rows."""
        self.passed.update(parts)
        self.end = end

    def get(self, part: Part, batch: KeptBatch) -> NDArray | None:
        """Return a part of a block, None where it is not kept."""
        return self.store.get((part, batch.start))

    def offer(self, part: Part, batch: KeptBatch, array: NDArray) -> None:
        """Keep a part of a block if there is room and was for those before: a hole would make the rest worth nothing."""
        key = (part, batch.start)
        if batch.start >= self.refused.get(part, batch.start + 1) or key in self.store:
            return
        self.blocks[batch.start] = batch
        if not self.store.offer(key, array, disk=part in self.passed):
            with self.lock:
                self.refused[part] = min(batch.start, self.refused.get(part, batch.start))

    def forget(self) -> None:
        """Give all room back."""
        self.store.close()
