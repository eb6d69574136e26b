"""What blocks of files remember between passes, in a temporary folder: constant memory, and no file is parsed twice.

A learner that passes over its rows many times, and needs something much smaller than the rows (codes, leaves, scores), makes
that once per block. The blocks of a `Spill` have no rows of their own, only their memory, whose entries are arrays that are
read when they are needed and written when they are set.
"""

from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from struct import Struct
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import SourceError
from novum.fold.blocks import Block, Source, add, merge_tree
from novum.fold.recorded import recorded
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count

__all__ = ["Spill", "spill_blocks"]

HEADER = Struct("<8sBB")  # dtype, number of axes, whether columns lie together; the lengths of the axes follow


def write_array(path: Path, array: NDArray) -> None:
    """Write an array of plain numbers.

    Threads of the pool read these files, and NumPy's own format has a header in Python, whose compiler in CPython 3.11 counts
    its depth for all threads together: a fit died of it now and then.
    """
    by_columns = array.flags.f_contiguous and not array.flags.c_contiguous
    with open(path, "wb") as file:
        file.write(HEADER.pack(array.dtype.str.encode(), array.ndim, by_columns))
        file.write(np.array(array.shape, "<i8").tobytes())
        file.write(np.ascontiguousarray(array.T if by_columns else array).reshape(-1).view(np.uint8).data)


def read_array(path: Path) -> NDArray:
    """Return the array of such a file."""
    with open(path, "rb") as file:
        kind, axes, by_columns = HEADER.unpack(file.read(HEADER.size))
        shape = np.frombuffer(file.read(8 * axes), "<i8").tolist()
        array = np.empty(shape, np.dtype(kind.rstrip(b"\0").decode()), order="F" if by_columns else "C")
        if file.readinto((array.T if by_columns else array).reshape(-1).view(np.uint8).data) < array.nbytes:
            raise SourceError(f"'{path}': a temporary file of the fit was cut short; is the disk full?")
    return array


class DiskMemory(MutableMapping):
    """Arrays of one block, each in a file of raw bytes behind a header of its own."""

    def __init__(self, folder: Path, start: int) -> None:
        self.folder, self.start = folder, start

    def _path(self, key: str) -> Path:
        return self.folder / f"{self.start}-{key}.array"

    def __getitem__(self, key: str) -> NDArray:
        try:
            return read_array(self._path(key))
        except FileNotFoundError:
            raise KeyError(key) from None

    def __setitem__(self, key: str, value: NDArray) -> None:
        write_array(self._path(key), np.asarray(value))

    def __delitem__(self, key: str) -> None:
        self._path(key).unlink()

    def __contains__(self, key: object) -> bool:
        return self._path(str(key)).exists()

    def __iter__(self) -> Iterator[str]:
        return (path.stem.partition("-")[2] for path in self.folder.glob(f"{self.start}-*.array"))

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
        yield recorded(Spill(source, folder, found.place)), found.result
