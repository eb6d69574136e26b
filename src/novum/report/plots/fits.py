"""What a regressor makes of rows: its curve along one column with a band, its height over two, predictions beside the truth."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.report.legends import draw_legend
from novum.report.plots.plane import column_names, grid_over, name_axes, without_names
from novum.report.style import SEQUENTIAL, ink, paper, series

__all__ = ["draw_curve", "draw_predictions", "draw_surface"]

CURVE = 300  # points along a column
DEVIATIONS = 2.0  # half the width of the band


def draw_curve(model: Any, rows: NDArray, y: Any, ax: Any, *, band: bool) -> None:
    """Draw the prediction along one column, a band of two standard deviations where the model has them, and the rows."""
    x = grid_over(np.column_stack([rows[:, 0], np.zeros(len(rows))]), CURVE)[0][0]
    with without_names():
        if band:
            mean, deviation = (np.asarray(part, float) for part in model.predict(x[:, None], return_std=True))
            half = DEVIATIONS * deviation
            ax.fill_between(
                x,
                mean - half,
                mean + half,
                alpha=0.25,
                color=series(ax, 1),
                label=f"± {DEVIATIONS:g} standard deviations",
            )
        else:
            mean = np.asarray(model.predict(x[:, None]), float)
    if y is not None:
        ax.scatter(rows[:, 0], np.asarray(y, float), s=12, color=series(ax, 0), zorder=3, label="rows")
    ax.plot(x, mean, color=series(ax, 1), label="prediction")
    draw_legend(ax)
    name_axes(ax, [column_names(model, 1)[0], "prediction" if y is None else "target"])


def draw_surface(model: Any, rows: NDArray, y: Any, ax: Any) -> None:
    """Draw the prediction over two columns as levels, and rows in the color of their targets on the same scale."""
    across, up, points = grid_over(rows)
    with without_names():
        height = np.asarray(model.predict(points), float).reshape(across.shape)
    seen = height if y is None else np.concatenate([height.ravel(), np.asarray(y, float)])
    low, high = float(np.nanmin(seen)), float(np.nanmax(seen))
    levels = np.linspace(low, high if high > low else low + 1, 15)
    filled = ax.contourf(across, up, height, levels=levels, cmap=SEQUENTIAL, alpha=0.8)
    if y is not None:
        limits = {"vmin": levels[0], "vmax": levels[-1]}
        ax.scatter(
            *rows.T,
            c=np.asarray(y, float),
            cmap=SEQUENTIAL,
            s=18,
            edgecolors=paper(ax),
            linewidths=0.5,
            zorder=3,
            **limits,
        )
    else:
        ax.scatter(*rows.T, s=8, color=paper(ax), edgecolors=ink(ax), linewidths=0.4, zorder=3)
    ax.figure.colorbar(filled, ax=ax, label="prediction" if y is None else "prediction; points: target")
    name_axes(ax, column_names(model, 2))


def draw_predictions(model: Any, X: Any, y: Any, ax: Any) -> None:
    """Draw targets against predictions with the line on which they agree."""
    with without_names():
        found = np.asarray(model.predict(X), float)
    target = np.asarray(y, float)
    for k, (mine, true) in enumerate(zip(np.atleast_2d(found.T), np.atleast_2d(target.T))):
        ax.scatter(mine, true, s=12, alpha=0.6, color=series(ax, k), label=f"target {k}" if target.ndim == 2 else None)
    ends = [min(float(found.min()), float(target.min())), max(float(found.max()), float(target.max()))]
    ax.plot(ends, ends, color=ink(ax), linewidth=0.8, linestyle="--")
    if target.ndim == 2:
        draw_legend(ax)
    name_axes(ax, ["prediction", "target"])
