"""Pictures of graphs: nodes colored by what is known or predicted of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.neural_network.message_passing.graphs import Graph, as_graph, is_networkx
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.style import TINY, ink, letters, series, shade
from novum.runtime.typing import Axes, HasArray, HasEdges, HasShape, Numbers

__all__ = ["plot_graph", "positions_of"]


def positions_of(source: Any, graph: Graph, seed: int = 0) -> NDArray:
    """Return a place for every node, (n, 2), by networkx's springs."""
    try:
        import networkx
    except ImportError as error:
        raise ImportError("plot_graph lays out graphs with networkx: pip install 'novum[graph]'") from error
    if not is_networkx(source):
        source = networkx.DiGraph() if graph.directed else networkx.Graph()
        source.add_nodes_from(graph.nodes)
        ends = graph.edges.T.tolist()
        source.add_weighted_edges_from((graph.nodes[a], graph.nodes[b], w) for (a, b), w in zip(ends, graph.weight))
    found = networkx.spring_layout(source, seed=seed)
    return np.array([found[node] for node in graph.nodes])


NODE = 130  # squared points


def plot_graph(
    source: HasEdges | HasShape | HasArray | Sequence[Any],
    values: Numbers | None = None,
    *,
    marked: Numbers | None = None,
    positions: Numbers | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a graph; return the axes.

    Parameters
    ----------
    source : networkx graph, adjacency matrix or pairs of nodes
    values : array-like of shape (n_nodes,), default=None
        Labels, of which each has a color, or numbers (float), which become shades.
    marked : array-like of bool, default=None
        Nodes drawn with a black ring: those whose label was known.
    positions : array-like of shape (n_nodes, 2), default=None
        Places of the nodes; None lays them out by springs, which needs networkx.
    ax : matplotlib axes, default=None
    """
    graph = as_graph(source, owner="plot_graph")
    at = positions_of(source, graph) if positions is None else np.asarray(positions, dtype=np.float64)
    ax = drawing_axes(ax)
    once = graph.edges.T if graph.directed else graph.edges.T[graph.edges[0] < graph.edges[1]]
    for a, b in once:
        ax.plot(at[[a, b], 0], at[[a, b], 1], color=shade(ax, 0.8), linewidth=0.8, zorder=1)
    ring = "none" if marked is None else np.where(np.asarray(marked, dtype=bool), ink(ax), "none")
    values = None if values is None else np.asarray(values)
    if values is None or values.dtype.kind == "f":
        ax.scatter(at[:, 0], at[:, 1], s=NODE, c=values, edgecolors=ring, linewidths=1.5, zorder=2)
    else:
        labels, codes = np.unique(values, return_inverse=True)
        for k, label in enumerate(labels):
            here = values == label
            edge = ring[here] if isinstance(ring, np.ndarray) else ring
            ax.scatter(
                at[here, 0],
                at[here, 1],
                s=NODE,
                color=series(ax, k),
                edgecolors=edge,
                linewidths=1.5,
                zorder=2,
                label=str(label),
            )
        draw_legend(ax)
    if graph.n_nodes <= 60:
        grounds = ax.collections[0].get_facecolors() if values is None or values.dtype.kind == "f" else None
        for i, (name, (x, y)) in enumerate(zip(graph.nodes, at)):
            ground = series(ax, codes[i]) if grounds is None else grounds[min(i, len(grounds) - 1)]
            color = letters(ax, ground)
            ax.text(x, y, str(name), ha="center", va="center", color=color, fontsize=TINY, zorder=3)
    ax.set_axis_off()
    return ax
