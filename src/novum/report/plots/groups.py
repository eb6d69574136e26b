"""Rows in groups: their colors, their centers, the ellipses of Gaussian components."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.report.axes import name_places
from novum.report.plots.plane import Plane, column_names, name_axes, plane_of
from novum.report.plots.regions import color_of, legend_beside
from novum.report.style import ink, shade

__all__ = ["draw_centers", "draw_ellipses", "draw_groups"]

DEVIATIONS = (1.0, 2.0)  # ellipses at so many standard deviations
CURVE = 300


def draw_groups(model: Any, rows: NDArray, labels: NDArray, ax: Any, *, centers: NDArray | None = None) -> Plane:
    """Draw rows in the colors of their groups, -1 in gray, and centers as black-rimmed stars; return the plane."""
    plane = plane_of(model, rows)
    points = plane.points(rows)
    found = np.unique(labels)
    for label in found:
        mine = points[labels == label]
        name = f"{label} ({len(mine):,})" if label >= 0 else f"noise ({len(mine):,})"
        ax.scatter(*mine.T, s=14, color=color_of(ax, int(label)), alpha=0.7, label=name)
    if centers is not None:
        colors = [color_of(ax, k) for k in range(len(centers))]
        ax.scatter(*plane.points(centers).T, s=180, marker="*", c=colors, edgecolors=ink(ax), zorder=4)
    legend_beside(ax, len(found))
    name_axes(ax, plane.names)
    return plane


def draw_centers(model: Any, centers: NDArray, ax: Any) -> None:
    """Draw centers: as points of two columns, or as a line over the columns for each where there are more."""
    names = column_names(model, centers.shape[1])
    if centers.shape[1] == 2:
        for k, center in enumerate(centers):
            ax.scatter(*center, s=180, marker="*", color=color_of(ax, k), edgecolors=ink(ax), label=str(k))
        name_axes(ax, names)
    else:
        for k, center in enumerate(centers):
            ax.plot(range(len(center)), center, "o-", color=color_of(ax, k), markersize=4, label=str(k))
        name_places(ax, "x", range(len(names)), names)
        ax.set_ylabel("center")
    legend_beside(ax, len(centers))


def draw_ellipses(
    model: Any,
    rows: NDArray | None,
    means: NDArray,
    covariances: NDArray,
    weights: NDArray,
    labels: NDArray | None,
    ax: Any,
    names: Any = None,
) -> None:
    """Draw Gaussian components: weighted curves of one column, else ellipses in the plane of the rows or of the means."""
    if means.shape[1] == 1:
        draw_curves(model, rows, means[:, 0], covariances[:, 0, 0], weights, ax, names)
        return
    if rows is not None and labels is not None:
        plane = draw_groups(model, rows, labels, ax)
    else:
        ends = np.concatenate([means + s * np.sqrt(np.diagonal(covariances, 0, 1, 2)) for s in (-1, 1)])
        plane = plane_of(model, ends)
        name_axes(ax, plane.names)
    turn = np.linspace(0, 2 * np.pi, 100)
    circle = np.stack([np.cos(turn), np.sin(turn)])  # (2, 100)
    for k, (mean, covariance) in enumerate(zip(plane.points(means), plane.axes.T @ covariances @ plane.axes)):
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0))
        for deviations in DEVIATIONS:
            label = str(names[k]) if names is not None and deviations == DEVIATIONS[0] else None
            ax.plot(*(mean[:, None] + deviations * root @ circle), color=color_of(ax, k), linewidth=1.5, label=label)
        ax.scatter(*mean, s=90, marker="*", color=color_of(ax, k), edgecolors=ink(ax), zorder=4)
    if names is not None:
        legend_beside(ax, len(means))


def draw_curves(
    model: Any, rows: NDArray | None, means: NDArray, variances: NDArray, weights: NDArray, ax: Any, names: Any = None
) -> None:
    """Draw the densities of components of one column by their weights, their sum, and the rows as bars."""
    deviation = np.sqrt(variances)
    x = np.linspace((means - 4 * deviation).min(), (means + 4 * deviation).max(), CURVE)
    curves = (
        weights * np.exp(-0.5 * ((x[:, None] - means) / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi))
    )  # (n, k)
    if rows is not None:
        ax.hist(rows[:, 0], bins="auto", density=True, color=shade(ax, 0.85))
    for k, curve in enumerate(curves.T):
        ax.plot(x, curve, color=color_of(ax, k), label=f"{k if names is None else names[k]} ({100 * weights[k]:.0f} %)")
    ax.plot(x, curves.sum(axis=1), color=ink(ax), linewidth=1, label="sum")
    legend_beside(ax, len(means) + 1)
    name_axes(ax, [column_names(model, 1)[0], "density"])
