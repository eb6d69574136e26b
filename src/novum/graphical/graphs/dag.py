r"""Directed acyclic graphs over named nodes.

    Pa(x): parents,  De(x): nodes reachable along arrows,  An(x): nodes from which x is reachable                  (1)
    NonDesc(x) = V \ (De(x) + {x})                                                                                 (2)
    x_i -> x_j  implies  i < j   in a topological order                                                            (3)

The graph is a value: `with_arc`, `without_arc` and `with_reversed` return new graphs and refuse a cycle by showing it.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from heapq import heappop, heappush
from itertools import combinations
from typing import Any

from novum.exceptions import ParameterError
from novum.graphical.graphs import enumeration, equivalence, separation
from novum.graphical.graphs.comparison import Compares, Scores
from novum.graphical.graphs.parents import Parents, find_cycle, read_parents
from novum.graphical.graphs.plates import unroll
from novum.graphical.graphs.undirected import UndirectedGraph
from novum.report.numbers import counted
from novum.report.result import Result
from novum.runtime.checks import check_count
from novum.runtime.message_text import first_few
from novum.runtime.typing import Arcs, Axes, Label, Labels

__all__ = ["DAG"]

Node = Hashable


class DAG(Compares, Scores, Result):
    """A directed acyclic graph.

    Parameters
    ----------
    graph : iterable of arcs (parent, child), mapping of child to parents, networkx.DiGraph or DAG
    nodes : iterable, optional
        Further nodes, also such as have no arcs; they come first in the order of the nodes.

    Attributes
    ----------
    parents : dict of node to tuple of nodes
        In the order in which they were given: the order of the axes of a conditional table.

    Examples
    --------
    >>> from novum.graphical import DAG
    >>> graph = DAG([("battery", "gauge"), ("fuel", "gauge")])
    >>> graph
    DAG: battery -> gauge <- fuel
    >>> graph.order, graph.roots, sorted(graph.ancestors("gauge"))
    (('battery', 'fuel', 'gauge'), ('battery', 'fuel'), ['battery', 'fuel'])
    >>> graph.with_arc("gauge", "fuel")
    Traceback (most recent call last):
    ...
    novum.exceptions.ParameterError: DAG.with_arc: gauge -> fuel -> gauge is a directed cycle.
    """

    parents: Parents

    def __init__(self, graph: "DAG | Arcs" = (), nodes: Iterable[Any] = ()) -> None:
        self.parents = self._checked("DAG", read_parents("DAG", graph, nodes))
        children: dict[Any, list[Any]] = {node: [] for node in self.parents}
        for node, parents in self.parents.items():
            for parent in parents:
                children[parent].append(node)
        self.children: Parents = {node: tuple(found) for node, found in children.items()}

    @staticmethod
    def _checked(owner: str, parents: Parents) -> Parents:
        for node, found in parents.items():
            if len(set(found)) < len(found):
                twice = next(parent for parent in found if found.count(parent) > 1)
                raise ParameterError(f"{owner}: the arc {twice} -> {node} is given twice.")
        cycle = find_cycle(parents)
        if cycle:
            raise ParameterError(f"{owner}: {first_few(cycle, ' -> ')} is a directed cycle.")
        return parents

    # ---------------------------------------------------------------------------------------------- what it holds

    @property
    def nodes(self) -> tuple[Any, ...]:
        return tuple(self.parents)

    @property
    def arcs(self) -> list[tuple[Any, Any]]:
        """The arcs (parent, child), by child."""
        return [(parent, child) for child, parents in self.parents.items() for parent in parents]

    @property
    def roots(self) -> tuple[Any, ...]:
        return tuple(node for node, parents in self.parents.items() if not parents)

    @property
    def leaves(self) -> tuple[Any, ...]:
        return tuple(node for node, children in self.children.items() if not children)

    @property
    def skeleton(self) -> set[frozenset[Any]]:
        """The arcs without their directions."""
        return {frozenset(arc) for arc in self.arcs}

    @property
    def order(self) -> tuple[Any, ...]:
        """A topological order (3); of those that are free, the node that was named first.

        x_i -> x_j  implies  i < j   in a topological order    (3)
        """
        missing = {node: len(parents) for node, parents in self.parents.items()}
        place = {node: i for i, node in enumerate(self.parents)}
        free = [i for node, i in place.items() if not missing[node]]
        nodes, out = self.nodes, []
        while free:
            node = nodes[heappop(free)]
            out.append(node)
            for child in self.children[node]:
                missing[child] -= 1
                if not missing[child]:
                    heappush(free, place[child])
        return tuple(out)

    def _reach(self, owner: str, start: Any, along: Parents) -> set[Any]:
        if start not in self.parents:
            raise ParameterError(f"DAG.{owner}({start!r}): no such node; the nodes are {first_few(self.nodes)}.")
        seen: set[Any] = set()
        open_nodes = list(along[start])
        while open_nodes:
            node = open_nodes.pop()
            if node not in seen:
                seen.add(node)
                open_nodes.extend(along[node])
        return seen

    def ancestors(self, node: Label) -> set[Any]:
        """Return An(node) of (1).

        Pa(x): parents,  De(x): nodes reachable along arrows,  An(x): nodes from which x is reachable    (1)
        """
        return self._reach("ancestors", node, self.parents)

    def descendants(self, node: Label) -> set[Any]:
        """Return De(node) of (1).

        Pa(x): parents,  De(x): nodes reachable along arrows,  An(x): nodes from which x is reachable    (1)
        """
        return self._reach("descendants", node, self.children)

    def non_descendants(self, node: Label) -> set[Any]:
        """Return (2).

        NonDesc(x) = V without (De(x) + {x})    (2)
        """
        return set(self.nodes) - self._reach("non_descendants", node, self.children) - {node}

    # ---------------------------------------------------------------------------------------------- independence

    def d_separated(self, a: Labels, b: Labels, given: Labels = ()) -> separation.DSeparation:
        """Decide whether every path between two nodes, or sets of nodes, is blocked by what is given; it says why.

        Examples
        --------
        >>> from novum.graphical import DAG
        >>> graph = DAG([("a", "e"), ("f", "e"), ("f", "b"), ("e", "c")])
        >>> graph.d_separated("a", "b")
        True: blocked path a -> e <- f -> b (e is a collider and neither it nor a descendant is observed)
        >>> graph.d_separated("a", "b", given="c")
        False: open path a -> e <- f -> b (e is a collider and its descendant c is observed; f is a fork and is not observed)
        """
        return separation.d_separated(self, a, b, given)

    def paths(self, a: Labels, b: Labels, given: Labels = ()) -> Iterator[separation.Path]:
        """Yield the paths between two nodes, whatever their arrows, with the state of every inner node given others."""
        return separation.paths(self, a, b, given)

    def markov_blanket(self, node: Label) -> set[Any]:
        """Return parents, children and other parents of the children: given them the node is independent of the rest."""
        return separation.markov_blanket(self, node)

    def independences(self, kind: str = "global") -> list[separation.Independence]:
        """Return the independences that the graph implies.

        Parameters
        ----------
        kind : {"global", "local"}, default="global"
            Every pair of nodes that is d-separated by some set of the others; or each node against its non-descendants
            given its parents.
        """
        return separation.independences(self, kind)

    def moralize(self) -> UndirectedGraph:
        """Return the moral graph: parents of a child are joined, arrows dropped."""
        families = ((*parents, node) for node, parents in self.parents.items())
        return UndirectedGraph([pair for family in families for pair in combinations(family, 2)], self.nodes)

    @property
    def kind(self) -> str:
        """ "directed tree" (one root, others with one parent), "poly-tree" (one path between any two nodes) or "loopy".

        Unconnected trees are a "directed forest" or a "poly-forest".
        """
        skeleton = UndirectedGraph(self.arcs, self.nodes)
        if not skeleton.is_forest:
            return "loopy"
        shape = "tree" if len(skeleton.components()) == 1 else "forest"
        return f"poly-{shape}" if any(len(p) > 1 for p in self.parents.values()) else f"directed {shape}"

    @property
    def immoralities(self) -> list[tuple[Any, Any, Any]]:
        """The triples (a, c, b) with a -> c <- b where a and b are not joined."""
        return equivalence.immoralities(self)

    def equivalent(self, other: "DAG") -> bool:
        """Decide whether two graphs imply the same independences."""
        return equivalence.equivalent(self, other)

    def essential_graph(self) -> equivalence.EssentialGraph:
        """Return the class of all equivalent graphs: arcs where they agree, edges where they do not."""
        return equivalence.essential_graph(self)

    @staticmethod
    def count(n: int) -> int:
        """Return the number of DAGs over n labelled nodes."""
        return enumeration.count_dags(check_count("DAG.count", "n", n, 0))

    @staticmethod
    def enumerate(nodes: Iterable[Any]) -> "Iterator[DAG]":
        """Yield every DAG over the nodes, or over 0, ..., n - 1: up to six."""
        return enumeration.enumerate_dags(nodes)

    @staticmethod
    def equivalence_classes(nodes: Iterable[Any]) -> enumeration.EquivalenceClasses:
        """Return all DAGs over the nodes, or over 0, ..., n - 1, in classes of equivalent ones: up to five."""
        return enumeration.equivalence_classes(nodes)

    # ---------------------------------------------------------------------------------------------- other graphs

    def unroll(self, n: int, outside: Labels = (), parameters: bool = True) -> "DAG":
        """Return the graph of n examples: nodes x(1), ..., x(n).

        Parameters
        ----------
        n : int
        outside : node or nodes, optional
            Stand outside of the plate: one for all examples.
        parameters : bool, default=True
            Add theta_x, the parameters of a node given its parents, as a parent of all its copies.

        Examples
        --------
        >>> from novum.graphical import DAG
        >>> DAG([("w", "t"), ("x", "t")]).unroll(2, outside="w", parameters=False)
        DAG: w -> t(1) <- x(1), w -> t(2) <- x(2)
        """
        return unroll(self, n, outside, parameters)

    def plot(
        self, ax: Axes | None = None, observed: Labels = (), fixed: Labels = (), plates: Mapping[Any, Any] | None = None
    ) -> Axes:
        """Draw the graph in layers, arrows pointing down.

        Parameters
        ----------
        ax : matplotlib axes, optional
        observed, fixed : node or nodes, optional
            Filled circles; dots.
        plates : mapping of label to nodes, optional
            Frames around nodes that are repeated.
        """
        from novum.graphical.plots.graphs import draw_dag

        return draw_dag(self, ax, observed, fixed, plates)

    def _changed(self, owner: str, parents: Parents) -> "DAG":
        return DAG(self._checked(f"DAG.{owner}", parents), self.nodes)

    def with_arc(self, parent: Label, child: Label) -> "DAG":
        """Return the graph with one more arc."""
        parents = {**{node: () for node in (parent, child) if node not in self.parents}, **self.parents}
        parents[child] = (*parents[child], parent)
        return self._changed("with_arc", parents)

    def without_arc(self, parent: Label, child: Label) -> "DAG":
        """Return the graph with one arc less."""
        if parent not in self.parents.get(child, ()):
            raise ParameterError(f"DAG.without_arc({parent!r}, {child!r}): there is no arc {parent} -> {child}.")
        return self._changed(
            "without_arc", {**self.parents, child: tuple(p for p in self.parents[child] if p != parent)}
        )

    def with_reversed(self, parent: Label, child: Label) -> "DAG":
        """Return the graph with one arc turned round."""
        fewer = self.without_arc(parent, child).parents
        return self._changed("with_reversed", {**fewer, parent: (*fewer[parent], child)})

    def subgraph(self, nodes: Iterable[Any]) -> "DAG":
        """Return the graph over some nodes, with the arcs among them."""
        kept = set(nodes)
        return DAG({n: tuple(p for p in self.parents[n] if p in kept) for n in self.nodes if n in kept})

    def to_networkx(self) -> Any:
        """Return a networkx.DiGraph."""
        import networkx as nx

        graph = nx.DiGraph()
        graph.add_nodes_from(self.nodes)
        graph.add_edges_from(self.arcs)
        return graph

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DAG) and {n: set(p) for n, p in self.parents.items()} == {
            n: set(p) for n, p in other.parents.items()
        }

    def __hash__(self) -> int:
        return hash(frozenset((node, frozenset(parents)) for node, parents in self.parents.items()))

    def __len__(self) -> int:
        return len(self.parents)

    def __contains__(self, node: object) -> bool:
        return node in self.parents

    def __iter__(self) -> Iterator[Any]:
        return iter(self.parents)

    def _result_columns(self) -> dict[str, Any]:
        return {"node": self.nodes, "parents": [first_few(self.parents[node]) for node in self.nodes]}

    def __repr__(self) -> str:
        return f"DAG: {arrows(self)}"


MOST_SHOWN = 12  # arcs that a repr spells out


def arrows(graph: DAG) -> str:
    """Return the arcs in words: `battery -> gauge <- fuel; rain`, or their number."""
    if len(graph.arcs) > MOST_SHOWN:
        return f"{counted(len(graph), 'node')}, {counted(len(graph.arcs), 'arc')}"
    parts = []
    for child, parents in graph.parents.items():
        if len(parents) == 2:
            parts.append(f"{parents[0]} -> {child} <- {parents[1]}")
        else:
            parts.extend(f"{parent} -> {child}" for parent in parents)
    parts.extend(str(node) for node in graph.nodes if not graph.parents[node] and not graph.children[node])
    return ", ".join(parts) or "no nodes"
