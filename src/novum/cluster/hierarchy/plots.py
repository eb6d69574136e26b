"""Dendrograms: the merges of a tree as brackets at their heights, with the line that cuts it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.cluster.hierarchy.linkage import Dendrogram
from novum.exceptions import DataError, ParameterError
from novum.report.axes import drawing_axes, name_places
from novum.report.style import ink, series, shade
from novum.runtime.typing import Axes, Fittable, Numbers

__all__ = ["plot_dendrogram"]

FEW_LEAVES = 50  # so many rows still get their names below the tree
ABOVE = 0.55  # shade of merges above the cut


def table_of(tree: Any) -> NDArray:
    """Return the table of merges of an array or of a fitted estimator."""
    if hasattr(tree, "children_"):
        if not hasattr(tree, "distances_"):
            raise ParameterError(
                f"plot_dendrogram: {type(tree).__name__} kept no heights; fit it with compute_distances=True."
            )
        n = tree.n_leaves_
        size = np.ones(2 * n - 1)
        for i, (a, b) in enumerate(tree.children_):
            size[n + i] = size[a] + size[b]
        return np.column_stack([tree.children_, tree.distances_, size[n : n + len(tree.children_)]])
    table = np.asarray(tree, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != 4:
        raise DataError(
            f"plot_dendrogram: a tree has four columns (cluster, cluster, height, rows), not the shape {table.shape}."
        )
    return table


def leaf_order(children: NDArray, n: int) -> NDArray:
    """Return the rows from left to right, so that no brackets cross."""
    order, open_nodes = [], [n + len(children) - 1]
    while open_nodes:
        node = open_nodes.pop()
        if node < n:
            order.append(node)
        else:
            left, right = children[node - n]
            open_nodes += [int(right), int(left)]
    return np.array(order)


def plot_dendrogram(
    tree: Numbers | Fittable,
    *,
    n_clusters: int | None = None,
    height: float | None = None,
    labels: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a tree of merges, and the line that cuts it.

    Parameters
    ----------
    tree : Dendrogram, array of shape (n_samples - 1, 4) or fitted AgglomerativeClustering
        What `linkage` returns, SciPy's table, or an estimator fitted with compute_distances=True.
    n_clusters : int, default=None
        Cut for so many clusters: halfway between the merges that make and break them.
    height : float, default=None
        Cut at this height.
    labels : sequence of str, default=None
        Names of the rows; their numbers if None.
    ax : matplotlib axes, default=None

    Returns
    -------
    matplotlib axes
        One line per merge, colored by cluster below the cut.

    Examples
    --------
    >>> from novum.cluster import linkage, plot_dendrogram
    >>> ax = plot_dendrogram(linkage([[0.0], [1.0], [3.0], [7.0], [12.0]], "complete"), n_clusters=2)
    >>> [float(max(line.get_ydata())) for line in ax.lines[:4]]
    [1.0, 3.0, 5.0, 12.0]
    """
    if n_clusters is not None and height is not None:
        raise ParameterError("plot_dendrogram: give n_clusters or height, not both.")
    table = table_of(tree)
    children, heights, n = table[:, :2].astype(np.int64), table[:, 2], len(table) + 1
    if n_clusters is not None:
        if not 1 <= n_clusters <= n:
            raise ParameterError(f"plot_dendrogram: n_clusters={n_clusters} must lie between 1 and the {n} rows.")
        height = cut_height(heights, n_clusters)
    place = np.empty(2 * n - 1)
    place[leaf_order(children, n)] = np.arange(n)
    ax = drawing_axes(ax)
    colors = node_colors(table, height, ax)
    base = np.concatenate([np.zeros(n), heights])
    for i, (a, b) in enumerate(children):
        place[n + i] = (place[a] + place[b]) / 2
        x, y = [place[a], place[a], place[b], place[b]], [base[a], heights[i], heights[i], base[b]]
        ax.plot(x, y, color=colors[i], linewidth=1.2)
    if height is not None:
        ax.axhline(height, color=ink(ax), linestyle="--", linewidth=1)
    order = np.argsort(place[:n])
    names = [str(i) if labels is None else str(labels[i]) for i in order]
    if n <= FEW_LEAVES:
        name_places(ax, "x", range(n), names)
        ax.set_xlabel("row")
    else:
        ax.set_xticks([])
        ax.set_xlabel(f"{n} rows")
    ax.set_ylabel("height")
    ax.set_ylim(bottom=min(0.0, float(heights.min(initial=0.0))))
    return ax


def cut_height(heights: NDArray, n_clusters: int) -> float:
    """Return a height that leaves so many clusters: halfway between two merges."""
    ordered = np.sort(heights)
    undone = n_clusters - 1
    below = ordered[len(ordered) - undone - 1] if undone < len(ordered) else 0.0
    above = ordered[len(ordered) - undone] if undone else 1.1 * ordered[-1]
    return float((below + above) / 2)


def node_colors(table: NDArray, height: float | None, ax: Any) -> list[str]:
    """Return the color of every merge: that of its cluster below the cut, gray above."""
    if height is None:
        return [series(ax, 0)] * len(table)
    from novum.cluster.hierarchy.cuts import highest_below

    n = len(table) + 1
    children = table[:, :2].astype(np.int64)
    labels = table.view(Dendrogram).cut(height=height)
    first = np.concatenate([np.arange(n), np.zeros(len(table), int)])
    for i, (a, _) in enumerate(children):
        first[n + i] = first[a]
    kept = highest_below(children, n, table[:, 2]) < height
    return [series(ax, labels[first[n + i]]) if kept[i] else shade(ax, ABOVE) for i in range(len(table))]
