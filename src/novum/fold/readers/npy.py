"""`.npy` arrays: rows are read where they lie, by the thread that needs them, straight into the tile where types allow.

The array is read, not mapped: a mapped file counts as resident memory once it was touched, and one that another process cuts
short would end this one. Columns have numbers instead of names; the target and the weights are columns of the array or
arrays of their own beside it.
"""

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from novum import _core
from novum.exceptions import DataError
from novum.fold.blocks import tile_dtype
from novum.fold.readers.table import NUMBER, OTHER, TEXT, Column, DataFile, Piece, Stamp, Watched

__all__ = ["TARGET", "WEIGHT", "NpyFile"]

TARGET, WEIGHT = "target", "weight"  # keys of the arrays beside the rows


def column_of(dtype: np.dtype) -> Column:
    """Return what a column of this dtype can serve as."""
    if dtype.kind in "fiub":
        return Column(NUMBER, tile_dtype(dtype), str(dtype))
    return Column(TEXT if dtype.kind == "U" else OTHER, None, str(dtype))


class NpyArray(Watched):
    """One array in a file of its own."""

    format = "npy"
    failures = (Exception,)  # NumPy parses the header as Python: whatever the tokenizer raises comes through

    def _open(self) -> None:
        array = np.load(self.path, mmap_mode="r", allow_pickle=False)  # maps it for a moment: checks header and length
        if not isinstance(array, np.memmap):
            raise ValueError("it is an archive of several arrays; save the one array with numpy.save")
        if array.dtype.hasobject or array.dtype.names is not None:
            raise ValueError(f"its dtype {array.dtype} is not a plain number or string")
        if array.ndim == 0:
            raise ValueError("it holds a single number")
        self.shape, self.dtype, self.offset = array.shape, array.dtype, array.offset
        self.by_columns = array.ndim == 2 and array.flags.f_contiguous and not array.flags.c_contiguous
        self.n_rows = array.shape[0]
        self.columns = dict.fromkeys(range(array.shape[1] if array.ndim == 2 else 1), column_of(self.dtype))

    def fetch(self, start: int, stop: int, out: np.ndarray | None = None) -> np.ndarray:
        """Return rows start to stop in the file's dtype and order, read into `out` if given."""
        shape = (stop - start, *self.shape[1:])
        if out is None:
            out = np.empty(shape, self.dtype, order="F" if self.by_columns else "C")
        try:
            with open(self.path, "rb", buffering=0) as stream:
                if self.by_columns:
                    for j in range(shape[1]):
                        self._fill(stream, j * self.shape[0] + start, out[:, j])
                else:
                    self._fill(stream, start * int(np.prod(shape[1:])), out)
                state = os.fstat(stream.fileno())  # of the very file that was read
        except OSError as error:
            raise self.broken(error, self.place(start, stop)) from error
        if Stamp(state.st_size, state.st_mtime_ns, state.st_ctime_ns, (state.st_dev, state.st_ino)) != self.stamp:
            raise self.changed()
        return out

    def _fill(self, stream: Any, first: int, out: np.ndarray) -> None:
        """Read consecutive items, from number `first` of the array on, into the contiguous `out`."""
        if not out.size:
            return
        stream.seek(self.offset + first * self.dtype.itemsize)
        view = out.reshape(-1, order="A").view(np.uint8)
        done = 0
        while done < len(view):
            count = stream.readinto(view[done:])
            if not count:
                raise OSError("the file ends too early")
            done += count


class Scratch(threading.local):
    """Where a thread reads rows that are copied into a tile at once: fresh memory for every batch would cost more than the copy."""

    def __init__(self) -> None:
        self.buffer = np.empty(0, np.uint8)
        self.owner: NpyPiece | None = None  # the piece whose rows are in it
        self.rows = np.empty((0, 0))

    def read(self, piece: "NpyPiece") -> np.ndarray:
        """Return the rows of a piece; they stand until this thread reads another one."""
        if self.owner is not piece:
            array, shape = piece.file.array, (piece.rows, *piece.file.array.shape[1:])
            size = array.dtype.itemsize * int(np.prod(shape))
            if len(self.buffer) < size:
                self.buffer = np.empty(size, np.uint8)
            out = self.buffer[:size].view(array.dtype).reshape(shape, order="F" if array.by_columns else "C")
            self.owner = None
            self.rows, self.owner = array.fetch(piece.start, piece.stop, out), piece
        return self.rows


scratch = Scratch()


class NpyPiece:
    """Rows start to stop of an NpyFile; they are read when first needed."""

    def __init__(self, file: "NpyFile", start: int, stop: int) -> None:
        self.file, self.start, self.stop, self.rows = file, start, stop, stop - start

    def slice(self, start: int, stop: int) -> "NpyPiece":
        return NpyPiece(self.file, self.start + start, self.start + stop)

    def pack(self, keys: Sequence[int], out: np.ndarray) -> None:
        array = self.file.array
        if array.dtype == out.dtype and not array.by_columns and list(keys) == list(array.columns):
            array.fetch(self.start, self.stop, out)
        elif array.dtype == out.dtype and array.by_columns:
            _core.runtime.tiles.pack_columns([scratch.read(self)[:, key] for key in keys], out)
        else:
            out[:] = scratch.read(self)[:, selection(keys)]

    def labels(self, key: int | str) -> np.ndarray:
        if isinstance(key, str):
            values = self.file.beside[key].fetch(self.start, self.stop)
        else:
            values = scratch.read(self)[:, key]
        return np.array(values, values.dtype.newbyteorder("="), order="C")

    def raw(self, keys: Sequence[int]) -> np.ndarray:
        return np.array(scratch.read(self)[:, selection(keys)])


def selection(keys: Sequence[int]) -> Any:
    """Return consecutive numbers as a slice, others as they are: NumPy copies slices several times faster."""
    keys = list(keys)
    return slice(keys[0], keys[-1] + 1) if keys and keys == list(range(keys[0], keys[-1] + 1)) else keys


class NpyFile(DataFile):
    """Rows in one `.npy` file, with arrays of the same length beside it for target or weights."""

    format = "npy"
    direct = True

    def __init__(self, path: Path, beside: dict[str, Path] | None = None) -> None:
        self.array = NpyArray(path)
        self.beside = {key: NpyArray(other) for key, other in (beside or {}).items()}
        super().__init__(path)

    def _open(self) -> None:
        if len(self.array.shape) != 2:
            raise DataError(
                f"{self}: Expected 2D array, got an array of shape {self.array.shape} instead. Save it as rows x columns."
            )
        self.columns, self.n_rows = dict(self.array.columns), self.array.n_rows
        for key, other in self.beside.items():
            if other.n_rows != self.n_rows:
                raise DataError(
                    f"{self}: the {key} in '{other.path}' has {other.n_rows} rows, the features have {self.n_rows}."
                )
            self.columns[key] = column_of(other.dtype)

    def _read(self, keys: Any, rows: Any, threads: Any) -> list[Piece]:
        count = self.array.shape[0]
        return [NpyPiece(self, start, min(start + rows, count)) for start in range(0, count, rows)]

    def _read_from(self, start: Any, keys: Any, rows: Any, threads: Any) -> list[Piece]:
        return [piece for piece in self._read(keys, rows, threads) if piece.start + piece.rows > start]

    def features(self) -> list[int]:
        """Return the numbers of the array's own columns."""
        return list(self.array.columns)
