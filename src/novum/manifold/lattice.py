"""Lattices of units: where they lie, which are neighbors, how far apart they are; and the picture of a map."""

from typing import Any, NamedTuple

import numpy as np

from novum.report.axes import drawing_axes
from novum.report.style import SEQUENTIAL, paper, shade

__all__ = ["Lattice", "draw_map", "lattice_of"]

HEXAGON = np.sqrt(3) / 2  # distance of rows of a hexagonal lattice
SLACK = 1e-9


class Lattice(NamedTuple):
    positions: np.ndarray  # (m, 2): column and row
    squares: np.ndarray  # (m, m): squared distances
    neighbors: np.ndarray  # (m, m): whether two units touch; on a rectangular lattice corners touch too


def lattice_of(n_rows: int, n_columns: int, kind: str) -> Lattice:
    """Return the lattice of a map, unit r * n_columns + c in row r and column c; odd rows of a hexagonal one are half a unit to the
    right.
    """
    row, column = np.divmod(np.arange(n_rows * n_columns), n_columns)
    x, y = column.astype(float), row.astype(float)
    if kind == "hexagonal":
        x, y = x + 0.5 * (row % 2), y * HEXAGON
    positions = np.column_stack([x, y])
    gap = positions[:, None, :] - positions[None, :, :]
    squares = (gap**2).sum(axis=2)
    reach = 1.0 if kind == "hexagonal" else 2.0
    return Lattice(positions, squares, (squares > 0) & (squares <= reach + SLACK))


def draw_map(lattice: Lattice, heights: np.ndarray, hits: np.ndarray | None, ax: Any = None) -> Any:
    """Draw the heights of the units as colors, and how many rows each is nearest to as dots; return the axes."""
    ax = drawing_axes(ax)
    shape = "H" if np.abs(lattice.positions[:, 1] % 1).max(initial=0.0) > SLACK else "s"
    size = 12.0e3 / max(1.0, float(np.ptp(lattice.positions, axis=0).max(initial=0.0)) + 1) ** 2
    drawn = ax.scatter(*lattice.positions.T, c=heights, s=size, marker=shape, cmap=SEQUENTIAL)
    ax.figure.colorbar(drawn, ax=ax, label="mean distance to neighboring units")
    if hits is not None and hits.max(initial=0.0) > 0:
        ax.scatter(*lattice.positions.T, s=0.4 * size * hits / hits.max(), color=paper(ax), edgecolors=shade(ax, 0.3))
    ax.set(xlabel="column", ylabel="row", aspect="equal", title="U-matrix")
    ax.invert_yaxis()
    return ax
