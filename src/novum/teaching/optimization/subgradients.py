"""The supporting lines of a convex function at a kink."""

from collections.abc import Callable
from typing import Any

import numpy as np

from novum.exceptions import ParameterError
from novum.optimize.subgradients import subdifferential
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.style import ink, shade
from novum.runtime.checks import check_count, check_number, vector
from novum.runtime.typing import Axes

__all__ = ["plot_subgradients"]


def plot_subgradients(
    function: Callable[[Any], Any],
    at: float,
    *,
    n_lines: int = 5,
    span: tuple[float, float] = (-3.0, 3.0),
    ax: Axes | None = None,
) -> Axes:
    """Draw a convex function of one variable and lines of its subgradients at a point, all of them below the curve.

    Parameters
    ----------
    function : callable
        Number to number.
    at : float
        Where the lines touch, for instance a kink.
    n_lines : int
        Slopes, spread evenly over the subdifferential.
    span : (float, float)
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    at = check_number("plot_subgradients", "at", at)
    n_lines = check_count("plot_subgradients", "n_lines", n_lines)
    low, high = vector("plot_subgradients", "span", span, 2)
    if not low < high:
        raise ParameterError(f"plot_subgradients(span={span!r}): span must be (low, high) with low < high.")
    ax = drawing_axes(ax)
    x = np.linspace(low, high, 401)
    height = float(np.ravel(function(at))[0])
    slopes = subdifferential(function, at)
    for slope in np.linspace(slopes.low, slopes.high, n_lines):
        ax.plot(x, height + slope * (x - at), color=shade(ax, 0.6), linewidth=0.9)
    ax.plot(x, [float(np.ravel(function(value))[0]) for value in x], linewidth=2, label="f")
    ax.plot([at], [height], "o", color=ink(ax), label=f"slopes {slopes.low:.3g} to {slopes.high:.3g}")
    ax.set(xlabel="x", ylabel="f(x)")
    draw_legend(ax)
    return ax
