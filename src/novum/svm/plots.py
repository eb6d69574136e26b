"""Pictures of machines: the boundary with its margins and support vectors, the tube of a regressor."""

from typing import Any

import numpy as np

from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError
from novum.report.axes import drawing_axes
from novum.runtime.typing import Axes, Rows, Target
from novum.svm.kkt import OF_REGRESSOR, kkt_report

__all__ = ["plot_margin", "plot_tube"]

COLORS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b")
ROOM = 0.15  # of the range of the points, around them


def plot_margin(model: Any, X: Rows, y: Target, ax: Axes | None = None, grid: int = 200, slack: bool = False) -> Axes:
    """Draw the boundary of a classifier over two columns, its margins, and rings around support vectors.

    Parameters
    ----------
    model : fitted classifier with `decision_function` of two classes
        Rings need the `support_` of an SVC.
    X, y : the rows of its fit, two columns, and their labels
    ax : matplotlib Axes, default=None
    grid : int, default=200
        Points a side at which the decision is computed.
    slack : bool, default=False
        Whether points inside the margin are joined with the margin they miss, and their slack is written beside them.

    Returns
    -------
    matplotlib Axes
        Contour lines at -1, 0 and 1, a scatter per class, and the rings.
    """
    check_is_fitted(model)
    rows, label = np.asarray(X, dtype=np.float64), np.asarray(y)
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
    ax.contourf(across, up, height, levels=[-np.inf, 0, np.inf], colors=[COLORS[0], COLORS[1]], alpha=0.1)
    ax.contour(across, up, height, levels=[-1, 0, 1], colors="black", linestyles=["dashed", "solid", "dashed"])
    for k, c in enumerate(model.classes_):
        mine = label == c
        ax.scatter(*rows[mine].T, color=COLORS[k], s=25, label=str(c), zorder=3)
    if hasattr(model, "support_"):
        held = rows[model.support_]
        ax.scatter(*held.T, s=110, facecolors="none", edgecolors="black", label="support vectors", zorder=4)
    if slack:
        report = kkt_report(model, X, y)
        for place, amount in zip(rows, report.slack, strict=True):
            if amount > model.tol:
                ax.annotate(f"{amount:.2f}", place, textcoords="offset points", xytext=(6, 4), fontsize=8)
    ax.legend()
    return ax


def plot_tube(model: Any, x: Any, y: Any, ax: Axes | None = None, grid: int = 300) -> Axes:
    """Draw a regressor over one column with the tube about it, and the rows by their role.

    Parameters
    ----------
    model : fitted SVR
    x : array-like of shape (n_samples,) or (n_samples, 1)
    y : array-like of shape (n_samples,)
    ax : matplotlib Axes, default=None
    grid : int, default=300

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
    ax.plot(at, fitted, color="black", label="function")
    for side in (-1, 1):
        ax.plot(at, fitted + side * model.epsilon_, color="black", linestyle="dashed", linewidth=0.8)
    role = kkt_report(model, column, target).role
    for k, name in enumerate(OF_REGRESSOR):
        mine = role == name
        ax.scatter(column[mine, 0], target[mine], color=COLORS[k], s=25, label=f"{name} ({int(mine.sum())})", zorder=3)
    ax.legend()
    return ax
