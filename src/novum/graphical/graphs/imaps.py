r"""I-maps: how much of the independences of a distribution a directed graph shows.

    G is an I-map of p           <=>  I_local(G) in I(p)  <=>  p(x) = prod_i p(x_i | Pa_i)                      (12)
    it is minimal                <=>  no arc can be left out so that (12) still holds                            (13)
    it is perfect                <=>  I(G) = I(p)                                                               (14)

A minimal I-map of an order: Pa_i is a smallest set U of nodes before x_i such that x_i is independent of the others before it
given U. A perfect map need not exist. d-separation is composed of pairs, so (14) holds if and only if (12) does and every pair
that is independent in p given some set is d-separated by it.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from novum.distributions import JointTable
from novum.exceptions import ParameterError, ParameterTypeError
from novum.graphical.graphs.dag import DAG
from novum.graphical.graphs.equivalence import EssentialGraph, directed_further
from novum.graphical.graphs.separation import Independence, independences, search
from novum.report.numbers import num
from novum.report.result import result
from novum.runtime.checks import check_number
from novum.runtime.typing import Arcs

__all__ = ["MapCheck", "is_i_map", "is_perfect_map", "minimal_i_map", "perfect_map"]

TOLERANCE = 1e-10  # on conditional probabilities: tables are sums and products of few numbers


@result
class MapCheck(NamedTuple):
    """Whether a graph is a map of a table; if not, a statement or an arc that speaks against it."""

    holds: bool
    reason: str = ""
    statement: Independence | None = None
    deviation: float = 0.0  # of the table from the statement

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        return f"{self.holds}" + (f": {self.reason}" if self.reason else "")


def match_names(owner: str, dag: Any, table: Any) -> tuple[DAG, JointTable]:
    """Return the graph and the table over the same names."""
    if hasattr(table, "to_table"):
        table = table.to_table()
    if not isinstance(table, JointTable):
        raise ParameterTypeError(
            f"{owner}: the table must be a novum.distributions.JointTable, got {type(table).__name__}."
        )
    graph = dag if isinstance(dag, DAG) else DAG(dag)
    graph = DAG({str(node): tuple(map(str, parents)) for node, parents in graph.parents.items()})
    if set(graph.nodes) != set(table.names):
        raise ParameterError(
            f"{owner}: the graph is over {', '.join(graph.nodes)}, the table over {', '.join(table.names)}."
        )
    return graph, table


def violated_statements(dag: DAG, table: JointTable, tol: float) -> MapCheck:
    """Return (12) by the local statements: an arc's absence is a claim that p must keep."""
    for statement in independences(dag, "local"):
        check = table.independence(*statement, tol=tol)
        if not check:
            reason = f"{statement} holds in the graph, but not in the table (deviation {num(check.deviation):.3g})"
            return MapCheck(False, reason, statement, check.deviation)
    return MapCheck(True)


def is_i_map(dag: DAG | Arcs, table: JointTable, minimal: bool = False, tol: float = TOLERANCE) -> MapCheck:
    """Decide whether every independence that a graph shows holds in a table (12).

        G is an I-map of p   <=>  I_local(G) in I(p)  <=>  p(x) = prod_i p(x_i | Pa_i)    (12)

    Parameters
    ----------
    dag : DAG, or what makes one
    table : JointTable
        Over the nodes of the graph, by name.
    minimal : bool, default=False
        Ask for (13) as well.
    tol : float, default=1e-10
        Deviation of conditional probabilities up to which an independence holds.

    Examples
    --------
    >>> from novum.datasets import load_fuel_gauge
    >>> from novum.graphical import DAG, is_i_map
    >>> car = load_fuel_gauge()
    >>> table = car.query(("battery", "fuel", "gauge")).to_table()
    >>> is_i_map(car.dag, table, minimal=True)
    True
    >>> is_i_map(DAG([("battery", "gauge"), ("gauge", "fuel")]), table)
    False: fuel ⊥ battery | gauge holds in the graph, but not in the table (deviation .0376)
    """
    graph, joint = match_names("is_i_map", dag, table)
    tol = check_number("is_i_map", "tol", tol, 0)
    check = violated_statements(graph, joint, tol)
    if not check or not minimal:
        return check
    for parent, child in graph.arcs:
        if violated_statements(graph.without_arc(parent, child), joint, tol):
            return MapCheck(False, f"not minimal: the arc {parent} -> {child} can be left out")
    return check


def minimal_i_map(table: JointTable, order: Sequence[Any] | None = None, tol: float = TOLERANCE) -> DAG:
    """Return a minimal I-map (13) whose arcs follow an order of the variables, that of the table by default.

        it is minimal   <=>  no arc can be left out so that (12) still holds    (13)

    Of several smallest sets of parents, which only a table with zeros can have, the first is taken.

    Examples
    --------
    >>> from novum.datasets import load_gene_network
    >>> from novum.graphical import minimal_i_map
    >>> table = load_gene_network().query(list("ABC")).to_table()
    >>> minimal_i_map(table, "ABC"), minimal_i_map(table, "CAB")
    (DAG: A -> C <- B, DAG: C -> A, C -> B <- A)
    """
    owner = "minimal_i_map"
    names = tuple(map(str, getattr(table, "names", ()) if order is None else order))
    if len(set(names)) < len(names):
        raise ParameterError(f"{owner}(order={order!r}): name every variable once.")
    _, joint = match_names(owner, DAG((), names), table)
    tol = check_number(owner, "tol", tol, 0)
    parents: dict[Any, tuple[Any, ...]] = {}
    for i, node in enumerate(names):
        before = names[:i]
        parents[node] = next(
            chosen
            for size in range(i + 1)
            for chosen in combinations(before, size)
            if size == i
            or joint.independence(node, tuple(other for other in before if other not in chosen), chosen, tol=tol)
        )
    return DAG(parents)


def extra_independences(dag: DAG, table: JointTable, tol: float) -> Iterator[Independence]:
    """Yield the pairs that are independent in the table though not d-separated."""
    for size in range(len(table.names) - 1):
        for given in combinations(table.names, size):
            rest = [name for name in table.names if name not in given]
            for i, a in enumerate(rest):
                met = {node for node, _ in search(dag, (a,), given)}
                for b in rest[i + 1 :]:
                    if b in met and table.independence(a, b, given, tol=tol):
                        yield Independence((a,), (b,), given)


def is_perfect_map(dag: DAG | Arcs, table: JointTable, tol: float = TOLERANCE) -> MapCheck:
    """Decide whether a graph shows all independences of a table and no others (14); the parameters are those of `is_i_map`.

        it is perfect   <=>  I(G) = I(p)    (14)

    Examples
    --------
    >>> from novum.distributions import JointTable
    >>> from novum.graphical import DAG, is_perfect_map
    >>> xor = JointTable([[[0.25, 0], [0, 0.25]], [[0, 0.25], [0.25, 0]]], names=list("abc"))
    >>> is_perfect_map(DAG([("a", "c"), ("b", "c")]), xor)
    False: a ⊥ c holds in the table, but not in the graph
    """
    graph, joint = match_names("is_perfect_map", dag, table)
    tol = check_number("is_perfect_map", "tol", tol, 0)
    check = violated_statements(graph, joint, tol)
    if not check:
        return check
    extra = next(extra_independences(graph, joint, tol), None)
    return check if extra is None else MapCheck(False, f"{extra} holds in the table, but not in the graph", extra)


def perfect_map(table: JointTable, tol: float = TOLERANCE) -> EssentialGraph | None:
    """Return the class of all perfect maps of a table, or None if it has none.

    Nodes that no set separates are joined; a middle node that is not in the separating set of its neighbors is a collider;
    the rest is directed by the rules for essential graphs, and the result is checked.

    Examples
    --------
    >>> from novum.datasets import load_gene_network
    >>> from novum.graphical import perfect_map
    >>> perfect_map(load_gene_network().query(list("ABC")).to_table())
    EssentialGraph: A -> C, B -> C
    """
    owner = "perfect_map"
    names = tuple(getattr(table, "names", ()))
    _, joint = match_names(owner, DAG((), names), table)
    tol = check_number(owner, "tol", tol, 0)
    apart: dict[frozenset[Any], tuple[Any, ...]] = {}
    for size in range(len(names) - 1):
        for a, b in combinations(names, 2):
            if frozenset((a, b)) not in apart:
                others = [name for name in names if name not in (a, b)]
                for given in combinations(others, size):
                    if joint.independence(a, b, given, tol=tol):
                        apart[frozenset((a, b))] = given
                        break
    joined = [pair for pair in combinations(names, 2) if frozenset(pair) not in apart]
    near = {name: {other for pair in joined for other in pair if name in pair} - {name} for name in names}
    arcs = {
        (end, middle)
        for middle in names
        for a, b in combinations(sorted(near[middle]), 2)
        if frozenset((a, b)) in apart and middle not in apart[frozenset((a, b))]
        for end in (a, b)
    }
    if any((b, a) in arcs for a, b in arcs):
        return None
    edges = [(a, b) for a, b in joined if (a, b) not in arcs and (b, a) not in arcs]
    found = directed_further(names, arcs, edges)
    try:
        member = found.to_dag()
    except ParameterError:
        return None
    return found if is_perfect_map(member, joint, tol) else None
