"""Errors that leave a fit name the estimator; a fault of ours looks like one.

Where the input is known to be wrong, a check says so in full. What no check foresaw is one of two things. A raw error of a
library that was handed the data (pandas, SciPy, memory that ran out) is reported as what it is, with where to look. An IndexError,
AttributeError or failed assertion in our own code is our fault, whatever the input was, and becomes an `InternalError` that says
so and requests a report. An error that was raised in code of the user's (a callable parameter, a callback) is his, and stays.
"""

from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import DataError, InternalError

__all__ = ["error_with_name"]

FAULTS = (
    LookupError,
    AttributeError,
    AssertionError,
    NameError,
    ZeroDivisionError,
)  # of ours, where our code raised them
RAW = (*FAULTS, ArithmeticError, MemoryError, RecursionError)
LIBRARIES = {"novum", "numpy", "scipy", "sklearn", "joblib", "narwhals", "pandas", "polars", "pyarrow"}
LONGEST = 400


class ErrorLocation(NamedTuple):
    """Where an error was raised: module and line."""

    module: str
    line: int


def place_of(traceback: TracebackType | None) -> ErrorLocation:
    """Return the place of the function that raised."""
    found = ErrorLocation("", 0)
    while traceback is not None:
        found = ErrorLocation(str(traceback.tb_frame.f_globals.get("__name__", "")), traceback.tb_lineno)
        traceback = traceback.tb_next
    return found


def error_with_name(error: Exception, estimator: Any, method: str = "") -> Exception:
    """Return the error to raise in place of `error`: itself with the estimator's name in it, or one that explains it."""
    owner = type(estimator).__name__
    place = place_of(error.__traceback__)
    package = place.module.partition(".")[0]
    if isinstance(error, Warning) or package not in LIBRARIES:
        return error
    plain = len(error.args) > 0 and isinstance(error.args[0], str)
    if (
        isinstance(error, ValueError | TypeError)
        and plain
        and not isinstance(error, np.exceptions.AxisError | UnicodeError)
    ):
        if owner not in str(error):
            error.args = (f"{error.args[0]} [{owner}{method and '.'}{method}]", *error.args[1:])
        return error
    if isinstance(error, RAW) or (isinstance(error, ValueError | TypeError) and not plain):
        text = f"{type(error).__name__}: {error}"[:LONGEST]
        if package == "novum" and isinstance(error, FAULTS):
            return InternalError(
                f"{owner}.{method}: this is a fault of novum, whatever the data are; nothing was changed. Please report it with the"
                f" call and the trace above. It happened in {place.module}, line {place.line}: {text}"
            )
        advice = (
            "it needs more memory than there is; ask for less (smaller parameters, fewer rows or columns)"
            if isinstance(error, MemoryError)
            else "look at the kinds, shapes and sizes of X, y, weights and parameters"
        )
        return DataError(f"{owner}.{method} cannot use this input: {advice}. The cause was {text}")
    return error
