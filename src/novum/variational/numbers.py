"""The numbers inside whatever a user calls parameters: nested mappings, sequences, arrays, distributions."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["largest_change", "numbers_of"]

Array = NDArray[np.float64]


def numbers_of(value: Any) -> Array | None:
    """Return all numbers inside as one vector, or None where something else is among them."""
    if hasattr(value, "natural_parameters"):
        return numbers_of(value.natural_parameters())
    if isinstance(value, Mapping):
        return numbers_of(list(value.values()))
    if isinstance(value, list | tuple):
        parts = [numbers_of(part) for part in value]
        found = [part for part in parts if part is not None]
        return np.concatenate([np.empty(0), *found]) if len(found) == len(parts) else None
    if not isinstance(value, bool | int | float | np.generic | np.ndarray):
        return None
    array = np.asarray(value)
    return np.ravel(array).astype(np.float64) if array.dtype.kind in "biuf" else None


def largest_change(before: Any, after: Any) -> float:
    """Return max |after - before| / max(1, |after|) over the numbers inside; NaN where there is no saying."""
    old, new = numbers_of(before), numbers_of(after)
    if old is None or new is None or old.size != new.size or not new.size:
        return float("nan")
    return float((np.abs(new - old) / np.maximum(1.0, np.abs(new))).max())
