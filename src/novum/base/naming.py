"""Errors that leave a fit name the estimator; a raw error of Python or NumPy becomes one that says what to look at.

Where the input is known to be wrong, a check says so in full. What no check foresaw still must not reach the user as
`IndexError: index 3 is out of bounds`. An error that was raised in code of the user's (a callable parameter, a callback)
is his, and stays as it is.
"""

from types import TracebackType
from typing import Any

import numpy as np

from novum.exceptions import DataError

__all__ = ["error_with_name"]

RAW = (
    IndexError,
    KeyError,
    AttributeError,
    ArithmeticError,
    AssertionError,
    UnboundLocalError,
    MemoryError,
    RecursionError,
)
LIBRARIES = {"novum", "numpy", "scipy", "sklearn", "joblib", "narwhals", "pandas", "polars", "pyarrow"}
LONGEST = 400


def origin(traceback: TracebackType | None) -> str:
    """Return the top package of the function that raised."""
    name = ""
    while traceback is not None:
        name = traceback.tb_frame.f_globals.get("__name__", "")
        traceback = traceback.tb_next
    return str(name).partition(".")[0]


def error_with_name(error: Exception, estimator: Any, method: str = "") -> Exception:
    """Return the error to raise in place of `error`: itself with the estimator's name in it, or one that explains it."""
    owner = type(estimator).__name__
    if isinstance(error, Warning) or origin(error.__traceback__) not in LIBRARIES:
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
        advice = (
            "it needs more memory than there is; ask for less (smaller parameters, fewer rows or columns)"
            if isinstance(error, MemoryError)
            else "look at the kinds, shapes and sizes of X, y, weights and parameters"
        )
        found = DataError(f"{owner}.{method} cannot use this input: {advice}. The cause was {text}")
        found.__cause__ = error
        return found
    return error
