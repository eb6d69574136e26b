"""Names that a package answers to without listing them: what few people type, found in its module when it is asked for."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["moved_names"]


def moved_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a module's `__getattr__` that finds names in the modules they live in.

    Parameters
    ----------
    package : str
        The package that is asked.
    homes : mapping
        Names, divided by blanks, by the module that defines them; a module of the package itself begins with a point.
    """
    place = {name: module for module, names in homes.items() for name in names.split()}

    def find(name: str) -> Any:
        if name in place:
            return getattr(import_module(place[name], package), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    find.homes = place  # type: ignore[attr-defined]
    return find
