"""Passes in one call: where rows lie in memory as kernels take them, a team of threads runs the kernel of every block.

Nothing of it passes through the interpreter, whose lock would let one thread at a time begin or end a block. Blocks, and the tree
in which their sums are merged (cpp/include/novum/runtime/block_sums.h), are those of `Source.total`: so are the bits.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from novum.fold.blocks import Source
from novum.runtime.pool import here, team_of
from novum.runtime.threads import thread_count

__all__ = ["PlainRows", "in_short_blocks", "plain_rows"]

SHORT_VALUES = 2**17  # of a block: a hundred microseconds of the fastest pass
LEAST_ROWS = 8  # of a block, for every column: else merging d x d sums outweighs making them
MOST_BLOCKS = 256
MOST_BYTES = 2**26  # of the sums of all blocks, which one call holds at a time


class PlainRows(NamedTuple):
    """Rows of a source without weights, as one array."""

    X: np.ndarray
    y: Any
    step: int  # rows of a block
    threads: int
    memories: list[dict]  # of the blocks

    @contextmanager
    def team(self) -> Iterator[Any]:
        """Lend the threads."""
        with team_of(self.threads) as team:
            yield team


def in_short_blocks(source: Source, extra: int = 0) -> Source:
    """Return the source in short blocks where passes over it are one call each, if it has not shorter ones; else as it is.

    `extra` is what a row costs beside its values, in values.
    """
    plain = rows_for_team(source, 0)
    if plain is None:
        return source

    def rows(n: int, d: int) -> int:
        count = max(1, min(MOST_BLOCKS, n * (d + extra) // SHORT_VALUES, n // max(1, LEAST_ROWS * d)))
        return min(plain.step, -(-n // (1 << (count.bit_length() - 1))))

    return source.cut(rows)


def plain_rows(source: Source, width: int) -> PlainRows | None:
    """Return the rows for a pass whose sums are `width` numbers, or None where it goes block by block."""
    return None if source.recorded else rows_for_team(source, width)


def rows_for_team(source: Any, width: int) -> PlainRows | None:
    """Return the rows of a pass that a team can make."""
    rows = source.in_one_piece() if source.joins_rows and not here.inside_block else None
    if rows is None or 8 * width * len(rows.memories) > MOST_BYTES:
        return None
    if source.threads is None:
        source.threads = thread_count(source.n_jobs)
    return PlainRows(rows.X, rows.y, rows.block_rows, min(source.threads, len(rows.memories)), rows.memories)
