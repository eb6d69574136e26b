"""Names that a package imports when they are first used: seen by completion, by `dir` and, under TYPE_CHECKING, by type checkers.

A package whose names cost much to import lists them twice, once for the checker and once for the interpreter; a test compares the
two lists. Where a module is imported anyway its names are imported plainly.

    if TYPE_CHECKING:
        from novum.teaching.games.tic_tac_toe import TicTacToe as TicTacToe
    else:
        __getattr__, __dir__ = lazily(__name__, {".games.tic_tac_toe": "TicTacToe"})
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["lazily"]


def lazily(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package (PEP 562).

    Parameters
    ----------
    package : str
        The package whose names they are.
    homes : mapping
        Names, divided by blanks, by the module that defines them; a module of the package itself begins with a point.
        Under "." stand modules of the package that are names themselves.
    """
    place = {name: module for module, names in homes.items() for name in names.split()}

    def find(name: str) -> Any:
        if name not in place:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if place[name] == ".":
            return import_module(f".{name}", package)
        value = getattr(import_module(place[name], package), name)
        setattr(sys.modules[package], name, value)  # found once
        return value

    def listed() -> list[str]:
        return sorted(sys.modules[package].__all__)

    find.homes = place  # type: ignore[attr-defined]
    return find, listed
