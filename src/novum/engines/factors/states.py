"""Rows of named states into numbers: a frame, a mapping of columns or an array of rows.

A cell that is NaN, None, NA or null is not observed: its code is -1.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, DataWarning
from novum.runtime.message_text import first_few, value_text
from novum.runtime.warn import warn

__all__ = [
    "coded_columns",
    "coded_rows",
    "columns_of",
    "declares_categories",
    "learned_states",
    "plain",
    "state_codes",
    "states_in",
]

MANY_STATES = 20  # different values up to which any column counts as states
MOST_STATES = 1000
ROWS_PER_STATE = 5


def columns_of(owner: str, data: Any, names: tuple[Any, ...]) -> dict[Any, Any]:
    """Return name -> column of a frame or mapping; of an array or list of rows, with `names` for its columns."""
    if isinstance(data, Mapping):
        columns = dict(data)
    elif type(data).__module__.startswith("pandas") and hasattr(data, "items"):
        columns = dict(data.items())  # names may be anything: narwhals would take a number for a row
    elif hasattr(data, "columns") and not isinstance(data, np.ndarray):
        import narwhals as nw

        frame = nw.from_native(data, eager_only=True)
        columns = {name: frame.get_column(name) for name in frame.columns}
    else:
        array = np.asarray(data, dtype=object) if not isinstance(data, np.ndarray) else data
        if array.ndim != 2 or array.shape[1] != len(names):
            raise DataError(
                f"{owner}: an array of rows must have shape (n, {len(names)}), a column for each of "
                f"{', '.join(map(str, names[:20]))}; got {array.shape}. A frame with named columns may hold some of them."
            )
        columns = {name: array[:, i] for i, name in enumerate(names)}
    lengths = {len(column) for column in columns.values()}
    if len(lengths) > 1:
        raise DataError(f"{owner}: the columns differ in length: {sorted(lengths)}.")
    return columns


def distinct(column: Any) -> tuple[list[Any], NDArray[Any]]:
    """Return the distinct values of a column, missing ones left out, and the number of the value of each row (-1: missing)."""
    native = getattr(column, "to_native", lambda: column)()
    module = type(native).__module__.split(".")[0]
    if module == "pandas":
        import pandas as pd

        if isinstance(native.dtype, pd.CategoricalDtype):
            return list(native.cat.categories), native.cat.codes.to_numpy()
        codes, values = pd.factorize(native, use_na_sentinel=True)
        return [plain(v) for v in values], codes
    if module == "polars":
        import polars as pl

        if isinstance(native.dtype, pl.Enum):
            return native.dtype.categories.to_list(), native.to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
        if native.dtype == pl.Categorical:
            native = native.cast(pl.String)
        if native.dtype in (pl.Float32, pl.Float64):
            native = native.fill_nan(None)
        values = native.unique(maintain_order=True).drop_nulls()
        table = {v: i for i, v in enumerate(values.to_list())}
        return list(table), np.array([table.get(v, -1) for v in native.to_list()], dtype=np.int64)
    mixed = isinstance(native, list | tuple) and len({type(v) for v in native}) > 1
    array = (
        np.array([*native, None], dtype=object)[:-1] if mixed else np.asarray(native)
    )  # NumPy would make text of all
    if array.dtype.kind in "biuSU":
        values, codes = np.unique(array, return_inverse=True)
        return values.tolist(), codes.reshape(-1).astype(np.int64)
    if array.dtype.kind == "f":
        values, codes = np.unique(array, return_inverse=True)
        codes = codes.reshape(-1).astype(np.int64)
        kept = ~np.isnan(values)
        return values[kept].tolist(), np.where(kept[codes], codes, -1)
    seen: dict[Any, int] = {}
    codes = np.empty(len(array), dtype=np.int64)
    for i, value in enumerate(array.tolist()):
        codes[i] = -1 if missing(value) else seen.setdefault(value, len(seen))
    return list(seen), codes


def plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def missing(value: Any) -> bool:
    return value is None or value != value or type(value).__name__ in ("NAType", "NaTType")


def states_in(column: Any) -> tuple[Any, ...]:
    """Return the states of a column: declared categories in their order, else the values found, sorted where they can be."""
    values, _ = distinct(column)
    native = getattr(column, "to_native", lambda: column)()
    if hasattr(getattr(native, "dtype", None), "categories") and type(native.dtype).__name__ != "Categorical":
        return tuple(values)
    try:
        return tuple(sorted(values))
    except TypeError:
        return tuple(sorted(values, key=str))


def learned_states(owner: str, name: Any, column: Any) -> tuple[Any, ...]:
    """Return the states of a column from which a model is learned; refuse measurements, which have a state per row."""
    states = states_in(column)
    if len(states) <= MANY_STATES or declares_categories(column):
        return states
    real = any(isinstance(s, float) and not s.is_integer() for s in states)
    if real or len(states) > MOST_STATES:
        what = "numbers with a fraction, a measurement rather than states" if real else "too many for a table"
        raise DataError(
            f"{owner}: column {name!r} has {len(states)} different values, {what}; cut it into a few states "
            "(pandas.cut, KBinsDiscretizer), name them by states=, or model it as a real variable (LinearGaussian, "
            "PC('partial_correlation'))."
        )
    if len(column) < ROWS_PER_STATE * len(states):
        warn(
            f"{owner}: column {name!r} has {len(states)} different values in {len(column)} rows; each became a state of its own. "
            "Drop it if it numbers the rows, or join states.",
            DataWarning,
        )
    return states


def declares_categories(column: Any) -> bool:
    """Return whether a column names its categories itself."""
    native = getattr(column, "to_native", lambda: column)()
    return hasattr(getattr(native, "dtype", None), "categories")


def state_codes(owner: str, name: Any, column: Any, states: tuple[Any, ...]) -> NDArray[np.int32]:
    """Return the number of the state of every row; -1 where it is missing."""
    values, codes = distinct(column)
    if tuple(values) == states:
        return codes.astype(np.int32)
    place = {state: i for i, state in enumerate(states)}
    table = np.empty(len(values) + 1, dtype=np.int32)
    table[-1] = -1
    for i, value in enumerate(values):
        table[i] = place.get(value, -2)
    out = table[codes]
    if (table == -2).any() and (out == -2).any():
        row = int(np.argmax(out == -2))
        raise DataError(
            f"{owner}: row {row} of column {name!r} holds {value_text(values[int(codes[row])])}, which is no state of {name!r}; "
            f"its states are {first_few(states, quoted=True)}."
        )
    return out


def coded_columns(
    owner: str, columns: Mapping[Any, Any], states: Mapping[Any, tuple[Any, ...]]
) -> tuple[tuple[Any, ...], NDArray[np.int32]]:
    """Return the variables that have a column, and their codes, shape (columns, n)."""
    names = tuple(name for name in states if name in columns)
    n = len(columns[names[0]]) if names else 0
    out = np.empty((len(names), n), dtype=np.int32)
    for i, name in enumerate(names):
        out[i] = state_codes(owner, name, columns[name], states[name])
    return names, out


def coded_rows(
    owner: str, data: Any, states: Mapping[Any, tuple[Any, ...]]
) -> tuple[tuple[Any, ...], NDArray[np.int32]]:
    """Return the variables that have a column, and the codes of their rows, shape (n, columns)."""
    columns = columns_of(owner, data, tuple(states))
    names, codes = coded_columns(owner, columns, states)
    if not names:
        lost = [str(name) for name in states] or ["to read: every variable of the network was queried"]
        raise DataError(
            f"{owner}: the data have no column {', '.join(lost[:10])}; columns are named like the variables."
        )
    return names, np.ascontiguousarray(codes.T)
