"""What a classifier makes of the plane: regions of its classes, probabilities along one column, rows by what it calls them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.report.legends import draw_legend
from novum.report.plots.plane import column_names, grid_over, name_axes, plane_of, without_names
from novum.report.style import ink, paper, series, shade

__all__ = ["color_of", "draw_classes", "draw_probabilities", "draw_regions", "legend_beside"]

PALE = 0.18  # opacity of a region
MOST_IN_LEGEND = 10
CURVE = 300  # points along a column


def color_of(ax: Any, code: int) -> str:
    """Return the color of a class or a cluster; gray below 0, for what belongs to none."""
    return shade(ax, 0.6) if code < 0 else series(ax, code)


def legend_beside(ax: Any, count: int) -> None:
    """Put a legend beside the picture, unless it would be longer than the picture."""
    if 0 < count <= MOST_IN_LEGEND:
        draw_legend(ax)


def codes_of(classes: NDArray, labels: Any) -> NDArray:
    """Return the place of every label among the classes, -1 for one that is none of them."""
    place = {label: code for code, label in enumerate(classes.tolist())}
    return np.array([place.get(label, -1) for label in np.asarray(labels).ravel().tolist()], int)


def scatter_classes(ax: Any, points: NDArray, codes: NDArray, classes: NDArray) -> None:
    """Draw points in the colors of their classes, with a legend."""
    for code in np.unique(codes):
        mine = points[codes == code]
        label = str(classes[code]) if code >= 0 else "another label"
        ax.scatter(*mine.T, s=16, color=color_of(ax, code), edgecolors=paper(ax), linewidths=0.4, label=label, zorder=3)
    legend_beside(ax, len(np.unique(codes)))


def draw_regions(model: Any, rows: NDArray, labels: Any, ax: Any) -> None:
    """Draw the class that a classifier of two columns gives to every point, and rows in the colors of their labels."""
    across, up, points = grid_over(rows)
    with without_names():
        codes = codes_of(model.classes_, model.predict(points)).reshape(across.shape)
        own = codes_of(model.classes_, model.predict(rows) if labels is None else labels)
    for code in np.unique(codes):
        ax.contourf(across, up, codes == code, levels=[0.5, 1.5], colors=[color_of(ax, int(code))], alpha=PALE)
    for code in np.unique(codes)[:-1]:
        ax.contour(across, up, codes <= code, levels=[0.5], colors=ink(ax), linewidths=0.8)
    scatter_classes(ax, rows, own, model.classes_)
    name_axes(ax, column_names(model, 2))


def draw_probabilities(model: Any, rows: NDArray, labels: Any, ax: Any) -> None:
    """Draw the probability of every class along one column, or the class itself, and rows at the foot."""
    across, _, _ = grid_over(np.column_stack([rows[:, 0], np.zeros(len(rows))]), CURVE)
    x = across[0]
    with without_names():
        if hasattr(model, "predict_proba"):
            shares, quantity = np.asarray(model.predict_proba(x[:, None])), "probability"
        else:
            codes = codes_of(model.classes_, model.predict(x[:, None]))
            shares, quantity = (codes[:, None] == np.arange(len(model.classes_))).astype(float), "chosen"
        own = codes_of(model.classes_, model.predict(rows) if labels is None else labels)
    for code, share in enumerate(shares.T):
        ax.plot(x, share, color=color_of(ax, code), label=str(model.classes_[code]))
    foot = np.where(own == len(model.classes_) - 1, 1.0, 0.0) if len(model.classes_) == 2 else np.zeros(len(own))
    ax.scatter(rows[:, 0], foot, s=10, color=[color_of(ax, int(code)) for code in own], alpha=0.6, zorder=3)
    name_axes(ax, [column_names(model, 1)[0], quantity])
    legend_beside(ax, len(model.classes_))


def draw_classes(model: Any, X: Any, rows: NDArray, labels: Any, ax: Any) -> None:
    """Draw rows of many columns in the plane that shows most of them, in the colors of their predictions, wrong ones crossed."""
    plane = plane_of(model, rows)
    points = plane.points(rows)
    with without_names():
        found = codes_of(model.classes_, model.predict(X))
    scatter_classes(ax, points, found, model.classes_)
    title = "colors: predictions"
    if labels is not None:
        wrong = found != codes_of(model.classes_, labels)
        ax.scatter(*points[wrong].T, s=50, marker="x", color=ink(ax), linewidths=1, zorder=4)
        title += f"; crosses: {int(wrong.sum()):,} of {len(wrong):,} wrong"
    ax.set_title(title, fontsize="medium")
    name_axes(ax, plane.names)
