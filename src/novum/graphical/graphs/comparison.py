r"""Graphs against data and against each other: the score of a given graph, and the structural Hamming distance.

    score(G) = sum_x s(x | Pa_x)                                                            structure_learning.scores   (1)
    distance = number of pairs of nodes that are not joined in the same way: missing, added, turned, or undirected in one only  (2)

(2) of two DAGs counts arcs that equivalent graphs may turn; compare their essential graphs to count only what data can tell.
"""

from typing import Any, NamedTuple

from novum.exceptions import DataError, ParameterError, ParameterTypeError
from novum.report.numbers import num
from novum.report.result import result
from novum.report.tables import html_rows
from novum.runtime.message_text import first_few
from novum.runtime.typing import RowWeights

__all__ = ["Compares", "GraphScore", "Scores", "hamming_distance", "score_graph"]


@result
class GraphScore(NamedTuple):
    """The score of a graph, and what every node with its parents adds to it; larger is better."""

    value: float
    kind: str
    local: dict[Any, float]
    parents: dict[Any, tuple[Any, ...]]

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        shown = [f"  {self.family(v)}  {num(s):.6g}" for v, s in list(self.local.items())[:20]]
        return "\n".join([f"{self.kind} {num(self.value):.6g}", *shown, *["  ..."] * (len(self.local) > 20)])

    def family(self, variable: Any) -> str:
        given = self.parents[variable]
        return f"{variable} | {first_few(given)}" if given else str(variable)

    def _repr_html_(self) -> str:
        rows = [[self.family(v), f"{num(s):.6g}"] for v, s in self.local.items()]
        return html_rows(rows, f"{self.kind} {num(self.value):.6g}")

    def to_frame(self) -> Any:
        """Return a pandas frame with a row per node."""
        import pandas as pd

        rows = [(v, first_few(self.parents[v]), s) for v, s in self.local.items()]
        return pd.DataFrame(rows, columns=["variable", "parents", self.kind])


def score_graph(
    owner: str, dag: Any, data: Any, scoring: str, equivalent_sample_size: float, states: Any, weight: Any
) -> GraphScore:
    """Return (1)."""
    from novum.graphical.structure_learning.scores import LocalScores, named_columns, read_complete

    columns = named_columns(owner, data, dag.nodes)
    lost = [v for v in dag if v not in columns]
    if lost:
        raise DataError(f"{owner}: the data have no column {first_few(lost)}.")
    known, codes = read_complete(owner, {v: columns[v] for v in dag}, states)
    scores = LocalScores(owner, scoring, [len(s) for s in known.values()], codes, weight, equivalent_sample_size)
    place = {v: i for i, v in enumerate(known)}
    local = {v: scores(place[v], [place[p] for p in dag.parents[v]]) for v in dag}
    return GraphScore(float(sum(local.values())), scoring, local, dict(dag.parents))


def relations(graph: Any) -> dict[frozenset[Any], Any]:
    """Return how pairs are joined: by the arc, or by an edge."""
    found: dict[frozenset[Any], Any] = {frozenset(arc): arc for arc in graph.arcs}
    return found | {frozenset(edge): "edge" for edge in getattr(graph, "edges", ())}


def hamming_distance(owner: str, one: Any, other: Any) -> int:
    """Return (2)."""
    other = getattr(other, "dag", other)
    if not hasattr(other, "arcs") or not hasattr(other, "nodes"):
        raise ParameterTypeError(f"{owner}: pass a DAG, an essential graph or a network, not {type(other).__name__}.")
    if hasattr(one, "edges") != hasattr(other, "edges"):
        one, other = (g if hasattr(g, "edges") else g.essential_graph() for g in (one, other))
    if set(one.nodes) != set(other.nodes):
        odd = [n for n in (*one.nodes, *other.nodes) if not (n in set(one.nodes) and n in set(other.nodes))]
        raise ParameterError(f"{owner}: the graphs have different nodes; {first_few(odd)} are in one only.")
    first, second = relations(one), relations(other)
    return sum(first.get(pair) != second.get(pair) for pair in first.keys() | second.keys())


class Compares:
    """`hamming_distance` of a graph."""

    def hamming_distance(self, other: Any) -> int:
        """Return the structural Hamming distance: the pairs of nodes that the two graphs do not join in the same way.

        Parameters
        ----------
        other : DAG, EssentialGraph or BayesianNetwork
            A DAG is compared with an essential graph by its own essential graph.

        Examples
        --------
        >>> from novum.graphical import DAG
        >>> one, other = DAG([("a", "b"), ("b", "c")]), DAG([("b", "a"), ("b", "c")])
        >>> one.hamming_distance(other), one.essential_graph().hamming_distance(other)
        (1, 0)
        """
        return hamming_distance(f"{type(self).__name__}.hamming_distance", self, other)


class Scores:
    """`score` of a DAG."""

    def score(
        self,
        data: Any,
        scoring: str = "bic",
        *,
        equivalent_sample_size: float = 1.0,
        states: Any = None,
        sample_weight: RowWeights = None,
    ) -> GraphScore:
        """Return the score of the graph on complete rows of states: that which structure learners maximise.

        Parameters
        ----------
        data : frame, mapping of variable to column, or array of rows
        scoring : {"bic", "aic", "bdeu", "k2", "log_likelihood"}, default="bic"
        equivalent_sample_size : float, default=1
            Of BDeu.
        states : mapping of variable to states, optional
        sample_weight : array of shape (n,), optional

        Examples
        --------
        >>> from novum.datasets import load_fuel_gauge
        >>> car = load_fuel_gauge()
        >>> rows = car.sample(1000, random_state=0)
        >>> found = car.dag.score(rows)
        >>> found.value > car.dag.without_arc("fuel", "gauge").score(rows).value
        True
        """
        return score_graph("DAG.score", self, data, scoring, equivalent_sample_size, states, sample_weight)
