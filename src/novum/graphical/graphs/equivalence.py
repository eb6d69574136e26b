r"""I-equivalence: directed graphs that imply the same independences, and the essential graph that stands for all of them.

    G and G' are I-equivalent  <=>  same skeleton and same immoralities a -> c <- b with a, b not joined        (6)

(Verma and Pearl 1990). The essential graph has an arc where all members of the class agree and an edge where they do not. It
follows from the skeleton and the immoralities by rules that forbid new immoralities and cycles (Meek 1995):

    a -> b - c, a and c not joined                    =>  b -> c                                                (7)
    a -> b -> c, a - c                                =>  a -> c                                                (8)
    a - b, a - c -> b, a - d -> b, c and d not joined =>  a -> b                                                (9)
    a - b, a - d -> c -> b, a and c joined, d and b not   =>  a -> b                                            (10)

With (10), which only matters once an edge has been directed at will, both directions of any edge that is left lead to members;
so the members are listed without dead ends.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations
from math import factorial
from typing import TYPE_CHECKING, Any

from novum.exceptions import ParameterError, ParameterTypeError
from novum.graphical.graphs.comparison import Compares
from novum.graphical.graphs.undirected import UndirectedGraph
from novum.report.numbers import counted
from novum.report.result import Result
from novum.runtime.message_text import first_few

if TYPE_CHECKING:
    from novum.graphical.graphs.dag import DAG

__all__ = ["EssentialGraph", "directed_further", "equivalent", "essential_graph", "immoralities"]

Arc = tuple[Any, Any]


def immoralities(dag: "DAG") -> list[tuple[Any, Any, Any]]:
    """Return the triples (a, c, b) with a -> c <- b where a and b are not joined; a comes before b in the order of the nodes."""
    place = {node: i for i, node in enumerate(dag.nodes)}
    joined = dag.skeleton
    return [
        (a, child, b)
        for child, parents in dag.parents.items()
        for a, b in combinations(sorted(parents, key=place.__getitem__), 2)
        if frozenset((a, b)) not in joined
    ]


def equivalent(one: "DAG", other: "DAG") -> bool:
    """Decide (6)."""
    if not hasattr(other, "skeleton"):
        raise ParameterTypeError(f"DAG.equivalent: the other graph must be a DAG, got {type(other).__name__}.")
    if set(one.nodes) != set(other.nodes) or one.skeleton != other.skeleton:
        return False
    first, second = ({(frozenset((a, b)), c) for a, c, b in immoralities(graph)} for graph in (one, other))
    return first == second


class _Partial:
    """A graph of arcs and edges that the rules direct further."""

    def __init__(self, nodes: Iterable[Any], arcs: Iterable[Arc], edges: Iterable[Any]) -> None:
        self.parents: dict[Any, set[Any]] = {node: set() for node in nodes}
        self.children: dict[Any, set[Any]] = {node: set() for node in self.parents}
        self.open: dict[Any, set[Any]] = {node: set() for node in self.parents}  # neighbors by an edge
        for parent, child in arcs:
            self.parents[child].add(parent)
            self.children[parent].add(child)
        for a, b in edges:
            self.open[a].add(b)
            self.open[b].add(a)
        self.place = {node: i for i, node in enumerate(self.parents)}
        self.joined = {n: self.parents[n] | self.children[n] | self.open[n] for n in self.parents}

    def copy(self) -> "_Partial":
        return _Partial(self.parents, self.arcs(), self.edges())

    def _sorted(self, near: dict[Any, set[Any]]) -> list[Arc]:
        """Return (neighbor, node), in the order of the nodes: that of a set changes from run to run."""
        return [(other, node) for node, found in near.items() for other in sorted(found, key=self.place.__getitem__)]

    def arcs(self) -> list[Arc]:
        return self._sorted(self.parents)

    def edges(self) -> list[Arc]:
        return [(a, b) for a, b in self._sorted(self.open) if self.place[a] < self.place[b]]

    def direct(self, a: Any, b: Any) -> None:
        self.open[a].discard(b)
        self.open[b].discard(a)
        self.parents[b].add(a)
        self.children[a].add(b)

    def must(self, a: Any, b: Any) -> bool:
        """Return whether (7)-(10) direct the edge a - b as a -> b."""
        joined, parents = self.joined, self.parents
        if any(c != b and c not in joined[b] for c in parents[a]):  # (7)
            return True
        if self.children[a] & parents[b]:  # (8)
            return True
        between = self.open[a] & parents[b]
        if any(d not in joined[c] for c, d in combinations(between, 2)):  # (9)
            return True
        return any(  # (10)
            d not in joined[b] for c in parents[b] & joined[a] for d in parents[c] & self.open[a] if d != b
        )

    def close_together(self) -> "_Partial":
        """Apply the rules in rounds, each to the graph as the round found it; what they direct both ways stays an edge.

        With arcs that no DAG has, one order of the rules contradicts another; rounds have no order.
        """
        while True:
            directed = {(a, b) for edge in self.edges() for a, b in (edge, edge[::-1]) if self.must(a, b)}
            clear = [(a, b) for a, b in directed if (b, a) not in directed]
            if not clear:
                return self
            for a, b in clear:
                self.direct(a, b)

    def close(self) -> "_Partial":
        """Apply the rules until none of them directs an edge."""
        waiting = self.edges()
        while waiting:
            a, b = waiting.pop()
            if b not in self.open[a]:
                continue
            for one, other in ((a, b), (b, a)):
                if self.must(one, other):
                    self.direct(one, other)
                    near = {one, other, *self.joined[one], *self.joined[other]}  # the rules look no further than this
                    waiting += self._sorted({n: self.open[n] for n in sorted(near, key=self.place.__getitem__)})
                    break
        return self


class EssentialGraph(Compares, Result):
    """A class of I-equivalent directed graphs: arcs that all members share, and edges that they direct either way.

    Parameters
    ----------
    nodes : iterable
    arcs : iterable of pairs (parent, child)
    edges : iterable of pairs

    Attributes
    ----------
    nodes : tuple
    arcs, edges : list of pairs

    Examples
    --------
    >>> from novum.graphical import DAG
    >>> found = DAG([("A", "C"), ("B", "C"), ("C", "D"), ("E", "F")]).essential_graph()
    >>> found
    EssentialGraph: A -> C, B -> C, C -> D, E - F
    >>> found.n_members, list(found.members())[1]
    (2, DAG: A -> C <- B, C -> D, F -> E)
    """

    def __init__(self, nodes: Iterable[Any], arcs: Iterable[Arc] = (), edges: Iterable[Any] = ()) -> None:
        self.nodes = tuple(nodes)
        place = {node: i for i, node in enumerate(self.nodes)}

        def by_place(pair: Arc) -> tuple[int, int]:
            return place[pair[1]], place[pair[0]]

        self.arcs: list[Arc] = sorted((tuple(arc) for arc in arcs), key=by_place)
        pairs = (sorted(edge, key=place.__getitem__) for edge in edges)
        self.edges: list[Arc] = sorted(((a, b) for a, b in pairs), key=by_place)

    def _partial(self) -> _Partial:
        return _Partial(self.nodes, self.arcs, self.edges)

    def members(self) -> Iterator["DAG"]:
        """Yield every directed graph of the class."""
        from novum.graphical.graphs.dag import DAG

        stack = [self._partial().close()]
        while stack:
            graph = stack.pop()
            edges = graph.edges()
            if not edges:
                yield DAG(graph.arcs(), self.nodes)
                continue
            a, b = edges[0]
            for parent, child in ((b, a), (a, b)):  # the stack takes the last first
                further = graph.copy()
                further.direct(parent, child)
                stack.append(further.close())

    @property
    def n_members(self) -> int:
        """The number of members, counted part by part without listing them."""
        return count_members(UndirectedGraph(self.edges, self.nodes), {})

    def to_dag(self) -> "DAG":
        """Return one directed graph with these arcs and edges and no further immorality; there may be none if the graph was not
        made from a DAG.
        """
        from novum.graphical.graphs.dag import DAG

        left, done = self._partial(), self._partial()
        nodes = dict.fromkeys(reversed(self.nodes))
        while nodes:  # Dor and Tarsi 1992: take away a sink whose edges can all point to it
            for sink in nodes:
                joined = left.joined[sink]
                if not left.children[sink] and all(joined - {n} <= left.joined[n] for n in left.open[sink]):
                    break
            else:
                raise ParameterError(f"{self!r}: no directed graph has these arcs and edges and no other immorality.")
            for node in left.open[sink]:
                done.direct(node, sink)
            del nodes[sink]
            for node in left.joined[sink]:
                for found in (left.parents, left.children, left.open, left.joined):
                    found[node].discard(sink)
        return DAG(done.arcs(), self.nodes)

    def plot(self, ax: Any = None) -> Any:
        """Draw arcs as arrows and edges as lines."""
        from novum.graphical.plots.graphs import draw_essential

        return draw_essential(self, ax)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EssentialGraph) and hash(self) == hash(other) and self._key() == other._key()

    def _key(self) -> tuple[Any, ...]:
        return frozenset(self.nodes), frozenset(self.arcs), frozenset(map(frozenset, self.edges))

    def __hash__(self) -> int:
        return hash(self._key())

    def _result_columns(self) -> dict[str, Any]:
        parents = [first_few([a for a, child in self.arcs if child == node]) for node in self.nodes]
        joined = [first_few([a if b == node else b for a, b in self.edges if node in (a, b)]) for node in self.nodes]
        return {"node": self.nodes, "parents": parents, "neighbors": joined}

    def __repr__(self) -> str:
        if len(self.arcs) + len(self.edges) > 20:
            return (
                f"EssentialGraph: {counted(len(self.nodes), 'node')}, {counted(len(self.arcs), 'arc')}, "
                f"{counted(len(self.edges), 'edge')}"
            )
        held = {node for pair in (*self.arcs, *self.edges) for node in pair}
        words = [f"{a} -> {b}" for a, b in self.arcs] + [f"{a} - {b}" for a, b in self.edges]
        return "EssentialGraph: " + (", ".join(words + [str(n) for n in self.nodes if n not in held]) or "no nodes")


def essential_graph(dag: "DAG") -> EssentialGraph:
    """Return the essential graph by (7)-(10) from the skeleton and the immoralities."""
    fixed = {(end, child) for a, child, b in immoralities(dag) for end in (a, b)}
    edges = [tuple(edge) for edge in dag.skeleton]
    return directed_further(dag.nodes, fixed, [(a, b) for a, b in edges if (a, b) not in fixed and (b, a) not in fixed])


def directed_further(
    nodes: Iterable[Any], arcs: Iterable[Arc], edges: Iterable[Arc], together: bool = False
) -> EssentialGraph:
    """Return the graph with the edges directed that (7)-(10) direct; `together` where arcs may contradict each other."""
    start = _Partial(nodes, arcs, edges)
    found = start.close_together() if together else start.close()
    return EssentialGraph(found.parents, found.arcs(), found.edges())


def count_members(graph: UndirectedGraph, known: dict[frozenset[Any], int]) -> int:
    """Return in how many ways the edges of a chordal graph can be directed without cycle and immorality.

    Every part has one source; what it leaves undirected falls apart again (He, Jia and Yu 2015).
    """
    total = 1
    for part in graph.components():
        nodes = frozenset(part)
        edges = [edge for edge in graph.edges if edge[0] in nodes]
        size = len(part)
        if len(edges) == size - 1:
            ways = size
        elif len(edges) == size * (size - 1) // 2:
            ways = factorial(size)
        elif nodes in known:
            ways = known[nodes]
        else:
            ways = 0
            for root in part:
                rest = _Partial(part, (), edges)
                for node in list(rest.open[root]):
                    rest.direct(root, node)
                ways += count_members(UndirectedGraph(rest.close().edges(), part), known)
            known[nodes] = ways
        total *= ways
    return total
