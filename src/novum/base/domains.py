"""Parameter domains: what values a constructor parameter may take, and the sentence that says so.

A class declares a table `_domains = {"alpha": Real(0), "max_iter": Int(1) | Null()}`. Descriptions follow scikit-learn's
wording, so that code and tests that match its messages keep working; a remedy is added after them.
"""

import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from novum.exceptions import ParameterError, ParameterTypeError

__all__ = [
    "ArrayLike",
    "Bool",
    "Choice",
    "ClassWeight",
    "Domain",
    "Fittable",
    "Function",
    "Instance",
    "Int",
    "Methods",
    "Null",
    "RandomState",
    "Real",
    "Share",
    "check",
    "outside",
]


LARGEST_COUNT = 2**63 - 1


class Domain:
    """A set of values. Domains unite with `|`."""

    def contains(self, value: Any) -> bool:
        """Return whether `value` belongs to the domain."""
        raise NotImplementedError(type(self).__name__)

    def right_type(self, value: Any) -> bool:
        """Return whether `value` is at least of a type that the domain holds."""
        return False

    def suggestion(self, value: Any) -> str:
        """Return the remedy for `value`, or an empty string where the description says all."""
        return ""

    def __or__(self, other: "Domain") -> "Domain":
        return Union((self, other))


@dataclass(frozen=True)
class Interval(Domain):
    """Numbers between two bounds; each bound is closed unless `open` names it ("low", "high" or "both").

    Infinity is a value only where it is given as a closed bound: a parameter without a bound still is a number.
    """

    kind: type
    low: float | None = None
    high: float | None = None
    open: str = ""

    def contains(self, value: Any) -> Any:
        if not self.right_type(value) or value != value:  # NaN lies in no interval
            return False
        if value in (np.inf, -np.inf) and value not in (self.low, self.high):
            return False
        if self.kind is numbers.Integral and abs(int(value)) > LARGEST_COUNT:
            return False
        above = self.low is None or value > self.low or (value == self.low and self.open not in ("low", "both"))
        below = self.high is None or value < self.high or (value == self.high and self.open not in ("high", "both"))
        return bool(above and below)

    def right_type(self, value: Any) -> Any:
        return isinstance(value, self.kind) and not isinstance(value, bool | np.bool_)

    def suggestion(self, value: Any) -> str:
        if isinstance(value, str):
            return "Give the number itself, not text."
        if self.right_type(value) and not -np.inf < value < np.inf:
            return "Give a finite number."
        if self.right_type(value) and abs(value) > LARGEST_COUNT:
            return f"No machine counts beyond {LARGEST_COUNT}."
        return ""

    def __str__(self) -> str:
        noun = "an int" if self.kind is numbers.Integral else "a float"
        left = "(" if self.low is None or self.open in ("low", "both") else "["
        right = ")" if self.high is None or self.open in ("high", "both") else "]"
        low, high = "-inf" if self.low is None else self.low, "inf" if self.high is None else self.high
        return f"{noun} in the range {left}{low}, {high}{right}"


class Share(Interval):
    """Floats between two bounds; a whole number counts something instead, so it is none of these."""

    def right_type(self, value: Any) -> Any:
        return super().right_type(value) and not isinstance(value, numbers.Integral)


def Int(low: int | None = None, high: int | None = None) -> Domain:
    """Whole numbers from `low` to `high`, both allowed."""
    return Interval(numbers.Integral, low, high)


def Real(low: float | None = None, high: float | None = None, open: str = "") -> Domain:
    """Real numbers from `low` to `high`; `open` names the bounds that are left out ("low", "high", "both")."""
    return Interval(numbers.Real, low, high, open)


@dataclass(frozen=True)
class Choice(Domain):
    """One of a few strings."""

    options: tuple[str, ...]

    def __init__(self, *options: str) -> None:
        object.__setattr__(self, "options", options)

    def contains(self, value: Any) -> Any:
        return isinstance(value, str) and value in self.options

    def right_type(self, value: Any) -> Any:
        return isinstance(value, str)

    def suggestion(self, value: Any) -> Any:
        from difflib import get_close_matches

        near = get_close_matches(value, self.options, n=1) if isinstance(value, str) else []
        return f"Did you mean {near[0]!r}?" if near else ""

    def __str__(self) -> str:
        return f"a str among {{{', '.join(sorted(map(repr, self.options)))}}}"


@dataclass(frozen=True)
class Bool(Domain):
    """True or False."""

    def contains(self, value: Any) -> Any:
        return isinstance(value, bool | np.bool_)

    right_type = contains

    def __str__(self) -> str:
        return "an instance of 'bool' or an instance of 'numpy.bool'"


@dataclass(frozen=True)
class Null(Domain):
    """None, for parameters that may be left open."""

    def contains(self, value: Any) -> bool:
        return value is None

    right_type = contains

    def __str__(self) -> str:
        return "None"


@dataclass(frozen=True)
class ArrayLike(Domain):
    """Anything with rows: a sequence, an array, a frame column; at least so many, and if they are numbers, finite ones."""

    least: int = 0

    def contains(self, value: Any) -> Any:
        return self.right_type(value) and self.long_enough(value) and not holds_gaps(value)

    def right_type(self, value: Any) -> Any:
        if isinstance(value, str | bytes | Mapping):
            return False
        return hasattr(value, "__len__") or hasattr(value, "__array__")

    def long_enough(self, value: Any) -> Any:
        shape = getattr(value, "shape", None)  # never by conversion: pairs of train and test rows differ in length
        if shape is None:
            return not self.least or not hasattr(value, "__len__") or len(value) >= self.least
        return not self.least or not shape or shape[0] >= self.least

    def suggestion(self, value: Any) -> Any:
        if not self.right_type(value):
            return ""
        return "It holds NaN or infinity: give finite numbers." if holds_gaps(value) else f"Give {self.least} or more."

    def __str__(self) -> str:
        return "an array-like"


def holds_gaps(value: Any) -> bool:
    """Return whether a value is an array-like of numbers of which one is NaN or infinite."""
    if hasattr(value, "dtype") and not isinstance(value, np.ndarray):
        value = getattr(value, "data", value) if hasattr(value, "nnz") else value  # a sparse matrix: its entries
    try:
        cells = np.asarray(value)
    except (ValueError, TypeError):  # a ragged list, say of estimators
        return False
    return cells.dtype.kind in "fc" and not bool(np.isfinite(cells).all())


@dataclass(frozen=True)
class ClassWeight(Domain):
    """A table of weights by class; `several` allows one, or "balanced", for each of several targets."""

    several: bool = False

    def contains(self, value: Any) -> Any:
        if isinstance(value, list):
            return self.several and all(part == "balanced" or self.is_table(part) for part in value)
        return self.is_table(value)

    def is_table(self, value: Any) -> Any:
        return isinstance(value, dict) and all(Interval(numbers.Real, 0).contains(weight) for weight in value.values())

    def right_type(self, value: Any) -> Any:
        return isinstance(value, dict) or (self.several and isinstance(value, list))

    def suggestion(self, value: Any) -> str:
        return "Weights of classes are finite numbers of zero or more, as in {0: 1.0, 1: 2.0}."

    def __str__(self) -> str:
        return "an instance of 'dict'" + (" or an instance of 'list'" if self.several else "")


@dataclass(frozen=True)
class Function(Domain):
    """A callable."""

    def contains(self, value: Any) -> Any:
        return callable(value)

    right_type = contains

    def __str__(self) -> str:
        return "a callable"


@dataclass(frozen=True)
class Methods(Domain):
    """Objects with certain methods."""

    names: tuple[str, ...]

    def __init__(self, *names: str) -> None:
        object.__setattr__(self, "names", names)

    def contains(self, value: Any) -> Any:
        return all(callable(getattr(value, name, None)) for name in self.names)

    def __str__(self) -> str:
        return f"an object implementing {' and '.join(map(repr, self.names))}"


@dataclass(frozen=True)
class Instance(Domain):
    """An object of a class, or of one that behaves like it (`test`)."""

    cls: type
    test: Callable[[Any], bool] | None = field(default=None, compare=False)

    def contains(self, value: Any) -> Any:
        return isinstance(value, self.cls) or (self.test is not None and self.test(value))

    right_type = contains

    def __str__(self) -> str:
        return f"an instance of '{self.cls.__module__}.{self.cls.__qualname__}'".replace("'builtins.", "'")


@dataclass(frozen=True)
class RandomState(Domain):
    """What seeds a generator: None, an int, a NumPy Generator, RandomState or SeedSequence."""

    def contains(self, value: Any) -> Any:
        if isinstance(value, numbers.Integral) and not isinstance(value, bool):
            return int(value) >= 0
        return value is None or isinstance(value, np.random.Generator | np.random.RandomState | np.random.SeedSequence)

    def right_type(self, value: Any) -> Any:
        return isinstance(value, numbers.Integral)

    def __str__(self) -> str:
        return "a non-negative int, a numpy Generator, RandomState or SeedSequence, or None"


@dataclass(frozen=True)
class Union(Domain):
    parts: tuple[Domain, ...]

    def contains(self, value: Any) -> Any:
        return any(part.contains(value) for part in self.parts)

    def right_type(self, value: Any) -> Any:
        return any(part.right_type(value) for part in self.parts)

    def suggestion(self, value: Any) -> Any:
        return next(filter(None, (part.suggestion(value) for part in self.parts)), "")

    def __or__(self, other: Any) -> Any:
        return Union((*self.parts, other))

    def __str__(self) -> str:
        return f"{', '.join(map(str, self.parts[:-1]))} or {self.parts[-1]}"


def check(domains: dict[str, Domain], values: dict[str, Any], owner: str) -> None:
    """Raise ParameterError for the first of `values` that lies outside its domain; `owner` is the estimator or function."""
    for name, domain in domains.items():
        if name in values and not domain.contains(values[name]):
            raise outside(name, domain, values[name], owner)


def outside(name: str, domain: Domain, value: Any, owner: str) -> Exception:
    """Return the error for a parameter outside its domain."""
    error = ParameterError if domain.right_type(value) else ParameterTypeError
    sentence = f"The {name!r} parameter of {owner} must be {domain}. Got {value!r} instead."
    return error(f"{sentence} {domain.suggestion(value)}".rstrip())


class Fittable(Domain):
    """Objects with a method `fit`."""

    def contains(self, value: Any) -> bool:
        return hasattr(value, "fit")

    def __str__(self) -> str:
        return "an object implementing 'fit'"
