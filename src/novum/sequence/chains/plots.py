"""The graph of a chain, as networkx and as a picture."""

from typing import Any

import scipy.sparse

from novum.report.plots.states import Arrow, draw_states
from novum.report.style import series, shade

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
    color: dict[Any, Any] = {}
    for k, (members, closed) in enumerate(zip(classes.members, classes.closed)):
        color |= dict.fromkeys(members, series(ax, k) if closed else shade(ax, 0.75))
    cells, arrows = matrix.tocoo(), []
    for i, j, p in zip(cells.row.tolist(), cells.col.tolist(), cells.data.tolist()):
        if p > 0:
            arrows.append(Arrow(i, j, f"{p:.3g}", shade(ax, 0.4), 0.5 + 2.5 * p, f"{states[i]}->{states[j]}"))
    draw_states(ax, [str(state) for state in states], [color[state] for state in states], arrows)
