"""The picture of a feed-forward graph: nodes by depth, straight edges to the next depth, curved ones past nodes between."""

from typing import Any

import numpy as np

from novum.neural_network.feed_forward.structure import Structure
from novum.report.axes import drawing_axes
from novum.report.style import SMALL, ink, paper, shade

__all__ = ["depths", "draw_graph"]

BEND = 0.35  # of an edge that skips a layer


def depths(structure: Structure) -> dict[str, int]:
    """Return the longest way from the input to every node."""
    found = {structure.nodes[0].name: 0}
    for node in structure.nodes[1:]:
        found[node.name] = 1 + max(found[edge.source] for edge in structure.edges if edge.target == node.name)
    return found


def draw_graph(structure: Structure, ax: Any = None) -> Any:
    """Draw the nodes with their units and activations, and every edge with its number of free weights."""
    ax = drawing_axes(ax)
    depth = depths(structure)
    columns: dict[int, list[str]] = {}
    for name, d in depth.items():
        columns.setdefault(d, []).append(name)
    place = {name: (float(d), k - (len(names) - 1) / 2) for d, names in columns.items() for k, name in enumerate(names)}
    for edge in structure.edges:
        span = depth[edge.target] - depth[edge.source]
        a, b = np.array(place[edge.source]), np.array(place[edge.target])
        bend = BEND if span > 1 else 0.0
        arrow = {
            "arrowstyle": "->",
            "connectionstyle": f"arc3,rad={bend}",
            "color": shade(ax, 0.4),
            "shrinkA": 22,
            "shrinkB": 22,
        }
        ax.annotate("", xy=b, xytext=a, arrowprops=arrow)
        free = len(np.unique(edge.pattern[edge.pattern >= 0]))
        middle = (a + b) / 2 - [0.0, bend * span / 2]
        ax.text(*middle, str(free), color=shade(ax, 0.3), fontsize=SMALL, ha="center", va="bottom")
    for node in structure.nodes:
        box = {"boxstyle": "round", "facecolor": paper(ax), "edgecolor": ink(ax)}
        words = f"{node.name}\n{node.units}" + (
            "" if node.activation.name == "identity" else f" {node.activation.name}"
        )
        ax.text(*place[node.name], words, ha="center", va="center", bbox=box)
    heights = [y for _, y in place.values()]
    ax.set(xlim=(-0.5, max(depth.values()) + 0.5), ylim=(min(heights) - 1, max(heights) + 0.8))
    ax.set_axis_off()
    return ax
