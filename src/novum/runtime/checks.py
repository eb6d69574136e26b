"""Checks of arguments that plain functions share: numbers in a domain, float arrays, probabilities, sample weights.

Floats keep their precision (float16 widens to float32), integers and booleans become float64. Every message names the
function, the parameter, the value and what to pass instead.
"""

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError, ParameterTypeError

__all__ = [
    "check_choice",
    "check_count",
    "check_level",
    "check_number",
    "check_significance",
    "check_weight_size",
    "float_array",
    "is_false",
    "is_true",
    "probability_table",
    "row_weights",
    "vector",
]

MOST_WEIGHT = 1e100  # weights, their squares and their products with data can be added up; reciprocals of 1e-100 too
SUM_TOLERANCE = {np.dtype(np.float64): 1e-8, np.dtype(np.float32): 1e-5}  # printed tables keep about eight decimals


def is_true(value: Any) -> bool:
    """Return whether a parameter that may also be a text, an array or a number is True, Python's or NumPy's."""
    return isinstance(value, bool | np.bool_) and bool(value)


def is_false(value: Any) -> bool:
    """Return whether a parameter that may also be a text, an array or a number is False, Python's or NumPy's."""
    return isinstance(value, bool | np.bool_) and not value


def check_number(
    owner: str,
    name: str,
    value: Any,
    low: float = -np.inf,
    high: float = np.inf,
    *,
    open_low: bool = False,
    open_high: bool = False,
) -> float:
    """Return `value` as a float inside the interval, or raise."""
    interval = (
        f"{'(' if open_low or low == -np.inf else '['}{low:g}, {high:g}{')' if open_high or high == np.inf else ']'}"
    )
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        raise ParameterTypeError.of(owner, f"{name} must be a real number in {interval}.", **{name: value})
    number = float(value)
    above = number > low if open_low else number >= low
    below = number < high if open_high else number <= high
    if not (above and below) or np.isinf(number):
        raise ParameterError.of(owner, f"{name} must lie in {interval}.", **{name: value})
    return number


def check_count(owner: str, name: str, value: Any, low: int = 1) -> int:
    """Return `value` as an int of at least `low`, or raise."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Integral):
        raise ParameterTypeError.of(owner, f"{name} must be a whole number, at least {low}.", **{name: value})
    if value < low:
        raise ParameterError.of(owner, f"{name} must be at least {low}.", **{name: value})
    return int(value)


def check_level(owner: str, level: Any) -> float:
    """Return the confidence of an interval as a float from 0.5 to below 1, or raise."""
    number = check_number(owner, "level", level, 0, 1, open_low=True, open_high=True)
    if number < 0.5:
        raise ParameterError.of(
            owner,
            f"level is the confidence of an interval, at least 0.5; did you mean level={1 - number:g}? The error of a test is"
            " called significance.",
            level=level,
        )
    return number


def check_significance(owner: str, significance: Any) -> float:
    """Return the error of a test as a float between 0 and 0.5, or raise."""
    number = check_number(owner, "significance", significance, 0, 1, open_low=True, open_high=True)
    if number >= 0.5:
        raise ParameterError.of(
            owner,
            "significance is the probability that a test errs where nothing differs, below 0.5; did you mean"
            f" significance={1 - number:g}? The confidence of an interval is called level.",
            significance=significance,
        )
    return number


def check_choice(owner: str, name: str, value: Any, choices: tuple[str, ...]) -> str:
    """Return `value` if it is one of `choices`, or raise."""
    if not isinstance(value, str) or value not in choices:
        raise ParameterError.of(owner, f"{name} must be one of {', '.join(map(repr, choices))}.", **{name: value})
    return value


def float_array(owner: str, name: str, value: Any) -> NDArray[Any]:
    """Return `value` as a float32 or float64 array, without a copy where it is one already."""
    array = np.asarray(value)
    if array.dtype == np.float64 or array.dtype == np.float32:
        return array
    if array.dtype.kind == "f":
        return array.astype(np.float32 if array.dtype.itemsize < 4 else np.float64)
    if array.dtype.kind in "biu":
        return array.astype(np.float64)
    raise ParameterTypeError(
        f"{owner}: {name} must hold real numbers, not dtype {array.dtype}; "
        f"convert it with np.asarray({name}, dtype=float)."
    )


def vector(owner: str, name: str, value: Any, size: int | None = None) -> NDArray[Any]:
    """Return `value` as a finite 1-D float64 array, of the given size where one is required."""
    array = np.atleast_1d(float_array(owner, name, value).astype(np.float64, copy=False))
    if array.ndim != 1 or (size is not None and array.size != size):
        wanted = "one-dimensional" if size is None else f"of shape ({size},)"
        raise DataError(f"{owner}: {name} has shape {array.shape}; it must be {wanted}.")
    if not np.all(np.isfinite(array)):
        raise DataError(
            f"{owner}: {name} holds NaN or infinity at index {int(np.argmin(np.isfinite(array)))}; remove it."
        )
    return array


def probability_table(owner: str, name: str, value: Any, axis: Any = None) -> NDArray[Any]:
    """Return `value` as float64 probabilities that sum to one over `axis`, all axes by default."""
    array = float_array(owner, name, value)
    slack = SUM_TOLERANCE[array.dtype]
    p = array.astype(np.float64, copy=False)
    if p.size == 0 or p.ndim == 0:
        raise DataError(f"{owner}: {name} has shape {p.shape}; it needs at least one axis and one entry.")
    bad = ~(p >= 0)
    if bad.any():
        place = tuple(int(i) for i in np.argwhere(bad)[0])
        raise DataError(f"{owner}: {name}{list(place)} = {p[place]:g}; probabilities are >= 0 and not NaN.")
    total = p.sum(axis=axis)
    if not np.all(np.abs(total - 1) <= slack):
        worst = float(np.ravel(total)[np.abs(np.ravel(total) - 1).argmax()])
        raise DataError(
            f"{owner}: {name} sums to {worst:.10g}, not to one; for counts divide by their sum, or use the argument "
            "or constructor for counts."
        )
    return p


def row_weights(owner: str, sample_weight: Any, n_rows: int) -> NDArray[Any] | None:
    """Return the weights of the rows as float64, or None where all are equal by default."""
    if sample_weight is None:
        return None
    weight = vector(owner, "sample_weight", sample_weight, n_rows)
    if weight.min(initial=0.0) < 0:
        raise DataError(
            f"{owner}: sample_weight[{int(np.argmin(weight))}]={weight.min():g} is negative; weights are >= 0."
        )
    if not weight.any():
        raise DataError(f"{owner}: sample_weight is zero everywhere; at least one row needs a positive weight.")
    check_weight_size(owner, float(weight.max()))
    return weight


def check_weight_size(owner: str, largest: float, part: bool = False) -> None:
    """Raise where the largest weight (of a `part` of the rows: if it is too large) leaves sums of weights no room to be numbers."""
    if largest > MOST_WEIGHT or (not part and 0 < largest < 1 / MOST_WEIGHT):
        raise DataError(
            f"{owner}: sample_weight up to {largest:.3g}: sums of such weights leave the range of float64. Give weights between"
            f" {1 / MOST_WEIGHT:g} and {MOST_WEIGHT:g}; divided by the largest they mean the same to a fit without a penalty."
        )
