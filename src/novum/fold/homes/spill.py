"""What blocks of files remember between passes, in a temporary folder: constant memory, and no file is parsed twice.

A learner that passes over its rows many times, and needs something much smaller than the rows (codes, leaves, scores), makes
that once per block. The blocks of a `Spill` have no rows of their own, only their memory, whose entries are arrays that are
read when they are asked for and written when they are set.
"""

from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.fold.blocks import Block, Source, add, merge_tree
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count

__all__ = ["Spill", "spill_blocks"]


class DiskMemory(MutableMapping):
    """Arrays of one block, each in a file."""

    def __init__(self, folder: Path, start: int) -> None:
        self.folder, self.start = folder, start

    def _path(self, key: str) -> Path:
        return self.folder / f"{self.start}-{key}.npy"

    def __getitem__(self, key: str) -> NDArray:
        try:
            return np.load(self._path(key))
        except FileNotFoundError:
            raise KeyError(key) from None

    def __setitem__(self, key: str, value: NDArray) -> None:
        np.save(self._path(key), value)

    def __delitem__(self, key: str) -> None:
        self._path(key).unlink()

    def __contains__(self, key: object) -> bool:
        return self._path(str(key)).exists()

    def __iter__(self) -> Iterator[str]:
        return (path.stem.partition("-")[2] for path in self.folder.glob(f"{self.start}-*.npy"))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Stored(NamedTuple):
    """Blocks that were written, and what their statistics came to."""

    place: list[tuple[int, int]]  # first row and number of rows
    result: Any


class Spill(Source):
    """Blocks that are their memory."""

    home = "file"

    def __init__(self, source: Source, folder: Path, place: list[tuple[int, int]]) -> None:
        self.folder, self.place = folder, place
        self.n_features, self.n_rows, self.dtype = source.n_features, source.n_rows, source.dtype
        self.n_jobs = getattr(source, "n_jobs", None)

    def _block(self, place: tuple[int, int]) -> Block:
        start, rows = place
        memory: Any = DiskMemory(self.folder, start)
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
    source: Source, statistics: Callable, params: Any, merge: Callable = add
) -> Iterator[tuple[Source, Any]]:
    """Give a source whose blocks remember, and the merged `statistics`, which fill the memory of every block.

    Homes that remember by themselves are given as they are; a folder goes away in the end.
    """
    if not source.rereads:
        yield source, source.total(statistics, params, merge)
        return
    with TemporaryDirectory(prefix="novum-") as name:
        folder = Path(name)

        def store(params: Any, block: Block) -> Stored:
            memory: Any = DiskMemory(folder, block.start)
            result = statistics(params, block._replace(memory=memory))
            return Stored([(block.start, block.rows)], result)

        found = source.total(store, params, lambda a, b: Stored(a.place + b.place, merge(a.result, b.result)))
        yield Spill(source, folder, found.place), found.result
