"""Where others import a class or a function from: the public module that has it under its name."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

__all__ = ["public_module"]


def public_module(value: Any) -> str:
    """Return the shortest public module that has a class or a function under its name; "" where none has.

    Of novum public is what a package lists, and what a module lists that its package lists; of other packages every module none of
    whose names begins with an underscore.
    """
    parts = (value.__module__ or "").split(".")
    if parts[0] == "novum":
        return public_module_of_ours(value, parts)
    for depth in range(1, len(parts) + 1):
        module = ".".join(parts[:depth])
        if parts[depth - 1].startswith("_"):
            return ""
        try:
            found = import_module(module)
        except ImportError:
            return ""
        if has(found, value):
            return module
    return ""


def public_module_of_ours(value: Any, parts: list[str]) -> str:
    """Return the public module of novum: in the path of the value, or of another family that lists it, too."""
    import novum

    own = [".".join(parts[:depth]) for depth in range(2, len(parts) + 1)]
    for module in own:
        if is_listed(module) and has(import_module(module), value):
            return module
    for family in (f"novum.{name}" for name in novum.__all__ if is_module(f"novum.{name}")):
        inner = (f"{family}.{name}" for name in import_module(family).__all__ if name.islower())
        for module in (family, *(one for one in inner if is_module(one))):
            if has(import_module(module), value):
                return module
    return ""


def has(module: Any, value: Any) -> bool:
    """Return whether a module has a value under its name, and lists it if it lists names."""
    name, listed = value.__name__, getattr(module, "__all__", None)
    return (listed is None or name in listed) and getattr(module, name, None) is value


def is_listed(module: str) -> bool:
    """Return whether the package around a module of novum lists it, and so on up to novum."""
    package, _, name = module.rpartition(".")
    return module == "novum" or (name in getattr(import_module(package), "__all__", ()) and is_listed(package))


def is_module(name: str) -> bool:
    """Return whether there is a module of that name."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False
