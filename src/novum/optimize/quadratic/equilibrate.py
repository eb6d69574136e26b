r"""Scaling of a quadratic programme, so that one tolerance fits all its parts.

    x = D u,   Q -> D Q D,   A -> E A D,   G -> F G D                                              (1)

D, E, F are diagonal, found by repeatedly dividing every row and column of [Q A' G'; A; G] by the root of its largest
entry (Ruiz 2001), after which all of them have largest entries near one.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Scaling", "equilibrate"]

Array = NDArray[Any]
ROUNDS = 10  # each takes the root of the imbalance: ten leave a 1000-th root


class Scaling(NamedTuple):
    """The diagonals of (1)."""

    column: Array  # D
    equality: Array  # E
    inequality: Array  # F


def _root(size: Array) -> Array:
    """Return 1 / sqrt(size), and 1 where there is nothing to scale."""
    return 1 / np.sqrt(np.where(size > 0, size, 1.0))


def equilibrate(Q: Array, A: Array, G: Array) -> Scaling:
    """Return the scaling (1) of a programme."""
    column = np.ones(len(Q))
    curved, straight = np.abs(Q), np.abs(np.concatenate([A, G]))
    rows = np.ones(len(straight))
    for _ in range(ROUNDS):
        scaled = straight * rows[:, None] * column
        largest = np.maximum((curved * column).max(axis=1) * column, scaled.max(axis=0, initial=0.0))
        rows = rows * _root(scaled.max(axis=1))
        column = column * _root(largest)
    return Scaling(column, rows[: len(A)], rows[len(A) :])
