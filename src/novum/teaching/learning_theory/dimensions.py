r"""The curse of dimensionality: in many dimensions all of a cube is near its surface, and its cells cannot be filled.

share of the unit cube outside the cube of side s inside it:   1 - s^d                          (1)
cells of a grid of k per axis, each to hold one row:           k^d                              (2)
side of the cube that holds a share f of evenly spread rows:   f^(1/d)                          (3)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.result import Result
from novum.report.style import series
from novum.runtime.checks import check_count, check_number
from novum.runtime.typing import Axes

__all__ = ["DimensionCurse", "curse_of_dimensionality"]


@dataclass(frozen=True, repr=False)
class DimensionCurse(Result):
    """What happens to cubes as dimensions are added.

    Attributes
    ----------
    dimensions : ndarray of int
    shell : ndarray
        (1), the share near the surface.
    rows : ndarray
        (2), rows that fill a grid.
    side : ndarray
        (3), the side of a cube that holds a share of the rows.
    """

    dimensions: NDArray[Any]
    shell: NDArray[Any]
    rows: NDArray[Any]
    side: NDArray[Any]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the shell and the side over the dimensions, and the rows that a grid needs on an axis of their own at the right.

        Parameters
        ----------
        ax : matplotlib axes, default=None
        """
        ax = drawing_axes(ax)
        ax.plot(self.dimensions, self.shell, "o-", label="share in the shell")
        ax.plot(self.dimensions, self.side, "s--", label="side of a neighborhood")
        ax.set(xscale="log", ylim=(0, 1), xlabel="dimensions", ylabel="share")
        need = ax.twinx()
        need.plot(self.dimensions, self.rows, "^:", color=series(need, 2), label="rows to fill a grid")
        need.set(yscale="log", ylabel="rows to fill a grid")
        draw_legend(ax, [*ax.lines, *need.lines], above=True)
        return ax


def curse_of_dimensionality(
    dimensions: Sequence[int] = (1, 2, 3, 5, 10, 20, 50, 100),
    *,
    side: float = 0.99,
    cells: int = 10,
    share: float = 0.1,
) -> DimensionCurse:
    """Return how a cube's shell, the rows of a grid and the side of a neighborhood grow with the dimensions (1) to (3).

        share of the unit cube outside the cube of side s inside it:   1 - s^d    (1)
        cells of a grid of k per axis, each to hold one row:           k^d        (2)
        side of the cube that holds a share f of evenly spread rows:   f^(1/d)    (3)

    Parameters
    ----------
    dimensions : sequence of int
    side : float, default=0.99
        s of (1), between 0 and 1.
    cells : int, default=10
        k of (2).
    share : float, default=0.1
        f of (3), between 0 and 1.

    Examples
    --------
    >>> from novum.teaching import curse_of_dimensionality
    >>> curse_of_dimensionality((1, 2, 10, 100)).shell.round(6)
    array([0.01    , 0.0199  , 0.095618, 0.633968])
    """
    owner = "curse_of_dimensionality"
    d = np.array([check_count(owner, "dimensions", n) for n in dimensions], dtype=np.int64)
    s = check_number(owner, "side", side, 0.0, 1.0)
    f = check_number(owner, "share", share, 0.0, 1.0, open_low=True)
    k = check_count(owner, "cells", cells)
    with np.errstate(divide="ignore", over="ignore"):
        shell = -np.expm1(d * np.log(s))  # (1), to the last digit where s is near one
        return DimensionCurse(d, shell, float(k) ** d, f ** (1 / d))
