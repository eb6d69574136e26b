"""A number for every column: coefficients with their intervals, importances."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.report.axes import name_places
from novum.report.plots.plane import column_names
from novum.report.plots.regions import color_of, legend_beside
from novum.report.style import ink

__all__ = ["draw_bars_of_columns", "draw_coefficients"]

MOST_COLUMNS = 20  # bars that can be read; the largest are shown
THICK = 0.8  # of the place of a column, for the bars of all classes together


def draw_bars_of_columns(model: Any, values: NDArray, label: str, ax: Any, deviation: NDArray | None = None) -> None:
    """Draw a number of every column as a horizontal bar, the largest at the top, a whisker for its standard deviation if known."""
    draw_groups_of_bars(
        column_names(model, len(values)), values[None], None if deviation is None else deviation[None], None, ax
    )
    ax.set_xlabel(label)


def draw_coefficients(
    model: Any, coefficients: NDArray, bounds: tuple[NDArray, NDArray] | None, labels: list[str] | None, ax: Any
) -> None:
    """Draw coefficients as bars about 0: a color per row of `coefficients`; whiskers are intervals."""
    reach = None if bounds is None else np.maximum(coefficients - bounds[0], bounds[1] - coefficients)
    draw_groups_of_bars(column_names(model, coefficients.shape[1]), coefficients, reach, labels, ax)
    ax.axvline(0, color=ink(ax), linewidth=0.8)
    ax.set_xlabel("coefficient" if bounds is None else "coefficient, 95 % interval")


def draw_groups_of_bars(
    names: list[str], values: NDArray, reach: NDArray | None, labels: list[str] | None, ax: Any
) -> None:
    """Draw bars for the columns of largest size: one for every row of `values`."""
    k, d = values.shape
    order = np.argsort(-np.abs(np.nan_to_num(values)).max(axis=0), kind="stable")[:MOST_COLUMNS]
    thick = THICK / k
    for row in range(k):
        places = np.arange(len(order)) + (row - (k - 1) / 2) * thick
        whisker = None if reach is None else np.nan_to_num(reach[row, order])
        style = {"ecolor": ink(ax), "capsize": 2, "error_kw": {"linewidth": 0.8}} if reach is not None else {}
        label = labels[row] if labels else None
        ax.barh(places, values[row, order], thick, xerr=whisker, color=color_of(ax, row), label=label, **style)
    name_places(ax, "y", range(len(order)), [names[j] for j in order])
    ax.invert_yaxis()
    if d > len(order):
        ax.set_title(f"the {len(order)} largest of {d:,} columns", fontsize="medium")
    if labels:
        legend_beside(ax, len(labels))
