"""What blocks of files remember between passes: in memory while there is room, else on the disk, and no file is parsed twice.

A learner that passes over its rows many times, and needs something much smaller than the rows (codes, leaves, scores), makes
that once per block. The blocks of a `Spill` have no rows of their own, only their memory, whose entries are arrays that are
found when they are needed and kept when they are set (novum.fold.homes.array_store).
"""

from collections.abc import Callable, Iterator, MutableMapping
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.fold.blocks import Block, Source, add, merge_tree
from novum.fold.homes.array_store import ArrayStore
from novum.fold.recorded import recorded
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count

__all__ = ["Spill", "spill_blocks"]


class BlockMemory(MutableMapping):
    """Arrays of one block in a store of all blocks."""

    def __init__(self, store: ArrayStore, start: int) -> None:
        self.store, self.start = store, start

    def __getitem__(self, key: str) -> NDArray:
        array = self.store.get((self.start, key))
        if array is None:
            raise KeyError(key)
        return array

    def __setitem__(self, key: str, value: NDArray) -> None:
        self.store.put((self.start, key), np.asarray(value))

    def __delitem__(self, key: str) -> None:
        if not self.store.drop((self.start, key)):
            raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        return (self.start, key) in self.store

    def __iter__(self) -> Iterator[str]:
        keys: Any = iter(self.store)
        return (key for start, key in keys if start == self.start)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Stored(NamedTuple):
    """Blocks that were written, and what their statistics came to."""

    place: list[tuple[int, int]]  # first row and number of rows
    result: Any


class Spill(Source):
    """Blocks that are their memory."""

    home = "file"

    def __init__(self, source: Source, store: ArrayStore, place: list[tuple[int, int]]) -> None:
        self.store, self.place = store, place
        self.n_features, self.n_rows, self.dtype = source.n_features, source.n_rows, source.dtype
        self.n_jobs = getattr(source, "n_jobs", None)

    def _block(self, place: tuple[int, int]) -> Block:
        start, rows = place
        memory: Any = BlockMemory(self.store, start)
        return Block(np.empty((rows, 0), self.dtype), None, None, start, memory)

    def total(self, statistics: Any, params: Any = None, merge: Any = add) -> Any:
        count = thread_count(self.n_jobs)
        parts = map_ordered(lambda place: statistics(params, self._block(place)), self.place, count)
        return merge_tree(parts, merge)

    def rows(self, function: Any, params: Any = None) -> Any:
        count = thread_count(self.n_jobs)
        return map_ordered(lambda place: function(params, self._block(place)), self.place, count)

    def first(self) -> Any:
        return self._block(self.place[0])

    def map_target(self, function: Any) -> Any:
        raise NotImplementedError("the blocks of a spill have no target beside their memory")


@contextmanager
def spill_blocks(
    source: Source, statistics: Callable, params: Any, merge: Callable = add, *, last: bool = True
) -> Iterator[tuple[Source, Any]]:
    """Give a source whose blocks remember, and the merged `statistics`, which fill the memory of every block.

    Homes that remember by themselves are given as they are. `last` says that the rows are not read again afterwards.
    """
    if not source.rereads:
        yield source, source.total(statistics, params, merge)
        return
    with closing(ArrayStore()) as store:

        def fill(params: Any, block: Block) -> Stored:
            memory: Any = BlockMemory(store, block.start)
            result = statistics(params, block._replace(memory=memory))
            return Stored([(block.start, block.rows)], result)

        found = source.total(fill, params, lambda a, b: Stored(a.place + b.place, merge(a.result, b.result)))
        if last:
            source.forget()
        yield recorded(Spill(source, store, found.place)), found.result
