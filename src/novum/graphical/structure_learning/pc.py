r"""PC: the skeleton by tests of independence, then the directions that all graphs with these independences share.

    level k = 0, 1, ...: the edge x - y goes if x is independent of y given some z of k neighbors of x, or of y,
    as they stood when the level began (PC-stable; Colombo and Maathuis 2014)                                        (1)
    x - c - y with x, y not joined is x -> c <- y  iff no set of neighbors of x, or of y, that separates them
    holds c; where some do and some do not, it is left open (Ramsey, Zhang and Spirtes 2006)                         (2)
    then the rules of Meek in rounds (novum.graphical.graphs.equivalence)                                                  (3)

Sets hold neighbors that a path joins to the other variable (novum.graphical.structure_learning.conditioning): a hub of 24 children
is not tested with all subsets of the others. The order of the variables plays no part. With the independences of a DAG (an oracle)
the result is its essential graph. Tests err: arcs that (2) directs both ways stay edges and are listed in `conflicts_`.
"""

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from novum.base.domains import Choice, Instance, Int, Null, Real
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError, ParameterError
from novum.graphical.graphs.dag import DAG
from novum.graphical.graphs.equivalence import EssentialGraph, directed_further
from novum.graphical.graphs.parents import find_cycle
from novum.graphical.linear_gaussian.nodes import LinearGaussian
from novum.graphical.linear_gaussian.rows import read_real
from novum.graphical.networks.bayesian_network import BayesianNetwork
from novum.graphical.structure_learning.conditioning import Conditioning, strengths
from novum.graphical.structure_learning.independence import (
    CountTest,
    Test,
    correlation_test,
    count_test,
    oracle,
    p_values,
)
from novum.graphical.structure_learning.learner import StructureLearner
from novum.graphical.structure_learning.scores import named_columns, read_complete
from novum.runtime.checks import row_weights
from novum.runtime.typing import Rows, RowWeights

__all__ = ["PC"]

USUAL_CONDITIONING = 5
TOGETHER = 512  # sets that are tested at once
TESTS = ("g2", "chi2", "mutual_information", "partial_correlation")
Pair = tuple[int, int]


class Skeleton(NamedTuple):
    joined: list[set[int]]  # neighbors of every variable
    separating: dict[Pair, tuple[int, ...]]
    p_values: dict[Pair, float]  # the largest of every pair
    n_tests: int


def separated_by(
    test: Test, x: int, y: int, sets: list[tuple[int, ...]], significance: float
) -> tuple[tuple[int, ...] | None, float, int]:
    """Return the set with the largest p-value if it separates x and y, that p-value, and the number of tests."""
    best, most, count = None, -1.0, 0
    for begin in range(0, len(sets), TOGETHER):
        part = sets[begin : begin + TOGETHER]
        found = p_values(test, x, y, part)
        count += len(part)
        at = int(np.argmax(found))
        if found[at] > most:
            best, most = part[at], float(found[at])
    return (best if most > significance else None), max(most, 0.0), count


def skeleton(n: int, test: Test, significance: float, most: int, strength: Any = None) -> Skeleton:
    """Return (1); pairs have the lower number first, and of the sets that separate one at its level the clearest is kept."""
    joined = [set(range(n)) - {i} for i in range(n)]
    separating: dict[Pair, tuple[int, ...]] = {}
    largest: dict[Pair, float] = {}
    count, level = 0, 0
    while level <= most and any(len(found) > level for found in joined):
        conditioning = Conditioning(joined, strength)
        for x, y in combinations(range(n), 2):
            if y not in joined[x]:
                continue
            sets = conditioning.sets(x, y, level)
            if not sets:
                continue
            given, p, tests = separated_by(test, x, y, sets, significance)
            count += tests
            largest[x, y] = max(p, largest.get((x, y), 0.0))
            if given is not None:
                separating[x, y] = given
                joined[x].discard(y)
                joined[y].discard(x)
        level += 1
    return Skeleton(joined, separating, largest, count)


def colliders(
    found: Skeleton, test: Test, significance: float, most: int, strength: Any = None
) -> tuple[list[tuple[int, int, int]], int]:
    """Return the triples (x, c, y) that (2) directs, and the number of tests."""
    out: list[tuple[int, int, int]] = []
    count, conditioning = 0, Conditioning(found.joined, strength)
    for (x, y), first in found.separating.items():
        middles = found.joined[x] & found.joined[y]
        if not middles:
            continue
        largest = min(most, max(len(found.joined[x]), len(found.joined[y])))
        tried = dict.fromkeys(z for size in range(largest + 1) for z in conditioning.sets(x, y, size))
        tried.pop(first, None)
        sets = list(tried)
        held = set(first)  # variables of some set that separates
        for begin in range(0, len(sets), TOGETHER):
            part = sets[begin : begin + TOGETHER]
            count += len(part)
            for i in np.flatnonzero(p_values(test, x, y, part) > significance):
                held.update(part[int(i)])
            if middles <= held:
                break  # nothing is left to direct
        out += [(x, c, y) for c in sorted(middles) if c not in held]
    return out, count


def in_order(test: Test, order: list[int]) -> Test:
    """Return the test for variables numbered in another order."""
    if isinstance(test, CountTest):
        codes = np.ascontiguousarray(test.codes[order])
        cards, names = [test.cards[i] for i in order], tuple(test.names[i] for i in order)
        return CountTest(test.owner, test.kind, cards, codes, test.weight, test.least, names)
    return lambda x, y, given: test(order[x], order[y], tuple(order[v] for v in given))


def any_dag(graph: EssentialGraph) -> tuple[DAG, bool]:
    """Return a DAG with this skeleton, and whether it is a member: where there is none, arcs that close a cycle are turned."""
    try:
        return graph.to_dag(), True
    except ParameterError:
        parents: dict[Any, tuple[Any, ...]] = dict.fromkeys(graph.nodes, ())
        for a, b in (*graph.arcs, *graph.edges):
            tried = {**parents, b: (*parents[b], a)}
            parents = {**parents, a: (*parents[a], b)} if find_cycle(tried) else tried
        return DAG(parents), False


class PC(StructureLearner):
    """The constraint-based search PC-stable.

    Parameters
    ----------
    test : {"g2", "chi2", "mutual_information", "partial_correlation"} or DAG, default="g2"
        Partial correlation is for numbers, the others for states; a DAG is an oracle, and `fit` needs no data.
    significance : float, default=0.01
        An edge goes where a p-value is larger.
    max_conditioning : int, None or "auto", default="auto"
        Largest number of variables given: five with data, as a hub of many neighbors has more subsets than anybody can test; no
        bound (None) with an oracle. With data at most 1,000 sets of a size are tried from the neighbors of one variable, of those
        most associated with both.
    least_information : float, default=0.005
        Of "mutual_information": nats below which variables count as independent.

    Attributes
    ----------
    graph_ : EssentialGraph
        Arcs where the direction is known, edges where it is not.
    dag_ : DAG
        One member of it; if tests contradict each other and there is none (`consistent_` is False), a DAG with its skeleton.
    separating_sets_ : dict of frozenset of two variables to tuple
    p_values_ : dict of frozenset of two variables to float
        The largest p-value of each pair.
    conflicts_ : list of pairs
        Edges that tests direct both ways.
    n_tests_ : int

    Notes
    -----
    Sets of many variables leave few rows per cell, and tests then miss dependences: lower `max_conditioning` on small data.
    The result does not depend on the order of the columns.

    Examples
    --------
    >>> from novum.graphical import DAG, PC
    >>> PC(DAG([("a", "c"), ("b", "c"), ("c", "d")])).fit().graph_
    EssentialGraph: a -> c, b -> c, c -> d
    >>> found = PC(DAG([("a", "b"), ("b", "c")])).fit()
    >>> found.graph_, found.separating_sets_[frozenset("ac")]
    (EssentialGraph: a - b, b - c, ('b',))
    """

    _domains = {
        "test": Choice(*TESTS) | Instance(DAG),
        "significance": Real(0, 1),
        "max_conditioning": Int(0) | Choice("auto") | Null(),
        "least_information": Real(0),
    }
    graph_: EssentialGraph
    consistent_: bool
    conflicts_: list[tuple[Any, Any]]
    n_tests_: int

    def __init__(
        self,
        test: Literal["g2", "chi2", "mutual_information", "partial_correlation"] | DAG = "g2",
        *,
        significance: float = 0.01,
        max_conditioning: int | str | None = "auto",
        least_information: float = 0.005,
    ) -> None:
        self.test = test
        self.significance = significance
        self.max_conditioning = max_conditioning
        self.least_information = least_information

    @fits
    def fit(
        self,
        data: Rows | Mapping[Any, Any] | Iterable[Any] | None = None,
        states: Mapping[Any, Any] | None = None,
        sample_weight: RowWeights = None,
    ) -> Self:
        """Learn the structure.

        Parameters
        ----------
        data : frame, mapping of variable to column, or array of rows
            Complete; numbers for "partial_correlation", else states. None with an oracle.
        states : mapping of variable to states, optional
        sample_weight : array of shape (n,), optional
        """
        owner = "PC.fit"
        level = self.significance
        columns, given = self._test(owner, data, states, sample_weight)
        n = len(columns)
        # Ties, and tests that contradict each other, are settled by name: the order of the columns plays no part.
        order = sorted(range(n), key=lambda i: (type(columns[i]).__name__, str(columns[i])))
        names, test = tuple(columns[i] for i in order), in_order(given, order)
        most = self._most(n)
        strength = None if isinstance(self.test, DAG) else strengths(n, test)
        found = skeleton(n, test, level, most, strength)
        triples, further = colliders(found, test, level, most, strength)
        directed = {(end, c) for x, c, y in triples for end in (x, y)}
        both = {(a, b) for a, b in directed if (b, a) in directed}
        arcs = directed - both
        edges = [(a, b) for a in range(n) for b in found.joined[a] if a < b and not {(a, b), (b, a)} & arcs]

        def pairs(numbers: Any) -> list[Any]:
            return [(names[a], names[b]) for a, b in sorted(numbers)]

        graph = directed_further(names, pairs(arcs), pairs(edges), together=True)
        self.graph_ = EssentialGraph(columns, graph.arcs, graph.edges)
        member, self.consistent_ = any_dag(graph)
        self.dag_ = DAG({v: sorted(member.parents[v], key=columns.index) for v in columns})
        self.conflicts_ = pairs((a, b) for a, b in both if a < b)
        self._separating = [
            (names[a], names[b], tuple(names[v] for v in given)) for (a, b), given in found.separating.items()
        ]
        self._largest = [(names[a], names[b], float(p)) for (a, b), p in found.p_values.items()]
        self.n_tests_ = found.n_tests + further
        return self

    @property
    def separating_sets_(self) -> dict[frozenset[Any], tuple[Any, ...]]:
        """What separates two variables that are not joined."""
        check_is_fitted(self)
        return {frozenset((a, b)): given for a, b, given in self._separating}

    @property
    def p_values_(self) -> dict[frozenset[Any], float]:
        """The largest p-value of each pair."""
        check_is_fitted(self)
        return {frozenset((a, b)): p for a, b, p in self._largest}

    def _most(self, n: int) -> int:
        if self.max_conditioning is None:
            return n
        if isinstance(self.max_conditioning, str):
            return n if isinstance(self.test, DAG) else USUAL_CONDITIONING
        return self.max_conditioning

    def _test(self, owner: str, data: Any, states: Any, sample_weight: Any) -> tuple[tuple[Any, ...], Test]:
        self.states_: dict[Any, tuple[Any, ...]] = {}
        self._codes: Any = None
        self._real: dict[Any, Any] | None = None
        if isinstance(self.test, DAG):
            if data is not None:
                raise ParameterError(f"{owner}: the test is a graph; call fit() without data.")
            return self.test.nodes, oracle(self.test, self.test.nodes)
        kind = self.test
        if data is None:
            raise ParameterError(f"{owner}: pass data, or test=DAG(...) as an oracle.")
        if kind != "partial_correlation":
            least = self.least_information
            known, codes = read_complete(owner, data, states)
            self.states_, self._codes = known, codes
            self._weight = row_weights(owner, sample_weight, codes.shape[1])
            names, cards = tuple(known), [len(s) for s in known.values()]
            return names, count_test(owner, kind, cards, codes, self._weight, least, names)
        columns = named_columns(owner, data, ())
        names = tuple(columns)
        if not names or not len(columns[names[0]]):
            raise DataError(f"{owner}: the data have no rows or no columns.")
        rows = np.array([read_real(owner, v, columns[v]) for v in names])
        if not np.isfinite(rows).all():
            v = names[int(np.argmin(np.isfinite(rows).all(axis=1)))]
            raise DataError(f"{owner}: column {v!r} has cells that are missing or infinite; drop those rows.")
        self._real = dict(zip(names, rows, strict=True))
        self._weight = row_weights(owner, sample_weight, rows.shape[1])
        return names, correlation_test(owner, rows, self._weight, names)

    def _fitted_rows(self, owner: str) -> tuple[dict[Any, Any], Any, Any]:
        if self._real is not None:
            return self._real, None, self._weight
        if self._codes is None:
            raise ParameterError(f"{owner}: an oracle brings no data to resample.")
        return super()._fitted_rows(owner)

    def network(self, **options: Any) -> BayesianNetwork:
        """Return the network of `dag_` fitted on the same data: tables, or linear Gaussian nodes for numbers."""
        real: Any = getattr(self, "_real", None)
        if real is None:
            if hasattr(self, "dag_") and self._codes is None:
                raise ParameterError("PC.network: an oracle brings no data; fit a BayesianNetwork(dag_) on your own.")
            return super().network(**options)
        start = {v: LinearGaussian(0.0, dict.fromkeys(parents, 0.0)) for v, parents in self.dag_.parents.items()}
        return BayesianNetwork(self.dag_, start).fit(real, sample_weight=self._weight, **options)

    def __str__(self) -> str:
        if not hasattr(self, "graph_"):
            return repr(self)
        return f"{self!r}: {repr(self.graph_).removeprefix('EssentialGraph: ')}; {self.n_tests_} tests"
