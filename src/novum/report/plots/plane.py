"""Rows as points of a plane: names of columns, grids over rows, and the two directions in which many columns are seen best."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Plane", "column_names", "grid_over", "name_axes", "plane_of", "short_name", "without_names"]

POINTS = 150  # of a grid, per side
ROOM = 0.08  # of the range of the rows, around them
LONGEST_NAME = 24  # characters of the name of a column beside an axis


class Plane(NamedTuple):
    """Where rows are drawn: `(rows - center) @ axes`, and what stands beside the two axes."""

    center: NDArray  # (d,)
    axes: NDArray  # (d, 2)
    names: tuple[str, str]

    def points(self, rows: NDArray) -> NDArray:
        """Return the points of rows."""
        return (np.asarray(rows, np.float64) - self.center) @ self.axes  # (n, 2)


def short_name(name: Any) -> str:
    """Return the name of a column, cut in the middle where it is long."""
    text = str(name)
    half = (LONGEST_NAME - 1) // 2
    return text if len(text) <= LONGEST_NAME else f"{text[:half]}…{text[-half:]}"


def column_names(model: Any, n_columns: int) -> list[str]:
    """Return the names of the columns that a model learned from, or their numbers."""
    names = getattr(model, "feature_names_in_", None)
    if names is None or len(names) != n_columns:
        names = [f"column {j}" for j in range(n_columns)]
    return [short_name(name) for name in names]


def name_axes(ax: Any, names: Any) -> None:
    """Write names beside the axes where nothing stands there yet."""
    for name, get, put in zip(names, (ax.get_xlabel, ax.get_ylabel), (ax.set_xlabel, ax.set_ylabel)):
        if not get():
            put(name)


def grid_over(points: NDArray, n: int = POINTS) -> tuple[NDArray, NDArray, NDArray]:
    """Return the coordinates of a grid over points of the plane, and the grid's points as rows."""
    low, high = np.nanmin(points, axis=0), np.nanmax(points, axis=0)
    room = ROOM * np.where(high > low, high - low, 1.0)
    across, up = np.meshgrid(*(np.linspace(a - r, b + r, n) for a, b, r in zip(low, high, room)))
    return across, up, np.column_stack([across.ravel(), up.ravel()])


def plane_of(model: Any, rows: NDArray) -> Plane:
    """Return the plane of two columns, or of the two principal directions of the scaled columns where there are more."""
    d = rows.shape[1]
    names = column_names(model, d)
    if d <= 2:
        return Plane(np.zeros(d), np.eye(d, 2), (names[0], names[1] if d == 2 else ""))
    center, deviation = np.nanmean(rows, axis=0), np.nanstd(rows, axis=0)
    scale = 1 / np.where(deviation > 0, deviation, 1.0)
    scaled = np.nan_to_num((rows - center) * scale)
    _, values, directions = np.linalg.svd(scaled, full_matrices=False)
    share = values**2 / max(float((values**2).sum()), np.finfo(float).tiny)
    axes = scale[:, None] * np.eye(d, 2)
    axes[:, : len(directions[:2])] = scale[:, None] * directions[:2].T
    labels = [f"direction {k + 1} of {d} columns ({100 * share[k] if k < len(share) else 0:.0f} %)" for k in range(2)]
    return Plane(center, axes, (labels[0], labels[1]))


@contextmanager
def without_names() -> Iterator[None]:
    """Let models that know the names of their columns predict points of the plane."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        yield
