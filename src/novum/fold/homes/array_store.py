"""Arrays under keys: in memory as far as the budget of the process goes (novum.runtime.room), beyond it on the disk.

What is put comes back with the same bits, layout and type, and may not be written to. Threads may use a store side by side;
two do not write the same key at once, since a block is one thread's work.
"""

import tempfile
import threading
from collections.abc import Hashable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import SourceError
from novum.runtime.room import budget, disk_budget
from novum.runtime.scratch import Place, ScratchFile

__all__ = ["ArrayStore"]


class Written(NamedTuple):
    """An array on the disk."""

    place: Place
    shape: tuple[int, ...]
    dtype: np.dtype
    by_columns: bool


def by_columns(array: NDArray) -> bool:
    """Return whether columns lie together."""
    return array.flags.f_contiguous and not array.flags.c_contiguous


def raw_bytes(array: NDArray) -> memoryview:
    """Return the bytes of a contiguous array as they lie."""
    return (array.T if by_columns(array) else array).reshape(-1).view(np.uint8).data


class ArrayStore:
    """Arrays in memory and, where it is full, in one file."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.here: dict[Hashable, NDArray] = {}
        self.there: dict[Hashable, Written] = {}
        self.file: ScratchFile | None = None

    def __contains__(self, key: Hashable) -> bool:
        return key in self.here or key in self.there

    def __iter__(self) -> Iterator[Hashable]:
        return iter([*self.here, *self.there])

    def get(self, key: Hashable) -> NDArray | None:
        """Return an array, None where there is none."""
        array = self.here.get(key)
        if array is not None:
            return array
        written = self.there.get(key)
        if written is None:
            return None
        array = np.empty(written.shape, written.dtype, order="F" if written.by_columns else "C")
        assert self.file is not None
        if written.place.size:
            self.file.read(written.place, raw_bytes(array))
        array.flags.writeable = False
        return array

    def offer(self, key: Hashable, array: NDArray, *, disk: bool) -> bool:
        """Keep an array that can be made again; return whether there was room in memory or, with `disk`, on the disk."""
        if self._keep(key, array):
            return True
        if not disk or not disk_budget.take(array.nbytes):
            return False
        try:
            self._write(key, array)
        except OSError:  # the disk is full, or nothing may be written there
            disk_budget.give(array.nbytes)
            return False
        return True

    def put(self, key: Hashable, array: NDArray) -> None:
        """Keep an array that nobody else has, on the disk where memory is full."""
        self.drop(key)
        if self._keep(key, array):
            return
        disk_budget.hold(array.nbytes)
        try:
            self._write(key, array)
        except OSError as error:
            disk_budget.give(array.nbytes)
            raise SourceError(
                f"a fit from files cannot write to the temporary folder: {error.strerror or error}. Free some of"
                f" {folder_name()}, or let TMPDIR name a folder with more room."
            ) from error

    def _keep(self, key: Hashable, array: NDArray) -> bool:
        if not budget.take(array.nbytes):
            return False
        kept = (
            array if array.base is None else array.copy(order="K")
        ).view()  # a view would hold all that it is a view of
        kept.flags.writeable = False
        self.here[key] = kept
        return True

    def _write(self, key: Hashable, array: NDArray) -> None:
        with self.lock:
            if self.file is None:
                self.file = ScratchFile()
        whole = array if by_columns(array) else np.ascontiguousarray(array)
        place = self.file.place(array.nbytes)
        try:
            if array.nbytes:
                self.file.write(place, raw_bytes(whole))
        except OSError:
            self.file.give_up(place)
            raise
        self.there[key] = Written(place, array.shape, array.dtype, by_columns(array))

    def drop(self, key: Hashable) -> bool:
        """Forget an array; return whether it was there."""
        if (array := self.here.pop(key, None)) is not None:
            budget.give(array.nbytes)
            return True
        if (written := self.there.pop(key, None)) is not None:
            assert self.file is not None
            self.file.give_up(written.place)
            disk_budget.give(written.place.size)
            return True
        return False

    def close(self) -> None:
        """Forget all, and give memory and disk back."""
        for key in list(self):
            self.drop(key)
        with self.lock:
            file, self.file = self.file, None
        if file is not None:
            file.close()

    def __del__(self) -> None:
        self.close()


def folder_name() -> str:
    """Return the temporary folder for a message."""
    try:
        return f"'{tempfile.gettempdir()}'"
    except OSError:
        return "the disk"
