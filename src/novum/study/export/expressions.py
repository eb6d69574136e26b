"""An estimator as the expression that makes it, from its parameters, with the imports that the expression needs.

    Pipeline(steps=[("fill", SimpleImputer(strategy="median")), ("scale", StandardScaler())])

Written are classes that others can import: those that the families of novum export, and those of other packages under a module none
of whose names begins with an underscore. What cannot be written is an error that names the part, never a silent omission: objects
of classes of a program's own, generators of random numbers in the middle of their stream, long arrays.
"""

import inspect
import math
from typing import Any

import numpy as np

from novum.exceptions import DataError
from novum.study.export.public_names import public_module

__all__ = ["INDENT", "Writer", "joined", "quoted"]

WIDTH = 116  # characters of a line
MOST_NUMBERS = 1_000  # of an array
INDENT = 4


class Writer:
    """Writes values as expressions and remembers what they import."""

    def __init__(self) -> None:
        self.imports: set[tuple[str, str]] = set()

    def lines(self) -> list[str]:
        """Return the lines that import what was written, sorted by package."""
        modules: dict[str, list[str]] = {}
        for module, name in self.imports:
            modules.setdefault(module, []).append(name)
        found = []
        for module in sorted(modules):
            names = sorted(modules[module])
            found.append(f"import {module} as np" if names == ["np"] else f"from {module} import {', '.join(names)}")
        return found

    def text(self, value: Any, about: str, room: int = WIDTH, used: int = 0) -> str:
        """Return the expression of a value, broken into lines where one is too long.

        Parameters
        ----------
        about : what it is, for messages
        room : characters that a line may have
        used : characters of the first line that are taken
        """
        if value is None or isinstance(value, bool | str):
            return quoted(value) if isinstance(value, str) else repr(value)
        if isinstance(value, np.generic):
            return self.text(value.item(), about, room, used)
        if isinstance(value, int | float):
            return repr(value) if math.isfinite(value) else f'float("{value}")'
        if isinstance(value, np.ndarray):
            if value.size > MOST_NUMBERS or value.dtype.kind not in "biufU":
                raise DataError(f"export: {about} is an array of {value.size:,} cells, which no program should hold.")
            self.imports.add(("numpy", "np"))
            return f"np.array({self.text(value.tolist(), about, room, used + 9)})"
        if isinstance(value, list | tuple | set | frozenset):
            items = sorted(value) if isinstance(value, set | frozenset) else value
            parts = [self.text(one, about, room - INDENT, 1) for one in items]
            if isinstance(value, tuple):
                return f"({parts[0]},)" if len(parts) == 1 else joined("(", parts, ")", room - used)
            start, end = ("[", "]") if isinstance(value, list) else ("{", "}")
            return joined(start, parts, end, room - used) if parts or start == "[" else "set()"
        if isinstance(value, dict):
            keys = [self.text(key, about, room) for key in value]
            texts = [self.text(one, about, room - INDENT, len(key) + 3) for key, one in zip(keys, value.values())]
            return joined("{", [f"{key}: {one}" for key, one in zip(keys, texts)], "}", room - used)
        if isinstance(value, slice):
            return f"slice({value.start!r}, {value.stop!r}, {value.step!r})"
        if isinstance(value, type) and issubclass(value, np.generic):
            self.imports.add(("numpy", "np"))
            return f"np.{value.__name__}"
        if isinstance(value, type) or inspect.isroutine(value) or isinstance(value, np.ufunc):
            return self.named(value, about)
        if hasattr(value, "get_params") or holds_its_parameters(value):
            return self.call(value, about, room, used)
        raise DataError(f"export: {about} is {type(value).__name__}, which cannot be written as a program.")

    def named(self, value: Any, about: str) -> str:
        """Return the name of a class or a function, which is imported."""
        if isinstance(value, np.ufunc):
            self.imports.add(("numpy", "np"))
            return f"np.{value.__name__}"
        module = public_module(value)
        if not module:
            where = f"{value.__module__}.{getattr(value, '__qualname__', value)}"
            raise DataError(
                f"export: {about} is {where}, which is no public name: a program that uses it could not be run elsewhere."
            )
        if module == "numpy":
            self.imports.add(("numpy", "np"))
            return f"np.{value.__name__}"
        self.imports.add((module, value.__name__))
        return str(value.__name__)

    def call(self, estimator: Any, about: str, room: int, used: int = 0) -> str:
        """Return the call that makes an estimator; parameters at their defaults are left out, a first one without is not named."""
        name = self.named(type(estimator), about)
        defaults = inspect.signature(type(estimator).__init__).parameters
        first = next((key for key in defaults if key != "self"), "")
        names = [key for key in defaults if key != "self"]
        has = hasattr(estimator, "get_params")
        given = estimator.get_params(deep=False) if has else {key: getattr(estimator, key) for key in names}
        shown = []
        for key in sorted(given, key=lambda key: list(defaults).index(key) if key in defaults else len(defaults)):
            default = defaults[key].default if key in defaults else inspect.Parameter.empty
            if not is_same(given[key], default):
                start = "" if key == first and default is inspect.Parameter.empty else f"{key}="
                part = self.text(given[key], f"{about}, {name}.{key}", room - INDENT, len(start) + 1)
                shown.append(f"{start}{part}")
        return joined(f"{name}(", shown, ")", room - used)


def holds_its_parameters(value: Any) -> bool:
    """Return whether an object keeps what it was made with under the same names, as scikit-learn's splitters do."""
    public = type(value).__module__.split(".")[0] in ("sklearn", "novum")
    parameters = list(inspect.signature(type(value).__init__).parameters)[1:] if public else []
    return bool(parameters) and all(hasattr(value, name) for name in parameters)


def quoted(text: str) -> str:
    """Return a text as a literal in double quotes."""
    plain = repr(text)
    if plain.startswith("'") and '"' not in plain and "\\" not in plain:
        return f'"{text}"'
    return plain


def is_same(value: Any, default: Any) -> bool:
    """Return whether a parameter is at its default."""
    if value is default:
        return True
    plain = (bool, int, float, str)
    return type(value) is type(default) and isinstance(value, plain) and value == default


def joined(start: str, parts: list[str], end: str, room: int) -> str:
    """Return parts between brackets, in one line where there is room."""
    line = f"{start}{', '.join(parts)}{end}"
    if len(line) <= room and "\n" not in line:
        return line
    if len(parts) == 1 and "\n" in parts[0] and parts[0][0] in "[(":  # a single list holds together with its call
        return f"{start}{parts[0]}{end}"
    pad = " " * INDENT
    inside = "".join(f"{pad}{part}".replace("\n", f"\n{pad}") + ",\n" for part in parts)
    return f"{start}\n{inside}{end}"
