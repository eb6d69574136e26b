"""Pictures of descent: paths over the contours of an objective."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from novum.exceptions import DataError, ParameterError
from novum.optimize.result import Solution
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.style import shade
from novum.runtime.typing import Axes

__all__ = ["plot_descent"]

GRID = 121
LEVELS = 20
MARGIN = 0.25  # of the extent of the paths, left free around them


def plot_descent(
    objective: Callable[[Any], Any],
    paths: Mapping[str, Any],
    *,
    log_levels: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw the steps of several iterations over the contours of an objective of two variables.

    Parameters
    ----------
    objective : callable
        x of shape (2,) to a number.
    paths : dict of str to Solution or array-like of shape (k, 2)
        Solutions need `keep_path=True`.
    log_levels : bool
        Space the contours evenly in the logarithm of the height above the lowest point.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from novum.optimize import gradient_descent, newton, plot_descent
    >>> bowl, slope = lambda x: x[0] ** 2 + 8 * x[1] ** 2, lambda x: [2 * x[0], 16 * x[1]]
    >>> runs = {"gradient descent": gradient_descent(bowl, [3, 1], gradient=slope, learning_rate=0.1, keep_path=True),
    ...         "Newton": newton(bowl, [3, 1], gradient=slope, keep_path=True)}
    >>> [line.get_label() for line in plot_descent(bowl, runs).lines]
    ['gradient descent', 'Newton']
    """
    points = {name: _points(name, path) for name, path in dict(paths).items()}
    if not points:
        raise ParameterError("plot_descent(paths={}): nothing to draw; pass {'name': solution} with keep_path=True.")
    ax = drawing_axes(ax)
    everything = np.concatenate(list(points.values()))
    low, high = everything.min(axis=0), everything.max(axis=0)
    pad = MARGIN * np.maximum(high - low, 0.1 * max(float((high - low).max()), 1e-3))
    xs, ys = (np.linspace(a, b, GRID) for a, b in zip(low - pad, high + pad))
    heights = np.array([[float(np.ravel(objective(np.array([x, y])))[0]) for x in xs] for y in ys])
    levels: Any = LEVELS
    bottom, top = float(np.nanmin(heights)), float(np.nanmax(heights))
    if log_levels and top > bottom:
        levels = bottom + (top - bottom) * np.geomspace(1e-4, 1, LEVELS)
    ax.contour(xs, ys, heights, levels=levels, colors=shade(ax, 0.75), linewidths=0.7)
    for name, path in points.items():
        ax.plot(path[:, 0], path[:, 1], "o-", markersize=3, label=name)
    ax.set_xlabel("x[0]")
    ax.set_ylabel("x[1]")
    draw_legend(ax)
    return ax


def _points(name: str, path: Any) -> Any:
    if isinstance(path, Solution):
        if path.path is None:
            raise DataError(f"plot_descent: paths[{name!r}] kept no path; run its driver with keep_path=True.")
        path = path.path
    points = np.asarray(path, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 2:
        raise DataError(
            f"plot_descent: paths[{name!r}] has shape {points.shape}; only two variables can be drawn, (k, 2)."
        )
    return points
