"""Pictures of a fitted linear model: a line through points, or a plane through a sample in space."""

from typing import Any

import numpy as np

from novum.exceptions import DataError
from novum.report.axes import new_figure
from novum.report.plots.plane import column_names, name_axes, without_names
from novum.report.style import series
from novum.runtime.typing import Rows, Target

__all__ = ["plot_fit"]

SIZE = (5.0, 4.0)  # inches


def plot_fit(model: Any, X: Rows, y: Target, ax: Any = None) -> Any:
    """Draw the sample and the fitted line (one feature) or plane (two features); return the axes."""
    X, y = np.asarray(X, float), np.asarray(y, float)
    if X.ndim != 2 or X.shape[1] not in (1, 2) or y.ndim != 1:
        columns = X.shape[1] if X.ndim == 2 else 0
        raise DataError(
            f"{type(model).__name__}.plot: a picture needs 1 or 2 features and one target; X has {columns} features."
        )
    if ax is None:
        ax = new_figure(*SIZE).add_subplot(projection="3d" if X.shape[1] == 2 else None)
    if X.shape[1] == 1:
        ends = np.array([X.min(), X.max()])[:, None]
        ax.scatter(X[:, 0], y, s=12)
        with without_names():
            ax.plot(ends[:, 0], model.predict(ends), color=series(ax, 1))
    else:
        first, second = np.meshgrid(*(np.linspace(column.min(), column.max(), 2) for column in X.T))
        with without_names():
            plane = model.predict(np.column_stack([first.ravel(), second.ravel()])).reshape(first.shape)
        ax.scatter(X[:, 0], X[:, 1], y, s=12)
        ax.plot_surface(first, second, plane, alpha=0.3, color=series(ax, 1))
    name_axes(ax, [*column_names(model, X.shape[1]), "target"][:2])
    if X.shape[1] == 2 and hasattr(ax, "set_zlabel"):
        ax.set_zlabel("target")
    return ax
