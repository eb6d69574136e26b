"""Labels to codes: which different labels there are, and the place of each; fast for numbers and strings, right for objects."""

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError

__all__ = ["coded_labels", "in_order"]


def in_order(labels: Any) -> list[Any]:
    """Return the different labels, sorted; without a common order they keep that of their appearance."""
    found = list(dict.fromkeys(labels))
    with suppress(TypeError):
        found.sort()
    return found


def missing(owner: str, name: str, row: int) -> DataError:
    """Return the error for a label that is not there."""
    return DataError(f"{owner}: {name}[{row}] is missing; drop it or give it a label of its own.")


def coded_labels(owner: str, name: str, labels: Any, states: Any = None) -> tuple[list[Any], NDArray[np.int64]]:
    """Return the states (those given, or the labels in order) and the place of every label among them."""
    array = np.asarray(labels)
    if array.ndim != 1 or array.size == 0:
        raise DataError(f"{owner}: {name} has shape {array.shape}; labels are a flat sequence with at least one entry.")
    if array.dtype.kind in "fc" and (bad := np.isnan(array)).any():
        raise missing(owner, name, int(bad.argmax()))
    if array.dtype.kind in "mM" and (bad := np.isnat(array)).any():
        raise missing(owner, name, int(bad.argmax()))
    if array.dtype.kind == "O":
        values = array.tolist()
        found = in_order(values)
        if any(value is None or value != value for value in found):
            raise missing(owner, name, next(i for i, v in enumerate(values) if v is None or v != v))
        place = {value: i for i, value in enumerate(found)}
        codes = np.fromiter((place[value] for value in values), np.int64, len(values))
    else:
        unique, codes = np.unique(array, return_inverse=True)
        found, codes = unique.tolist(), codes.astype(np.int64, copy=False)
    if states is None:
        return found, codes
    place = {state: i for i, state in enumerate(states)}
    unknown = [value for value in found if value not in place]
    if unknown:
        raise DataError(f"{owner}: {name} holds {unknown[0]!r}, which is not among its states {tuple(states)}.")
    return list(states), np.array([place[value] for value in found], np.int64)[codes]
