"""A file without a name: room on the disk that the system takes back whatever becomes of the process.

The file loses its name as soon as it is open (Linux never gives it one), so that an exit, SIGTERM, kill -9 or a crash leaves
nothing behind and nobody has to sweep. It lies in the temporary folder (`TMPDIR` says where) and is addressed by place: pieces
are written at the end or where a piece of the same size was given up, and threads read and write side by side.
"""

import os
import tempfile
import threading
from typing import NamedTuple

from novum.exceptions import SourceError

__all__ = ["Place", "ScratchFile"]


class Place(NamedTuple):
    """Where a piece lies."""

    offset: int
    size: int


class ScratchFile:
    """Pieces of bytes on the disk, read and written by any thread."""

    def __init__(self) -> None:
        self.file = tempfile.TemporaryFile(prefix="novum-", buffering=0)  # noqa: SIM115 (it lives as long as this object)
        self.end = 0
        self.unused: dict[int, list[int]] = {}  # offsets of pieces that were given up, by size
        self.lock = threading.Lock()

    def place(self, size: int) -> Place:
        """Return room for so many bytes."""
        with self.lock:
            if again := self.unused.get(size):
                return Place(again.pop(), size)
            self.end += size
            return Place(self.end - size, size)

    def give_up(self, place: Place) -> None:
        """Let another piece of the same size have the room."""
        with self.lock:
            self.unused.setdefault(place.size, []).append(place.offset)

    def write(self, place: Place, data: memoryview) -> None:
        """Write a piece; OSError where the disk is full."""
        done = 0
        while done < place.size:
            done += os.pwrite(self.file.fileno(), data[done:], place.offset + done)

    def read(self, place: Place, out: memoryview) -> None:
        """Read a piece into `out`."""
        done = 0
        while done < place.size:
            count = os.preadv(self.file.fileno(), [out[done:]], place.offset + done)
            if not count:
                raise SourceError(f"a temporary file of the fit in '{tempfile.gettempdir()}' was cut short.")
            done += count

    def close(self) -> None:
        """Give the disk back."""
        self.file.close()
