"""The computation graph of a node: the tree of messages that decide about it.

At the root is the node, below it the nodes whose messages its last layer takes, below each of these the nodes of theirs, down to
the features. A node may stand at many places: every place is one use of its vector at that layer.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import DataError, ParameterError
from novum.neural_network.message_passing.graphs import as_graph, node_numbers
from novum.report.axes import drawing_axes
from novum.report.numbers import counted
from novum.report.result import Result
from novum.report.style import SMALL, shade
from novum.runtime.typing import Axes, HasArray, HasEdges, HasShape, Label

__all__ = ["ComputationGraph", "computation_graph"]

MOST_PLACES = 100_000  # of a tree: beyond, it is neither read nor drawn


class NodeUse(NamedTuple):
    """One use of a node: its depth below the root, and the number of the place that takes its message (-1 at the root)."""

    node: Any
    depth: int
    parent: int


class ComputationGraph(Result):
    """A tree of messages; prints as an indented list, draws as layers of circles.

    Attributes
    ----------
    places : list of Place
        From the root down, layer by layer.
    """

    def __init__(self, places: list[NodeUse]) -> None:
        self.places = places

    def _result_columns(self) -> dict[str, list[Any]]:
        return {
            "node": [p.node for p in self.places],
            "depth": [p.depth for p in self.places],
            "parent": [p.parent for p in self.places],
        }

    def levels(self) -> list[list[Any]]:
        """Return the nodes of every layer of the tree, the root first."""
        deepest = self.places[-1].depth
        return [[p.node for p in self.places if p.depth == depth] for depth in range(deepest + 1)]

    def _lines(self, parent: int, indent: int) -> list[str]:
        found = []
        for k, place in enumerate(self.places):
            if place.parent == parent:
                found += ["  " * indent + str(place.node), *self._lines(k, indent + 1)]
        return found

    def __repr__(self) -> str:
        if len(self.places) > 200:
            return f"computation graph of {self.places[0].node!r}: {[len(level) for level in self.levels()]} places by depth"
        return "\n".join(self._lines(-1, 0))

    def positions(self) -> np.ndarray:
        """Return where places are drawn, (places, 2): leaves side by side, every other above the middle of its own."""
        children: list[list[int]] = [[] for _ in self.places]
        for k, place in enumerate(self.places[1:], 1):
            children[place.parent].append(k)
        at = np.zeros((len(self.places), 2))
        order, leaves = [0], 0
        while order:  # down and from the left: leaves are numbered as they come
            k = order.pop()
            if not children[k]:
                at[k, 0] = leaves
                leaves += 1
            order += reversed(children[k])
        for k in reversed(range(len(self.places))):
            if children[k]:
                at[k, 0] = at[children[k], 0].mean()
            at[k, 1] = -self.places[k].depth
        return at

    def _result_picture(self, ax: Any) -> None:
        at = self.positions()
        for k, place in enumerate(self.places):
            if place.parent >= 0:
                ax.annotate(
                    "",
                    at[place.parent],
                    at[k],
                    arrowprops={"arrowstyle": "->", "color": shade(ax, 0.5), "shrinkA": 8, "shrinkB": 8},
                )
        ax.scatter(at[:, 0], at[:, 1], s=200, c=[p.depth for p in self.places], cmap="Pastel1", zorder=3)
        for place, (x, y) in zip(self.places, at):
            ax.text(x, y, str(place.node), ha="center", va="center", zorder=4, fontsize=SMALL)
        deepest = self.places[-1].depth
        ax.set(yticks=range(-deepest, 1), yticklabels=[f"layer {k}" for k in range(deepest + 1)], xticks=[])
        ax.set_title(f"What decides about {self.places[0].node}")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the tree and return the axes."""
        ax = drawing_axes(ax)
        self._result_picture(ax)
        return ax


def computation_graph(
    graph: HasEdges | HasShape | HasArray | Sequence[Any], node: Label, n_layers: int, *, own: bool = True
) -> ComputationGraph:
    """Return the tree of messages that `n_layers` layers send to a node.

    Parameters
    ----------
    graph : networkx graph, adjacency matrix or pairs of nodes
    node : name of a node
    n_layers : int
    own : bool, default=True
        Whether a node also takes a message from itself.

    Examples
    --------
    >>> from novum.neural_network.message_passing.unrolled import computation_graph
    >>> computation_graph([("a", "b"), ("b", "c")], "a", 2, own=False)
    a
      b
        a
        c
    """
    given = as_graph(graph, owner="computation_graph")
    if not isinstance(n_layers, int | np.integer) or n_layers < 0:
        raise ParameterError(f"computation_graph(n_layers={n_layers!r}): give a whole number of 0 or more.")
    (root,) = node_numbers(given, [node], "computation_graph")
    senders: dict[int, list[int]] = {}
    for start, to in given.edges.T.tolist():
        senders.setdefault(to, []).append(start)
    places, numbers = [NodeUse(node, 0, -1)], [int(root)]
    layer = [0]
    for depth in range(1, n_layers + 1):
        following = []
        for parent in layer:
            here = numbers[parent]
            for sender in sorted([*senders.get(here, []), *([here] if own else [])]):
                following.append(len(places))
                places.append(NodeUse(given.nodes[sender], depth, parent))
                numbers.append(sender)
            if len(places) > MOST_PLACES:
                raise DataError(
                    f"computation_graph: {n_layers} layers around {node!r} have more than {counted(MOST_PLACES, 'place')}."
                )
        layer = following
    return ComputationGraph(places)
