"""What the parameters of a chain may be."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from novum.base.domains import Domain

__all__ = ["Labels", "Table"]


class Table(Domain):
    """An array of probabilities, or a frame of them."""

    def contains(self, value: Any) -> bool:
        if isinstance(value, str | bytes | Mapping) or not (hasattr(value, "__len__") or hasattr(value, "__array__")):
            return False
        try:
            cells = np.asarray(value, dtype=np.float64)
        except (ValueError, TypeError):
            return False
        return cells.ndim >= 1

    def __str__(self) -> str:
        return "an array-like of probabilities"


class Labels(Domain):
    """A collection of states."""

    def contains(self, value: Any) -> bool:
        return hasattr(value, "__len__") and hasattr(value, "__iter__") and len(value) > 0

    def __str__(self) -> str:
        return "a collection of one or more states"
