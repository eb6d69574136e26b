"""Rows of labels to counts: frames, mappings and arrays as columns, and the states that they hold."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.runtime.checks import row_weights
from novum.runtime.labels import coded_labels

__all__ = ["columns_of", "count_rows", "long_table"]


def columns_of(owner: str, data: Any, names: Any) -> dict[str, NDArray[Any]]:
    """Return the columns of a frame, a mapping or an array (n, d) by name."""
    import narwhals as nw

    chosen = None if names is None else (names,) if isinstance(names, str) else tuple(names)
    if isinstance(data, Mapping):
        every = {str(name): np.asarray(column) for name, column in data.items()}
    elif hasattr(data, "columns"):
        frame = nw.from_native(data, eager_only=True)
        every = {str(name): frame[name].to_numpy() for name in frame.columns}
    else:
        array = np.asarray(data)
        array = array[:, None] if array.ndim == 1 else array
        if array.ndim != 2:
            raise DataError(
                f"{owner}: data has shape {array.shape}; it must be (n, d), a frame or a mapping of columns."
            )
        labels = chosen or tuple(f"x{i}" for i in range(array.shape[1]))
        if len(labels) != array.shape[1]:
            raise ParameterError(f"{owner}: {len(labels)} names for {array.shape[1]} columns.")
        return dict(zip(labels, array.T))
    missing = [name for name in chosen or () if name not in every]
    if missing:
        raise ParameterError(f"{owner}: there is no column {missing[0]!r} among {', '.join(every)}.")
    return every if chosen is None else {name: every[name] for name in chosen}


def count_rows(
    owner: str, columns: dict[str, NDArray[Any]], states: Mapping[str, Any], sample_weight: Any
) -> tuple[NDArray[Any], dict[str, tuple[Any, ...]]]:
    """Return the weighted counts of the rows, an axis per column, and the states of the axes."""
    sizes = {len(column) for column in columns.values()}
    if len(sizes) != 1 or 0 in sizes:
        raise DataError(f"{owner}: the columns have {sorted(sizes)} rows; they must be equally long and not empty.")
    parts = {name: coded_labels(owner, name, column, states.get(name)) for name, column in columns.items()}
    shape = tuple(len(labels) for labels, _ in parts.values())
    flat = np.ravel_multi_index(tuple(codes for _, codes in parts.values()), shape)
    weight = row_weights(owner, sample_weight, sizes.pop())
    counts = np.bincount(flat, weight, minlength=int(np.prod(shape))).reshape(shape)
    return counts, {name: tuple(labels) for name, (labels, _) in parts.items()}


def long_table(
    owner: str, columns: dict[str, NDArray[Any]], values: NDArray[Any]
) -> tuple[NDArray[Any], dict[str, tuple[Any, ...]]]:
    """Return an array from one row per combination; a combination may stand there once."""
    parts = {name: coded_labels(owner, name, column) for name, column in columns.items()}
    shape = tuple(len(labels) for labels, _ in parts.values())
    place = tuple(codes for _, codes in parts.values())
    flat = np.ravel_multi_index(place, shape)
    if np.unique(flat).size < flat.size:
        raise DataError(f"{owner}: a combination of states stands in two rows; add them up first.")
    array = np.zeros(shape)
    array[place] = values
    return array, {name: tuple(labels) for name, (labels, _) in parts.items()}
