"""What the pictures of the plane share: checked rows, grids over them, boundaries within them, points by class."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import column_or_1d

from novum.exceptions import DataError
from novum.linear_model.hyperplane import Hyperplane
from novum.report.style import class_colors, paper, series

__all__ = ["Window", "boundary_of", "draw_classes", "draw_regions", "labeled_plane", "window_of"]

POINTS = 160  # of a grid, per side
BORDER = 0.12  # of the range of the rows, around them
Window = tuple[NDArray, NDArray]  # the least and the greatest of each coordinate


def labeled_plane(owner: str, X: Any, y: Any) -> tuple[NDArray, NDArray, NDArray]:
    """Return rows of two columns, the codes of their labels, and the labels."""
    rows = check_array(X, dtype=np.float64, estimator=owner, input_name="X")
    if rows.shape[1] != 2:
        raise DataError(f"{owner} draws points of the plane; X has {rows.shape[1]} columns. Choose two.")
    labels = column_or_1d(y)
    check_consistent_length(rows, labels)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise DataError(f"{owner}: y has one label only, {classes[0]!r}; there is nothing to separate.")
    return rows, codes, classes


def window_of(rows: NDArray) -> Window:
    """Return the corners of the picture: the rows and a border about them."""
    low, high = rows.min(axis=0), rows.max(axis=0)
    edge = BORDER * np.where(high > low, high - low, 1.0)
    return low - edge, high + edge


def grid_of(window: Window) -> tuple[NDArray, NDArray, NDArray]:
    """Return the coordinates of a grid, and its points as rows."""
    a, b = (np.linspace(low, high, POINTS) for low, high in zip(*window))
    return a, b, np.stack(np.meshgrid(a, b), -1).reshape(-1, 2)


def boundary_of(plane: Hyperplane, window: Window) -> NDArray:
    """Return the ends of the line f(x) = 0 inside the window, shape (2, 2); NaN where the line passes it by."""
    low, high = window
    w, b = plane.coef, float(plane.intercept)
    ends = []
    for along, across in ((0, 1), (1, 0)):
        for level in (low[along], high[along]):
            if w[across]:
                place = np.empty(2)
                place[along], place[across] = level, -(w[along] * level + b) / w[across]
                if low[across] <= place[across] <= high[across]:
                    ends.append(place)
    if len(ends) < 2:
        return np.full((2, 2), np.nan)
    first = ends[0]
    return np.stack([first, max(ends, key=lambda end: float(np.square(end - first).sum()))])


def draw_classes(ax: Any, rows: NDArray, codes: NDArray, classes: NDArray) -> None:
    """Draw the rows, a color and an entry of the legend for each class."""
    for k, name in enumerate(classes):
        ax.scatter(
            *rows[codes == k].T, s=16, color=series(ax, k), edgecolors=paper(ax), linewidths=0.4, label=str(name)
        )


def draw_regions(ax: Any, window: Window, code: Any) -> None:
    """Shade the window by the class that `code`, a function of rows, gives to every point of a grid."""
    a, b, points = grid_of(window)
    region = np.asarray(code(points)).reshape(POINTS, POINTS)
    ax.pcolormesh(a, b, region, alpha=0.3, shading="nearest", rasterized=True, **class_colors(ax))
