r"""Undirected graphs over named nodes.

A and B are separated by C if every path from A to B passes through C                                          (1)
a clique is a set of nodes that are all joined; it is maximal if no node can be added                           (2)
"""

from collections.abc import Hashable, Iterable, Iterator
from typing import Any, NamedTuple

from novum.exceptions import ParameterError
from novum.report.numbers import counted
from novum.report.result import Result, result
from novum.runtime.message_text import first_few
from novum.runtime.typing import Axes, Label, Labels

__all__ = ["Separation", "UndirectedGraph"]


@result
class Separation(NamedTuple):
    """Whether two sets are separated; if not, a path between them that nothing blocks."""

    separated: bool
    path: tuple[Any, ...] = ()

    def __bool__(self) -> bool:
        return self.separated

    def __repr__(self) -> str:
        return (
            "True: every path is blocked" if self.separated else f"False: open path {' - '.join(map(str, self.path))}"
        )


class UndirectedGraph(Result):
    """An undirected graph.

    Parameters
    ----------
    edges : iterable of pairs, networkx.Graph or UndirectedGraph
    nodes : iterable, optional
        Further nodes, also such as have no edges.

    Examples
    --------
    >>> from novum.graphical import UndirectedGraph
    >>> graph = UndirectedGraph(["AC", "AB", "CD", "BD", "BE", "DE"], nodes="F")
    >>> sorted("".join(sorted(clique)) for clique in graph.cliques())
    ['AB', 'AC', 'BDE', 'CD', 'F']
    >>> graph.separated("A", "E", given="BC"), graph.separated("A", "E", given="B")
    (True: every path is blocked, False: open path A - C - D - E)
    """

    def __init__(self, edges: Any = (), nodes: Iterable[Any] = ()) -> None:
        if isinstance(edges, UndirectedGraph):
            nodes, edges = [*nodes, *edges.nodes], edges.edges
        elif hasattr(edges, "is_directed"):
            if edges.is_directed():
                raise ParameterError("UndirectedGraph: a directed graph was given; use DAG(graph).moralize().")
            nodes, edges = [*nodes, *edges.nodes], edges.edges
        joined: dict[Any, dict[Any, None]] = {node: {} for node in nodes}
        for edge in edges:
            pair = tuple(edge)
            if len(pair) != 2 or pair[0] == pair[1]:
                raise ParameterError(f"UndirectedGraph: {edge!r} is no edge; pass pairs of two different nodes.")
            for one, other in (pair, pair[::-1]):
                joined.setdefault(one, {})[other] = None
        self.neighbors: dict[Any, tuple[Any, ...]] = {node: tuple(found) for node, found in joined.items()}

    @property
    def nodes(self) -> tuple[Any, ...]:
        return tuple(self.neighbors)

    @property
    def edges(self) -> list[tuple[Any, Any]]:
        place = {node: i for i, node in enumerate(self.neighbors)}
        return [(a, b) for a, found in self.neighbors.items() for b in found if place[a] < place[b]]

    def markov_blanket(self, node: Label) -> set[Any]:
        """Return the neighbours of a node: given them it is independent of the rest."""
        return set(self.neighbors[self._known("markov_blanket", (node,))[0]])

    def _known(self, method: str, nodes: Iterable[Any]) -> tuple[Any, ...]:
        found = tuple(nodes)
        for node in found:
            if node not in self.neighbors:
                raise ParameterError(
                    f"UndirectedGraph.{method}: no node {node!r}; the nodes are {first_few(self.nodes)}."
                )
        return found

    def _listed(self, method: str, nodes: Any) -> tuple[Any, ...]:
        try:
            if nodes in self.neighbors:
                return (nodes,)
        except TypeError:
            pass
        return self._known(method, nodes)

    def separated(self, a: Hashable | Iterable[Any], b: Hashable | Iterable[Any], given: Labels = ()) -> Separation:
        """Return (1), with an open path where it does not hold.

        A and B are separated by C if every path from A to B passes through C    (1)
        """
        first, second, blocked = (self._listed("separated", nodes) for nodes in (a, b, given))
        if set(first) & set(second) or set(blocked) & {*first, *second}:
            raise ParameterError("UndirectedGraph.separated: a, b and given must not share nodes.")
        came: dict[Any, Any] = dict.fromkeys(first)
        queue = list(first)
        for node in queue:
            if node in second:
                path = [node]
                while came[path[-1]] is not None:
                    path.append(came[path[-1]])
                return Separation(False, tuple(path[::-1]))
            for other in self.neighbors[node]:
                if other not in came and other not in blocked:
                    came[other] = node
                    queue.append(other)
        return Separation(True)

    def cliques(self) -> list[tuple[Any, ...]]:
        """Return the maximal cliques (2), by Bron and Kerbosch with a pivot; nodes in their order.

        a clique is a set of nodes that are all joined; it is maximal if no node can be added    (2)
        """
        place = {node: i for i, node in enumerate(self.neighbors)}
        joined = {node: set(found) for node, found in self.neighbors.items()}

        def grow(clique: list[Any], candidates: set[Any], done: set[Any]) -> Iterator[tuple[Any, ...]]:
            if not candidates and not done:
                yield tuple(sorted(clique, key=place.__getitem__))
                return
            pivot = max(candidates | done, key=lambda n: (len(joined[n] & candidates), -place[n]))
            for node in sorted(candidates - joined[pivot], key=place.__getitem__):
                yield from grow([*clique, node], candidates & joined[node], done & joined[node])
                candidates = candidates - {node}
                done = done | {node}

        found = grow([], set(self.nodes), set()) if self.neighbors else iter(())
        return sorted(found, key=lambda clique: [place[n] for n in clique])

    def components(self) -> list[tuple[Any, ...]]:
        """Return the connected parts."""
        seen: set[Any] = set()
        parts = []
        for start in self.nodes:
            if start in seen:
                continue
            part, queue = [], [start]
            seen.add(start)
            for node in queue:
                part.append(node)
                queue.extend(other for other in self.neighbors[node] if other not in seen)
                seen.update(self.neighbors[node])
            parts.append(tuple(part))
        return parts

    @property
    def is_forest(self) -> bool:
        """Whether there is at most one path between any two nodes."""
        return len(self.edges) == len(self.nodes) - len(self.components())

    @property
    def kind(self) -> str:
        """ "undirected tree", "undirected forest" (several trees) or "loopy"."""
        return f"undirected {'tree' if len(self.components()) == 1 else 'forest'}" if self.is_forest else "loopy"

    def plot(self, ax: Axes | None = None, observed: Labels = ()) -> Axes:
        """Draw the graph so that distances on paper are like those along edges; observed nodes are filled."""
        from novum.graphical.plots.graphs import draw_undirected

        return draw_undirected(self, ax, self._listed("plot", observed))

    @property
    def is_chordal(self) -> bool:
        """Whether every cycle of four or more nodes has a chord: maximum cardinality search meets cliques only."""
        joined = {node: set(found) for node, found in self.neighbors.items()}
        numbered: list[Any] = []
        left = dict.fromkeys(self.nodes, 0)
        while left:
            node = max(left, key=left.__getitem__)
            del left[node]
            before = [other for other in numbered if other in joined[node]]
            if any(a not in joined[b] for i, a in enumerate(before) for b in before[:i]):
                return False
            numbered.append(node)
            for other in joined[node]:
                if other in left:
                    left[other] += 1
        return True

    def to_networkx(self) -> Any:
        """Return a networkx.Graph."""
        import networkx as nx

        graph = nx.Graph()
        graph.add_nodes_from(self.nodes)
        graph.add_edges_from(self.edges)
        return graph

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UndirectedGraph) and {n: set(f) for n, f in self.neighbors.items()} == {
            n: set(f) for n, f in other.neighbors.items()
        }

    def __hash__(self) -> int:
        return hash(frozenset((node, frozenset(found)) for node, found in self.neighbors.items()))

    def __contains__(self, node: object) -> bool:
        return node in self.neighbors

    def __len__(self) -> int:
        return len(self.neighbors)

    def _result_columns(self) -> dict[str, Any]:
        return {"node": self.nodes, "neighbors": [first_few(self.neighbors[node]) for node in self.nodes]}

    def __repr__(self) -> str:
        if len(self.edges) > 20:
            return f"UndirectedGraph: {counted(len(self.nodes), 'node')}, {counted(len(self.edges), 'edge')}"
        alone = [str(node) for node, found in self.neighbors.items() if not found]
        return "UndirectedGraph: " + (", ".join([f"{a} - {b}" for a, b in self.edges] + alone) or "no nodes")
