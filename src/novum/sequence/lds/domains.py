"""What the parameters of a linear dynamical system may be."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from novum.base.domains import Domain

__all__ = ["Matrix", "Names"]


class Matrix(Domain):
    """Numbers in up to three axes; NaN marks what is to be learned."""

    def contains(self, value: Any) -> bool:
        if isinstance(value, str | bytes | Mapping | bool):
            return False
        try:
            cells = np.asarray(value)
        except (ValueError, TypeError):
            return False
        return cells.dtype.kind in "fiu" and cells.ndim <= 3

    def __str__(self) -> str:
        return "an array-like of numbers"


class Names(Domain):
    """A name, or a collection of names."""

    def contains(self, value: Any) -> bool:
        return isinstance(value, str) or (
            isinstance(value, list | tuple | set | frozenset) and all(isinstance(name, str) for name in value)
        )

    def __str__(self) -> str:
        return "a str or a collection of str"
