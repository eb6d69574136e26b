"""Rows of files dealt to buckets on disk: one pass over the files, then every epoch reads bucket by bucket.

Rows are collected until they fill a buffer, sorted by bucket and appended to the file of each: a pass writes long runs, and
what is held is the buffer and one bucket. Rows that are one bucket stay in memory.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import SourceError
from novum.fold.blocks import Block, Source
from novum.fold.dealing import Deal, Portion, Portions, bucket_pieces, joined_blocks

__all__ = ["dealt_blocks"]

BUFFER_VALUES = 2**24  # 128 MiB of float64: thousands of buckets still get long runs


class Field(NamedTuple):
    """One array of the rows, as it lies in the files of the buckets."""

    name: str
    dtype: np.dtype
    shape: tuple[int, ...]  # of one row


class BucketFiles(Portions):
    """Buckets whose fields are files of raw bytes."""

    def __init__(self, folder: Path, deal: Deal, fields: list[Field | None]) -> None:
        self.folder, self.deal, self.fields, self.count = folder, deal, fields, deal.buckets

    def _path(self, bucket: int, field: Field) -> Path:
        return self.folder / f"{bucket}.{field.name}"

    def append(self, block: Block) -> None:
        """Write the rows of a block behind those that their buckets have."""
        for bucket, piece in bucket_pieces(self.deal, block):
            for field, values in zip(self.fields, piece[:3]):
                if field is not None:
                    with open(self._path(bucket, field), "ab") as file:
                        file.write(np.ascontiguousarray(values, field.dtype).reshape(-1).view(np.uint8).data)

    def _read(self, bucket: int, field: Field) -> NDArray:
        path = self._path(bucket, field)
        if not path.exists():
            return np.empty((0, *field.shape), field.dtype)
        values = np.fromfile(path, field.dtype)
        if len(values) % max(1, int(np.prod(field.shape))):
            raise SourceError(f"'{path}': a temporary file of the fit was cut short; is the disk full?")
        return values.reshape(-1, *field.shape)

    def walk(self, function: Callable[[Any, Portion], Any], state: Any, order: Sequence[int] | None = None) -> Any:
        numbers = list(range(self.count) if order is None else order)
        for bucket in numbers:
            X, y, weight = (None if field is None else self._read(bucket, field) for field in self.fields)
            state = function(state, Portion(Block(X, y, weight, memory={}), bucket, bucket == numbers[-1]))
        return state


class OneBucket(Portions):
    """All rows at hand."""

    count = 1

    def __init__(self, block: Block) -> None:
        self.block = block

    def walk(self, function: Callable[[Any, Portion], Any], state: Any, order: Sequence[int] | None = None) -> Any:
        return function(state, Portion(self.block, 0, True))


def fields_of(block: Block) -> list[Field | None]:
    """Return how the fields of blocks are written: targets and weights are numbers by now."""
    kinds = (("rows", block.X.dtype), ("target", np.dtype(np.float64)), ("weight", np.dtype(np.float64)))
    return [
        None if values is None else Field(name, dtype, values.shape[1:])
        for (name, dtype), values in zip(kinds, block[:3])
    ]


def filled_buffers(source: Source) -> Iterator[Block]:
    """Yield the blocks of a source in larger ones."""
    parts: list[Block] = []
    for block in source.each():
        parts.append(block)
        if sum(part.X.size for part in parts) >= BUFFER_VALUES:
            yield joined_blocks(parts)._replace(start=parts[0].start)
            parts = []
    if parts:
        yield joined_blocks(parts)._replace(start=parts[0].start)


@contextmanager
def dealt_blocks(source: Source, deal: Deal) -> Iterator[Portions]:
    """Give the rows of a source that is read block by block, dealt to buckets."""
    if deal.buckets == 1:
        yield OneBucket(joined_blocks(list(source.each())))
        return
    with TemporaryDirectory(prefix="novum-") as name:
        found: BucketFiles | None = None
        for block in filled_buffers(source):
            if found is None:
                found = BucketFiles(Path(name), deal, fields_of(block))
            found.append(block)
        assert found is not None  # a scan has rows
        yield found
