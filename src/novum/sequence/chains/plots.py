"""The graph of a chain, as networkx and as a picture."""

from typing import Any

import numpy as np
import scipy.sparse

__all__ = ["draw_chain", "graph_of"]


def graph_of(states: list[Any], matrix: scipy.sparse.csr_array) -> Any:
    """Return a networkx DiGraph with `probability` (and as `weight`) on every arrow that can be taken."""
    import networkx

    graph = networkx.DiGraph()
    graph.add_nodes_from(states)
    cells = matrix.tocoo()
    for i, j, p in zip(cells.row.tolist(), cells.col.tolist(), cells.data.tolist()):
        if p > 0:
            graph.add_edge(states[i], states[j], probability=p, weight=p)
    return graph


def draw_chain(ax: Any, states: list[Any], matrix: scipy.sparse.csr_array, classes: Any) -> None:
    """Draw states on a circle, colored by class (transient ones are gray), and arrows as wide as they are likely."""
    import networkx

    graph = graph_of(states, matrix)
    places = networkx.circular_layout(graph)
    color: dict[Any, str] = {}
    for k, (members, closed) in enumerate(zip(classes.members, classes.closed)):
        color |= dict.fromkeys(members, f"C{k % 10}" if closed else "0.75")
    networkx.draw_networkx_nodes(
        graph, places, ax=ax, node_color=[color[state] for state in graph], node_size=700, alpha=0.8
    )
    networkx.draw_networkx_labels(graph, places, ax=ax, labels={state: str(state) for state in graph})
    width = [0.5 + 3 * data["probability"] for _, _, data in graph.edges(data=True)]
    bend = "arc3,rad=0.15"
    networkx.draw_networkx_edges(
        graph, places, ax=ax, width=width, connectionstyle=bend, node_size=700, edge_color="0.4"
    )
    for i, j, data in graph.edges(data=True):
        a, b = np.asarray(places[i]), np.asarray(places[j])
        side = np.array([b[1] - a[1], a[0] - b[0]])
        at = a * 1.28 if i == j else (a + b) / 2 + 0.1 * side
        ax.text(*at, f"{data['probability']:.3g}", ha="center", va="center", fontsize=8, gid=f"{i}->{j}")
    ax.set_axis_off()
    ax.margins(0.2)
