"""Batches of a fixed number of rows, cut across files, row groups and record batches.

The number of rows depends on the number of columns alone,

    rows = max(V // d, min(2 d, M // d), 1),    V = 2^18 values, M = 2^22 values                   (1)

so what is learned does not depend on how the rows were written, only on their order. V keeps a batch in a core's cache; 2 d keeps
d x d statistics cheaper to merge than to make; M (32 MiB of float64) bounds the memory of very wide rows.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import DataError
from novum.fold.blocks import BLOCK_VALUES, ROWS_PER_COLUMN
from novum.fold.readers.table import DataFile, Piece

__all__ = ["Batch", "batch_rows", "cut_batches"]

MOST_VALUES = 2**22  # of one batch, where rows are so wide that 2 d of them would be more


def batch_rows(d: int) -> int:
    """Return (1)."""
    d = max(1, d)
    return max(BLOCK_VALUES // d, min(ROWS_PER_COLUMN * d, MOST_VALUES // d), 1)


class Batch(NamedTuple):
    """Consecutive rows of one or several files."""

    start: int  # number of the first row in the whole scan
    pieces: list[Piece]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return sum(piece.rows for piece in self.pieces)

    @property
    def files(self) -> tuple[DataFile, ...]:
        """Files that the rows are from."""
        return tuple(dict.fromkeys(piece.file for piece in self.pieces))

    def tile(self, keys: Sequence[Any], dtype: np.dtype, out: np.ndarray | None = None) -> np.ndarray:
        """Return columns of numbers as a row-major tile, which may be written to `out`."""
        out = np.empty((self.rows, len(keys)), dtype) if out is None else out
        done = 0
        for piece in self.pieces:
            piece.pack(keys, out[done : done + piece.rows])
            done += piece.rows
        return out

    def labels(self, key: Any) -> np.ndarray:
        """Return one column in its own type."""
        parts = [piece.labels(key) for piece in self.pieces]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def raw(self, keys: Sequence[Any]) -> Any:
        """Return columns as a transformer expects them: an Arrow table, or an array where columns have no names."""
        parts = [piece.raw(keys) for piece in self.pieces]
        if len(parts) == 1:
            return parts[0]
        if isinstance(parts[0], np.ndarray):
            return np.concatenate(parts)
        import pyarrow as pa

        return pa.concat_tables(parts)

    def place(self, row: int) -> str:
        """Return the file and the place in it of one row of this batch."""
        for piece in self.pieces:
            if row < piece.rows:
                return f"{piece.file.place(piece.start + row, piece.start + row + 1)} of '{piece.file.path}'"
            row -= piece.rows
        raise IndexError(row)

    def range(self) -> str:
        """Return the files and places of all rows, for errors that concern the whole batch."""
        return " and ".join(f"{p.file.place(p.start, p.start + p.rows)} of '{p.file.path}'" for p in self.pieces)


def cut_batches(
    files: Sequence[DataFile], keys: list, rows: int, threads: int, owner: str, first: int = 0
) -> Iterator[Batch]:
    """Yield the rows from number `first` on, in batches of exactly `rows` rows, the last one perhaps shorter; raise if there are
    none at all.
    """
    start, held, before = first, 0, 0
    pieces: list[Piece] = []
    for file in files:
        if file.n_rows is None or before + file.n_rows > first or not first:
            for piece in file.pieces(keys, rows, threads, max(0, first - before)):
                done = 0
                while done < piece.rows:
                    stop = min(piece.rows, done + rows - held)
                    pieces.append(piece if stop - done == piece.rows else piece.slice(done, stop))
                    held, done = held + stop - done, stop
                    if held == rows:
                        yield Batch(start, pieces)
                        start, held, pieces = start + rows, 0, []
        before += file.n_rows or 0
    if pieces:
        yield Batch(start, pieces)
    elif not start:
        paths = ", ".join(f"'{file.path}'" for file in files[:3])
        raise DataError(f"Found array with 0 sample(s) while a minimum of 1 is required by {owner}: scan of {paths}.")
