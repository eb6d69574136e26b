r"""Bandwidths: rules of thumb, and the width that leaves one out best.

    scott       h = n^(-1/(d+4))                                                                   (1)
    silverman   h = (n (d + 2) / 4)^(-1/(d+4))                                                     (2)
    leave_one_out: the h of least loss L(h) on a grid about the standard deviation s of the rows, moved to the lowest point of the
    parabola through the three values of L around it, in log h                                              (3)

A row of weight w counts as w rows: leaving one out leaves w - 1 of them. A parabola moves smoothly with the data; a search that
narrows a bracket would not.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_width", "mean_deviation", "rule_of_thumb"]

EXPONENTS = np.linspace(-2.5, 0.5, 25)  # of ten: from a three-hundredth of s to three times it


def rule_of_thumb(rule: str, n: int, d: int) -> float:
    """Return (1) or (2)."""
    return float((n if rule == "scott" else n * (d + 2) / 4) ** (-1 / (d + 4)))


def mean_deviation(X: NDArray, weight: NDArray | None) -> float:
    """Return the root of the mean variance of the columns, one if all rows are equal."""
    X = X.astype(np.float64, copy=False)
    mean = np.average(X, axis=0, weights=weight)
    found = float(np.sqrt(np.average(((X - mean) ** 2).mean(1), weights=weight)))
    return found if found > 0 else 1.0


def best_width(loss: Callable[[float], float], scale: float) -> tuple[float, NDArray, NDArray]:
    """Return (3), and the grid with its losses."""
    grid = scale * 10.0**EXPONENTS
    losses = np.array([loss(h) for h in grid])
    best = int(np.nanargmin(np.where(np.isfinite(losses), losses, np.inf)))
    if best in (0, len(grid) - 1) or not np.isfinite(losses[best - 1 : best + 2]).all():
        return float(grid[best]), grid, losses
    left, middle, right = losses[best - 1 : best + 2]
    bend = left - 2 * middle + right
    shift = 0.0 if bend <= 0 else 0.5 * (left - right) / bend
    return float(grid[best] * 10.0 ** (shift * (EXPONENTS[1] - EXPONENTS[0]))), grid, losses
