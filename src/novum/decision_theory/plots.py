"""Pictures of decisions: class densities of a generative model."""

from typing import Any

import numpy as np

from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.style import series
from novum.runtime.typing import Rows, Target

__all__ = ["mesh", "plot_generative", "scatter"]

GRID = 101  # points along an axis
MARGIN = 0.1  # of the range of the rows, around them


def ranges(X: np.ndarray) -> list[tuple[float, float]]:
    """Return what to draw of every feature."""
    low, high = X.min(axis=0), X.max(axis=0)
    return [(a - MARGIN * (b - a), b + MARGIN * (b - a)) for a, b in zip(low, high)]


def mesh(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the coordinates of a grid over the rows, and its points."""
    first, second = np.meshgrid(*(np.linspace(*ends, GRID) for ends in ranges(X)))
    return first, second, np.column_stack([first.ravel(), second.ravel()])


def scatter(ax: Any, X: np.ndarray, y: np.ndarray, classes: np.ndarray) -> None:
    """Draw the rows by class."""
    for c, label in enumerate(classes):
        mine = X[y == label]
        height = np.zeros(len(mine)) if X.shape[1] == 1 else mine[:, 1]
        ax.scatter(mine[:, 0], height, s=10, color=series(ax, c), label=str(label))


def plot_generative(model: Any, X: Rows | None = None, y: Target = None, ax: Any = None) -> Any:
    """Draw p(x, c) of every class: curves of one feature, contours of two; X gives the range, y its colors."""
    check_is_fitted(model)
    rows = np.asarray(model.sample(400, random_state=0)[0] if X is None else X, np.float64)
    if rows.shape[1] not in (1, 2):
        raise DataError(f"{type(model).__name__}.plot: a picture needs 1 or 2 features; there are {rows.shape[1]}.")
    ax = drawing_axes(ax)
    if rows.shape[1] == 1:
        x = np.linspace(*ranges(rows)[0], 4 * GRID)
        for c, curve in enumerate(np.exp(model.predict_joint_log_proba(x[:, None])).T):
            ax.plot(x, curve, color=series(ax, c), label=None if y is not None else str(model.classes_[c]))
    else:
        first, second, points = mesh(rows)
        for c, height in enumerate(np.exp(model.predict_joint_log_proba(points)).T):
            ax.contour(first, second, height.reshape(first.shape), levels=5, colors=series(ax, c))
    if y is not None:
        scatter(ax, rows, np.asarray(y), model.classes_)
    if y is not None or rows.shape[1] == 1:
        draw_legend(ax)
    return ax
