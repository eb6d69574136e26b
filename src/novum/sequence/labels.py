"""Labels of the rows to come: numbers and dates go on as they came, where it is clear how."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["dated", "following_labels", "index_of"]


def index_of(X: Any) -> NDArray | None:
    """Return the labels of the rows of a frame or series: its index, or its one column of dates."""
    index = getattr(X, "index", None)
    found = None if index is None or callable(index) else np.asarray(index)
    return found if found is not None and found.ndim == 1 else None


def dated(X: Any) -> tuple[Any, NDArray | None]:
    """Return a frame without its column of dates, and those dates, where it has one such column beside others."""
    columns = getattr(X, "columns", None)
    if columns is None or not hasattr(X, "drop") or len(columns) < 2:
        return X, None
    dates = [name for name in columns if is_temporal(X[name])]
    if len(dates) != 1:
        return X, None
    rest = X.drop(columns=dates) if hasattr(X, "iloc") else X.drop(dates)
    return rest, np.asarray(X[dates[0]].to_numpy())


def is_temporal(column: Any) -> bool:
    """Return whether a column of a frame holds dates."""
    dtype = getattr(column, "dtype", None)
    temporal = getattr(dtype, "is_temporal", None)  # polars
    if callable(temporal):
        return bool(temporal())
    return getattr(dtype, "kind", "") == "M"


def months_on(past: NDArray, steps: NDArray) -> NDArray | None:
    """Return dates that go on by months, quarters or years: the same place from the beginning, or from the end, of a month."""
    months = past.astype("datetime64[M]")
    gaps = np.diff(months.astype(np.int64))
    if len(past) < 3 or gaps[0] == 0 or (gaps != gaps[0]).any():
        return None
    later = months[-1] + steps * gaps[0]
    from_start, to_end = past - months.astype(past.dtype), (months + 1).astype(past.dtype) - past
    if (from_start == from_start[0]).all():
        found = later.astype(past.dtype) + from_start[0]
    elif (to_end == to_end[0]).all():
        found = (later + 1).astype(past.dtype) - to_end[0]
    else:
        return None
    return found if (found.astype("datetime64[M]") == later).all() else None


def working_days_on(past: NDArray, steps: NDArray) -> NDArray | None:
    """Return dates that go on by working days, where the past ones have a weekend between them and none on it."""
    days = past.astype("datetime64[D]")
    if len(past) < 6 or (days.astype(past.dtype) != past).any() or not np.is_busday(days).all():
        return None
    if (np.busday_count(days[:-1], days[1:]) != 1).any():
        return None
    return np.busday_offset(days[-1], steps).astype(past.dtype)


def following_labels(past: Any, n_steps: int) -> NDArray:
    """Return the labels after those of the past; positions where it is not clear how they go on."""
    past, steps = np.asarray(past), np.arange(1, n_steps + 1)
    positions = len(past) - 1 + steps
    if len(past) < 2:
        return positions
    kind = past.dtype.kind
    if kind in "iufM":
        gaps = np.diff(past)
        if (gaps == gaps[0]).all() and gaps[0] != gaps[0] * 0:
            return past[-1] + steps * gaps[0]
        if kind == "f" and np.allclose(gaps, gaps[0], rtol=1e-9) and gaps[0] != 0:
            return past[-1] + steps * (past[-1] - past[0]) / (len(past) - 1)
    if kind == "M":
        for rule in (months_on, working_days_on):
            found = rule(past, steps)
            if found is not None:
                return found
    if kind == "O":  # periods, dates with a time zone
        try:
            gap = past[1] - past[0]
            if all(b - a == gap for a, b in pairwise(past)) and gap != gap * 0:
                return np.array([past[-1] + int(step) * gap for step in steps], dtype=object)
        except (TypeError, ValueError, OverflowError):
            pass
    return positions
