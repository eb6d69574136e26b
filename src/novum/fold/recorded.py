"""Passes that are written down while a checkpoint is open: each is a step of the journal (novum.runtime.journal).

A source whose passes are recorded is the same source with another `total` and `walk`; without a checkpoint nothing is asked of any.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from novum.fold.blocks import add
from novum.runtime.journal import recording

__all__ = ["recorded"]


class RecordedPasses:
    """What a recorded source does otherwise."""

    recorded = True

    def total(self, statistics: Callable, params: Any = None, merge: Callable = add) -> Any:
        plain = partial(super().total, statistics, params, merge)  # type: ignore[misc]
        return step(statistics, plain, params)

    def walk(self, function: Callable, state: Any) -> Any:
        plain = partial(super().walk, function, state)  # type: ignore[misc]
        return step(function, plain, state)

    def host(self) -> Any:
        there: Any = super().host()  # type: ignore[misc]
        return self if there is self else recorded(there)


def of_class(kind: type, source: Any) -> Any:
    """Return a source as another class."""
    twin: Any = object.__new__(kind)
    twin.__dict__.update(source.__dict__)
    return twin


def step(function: Any, plain: Callable[[], Any], made_from: Any) -> Any:
    """Return what a pass comes to, as a step of the journal if one is open still.

    A function within a function is no step: it may leave something where it was made, so its pass is made each time.
    """
    journal = recording()
    while isinstance(function, partial):
        made_from, function = (function.args, function.keywords, made_from), function.func
    if journal is None or "<locals>" in getattr(function, "__qualname__", ""):
        return plain()
    return journal.step(getattr(function, "__name__", type(function).__name__), plain, made_from)


@cache
def recorded_class(kind: type) -> type:
    return type(kind.__name__, (RecordedPasses, kind), {"__module__": kind.__module__})


def recorded(source: Any) -> Any:
    """Return a source whose passes are written down if a checkpoint is open; else the source itself."""
    if recording() is None or source.recorded:
        return source
    return of_class(recorded_class(type(source)), source)  # type: ignore[arg-type]
