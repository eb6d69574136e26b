"""An order of rows for learners that step from row to row: one definition for every home of data.

Rows are dealt to buckets by their numbers alone, and an epoch visits one bucket after the other, each in an order of its own:

    B = ceil(n d / V)                       buckets of about V values each                                   (1)
    bucket of row i = floor(h(i) B / 2^32)  h: upper half of the key of a row, novum.runtime.row_order       (2)

Rows of a bucket come from everywhere, so that sorted rows, or partitions of one class, are mixed. A home whose rows do not
lie at hand deals them once per fit: files into files, partitions among the workers. With one bucket the order is that of all rows.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.fold.blocks import Block, Source
from novum.runtime.random import Stream
from novum.runtime.row_order import row_keys

__all__ = [
    "Deal",
    "Portion",
    "Portions",
    "bucket_numbers",
    "bucket_pieces",
    "deal_of",
    "deal_of_table",
    "joined_blocks",
    "order_in_bucket",
    "order_of_buckets",
    "portions_of",
    "row_count",
    "rows_by_bucket",
]

BUCKET_VALUES = 2**23  # V: 64 MiB of float64, which any process can hold beside a pass


class Deal(NamedTuple):
    """How rows are dealt: all that (2) depends on."""

    key: int
    buckets: int


class Portion(NamedTuple):
    """Rows that are visited together."""

    block: Block
    number: int  # of the bucket, or of the block
    last: bool  # of this walk


class Portions(ABC):
    """Rows that are visited portion by portion, where they are."""

    count: int  # of portions where they can be visited in any order, else 0

    @abstractmethod
    def walk(self, function: Callable[[Any, Portion], Any], state: Any, order: Sequence[int] | None = None) -> Any:
        """Return `state = function(state, portion)` over the portions in turn; the function changes no state it is given."""


class BlocksInTurn(Portions):
    """The blocks of a source as they lie."""

    count = 0

    def __init__(self, source: Source) -> None:
        self.source = source

    def walk(self, function: Any, state: Any, order: Sequence[int] | None = None) -> Any:
        return self.source.walk(partial(of_block, function), state)


class Rows(NamedTuple):
    number: int


def of_block(function: Callable, state: Any, block: Block, last: bool) -> Any:
    """Return the state after a block."""
    return function(state, Portion(block, block.start, last))


def rows_of(_: None, block: Block) -> Rows:
    """Return the number of rows of a block."""
    return Rows(block.rows)


def deal_of_table(shape: tuple[int, int], key: int) -> Deal:
    """Return how n rows of d columns are dealt (1)."""
    n, d = shape
    return Deal(key, max(1, -(-n * d // BUCKET_VALUES)))


def row_count(source: Source) -> int:
    """Return the number of rows, counted by a pass where the home does not know it."""
    return source.n_rows if source.n_rows is not None else source.total(rows_of).number


def deal_of(source: Source, key: int) -> Deal:
    """Return how the rows of a source are dealt (1)."""
    return deal_of_table((row_count(source), source.n_features), key)


def bucket_numbers(deal: Deal, start: int, rows: int) -> NDArray[np.int64]:
    """Return the buckets (2) of rows `start` to `start + rows`."""
    upper = row_keys(deal.key, start, rows) >> np.uint64(32)
    return (upper * np.uint64(deal.buckets) >> np.uint64(32)).astype(np.int64)


def rows_by_bucket(deal: Deal, n: int) -> list[NDArray[np.int64]]:
    """Return the rows of every bucket, in their order."""
    if deal.buckets == 1:
        return [np.arange(n)]
    number = bucket_numbers(deal, 0, n)
    small = number.astype(np.uint16) if deal.buckets < 2**16 else number  # a radix sort
    order = np.argsort(small, kind="stable")
    return np.split(order, np.cumsum(np.bincount(number, minlength=deal.buckets))[:-1])


def joined_blocks(blocks: Sequence[Block]) -> Block:
    """Return the rows of some blocks as one."""
    X, y, weight = (None if field[0] is None else np.concatenate(field) for field in zip(*(b[:3] for b in blocks)))
    return Block(X, y, weight, memory={})


def bucket_pieces(deal: Deal, block: Block) -> Iterator[tuple[int, Block]]:
    """Yield the buckets of a block's rows and the rows that go there, in their order."""
    number = bucket_numbers(deal, block.start, block.rows)
    order = np.argsort(number, kind="stable")
    counts = np.bincount(number, minlength=deal.buckets)
    ends = np.cumsum(counts)
    for bucket in np.flatnonzero(counts).tolist():
        rows = order[ends[bucket] - counts[bucket] : ends[bucket]]
        yield bucket, block.take(rows)


def order_of_buckets(deal: Deal, epoch: int) -> list[int]:
    """Return the order in which an epoch visits the buckets."""
    return Stream(deal.key).permutation("order of buckets", epoch % 2**32, deal.buckets).tolist()


def order_in_bucket(deal: Deal, number: int, epoch: int, rows: int) -> NDArray[np.int64]:
    """Return the order in which an epoch visits the rows of a bucket."""
    own = int(row_keys(deal.key, number, 1)[0])
    return Stream(own).permutation("order in a bucket", epoch % 2**32, rows)


@contextmanager
def portions_of(source: Source, deal: Deal | None) -> Iterator[Portions]:
    """Give the rows of a source dealt to buckets, or its blocks as they lie; what dealing took is given back in the end."""
    if deal is None:
        yield BlocksInTurn(source)
    else:
        with source.dealt(deal) as portions:
            yield portions
