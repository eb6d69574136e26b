"""Pictures of machines: the boundary with its margins and support vectors, the tube of a regressor."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.plots.plane import column_names, name_axes, without_names
from novum.report.style import SMALL, colors_of, ink, series
from novum.runtime.typing import Axes, Rows, Target
from novum.svm.kkt import OF_REGRESSOR, kkt_report

__all__ = ["plot_margin", "plot_tube"]

BOUNDARY = "boundary"  # marks the keys of boundaries, to count them
ROOM = 0.15  # of the range of the points, around them
BEYOND = 3.0  # tolerances of the fit by which a row misses its margin before it counts as beyond it


def plot_margin(
    model: Any,
    X: Rows,
    y: Target,
    ax: Axes | None = None,
    grid: int = 200,
    slack: bool = False,
    *,
    label: str | None = None,
) -> Axes:
    """Draw the boundary of a classifier over two columns, its margins, and rings around support vectors: dotted beyond the margin.

    Parameters
    ----------
    model : fitted classifier with `decision_function` of two classes
        Rings need the `support_` of an SVC.
    X, y : the rows of its fit, two columns, and their labels
    ax : matplotlib Axes, default=None
    grid : int, default=200
        Points a side at which the decision is computed.
    slack : bool, default=False
        Whether the slack of points beyond their margin is written beside them.
    label : str, default=None
        What the legend calls the boundary, which then has a color of its own: for several machines on the same axes.

    Returns
    -------
    matplotlib Axes
        Contour lines at 0, and at -1 and 1 for a machine, a scatter per class, and the rings.
    """
    check_is_fitted(model)
    rows, target = np.asarray(X, dtype=np.float64), np.asarray(y)
    if rows.ndim != 2 or rows.shape[1] != 2 or len(model.classes_) != 2:
        raise DataError(
            f"plot_margin: draws two columns and two classes, got {rows.shape[1:]} columns and {len(model.classes_)} classes."
        )
    ax = drawing_axes(ax)
    low, high = rows.min(axis=0), rows.max(axis=0)
    edge = ROOM * np.where(high > low, high - low, 1.0)
    x, z = (np.linspace(a, b, grid) for a, b in zip(low - edge, high + edge, strict=True))
    across, up = np.meshgrid(x, z)
    height = np.asarray(model.decision_function(np.column_stack([across.ravel(), up.ravel()]))).reshape(across.shape)
    n_drawn = sum(line.get_gid() == BOUNDARY for line in ax.lines)
    if not n_drawn:
        ax.contourf(across, up, height, levels=[-np.inf, 0, np.inf], colors=colors_of(ax, 2), alpha=0.1)
    color = ink(ax) if label is None else series(ax, 2 + n_drawn)
    ax.contour(across, up, height, levels=[0], colors=color)
    if hasattr(model, "support_"):  # of other learners 1 and -1 are no margins
        ax.contour(across, up, height, levels=[-1, 1], colors=color, linestyles="dashed", linewidths=1.0)
    ax.plot([], [], color=color, gid=BOUNDARY, label=label)  # a contour has no key
    for k, c in enumerate(model.classes_):
        mine = target == c
        ax.scatter(*rows[mine].T, color=series(ax, k), s=25, label=str(c), zorder=3)
    if hasattr(model, "support_"):
        draw_support(ax, model, rows[model.support_], np.where(target[model.support_] == model.classes_[1], 1.0, -1.0))
    if slack:
        report = kkt_report(model, X, y)
        for place, amount in zip(rows, report.slack, strict=True):
            if amount > model.tol:
                ax.annotate(f"{amount:.2f}", place, textcoords="offset points", xytext=(6, 4), fontsize=SMALL)
    name_axes(ax, column_names(model, 2))
    draw_legend(ax)
    return ax


def draw_support(ax: Any, model: Any, held: NDArray, sign: NDArray, size: float = 110.0) -> None:
    """Ring the support vectors: those on their margin in full, those that lie beyond it dotted."""
    with without_names():
        beyond = sign * np.asarray(model.decision_function(held)) < 1 - BEYOND * model.tol
    for rows, style, name in ((held[~beyond], "-", "on the margin"), (held[beyond], ":", "beyond it")):
        if len(rows):
            look = {"facecolors": "none", "edgecolors": ink(ax), "linestyles": style, "linewidths": 1.1}
            ax.scatter(*rows.T, s=size, label=f"support: {name}", zorder=4, **look)


def plot_tube(model: Any, x: Any, y: Any, ax: Axes | None = None, grid: int = 300, *, label: str = "function") -> Axes:
    """Draw a regressor over one column with the tube about it, and the rows by their role.

    Parameters
    ----------
    model : fitted SVR
    x : array-like of shape (n_samples,) or (n_samples, 1)
    y : array-like of shape (n_samples,)
    ax : matplotlib Axes, default=None
    grid : int, default=300
    label : str, default="function"
        What the legend calls the curve.

    Returns
    -------
    matplotlib Axes
        The function, both borders of the tube, and a scatter per role.
    """
    check_is_fitted(model)
    column, target = np.asarray(x, dtype=np.float64).reshape(len(y), -1), np.asarray(y, dtype=np.float64)
    if column.shape[1] != 1:
        raise DataError(f"plot_tube: draws one column, got {column.shape[1]}.")
    ax = drawing_axes(ax)
    at = np.linspace(column.min(), column.max(), grid)
    fitted = np.asarray(model.predict(at[:, None]))
    ax.plot(at, fitted, color=ink(ax), label=label)
    for side in (-1, 1):
        ax.plot(at, fitted + side * model.epsilon_, color=ink(ax), linestyle="dashed", linewidth=0.8)
    role = kkt_report(model, column, target).role
    for k, name in enumerate(OF_REGRESSOR):
        mine = role == name
        ax.scatter(
            column[mine, 0], target[mine], color=series(ax, k), s=25, label=f"{name} ({int(mine.sum())})", zorder=3
        )
    name_axes(ax, [column_names(model, 1)[0], "target"])
    draw_legend(ax)
    return ax
