"""Calls of public functions that can be made, and written into a script that makes the same."""

from importlib import import_module
from inspect import signature
from typing import Any

import numpy as np

__all__ = ["Call", "code_of", "literal", "python_script"]


def literal(value: Any) -> str:
    """Return a value as Python writes it: numbers in full, arrays as `np.array([...])`, estimators and calls by their code."""
    if isinstance(value, Call):
        return value.code
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()!r})"
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, list | tuple):
        inner = ", ".join(map(literal, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' if len(value) == 1 else ''})"
    return code_of(value) if hasattr(value, "get_params") else repr(value)


def code_of(estimator: Any) -> str:
    """Return the call that makes an estimator: its class, and the parameters that differ from their defaults."""
    defaults = {name: p.default for name, p in signature(type(estimator).__init__).parameters.items()}
    given = [
        f"{name}={literal(value)}"
        for name, value in estimator.get_params(deep=False).items()
        if not (type(value) is type(defaults[name]) and literal(value) == literal(defaults[name]))
    ]
    return f"{type(estimator).__name__}({', '.join(given)})"


class Call:
    """A call such as `make_moons(300, noise=0.1)`, by the path of its function.

    Parameters
    ----------
    path : str
        Where the function is imported from: "sklearn.datasets.make_moons".
    *given, **named
        Its arguments.
    """

    def __init__(self, path: str, *given: Any, **named: Any) -> None:
        self.path, self.given, self.named = path, given, named

    @property
    def code(self) -> str:
        """The call as Python writes it."""
        arguments = [*map(literal, self.given), *(f"{name}={literal(value)}" for name, value in self.named.items())]
        return f"{self.path.rpartition('.')[2]}({', '.join(arguments)})"

    @property
    def imports(self) -> str:
        """The line that imports the function."""
        module, _, name = self.path.rpartition(".")
        return f"from {module} import {name}"

    def __call__(self) -> Any:
        module, _, name = self.path.rpartition(".")
        return getattr(import_module(module), name)(*self.given, **self.named)


def python_script(blocks: list[str]) -> str:
    """Return a program of several pieces: their imports on top, each once, and numpy where `np.` is used."""
    lines = "\n".join(block.strip("\n") for block in blocks if block.strip()).split("\n")
    imports = {line for line in lines if line.startswith(("import ", "from "))}
    body = "\n".join(line for line in lines if line not in imports).strip("\n")
    if "np." in body:
        imports.add("import numpy as np")
    names: dict[str, set[str]] = {}
    for line in imports:
        module, _, listed = line.partition(" import ")
        names.setdefault(module, set()).update(filter(None, listed.split(", ")))
    order = sorted(names, key=lambda module: (module.startswith("from novum"), module.startswith("from "), module))
    head = [f"{module} import {', '.join(sorted(names[module]))}" if names[module] else module for module in order]
    return "\n".join(head) + "\n\n" + body + "\n"
