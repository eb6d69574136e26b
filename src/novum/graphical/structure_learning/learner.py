"""What structure learners share: parameters, data in, a graph and a fitted network out."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from novum.base.domains import Choice, Domain, Instance, Int, Null, Real
from novum.base.estimator import Estimator, fits
from novum.exceptions import ParameterError
from novum.graphical.graphs.dag import DAG
from novum.graphical.networks.bayesian_network import BayesianNetwork
from novum.graphical.structure_learning.scores import SCORES, LocalScores, read_complete
from novum.runtime.typing import Rows, RowWeights

__all__ = ["ARCS", "SCORED", "VARIABLE", "StructureLearner"]

VARIABLE = Instance(Hashable) | Null()
ARCS = Instance(Iterable) | Null()
SCORED: dict[str, Domain] = {
    "scoring": Choice(*SCORES),
    "equivalent_sample_size": Real(0, open="low"),
    "max_parents": Int(0) | Null(),
}


def order_of_columns(scores: LocalScores, names: tuple[Any, ...]) -> list[int]:
    """Return the variables in an order that is not the columns': by their own score, equal ones by name.

    Searches settle ties, and draw restarts, by the numbers of variables; so numbered, the same data give the same graph.
    """
    return sorted(range(len(names)), key=lambda i: (scores(i, ()), type(names[i]).__name__, str(names[i])))


class StructureLearner(Estimator):
    """The frame of `fit`: reads the data, calls `_search` for parent sets, keeps graph and score."""

    scoring: str
    equivalent_sample_size: float
    dag_: DAG
    score_: float
    n_scores_: int
    states_: dict[Any, tuple[Any, ...]]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False  # columns of states with names of their own, not a table of numbers
        tags.input_tags.categorical = True
        tags.no_validation = True
        return tags

    def _search(self, owner: str, scores: LocalScores, names: tuple[Any, ...]) -> list[frozenset[int]]:
        raise NotImplementedError

    @fits
    def fit(
        self, data: Rows | Mapping[Any, Any] | Iterable[Any], states: Any = None, sample_weight: RowWeights = None
    ) -> Self:
        """Learn the structure.

        Parameters
        ----------
        data : frame, mapping of variable to column, or array of rows
            Complete. Categories of categorical columns are the states; else the values found, sorted.
        states : mapping of variable to states, optional
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self
            With `dag_`, `score_` and `network()`.
        """
        owner = f"{type(self).__name__}.fit"
        known, codes = read_complete(owner, data, states)
        names, cards = tuple(known), [len(s) for s in known.values()]
        options = sample_weight, self.equivalent_sample_size
        order = order_of_columns(LocalScores(owner, self.scoring, cards, codes, *options), names)
        rows = np.ascontiguousarray(codes[order])
        scores = LocalScores(owner, self.scoring, [cards[i] for i in order], rows, *options)
        found = self._search(owner, scores, tuple(names[i] for i in order))
        parents: list[frozenset[int]] = [frozenset()] * len(order)
        for i, above in enumerate(found):
            parents[order[i]] = frozenset(order[j] for j in above)
        self._keep(known, codes, scores.weight, parents, scores.total(found), scores.evaluated)
        return self

    def _keep(
        self,
        states: dict[Any, tuple[Any, ...]],
        codes: NDArray[np.int32],
        weight: Any,
        parents: list[frozenset[int]],
        score: float,
        n_scores: int,
    ) -> None:
        names = tuple(states)
        self.states_ = states
        self.dag_ = DAG({names[i]: tuple(names[j] for j in sorted(found)) for i, found in enumerate(parents)})
        self.score_ = score
        self.n_scores_ = n_scores
        self._codes: Any = codes
        self._weight = weight

    def network(self, **options: Any) -> BayesianNetwork:
        """Return the network of the learned graph with tables fitted on the same data; options go to `BayesianNetwork.fit`."""
        if not hasattr(self, "dag_"):
            raise ParameterError(f"{type(self).__name__}.network: call fit(data) first.")
        network = BayesianNetwork(self.dag_, states=self.states_)
        names = tuple(self.states_)
        columns = {v: np.asarray(range(len(s)))[self._codes[i]] for i, (v, s) in enumerate(self.states_.items())}
        coded = BayesianNetwork(self.dag_, states={v: tuple(range(len(self.states_[v]))) for v in names})
        coded.fit(columns, sample_weight=self._weight, **options)
        return BayesianNetwork(network.dag, coded.tables, self.states_)

    def bootstrap(self, n_resamples: int = 100, random_state: Any = 0) -> Any:
        """Return the support of every arc: how often the search finds it on resampled rows.

        Parameters
        ----------
        n_resamples : int, default=100
            Searches; each costs what `fit` cost.
        random_state : int, Generator, ..., default=0

        Examples
        --------
        >>> from novum.datasets import load_fuel_gauge
        >>> from novum.graphical import HillClimb
        >>> found = HillClimb().fit(load_fuel_gauge().sample(2000, random_state=0)).bootstrap(20)
        >>> found.dag()
        DAG: battery -> gauge <- fuel
        """
        from novum.graphical.structure_learning.arc_support import arc_support

        return arc_support(self, n_resamples, random_state)

    def _fitted_rows(self, owner: str) -> tuple[dict[Any, Any], Any, Any]:
        """Return the rows that were fitted as columns of numbers, their states, and their weights."""
        columns = dict(zip(self.states_, self._codes, strict=True))
        return columns, {v: tuple(range(len(s))) for v, s in self.states_.items()}, self._weight

    def _unfitted(self) -> Self:
        return clone(self)

    def __str__(self) -> str:
        if not hasattr(self, "dag_"):
            return repr(self)
        return f"{self!r}: {repr(self.dag_).removeprefix('DAG: ')}; score {self.score_:.6g}"
