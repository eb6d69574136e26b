"""Parameters of distributions: read-only float64 arrays, checked once when the distribution is made.

Each check names the family, the parameter, the first value that fails and what to give instead.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError, ParameterTypeError

__all__ = [
    "Parameter",
    "finite",
    "nonnegative",
    "positive",
    "probability",
    "real",
    "require",
    "simplex",
    "whole_numbers",
]

SUM_SLACK = 1e-8  # probabilities that a user types or divides add up to one this closely; they are divided by their sum


class Parameter:
    """A parameter of a distribution: set by its constructor, never again.

    `shown` names another attribute to answer with, where the protocol of distributions has given the name a meaning.
    """

    def __init__(self, shown: str | None = None) -> None:
        self.shown = shown

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        if self.shown is None:
            return instance.__dict__[self.name]
        value = getattr(instance, self.shown)
        value.flags.writeable = False
        return value

    def __set__(self, instance: Any, value: Any) -> None:
        raise AttributeError(
            f"{type(instance).__name__}.{self.name} cannot be changed; make a new {type(instance).__name__}(...)."
        )


def require(family: str, name: str, values: NDArray, good: Any, must: str) -> None:
    """Raise unless `good` holds everywhere; the message shows the first value where it does not."""
    if not np.all(good):
        bad = np.broadcast_to(np.asarray(good), values.shape)
        place = np.unravel_index(int(np.argmin(bad)), values.shape)
        where = f"[{', '.join(map(str, place))}]" if values.ndim else ""
        raise ParameterError(f"{family}({name}{where}={values[place]:g}): {name} must be {must}.")


def real(family: str, name: str, value: Any) -> NDArray[np.float64]:
    """Return `value` as a float64 array."""
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "fiub":
            raise TypeError
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise ParameterTypeError(
            f"{family}({name}={value!r}): {name} must be a real number or an array of them."
        ) from error


def finite(family: str, name: str, value: Any) -> NDArray[np.float64]:
    """Return `value` as a finite float64 array."""
    array = real(family, name, value)
    require(family, name, array, np.isfinite(array), "finite")
    return array


def positive(family: str, name: str, value: Any) -> NDArray[np.float64]:
    """Return `value` as a float64 array above zero."""
    array = real(family, name, value)
    require(family, name, array, (array > 0) & np.isfinite(array), "positive and finite")
    return array


def nonnegative(family: str, name: str, value: Any) -> NDArray[np.float64]:
    """Return `value` as a float64 array of zero or more."""
    array = real(family, name, value)
    require(family, name, array, (array >= 0) & np.isfinite(array), "zero or more, and finite")
    return array


def whole_numbers(family: str, name: str, value: Any) -> NDArray[np.float64]:
    """Return `value` as a float64 array of whole numbers, zero or more."""
    array = nonnegative(family, name, value)
    require(family, name, array, array == np.floor(array), "a whole number, zero or more")
    return array


def probability(family: str, name: str, value: Any) -> NDArray[np.float64]:
    """Return `value` as a float64 array between zero and one."""
    array = real(family, name, value)
    require(family, name, array, (array >= 0) & (array <= 1), "a probability, between 0 and 1")
    return array


def simplex(family: str, name: str, value: Any) -> NDArray[np.float64]:
    """Return `value` as rows of probabilities along the last axis, divided by their sum."""
    array = np.atleast_1d(real(family, name, value))
    require(family, name, array, array >= 0, "probabilities, zero or more")
    total = array.sum(axis=-1, keepdims=True)
    if not array.shape[-1] or not np.all(np.abs(total - 1) <= SUM_SLACK):
        worst = float(total.flat[np.argmax(np.abs(total - 1))]) if total.size and array.shape[-1] else 0.0
        raise ParameterError(
            f"{family}({name}=...): the probabilities add up to {worst:.9g}, not to 1; divide them by their sum."
        )
    return array / total
