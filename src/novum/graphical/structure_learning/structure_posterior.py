r"""Probabilities of arcs, averaged over structures by their marginal likelihood.

    p(G | D) ~ p(G) exp score(G),     P(i -> j | D) = sum of p(G | D) over the graphs with that arc                  (1)
    up to five variables: all graphs, p(G) the same for all                                                          (2)
    beyond: orders of the variables sampled by Metropolis-Hastings (Friedman and Koller 2003),
    p(D | order) = prod_j sum_{P before j, |P| <= max_parents} exp s(j | P)                                          (3)
    P(i -> j | order, D) = share of the sets P with i in the sum of (3), averaged over the orders                    (4)

Under (3) a graph counts once for every order that it fits, so graphs that fit many orders weigh more than under (2). Chains
start at random orders and swap two variables at a time; how far they differ shows whether they have converged:

    R = sqrt(variance of all / mean variance within chains) of log p(D | order), the largest gap between chains in (4) (5)
"""

from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import Choice, Int, RandomState
from novum.base.fitted import check_is_fitted
from novum.exceptions import NotConverged, ParameterError
from novum.graphical.graphs.dag import DAG
from novum.graphical.graphs.enumeration import all_masks
from novum.graphical.structure_learning.exact_search import local_table
from novum.graphical.structure_learning.learner import SCORED, StructureLearner
from novum.graphical.structure_learning.scores import LocalScores
from novum.report.numbers import num
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Seed
from novum.runtime.warn import warn

__all__ = ["StructurePosterior"]

Array = NDArray[np.float64]
MOST_EXACT = 5  # 29 281 graphs
MOST_SETS = 500_000  # sets of parents in (3), all variables together
LARGEST_RATIO, LARGEST_GAP = 1.05, 0.15  # of (5), where chains agree


class Sets(NamedTuple):
    """The parent sets of one variable."""

    held: NDArray[np.bool_]  # (sets, n)
    masks: NDArray[np.uint64]
    scores: Array


def parent_sets(scores: LocalScores, j: int, n: int, most: int) -> Sets:
    others = [i for i in range(n) if i != j]
    sets = [frozenset(one) for size in range(most + 1) for one in combinations(others, size)]
    held = np.zeros((len(sets), n), dtype=bool)
    for row, one in enumerate(sets):
        held[row, list(one)] = True
    masks = (held.astype(np.uint64) << np.arange(n, dtype=np.uint64)).sum(axis=1, dtype=np.uint64)
    return Sets(held, masks, np.array(scores.many(j, sets)))


class Chain:
    """An order on its way through (3)."""

    def __init__(self, sets: list[Sets], order: list[int]) -> None:
        self.sets, self.order = sets, order
        self.local = np.array([self.term(j, self.before(at)) for at, j in enumerate(order)])  # by position

    def before(self, at: int) -> int:
        return sum(1 << i for i in self.order[:at])

    def weights(self, j: int, before: int) -> tuple[Array, float]:
        """Return the terms of the sum of (3) for variable j, and the logarithm of the sum."""
        one = self.sets[j]
        outside = one.masks & np.uint64(~before & (1 << 64) - 1)
        value = np.where(outside == 0, one.scores, -np.inf)
        top = value.max()
        terms = np.exp(value - top)
        total = terms.sum()
        return terms / total, float(top + np.log(total))

    def term(self, j: int, before: int) -> float:
        return self.weights(j, before)[1]

    def step(self, u: Array) -> None:
        """Swap two positions and accept by the ratio of (3)."""
        n = len(self.order)
        a, b = int(u[0] * n), int(u[1] * (n - 1))
        b += b >= a
        a, b = min(a, b), max(a, b)
        old = list(self.order)
        self.order[a], self.order[b] = self.order[b], self.order[a]
        before, new = self.before(a), []
        for j in self.order[a : b + 1]:
            new.append(self.term(j, before))
            before |= 1 << j
        if np.log(max(u[2], 1e-300)) < sum(new) - self.local[a : b + 1].sum():
            self.local[a : b + 1] = new
        else:
            self.order = old

    def arcs(self) -> Array:
        """Return (4) of the order, [i, j]: i -> j."""
        out = np.zeros((len(self.order), len(self.order)))
        before = 0
        for j in self.order:
            out[:, j] = self.weights(j, before)[0] @ self.sets[j].held
            before |= 1 << j
        return out


SHOWN = 0.05  # edges less probable than that are counted, not listed


class StructurePosterior(StructureLearner):
    """Edge probabilities averaged over all structures.

    Parameters
    ----------
    scoring : {"bdeu", "k2", "bic", "aic", "log_likelihood"}, default="bdeu"
        The logarithm of the weight of a graph: BDeu and K2 are marginal likelihoods, BIC is close to one.
    equivalent_sample_size : float, default=1
        Of BDeu.
    max_parents : int, optional
        By default 3 where orders are sampled, else no bound.
    method : {"auto", "exact", "orders"}, default="auto"
        All graphs (2), up to five variables, or sampled orders (3).
    n_samples, n_burn : int, default=10000, 1000
        Steps of each chain that count, and steps before them.
    n_chains : int, default=4
    random_state : int, Generator, ..., default=0

    Attributes
    ----------
    arcs_ : dict of (parent, child) to float
        Probabilities of arcs.
    edges_ : dict of frozenset of two variables to float
        Probabilities that two variables are joined, either way.
    graphs_ : list of (DAG, float)
        Exact only: the most probable graphs, at most 100.
    ratio_, gap_ : float
        (5); 1 and 0 if exact.
    dag_ : DAG
        The edges of probability above 1/2, each in its more probable direction unless that closes a cycle.

    Examples
    --------
    >>> from novum.graphical import StructurePosterior
    >>> rows = {"X1": list("TTTFTTT"), "X2": list("RRGRBBB"), "X3": list("FFTFTTT")}
    >>> found = StructurePosterior().fit(rows, states={"X1": "TF", "X2": "RGB", "X3": "TF"})
    >>> print(found)
    edge       probability
    X2 - X3    .9828          -> .4823   <- .5005
    X1 - X3    .5830          -> .2755   <- .3075
    X1 - X2    .3568          -> .1715   <- .1853
    """

    _domains = {
        **SCORED,
        "method": Choice("auto", "exact", "orders"),
        "n_samples": Int(2),
        "n_burn": Int(0),
        "n_chains": Int(2),
        "random_state": RandomState(),
    }
    graphs_: list[tuple[DAG, float]]
    ratio_: float
    gap_: float

    def __init__(
        self,
        scoring: str = "bdeu",
        *,
        equivalent_sample_size: float = 1.0,
        max_parents: int | None = None,
        method: str = "auto",
        n_samples: int = 10_000,
        n_burn: int = 1000,
        n_chains: int = 4,
        random_state: Seed = 0,
    ) -> None:
        self.scoring = scoring
        self.equivalent_sample_size = equivalent_sample_size
        self.max_parents = max_parents
        self.method = method
        self.n_samples = n_samples
        self.n_burn = n_burn
        self.n_chains = n_chains
        self.random_state = random_state

    def _search(self, owner: str, scores: LocalScores, names: tuple[Any, ...]) -> list[frozenset[int]]:
        n = len(names)
        most = self.max_parents
        if self.method == "exact" and n > MOST_EXACT:
            raise ParameterError(
                f"{owner}(method='exact'): {n} variables have {float(DAG.count(n)):.3g} graphs; at most {MOST_EXACT} variables are "
                "enumerated. Use method='orders'."
            )
        if self.method != "orders" and n <= MOST_EXACT:
            arcs = self._all(scores, names, n - 1 if most is None else most)
        else:
            arcs = self._orders(owner, scores, names, min(3 if most is None else most, n - 1))
        self._probabilities = arcs, names
        dag, joined = DAG((), range(n)), np.triu(arcs + arcs.T)
        for i, j in sorted(np.argwhere(joined > 0.5).tolist(), key=lambda arc: -joined[arc[0], arc[1]]):
            parent, child = (i, j) if arcs[i, j] >= arcs[j, i] else (j, i)
            dag = dag.with_arc(child, parent) if child in dag.ancestors(parent) else dag.with_arc(parent, child)
        return [frozenset(dag.parents[j]) for j in range(n)]

    def _keep(self, states: dict[Any, tuple[Any, ...]], *found: Any) -> None:
        """Keep what was found, pairs in the order of the columns: the search has an order of its own."""
        super()._keep(states, *found)
        arcs, names = self._probabilities
        order = [names.index(name) for name in states]
        self._probabilities = arcs[np.ix_(order, order)], tuple(states)

    @property
    def arcs_(self) -> dict[tuple[Any, Any], float]:
        """Probabilities of arcs (parent, child)."""
        check_is_fitted(self)
        arcs, names = self._probabilities
        places = list(enumerate(names))
        return {(a, b): float(arcs[i, j]) for i, a in places for j, b in places if i != j}

    @property
    def edges_(self) -> dict[frozenset[Any], float]:
        """Probabilities that two variables are joined, either way."""
        check_is_fitted(self)
        arcs, names = self._probabilities
        places = list(enumerate(names))
        return {frozenset((a, b)): float(arcs[i, j] + arcs[j, i]) for j, b in places for i, a in places[:j]}

    def _all(self, scores: LocalScores, names: tuple[Any, ...], most: int) -> Array:
        """Return (1) by (2)."""
        n = len(names)
        full = frozenset(range(n))
        tables = [local_table(scores, j, n, most, frozenset(), full - {j}) for j in range(n)]
        masks = np.array(list(all_masks(n)), dtype=np.int64).reshape(-1, n)  # parents of every variable as bits
        low = (1 << np.arange(n)) - 1
        place = (masks & low) | ((masks >> (np.arange(n) + 1)) << np.arange(n))
        value = np.sum([tables[j][place[:, j]] for j in range(n)], axis=0)
        p = np.exp(value - value.max())
        p /= p.sum()
        best = np.argsort(-p, kind="stable")[:100]
        self.graphs_ = [
            (DAG({names[j]: [names[i] for i in range(n) if masks[g, j] >> i & 1] for j in range(n)}), float(p[g]))
            for g in best
        ]
        self.ratio_, self.gap_ = 1.0, 0.0
        return np.array([[p[(masks[:, j] >> i) & 1 == 1].sum() for j in range(n)] for i in range(n)])

    def _orders(self, owner: str, scores: LocalScores, names: tuple[Any, ...], most: int) -> Array:
        """Return (4), and keep (5)."""
        n = len(names)
        draws, burn, chains = self.n_samples, self.n_burn, self.n_chains
        count = n * sum(comb(n - 1, k) for k in range(most + 1))
        if count > MOST_SETS or n > 64:
            raise ParameterError(
                f"{owner}: {n} variables with at most {most} parents have {count:,} sets of parents to sum over; lower "
                "max_parents, or use HillClimb."
            )
        sets = [parent_sets(scores, j, n, most) for j in range(n)]
        stream, every = Stream(seed_of(self.random_state)), max(1, draws // 1000)
        means, traces = [], []
        for number in range(chains):
            chain = Chain(sets, np.argsort(stream.uniform("order", number, n), kind="stable").tolist())
            u = stream.uniform("swap", number, burn + draws, 3)
            total, trace, kept = np.zeros((n, n)), [], 0
            for t in range(burn + draws):
                if n > 1:
                    chain.step(u[t])
                if t >= burn:
                    trace.append(chain.local.sum())
                    if (t - burn) % every == 0:
                        total += chain.arcs()
                        kept += 1
            means.append(total / kept)
            traces.append(trace)
        within = float(np.mean(np.var(traces, axis=1)))
        self.ratio_ = float(np.sqrt(np.var(traces) / within)) if within > 0 else 1.0
        self.gap_ = float(np.ptp(means, axis=0).max())
        self.graphs_ = []
        if self.ratio_ > LARGEST_RATIO or self.gap_ > LARGEST_GAP:
            warn(
                f"{owner}: the chains differ (R = {self.ratio_:.3f}, edge probabilities by up to {self.gap_:.2f}); raise n_samples "
                f"from {draws}.",
                NotConverged,
            )
        return np.mean(means, axis=0)

    def __str__(self) -> str:
        if not hasattr(self, "dag_"):
            return repr(self)
        arcs = self.arcs_
        pairs = [(arcs[a, b], arcs[b, a], a, b) for a, b in combinations(self.states_, 2)]
        shown = sorted((one for one in pairs if one[0] + one[1] >= SHOWN), key=lambda one: -one[0] - one[1])
        width = max([len(f"{a} - {b}") for _, _, a, b in shown] + [4])
        lines = [f"{'edge':{width}}    probability"]
        for p, back, a, b in shown:
            total, one, other = (f"{num(value):.4f}" for value in (p + back, p, back))
            lines.append(f"{f'{a} - {b}':{width}}    {total:11}    -> {one}   <- {other}")
        if len(shown) < len(pairs):
            lines.append(f"{len(pairs) - len(shown)} more below {SHOWN:g}")
        return "\n".join(lines)
