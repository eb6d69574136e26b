"""Rows of files dealt to buckets on disk: one pass over the files, then every epoch reads bucket by bucket.

Rows are collected until they fill a buffer, sorted by bucket and written piece after piece: a pass writes long runs, and
what is held is the buffer and one bucket. Rows that are one bucket stay in memory.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.fold.blocks import Block, Source
from novum.fold.dealing import Deal, Portion, Portions, bucket_pieces, joined_blocks
from novum.runtime.scratch import Place, ScratchFile

__all__ = ["dealt_blocks"]

BUFFER_VALUES = 2**24  # 128 MiB of float64: thousands of buckets still get long runs


class Field(NamedTuple):
    """One array of the rows, as it lies in the pieces of the buckets."""

    name: str
    dtype: np.dtype
    shape: tuple[int, ...]  # of one row


class BucketFiles(Portions):
    """Buckets whose fields are pieces of a file without a name."""

    def __init__(self, file: ScratchFile, deal: Deal, fields: list[Field | None]) -> None:
        self.file, self.deal, self.fields, self.count = file, deal, fields, deal.buckets
        self.places: dict[tuple[int, str], list[Place]] = {}

    def append(self, block: Block) -> None:
        """Write the rows of a block behind those that their buckets have."""
        for bucket, piece in bucket_pieces(self.deal, block):
            for field, values in zip(self.fields, piece[:3]):
                if field is not None:
                    data = np.ascontiguousarray(values, field.dtype).reshape(-1).view(np.uint8).data
                    place = self.file.place(len(data))
                    self.file.write(place, data)
                    self.places.setdefault((bucket, field.name), []).append(place)

    def _read(self, bucket: int, field: Field) -> NDArray:
        places = self.places.get((bucket, field.name), [])
        row = field.dtype.itemsize * math.prod(field.shape)
        values = np.empty((sum(place.size for place in places) // row, *field.shape), field.dtype)
        out, begin = values.reshape(-1).view(np.uint8).data, 0
        for place in places:
            self.file.read(place, out[begin : begin + place.size])
            begin += place.size
        return values

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
    with closing(ScratchFile()) as file:
        found: BucketFiles | None = None
        for block in filled_buffers(source):
            if found is None:
                found = BucketFiles(file, deal, fields_of(block))
            found.append(block)
        assert found is not None  # a scan has rows
        yield found
