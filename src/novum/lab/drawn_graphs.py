"""Graphs as views of kind `graph` draw them: nodes with places in the unit square (the second coordinate falls), and edges."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

__all__ = ["Places", "drawn_edges", "drawn_nodes", "graph_code", "graph_value"]

Places = Mapping[str, tuple[float, float]]


def drawn_nodes(places: Places, roles: Mapping[str, str], shaded: Collection[str] = ()) -> list[dict[str, Any]]:
    """Return the nodes at their places, those with a role in its color, those that are shaded filled."""
    return [
        {"id": name, "x": x, "y": y, "role": roles.get(name, "plain"), "shaded": name in shaded}
        for name, (x, y) in places.items()
    ]


def drawn_edges(
    arcs: Iterable[tuple[str, str]], roles: Mapping[Any, str], directed: bool = True
) -> list[dict[str, Any]]:
    """Return the edges; `roles` may name an arc in either direction."""
    return [
        {"from": a, "to": b, "role": roles.get((a, b), roles.get((b, a), "plain")), "directed": directed}
        for a, b in arcs
    ]


def graph_value(places: Places, arcs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return a graph as a control of kind Graph holds it."""
    return {
        "nodes": list(places),
        "arcs": [list(arc) for arc in arcs],
        "at": [list(place) for place in places.values()],
    }


def graph_code(graph: Mapping[str, Any]) -> str:
    """Return the call that makes the DAG of such a control."""
    return f"DAG({[tuple(arc) for arc in graph['arcs']]!r}, {graph['nodes']!r})"
