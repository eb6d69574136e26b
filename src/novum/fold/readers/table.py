"""A file of rows, whatever its format: its columns, its length where the format says it, and its rows piece by piece.

A reader yields pieces of whatever size suits its format; `novum.fold.homes.files` cuts them into batches. Between and during passes
the file must stay what it was when the scan was made: its size, time of change and identity are compared for every piece, and
the rows of a whole pass are counted. Anything else that goes wrong while reading is raised as a `SourceError` that names the
file, the place in it and the reason.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from novum.exceptions import DataError, ParameterError, SourceError

__all__ = ["NUMBER", "OTHER", "TEXT", "Column", "DataFile", "Piece", "Stamp", "Watched", "check_names"]

NUMBER, TEXT, OTHER = "number", "text", "other"  # what a column can serve as: a feature, a label, neither


class Column(NamedTuple):
    """What a file says about one column."""

    kind: str  # NUMBER, TEXT or OTHER
    dtype: np.dtype | None  # of the tile that holds it alone, for numbers
    type: str  # as its format calls it, for messages


class Stamp(NamedTuple):
    """What must not change while a file is in use."""

    size: int
    changed: int
    touched: int  # by the system's own clock: a file edited in place whose time was set back still shows
    identity: tuple[int, int]


class Piece(Protocol):
    """Some consecutive rows of one file."""

    start: int  # number of the first row in the file
    rows: int  # how many

    @property
    def file(self) -> "DataFile":
        """The file they are from."""

    def slice(self, start: int, stop: int) -> "Piece":
        """Return the rows start to stop of this piece, without copying."""

    def pack(self, keys: Sequence[Any], out: np.ndarray) -> None:
        """Write the columns `keys` as numbers into the row-major `out`; a missing cell becomes NaN."""

    def labels(self, key: Any) -> np.ndarray:
        """Return one column in its own type, as a target or weight; a missing number becomes NaN, a missing text raises."""

    def raw(self, keys: Sequence[Any]) -> Any:
        """Return the columns as a transformer expects them: an Arrow table, or an array where columns have no names."""


class Watched(ABC):
    """A file that must stay what it was when it was first looked at."""

    format: str = ""
    failures: tuple[type[BaseException], ...] = (
        OSError,
        ValueError,
        MemoryError,
    )  # what the format's library raises for broken data
    n_rows: int | None = None  # None until a whole pass has counted them, where the format does not tell
    beside: dict[str, Any] = {}  # further files that belong to this one and are watched with it

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stamp = self._stamp()
        try:
            self._open()
        except (DataError, ParameterError):
            raise
        except self.failures as error:
            raise SourceError(f"{self}: this is not a readable {self.format} file: {reason(error)}") from error

    @abstractmethod
    def _open(self) -> None:
        """Read what the file says about itself."""

    def place(self, start: int, stop: int) -> str:
        """Return where rows start to stop are, in the terms of the format."""
        return f"row {start}" if stop == start + 1 else f"rows {start} to {stop}"

    def check(self) -> None:
        """Raise SourceError if the file, or one beside it, is no longer the one that the scan was made of."""
        for file in (self, *self.beside.values()):
            if file._stamp() != file.stamp:
                raise file.changed()

    def changed(self) -> SourceError:
        """Return the error of a file that is no longer the one that was looked at."""
        return SourceError(
            f"{self}: the file changed after novum.scan looked at it. Make the scan again, and fit again."
        )

    def broken(self, error: BaseException, place: str) -> SourceError:
        """Return the error for what could not be read: that the file changed, if it did, else what the reader said."""
        try:
            self.check()
        except SourceError as changed:
            return changed
        return SourceError(f"{self}: reading failed at {place}: {reason(error)}")

    def _stamp(self) -> Stamp:
        try:
            state = os.stat(self.path)
        except OSError as error:
            raise SourceError(f"{self}: the file is gone or may not be read: {error.strerror}.") from error
        return Stamp(state.st_size, state.st_mtime_ns, state.st_ctime_ns, (state.st_dev, state.st_ino))

    def __str__(self) -> str:
        return f"scan of {os.fspath(self.path)!r}"


class DataFile(Watched):
    """One file of a scan."""

    columns: dict[Any, Column]  # from name (or number), in the order of the file; set by `_open`
    direct = False  # whether rows lie as tiles hold them, so that a copy on the disk would be read no faster
    index: frozenset[str] = frozenset()  # columns that pandas wrote for the index of a frame: features only by name

    @abstractmethod
    def _read(self, keys: list, rows: int, threads: int) -> Iterable[Piece]:
        """Return or yield all rows with the columns `keys`, in pieces of about `rows` rows."""

    def _read_from(self, start: int, keys: list, rows: int, threads: int) -> Iterable[Piece]:
        """Return or yield the rows from number `start` on, and perhaps some before, where the format lets a reader skip them."""
        return self._read(keys, rows, threads)

    def ahead(self, start: int, rows: int) -> str:
        """Return where the piece is that begins at row `start` and could not be read."""
        return f"row {start} or soon after"

    def pieces(self, keys: list, rows: int, threads: int, start: int = 0) -> Iterator[Piece]:
        """Yield all rows from `start` on; raise SourceError when they break off or are not those the scan was made of."""
        done = 0
        try:
            for piece in self._read_from(start, keys, rows, threads) if start else self._read(keys, rows, threads):
                self.check()
                done = piece.start + piece.rows
                if done > start:
                    yield piece if piece.start >= start else piece.slice(start - piece.start, piece.rows)
        except (DataError, SourceError):
            raise
        except self.failures as error:
            raise self.broken(error, self.ahead(done, rows)) from error
        self.check()
        if self.n_rows is not None and done != self.n_rows:
            raise SourceError(
                f"{self}: {done} rows were read where there should be {self.n_rows}; the file changed or is damaged."
            )
        self.n_rows = done

    def unique(self, names: list) -> None:
        """Raise DataError if a column name occurs twice."""
        check_names(names, str(self))


def check_names(names: Iterable[Hashable], table: str) -> None:
    """Raise DataError if a column name occurs twice."""
    seen: set[Hashable] = set()
    for name in names:
        if name in seen:
            raise DataError(f"{table}: the column name {name!r} occurs more than once; rename one of them.")
        seen.add(name)


def reason(error: BaseException) -> str:
    """Return the first line of what a library said; libraries add advice for other callers below it."""
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:300]
