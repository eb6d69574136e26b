"""Voronoi cells: where every row of the plane is the nearest."""

import numpy as np

from novum.exceptions import DataError
from novum.neighbors.plots import BORDER, need_plane
from novum.report.axes import drawing_axes
from novum.report.legends import class_keys, draw_legend
from novum.report.style import ink, series, shade
from novum.runtime.typing import Axes, Rows, Target

__all__ = ["plot_voronoi"]


def plot_voronoi(X: Rows, y: Target = None, *, ax: Axes | None = None) -> Axes:
    """Draw the Voronoi cells of rows in the plane: where each of them is the nearest.

    Parameters
    ----------
    X : array-like of shape (n, 2)
        Three rows or more, not all on a line.
    y : array-like of shape (n,), default=None
        Classes, for the colors.
    ax : matplotlib axes, default=None
        None makes a figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from novum.teaching import plot_voronoi
    >>> ax = plot_voronoi([[0.0, 0.0], [1.0, 1.0], [2.0, 0.0], [1.0, -1.0]])
    >>> len(ax.patches)
    4
    """
    from matplotlib.patches import Polygon
    from scipy.spatial import QhullError, Voronoi

    named = list(X.columns) if hasattr(X, "columns") else ["column 0", "column 1"]
    X = np.asarray(X, dtype=np.float64)
    need_plane("plot_voronoi", X)
    low, high = X.min(0), X.max(0)
    width = float((high - low).max()) or 1.0
    middle = (low + high) / 2
    far = middle + 20 * width * np.array(
        [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    )  # they close the outer cells, out of sight
    try:
        cells = Voronoi(np.concatenate([X, far]))
    except QhullError as error:
        raise DataError(
            "plot_voronoi: the rows have no cells in the plane; give three or more that lie on no line."
        ) from error
    code = np.zeros(len(X), int) if y is None else np.unique(np.asarray(y), return_inverse=True)[1]
    ax = drawing_axes(ax)
    for i in range(len(X)):
        corners = cells.vertices[cells.regions[cells.point_region[i]]]
        ax.add_patch(
            Polygon(corners, facecolor=series(ax, int(code[i])), alpha=0.3, edgecolor=shade(ax, 0.5), linewidth=0.8)
        )
    ax.scatter(*X.T, c=[series(ax, c) for c in code.tolist()], s=16, edgecolors=ink(ax), linewidths=0.5)
    ax.set(
        xlabel=str(named[0]),
        ylabel=str(named[1]),
        xlim=(low[0] - BORDER * width, high[0] + BORDER * width),
        ylim=(low[1] - BORDER * width, high[1] + BORDER * width),
    )
    ax.set_aspect("equal")
    if y is not None:
        draw_legend(ax, class_keys(ax, np.unique(np.asarray(y))))
    return ax
