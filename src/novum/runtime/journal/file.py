"""A file of records that is only ever added to: whoever is killed while writing loses the record in flight and no other.

    file   = MAGIC | record | record | ...
    record = length (8) | crc32 of length and data (4) | data                                      (1)

What stands after the last whole record was cut short by a crash and is overwritten; a record that is whole but wrong, with
others behind it, is damage, and the file is refused. Data reach the system with every record, and the disk at most once per
`SYNC_SECONDS`: a process that is killed loses nothing that was added, a machine that loses power the last moment.
"""

import os
import time
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from struct import Struct

from novum.exceptions import FileFormatError, SourceError
from novum.runtime.writing import check_plain, take_place

__all__ = ["RecordFile"]

MAGIC = b"novum checkpoint 1\n"
HEAD = Struct("<QI")
SYNC_SECONDS = 2.0


def checked(data: bytes) -> int:
    return zlib.crc32(data, zlib.crc32(len(data).to_bytes(8, "little")))


class RecordFile:
    """Records by their place in the file, held by one process at a time.

    Parameters
    ----------
    path : str or path-like
        Made if it is not there.
    """

    def __init__(self, path: str | os.PathLike) -> None:
        self.path = Path(os.fspath(path))
        check_plain(self.path)
        if not self.path.parent.is_dir():
            raise FileNotFoundError(f"{self.path}: there is no folder {self.path.parent}.")
        self.file = open(self.path, "a+b")  # noqa: SIM115 - held as long as the records are
        try:
            self._lock()
            self._begin()
        except BaseException:
            self.file.close()
            raise
        self.synced = time.monotonic()

    def _lock(self) -> None:
        """Keep others out: two fits in one file would read each other's steps."""
        try:
            import fcntl
        except ImportError:  # no such locks there
            return
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise SourceError(
                f"{self.path}: another process writes this checkpoint; give each of them a file of its own."
            ) from error

    def _begin(self) -> None:
        """Look at what is there, and be ready to write behind the last whole record."""
        self.file.seek(0, os.SEEK_END)
        size = self.file.tell()
        self.end = len(MAGIC)
        self.known: list[tuple[int, int]] = []
        if size < len(MAGIC):
            self.file.seek(0)
            if not MAGIC.startswith(self.file.read()):
                raise self._refused("it does not begin as one")
            self._restart()
            return
        self.file.seek(0)
        if self.file.read(len(MAGIC)) != MAGIC:
            raise self._refused("it does not begin as one")
        while size - self.end >= HEAD.size:
            self.file.seek(self.end)
            length, check = HEAD.unpack(self.file.read(HEAD.size))
            place, after = self.end + HEAD.size, self.end + HEAD.size + length
            if after > size:
                break
            if checked(self.file.read(length)) != check:
                if after < size:
                    raise self._refused(f"the record at byte {self.end} is damaged")
                break
            self.known.append((place, length))
            self.end = after
        self.file.truncate(self.end)

    def _restart(self) -> None:
        self.file.truncate(0)
        self.file.write(MAGIC)
        self.file.flush()

    def _refused(self, reason: str) -> FileFormatError:
        return FileFormatError(f"{self.path}: is no checkpoint of novum: {reason}. Remove it, or name another file.")

    def records(self) -> Iterator[tuple[int, int]]:
        """Yield place and length of the records that were there when the file was opened."""
        return iter(self.known)

    def read(self, place: int, length: int) -> bytes:
        """Return the data of a record."""
        self.file.seek(place)
        return self.file.read(length)

    def add(self, data: bytes) -> tuple[int, int]:
        """Write a record; return its place and length."""
        place = self.end + HEAD.size
        try:
            self.file.write(HEAD.pack(len(data), checked(data)) + data)
            self.file.flush()
        except OSError as error:
            raise SourceError(f"{self.path}: the checkpoint cannot be written: {error}.") from error
        self.end = place + len(data)
        if time.monotonic() - self.synced > SYNC_SECONDS:
            os.fsync(self.file.fileno())
            self.synced = time.monotonic()
        return place, len(data)

    def rewrite(self, places: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """Keep some records alone, in a file that takes this one's name in one step; return their new places."""
        draft = self.path.with_name(f".{self.path.name}.part")
        new: list[tuple[int, int]] = []
        with open(draft, "wb") as file:
            file.write(MAGIC)
            for place, length in places:
                data = self.read(place, length)
                new.append((file.tell() + HEAD.size, length))
                file.write(HEAD.pack(length, checked(data)) + data)
            file.flush()
            os.fsync(file.fileno())
        take_place(draft, self.path)
        self.file.close()
        self.file = open(self.path, "a+b")  # noqa: SIM115
        self._lock()
        self.file.seek(0, os.SEEK_END)
        self.end = self.file.tell()
        return new

    def close(self) -> None:
        """Give the file back."""
        self.file.close()
