"""A computation as steps that are done once: what a step came to is written down, and read instead of made the next time.

A fit is a program that always takes the same way: its data are the same, its draws are functions of its seed, its sums do not
depend on threads. All that takes long in it are steps: a pass over the rows, a tree, an epoch, a stretch of a chain. So a fit that
was killed is begun anew, every step that is in the journal returns at once what it came to, and the fit goes on behind the last
of them with the very numbers it had. Nothing has to be known of the state of a learner, and the bits are the same by construction.

    key of a step  =  fit / step around it / ... / name # how often that name came before in the same place      (1)

With a key goes a digest of what the step was made from. Where it differs, the fit has taken another way than the one that was
written down: that step and all later ones are made again, and a warning says so. A step around others supersedes them.
"""

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from glob import escape
from pathlib import Path
from typing import Any, NamedTuple

from novum.exceptions import DataWarning, FileFormatError
from novum.runtime.journal.file import RecordFile
from novum.runtime.journal.values import LENGTH, NotPlain, decode, digest, encode
from novum.runtime.warn import warn

__all__ = ["Journal", "active", "each_step", "recording", "step"]

LARGEST = 2**28  # bytes of a value that is kept: what is larger is rows, and made again
GARBAGE = 2**26  # bytes of superseded records that a file may hold before it is written anew, if they are half of it

active: ContextVar["Journal | None"] = ContextVar("novum_journal", default=None)


def recording() -> "Journal | None":
    """Return the journal of this context, None without one; a child process writes into none."""
    journal = active.get()
    return journal if journal is not None and journal.process == os.getpid() else None


def step(name: str, make: Callable[[], Any], made_from: Any = None, read: Callable[[Any], Any] | None = None) -> Any:
    """Return `make()`, as a step of the journal if one is open: `Journal.step`."""
    journal = recording()
    return make() if journal is None else journal.step(name, make, made_from, read)


def each_step(name: str, items: list, make: Callable[[list], Iterable[Any]]) -> list:
    """Return `make(items)` as a list, each a step of the journal if one is open: `Journal.each`."""
    journal = recording()
    return list(make(items)) if journal is None else journal.each(name, items, make)


class Entry(NamedTuple):
    """A step that was written down."""

    digest: str
    place: int  # of its record
    length: int
    begin: int  # of the value in it


class Journal:
    """Steps by key (1), in a file.

    Parameters
    ----------
    path : str or path-like
    """

    def __init__(self, path: str | os.PathLike) -> None:
        self.process = os.getpid()
        self.file = RecordFile(path)
        self.entries: dict[str, Entry] = {}
        self.around: set[str] = set()  # keys that steps were written within
        self.scopes: list[str] = []
        self.counts: list[Counter[str]] = [Counter()]
        self.superseded = 0
        self.read = self.made = 0  # steps
        try:
            for place, length in self.file.records():
                key, word, begin = self._heading(place, length)
                self._note(key, Entry(word, place, length, begin))
        except BaseException:
            self.file.close()
            raise

    def _heading(self, place: int, length: int) -> tuple[str, str, int]:
        data = self.file.read(place, length)
        size = int.from_bytes(data[:LENGTH], "little")
        try:
            heading = json.loads(data[LENGTH : LENGTH + size])
            return str(heading["key"]), str(heading["digest"]), LENGTH + size
        except (ValueError, KeyError, TypeError) as error:
            raise FileFormatError(f"{self.file.path}: is no checkpoint of novum: {error}. Remove it.") from error

    def _note(self, key: str, entry: Entry) -> None:
        """Take an entry in; one of the same key, and those within it, are superseded."""
        inner = [one for one in self.entries if one.startswith(key + "/")] if key in self.around else []
        for old in [key, *inner]:
            if old in self.entries:
                self.superseded += self.entries.pop(old).length
        self.around.discard(key)
        self.around.update(key[:at] for at, letter in enumerate(key) if letter == "/")
        self.entries[key] = entry

    def key(self, name: str) -> str:
        """Return the key of the next step of that name here."""
        number = self.counts[-1][name]
        self.counts[-1][name] += 1
        return "/".join([*self.scopes, f"{name}#{number}"])

    @contextmanager
    def inside(self, key: str) -> Iterator[None]:
        """Steps made meanwhile are parts of the one of that key."""
        scopes, self.scopes = self.scopes, [key]
        self.counts.append(Counter())
        try:
            yield
        finally:
            self.scopes = scopes
            self.counts.pop()

    def find(self, key: str, word: str) -> tuple[bool, Any]:
        """Return whether a step is there, made from what `word` is the digest of, and what it came to."""
        entry = self.entries.get(key)
        if entry is None:
            return False, None
        if entry.digest != word:
            self._forget_from(entry.place, key)
            return False, None
        try:
            value = decode(self.file.read(entry.place, entry.length)[entry.begin :])
        except FileFormatError as error:
            raise FileFormatError(
                f"{self.file.path}: step {key}: {error}. Remove the file, or name another."
            ) from error
        self.read += 1
        return True, value

    def _forget_from(self, place: int, key: str) -> None:
        """Drop what was written from a place on: it belongs to another way."""
        for old in [one for one, entry in self.entries.items() if entry.place >= place]:
            self.superseded += self.entries.pop(old).length
        warn(
            f"{self.file.path}: the fit differs from the one that was written down, from step {key} on; it is made again from"
            " there. Is a parameter, a function or the data not what it was?",
            DataWarning,
        )

    def keep(self, key: str, word: str, value: Any) -> Any:
        """Write down what a step came to; return it as it would be read: so a fit that goes on sees what this one does."""
        try:
            data = encode(value)
        except NotPlain:  # it will be made again
            return value
        if len(data) > LARGEST:
            return value
        heading = json.dumps({"key": key, "digest": word}).encode()
        head = len(heading).to_bytes(LENGTH, "little") + heading
        place, length = self.file.add(head + data)
        self._note(key, Entry(word, place, length, len(head)))
        self.made += 1
        if self.superseded > GARBAGE and 2 * self.superseded > self.file.end:
            self._shrink()
        return decode(data)

    def _shrink(self) -> None:
        """Write the file anew without what is superseded."""
        live = sorted(self.entries.items(), key=lambda item: item[1].place)
        places = self.file.rewrite((entry.place, entry.length) for _, entry in live)
        for (key, entry), (place, length) in zip(live, places):
            self.entries[key] = entry._replace(place=place, length=length)
        self.superseded = 0

    def step(
        self, name: str, make: Callable[[], Any], made_from: Any = None, read: Callable[[Any], Any] | None = None
    ) -> Any:
        """Return what a step comes to: read if it was written down, else made and written; `read(value)` follows a reading."""
        key, word = self.key(name), digest(made_from)
        there, value = self.find(key, word)
        if there:
            if read is not None:
                read(value)
            return value
        with self.inside(key):
            value = make()
        return self.keep(key, word, value)

    def each(self, name: str, items: list, make: Callable[[list], Iterable[Any]]) -> list:
        """Return one step per item: those that were written down are read, `make(rest)` yields those of the others in order."""
        keys, words = [self.key(name) for _ in items], [digest(item) for item in items]
        found = [self.find(key, word) for key, word in zip(keys, words)]
        values = [value for _, value in found]
        todo = [i for i, (there, _) in enumerate(found) if not there]
        for i, value in zip(todo, make([items[i] for i in todo])):
            values[i] = self.keep(keys[i], words[i], value)
        return values

    def state(self, name: str) -> "State":
        """Return a place for a state that is replaced again and again, for what is too much to be kept step by step."""
        return State(self, self.key(name))

    def folder(self, name: str) -> Path:
        """Return a folder beside the file, for a computation that keeps its steps in files of its own."""
        place = self.key(name).replace("/", "-").replace("#", "-")
        return self.file.path.with_name(f"{self.file.path.name}.{place}")

    def remove(self) -> None:
        """Remove the file and what lies beside it."""
        self.file.path.unlink(missing_ok=True)
        for folder in self.file.path.parent.glob(f"{escape(self.file.path.name)}.*"):
            if folder.is_dir():
                shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """Give the file back."""
        self.file.close()


class State:
    """One value in a journal, of which the last counts."""

    def __init__(self, journal: Journal, key: str) -> None:
        self.journal, self.key = journal, key

    def last(self) -> Any:
        """Return what was kept last, None before the first time."""
        return self.journal.find(self.key, "")[1]

    def keep(self, value: Any) -> None:
        """Put a value in the place of the last."""
        self.journal.keep(self.key, "", value)
