"""Observed series: one or several, of arrays, frames or lists; NaN and masked cells are not observed."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError, ParameterTypeError
from novum.fold.gathering import whole_table
from novum.sequence.labels import dated, index_of

__all__ = ["Observed", "read_controls", "read_series"]

Array = NDArray[Any]


class Observed(NamedTuple):
    """A series of n rows with p cells, and what its rows are called."""

    values: Array  # (n, p)
    index: Any  # labels of the rows, or None


def is_many(X: Any) -> bool:
    """Return whether X holds several series: a list of arrays or frames, or an array of three axes."""
    if isinstance(X, list | tuple):
        return bool(X) and all(hasattr(item, "__array__") and getattr(item, "ndim", 0) > 0 for item in X)
    return getattr(X, "ndim", 0) == 3


def one_series(owner: str, X: Any, n_cells: int | None, name: str) -> Observed:
    """Return a series as floats, one column where it has one axis; errors name it."""
    rows: Any
    rows, index = dated(X)
    index = index_of(rows) if index is None else index
    if isinstance(rows, np.ma.MaskedArray):
        rows = np.ma.filled(rows.astype(np.float64), np.nan)
    try:
        values = (
            rows.to_numpy(dtype=np.float64, na_value=np.nan)
            if hasattr(rows, "iloc")
            else np.asarray(rows, dtype=np.float64)
        )
    except (TypeError, ValueError) as error:
        raise ParameterTypeError(
            f"{owner}: {name} must hold real numbers, NaN where nothing was observed ({error})."
        ) from error
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2:
        raise DataError(f"{owner}: {name} has shape {values.shape}; a series has rows (steps) and columns (cells).")
    if not values.shape[0] or not values.shape[1]:
        raise DataError(f"{owner}: {name} has shape {values.shape}; at least one row and one column are needed.")
    if np.isinf(values).any():
        row = int(np.isinf(values).any(axis=1).argmax())
        raise DataError(
            f"{owner}: {name} holds infinity at row {row}; give numbers, or NaN where nothing was observed."
        )
    if n_cells is not None and values.shape[1] != n_cells:
        raise DataError(
            f"{owner}: {name} has {values.shape[1]} columns, but observation has {n_cells} rows; they are the cells of a row."
        )
    return Observed(np.ascontiguousarray(values), index)


def read_series(owner: str, X: Any, n_cells: int | None = None, name: str = "X") -> tuple[list[Observed], bool]:
    """Return the series in X, and whether there may be several."""
    if X is None:
        raise ParameterError(f"{owner}: {name} is None; give an array of rows, or a list of such arrays.")
    X = whole_table(owner, X)
    if not is_many(X):
        return [one_series(owner, X, n_cells, name)], False
    if not len(X):
        raise DataError(f"{owner}: {name} holds no series.")
    found = [one_series(owner, item, n_cells, f"{name}[{i}]") for i, item in enumerate(X)]
    widths = {item.values.shape[1] for item in found}
    if len(widths) > 1:
        raise DataError(f"{owner}: the series of {name} have {sorted(widths)} columns; all must have the same cells.")
    return found, True


def read_controls(owner: str, controls: Any, lengths: list[int], n_controls: int) -> list[Array] | None:
    """Return the controls of every series, (n, k) each, or None where the system has none."""
    if controls is None:
        if n_controls:
            raise ParameterError(f"{owner}: the system has {n_controls} control(s); give controls=, one row per step.")
        return None
    if not n_controls:
        raise ParameterError(
            f"{owner}: controls are given, but the system has no matrix control or observation_control."
        )
    items, _ = read_series(owner, controls, None, "controls")
    if len(items) == 1 and len(lengths) > 1:
        items = items * len(lengths)
    if len(items) != len(lengths):
        raise DataError(f"{owner}: controls for {len(items)} series, but X has {len(lengths)}.")
    for item, length in zip(items, lengths, strict=True):
        if item.values.shape[1] != n_controls or len(item.values) < length or np.isnan(item.values).any():
            raise DataError(
                f"{owner}: controls have shape {item.values.shape}; they must have shape ({length}, {n_controls}) without NaN."
            )
    return [item.values for item in items]
