"""The steps of k-means as a row of pictures: the start, then assignments and means in turn."""

from typing import Any

import numpy as np

from novum.cluster.criterion import within_cluster_error
from novum.engines.kmeans import assignment
from novum.exceptions import DataError
from novum.fold.blocks import Block
from novum.report.axes import new_figure
from novum.report.style import colors_of, ink, shade
from novum.runtime.typing import Axes, Numbers, Rows

__all__ = ["plot_kmeans_steps"]


def plot_kmeans_steps(X: Rows, centers: Numbers, *, n_steps: int = 4, ax: Axes | None = None) -> Any:
    """Draw what k-means does from given centers: every assignment and every move of the centers gets a panel.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2)
    centers : array-like of shape (n_clusters, 2)
        Where to start.
    n_steps : int, default=4
        Iterations to show; fewer are drawn if the centers stop moving before.
    ax : array of matplotlib axes, default=None
        One for the start and two for every iteration; None makes a figure.

    Returns
    -------
    array of matplotlib axes
        Each with the objective of its picture in the title.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.teaching import plot_kmeans_steps
    >>> X = np.array([[0.0, 0], [0, 1], [5, 5], [6, 5]])
    >>> axes = plot_kmeans_steps(X, X[:2])
    >>> axes[0].get_title(), axes[-1].get_title()
    ('start', 'means 3: J = 1')
    """
    X, centers = np.ascontiguousarray(X, dtype=np.float64), np.ascontiguousarray(centers, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != 2 or centers.ndim != 2 or centers.shape[1] != 2:
        raise DataError(
            f"plot_kmeans_steps draws points of the plane; X has shape {X.shape}, centers {centers.shape}. Choose two columns."
        )
    panels = [("start", None, centers)]
    for step in range(1, n_steps + 1):
        labels = assignment.nearest(centers, Block(X))
        panels.append((f"assignment {step}", labels, centers))
        found = within_cluster_error(X, labels)
        moved = centers.copy()
        moved[found.clusters] = found.centers
        panels.append((f"means {step}", labels, moved))
        if np.array_equal(moved, centers):
            break
        centers = moved
    if ax is None:
        columns = min(len(panels), 3)
        figure = new_figure(3 * columns, 3 * -(-len(panels) // columns))
        ax = figure.subplots(-(-len(panels) // columns), columns, sharex=True, sharey=True, squeeze=False)
    axes = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
    if len(axes) < len(panels):
        raise DataError(f"plot_kmeans_steps: {len(panels)} panels need as many axes; {len(axes)} were given.")
    for ax, (title, labels, where) in zip(axes, panels):
        draw(ax, title, X, labels, where)
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    for ax in axes[: len(panels)]:
        ax.tick_params(labelbottom=True)
        ax.set(xlabel="x0", ylabel="x1")
        ax.set_aspect("equal")
    return axes[: len(panels)]


def draw(ax: Any, title: str, X: Any, labels: Any, centers: Any) -> None:
    """Draw rows in the color of their cluster, and the centers as crosses."""
    colors = colors_of(ax, len(centers))
    ax.scatter(*X.T, s=12, c=shade(ax, 0.6) if labels is None else [colors[j] for j in labels])
    ax.scatter(*centers.T, s=90, marker="X", c=colors, edgecolors=ink(ax))
    error = "" if labels is None else f": J = {within_cluster_error(X, labels, centers=centers).total:.4g}"
    ax.set_title(title + error)
