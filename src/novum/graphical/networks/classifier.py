r"""Bayesian networks as classifiers: the class is a node, the other variables are what is known of a row.

    log p(x, c) = log p(c | Pa_c) + sum_j log p(x_j | Pa_j),      c among the Pa_j or not                            (1)
    naive:  Pa_j = {c};   tree-augmented:  Pa_j = {c, one more}, the tree of `structure_learning.chow_liu` (3)          (2)

Numbers are cut into states first (`novum.engines.factors.cuts`). A missing cell is summed out of (1) by exact inference; in
`fit` the tables are then learned by EM, and for the structure "missing" counts as one more state.
"""

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from novum.base.classes import labels_of
from novum.base.domains import ArrayLike, Choice, Domain, Instance, Int, Null, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.frames import coded_frame, frame_levels, is_frame
from novum.base.generative import BayesRule
from novum.engines.factors.cuts import entropy_cuts, quantile_cuts
from novum.exceptions import DataError, ParameterError
from novum.fold.gathering import AllRows, all_rows
from novum.graphical.graphs.dag import DAG
from novum.graphical.networks.bayesian_network import BayesianNetwork
from novum.graphical.networks.classifier_rows import NetworkArrays, intervals, joint_log, row_states
from novum.graphical.structure_learning.chow_liu import ChowLiu
from novum.graphical.structure_learning.hill_climb import HillClimb
from novum.graphical.structure_learning.scores import SCORES, LocalScores
from novum.runtime.typing import Arcs, Numbers, Rows, RowWeights, Target

__all__ = ["BayesianNetworkClassifier", "TreeAugmentedNB"]

MOST_LEVELS = 1 << 16  # of a categorical column of an array


def present_rows(rows: AllRows) -> tuple[NDArray, NDArray, NDArray]:
    """Return rows, classes and weights as float64, without rows of weight zero."""
    if rows.weight is None:
        return rows.X.astype(np.float64, copy=False), np.asarray(rows.y), np.ones(len(rows.X))
    kept = rows.weight > 0
    return rows.X[kept].astype(np.float64, copy=False), np.asarray(rows.y)[kept], rows.weight[kept].astype(np.float64)


class BayesianNetworkClassifier(BayesRule, Estimator):
    """A classifier that is a Bayesian network with the class as one of its variables.

    Parameters
    ----------
    structure : {"tan", "naive", "hill_climb"}, DAG, dict or arcs, default="hill_climb"
        "naive": the class is the only parent of every column. "tan": each column has one more parent, by the best tree.
        "hill_climb": the graph of the best score with the class as a root, searched from the naive one. Or a graph over the names
        of the columns (x0, x1, ... in an array) and one more node, which is the class.
    scoring : {"bic", "aic", "bdeu", "k2", "log_likelihood"}, default="bic"
        What hill climbing looks for.
    max_parents : int or None, default=3
        Of hill climbing, the class among them.
    prior : float, default=1.0
        Added to every count of a table.
    cuts : {"entropy", "quantile"}, default="entropy"
        How columns of numbers are cut into states: where it separates classes, by the rule of Fayyad and Irani (a column that
        says nothing by itself is left whole), or into `n_bins` parts of equal weight.
    n_bins : int, default=5
        Of quantile cuts; a column of at most so many values keeps them.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns that are states already: those of a frame that are no numbers; or names, numbers or a mask of columns, coded
        0, 1, 2, ...

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    network_ : BayesianNetwork
        The network with names and states; the class is called "class" (with "_" after it, if a column is).
    cuts_ : list
        The cuts of every column of numbers; None for categories.
    levels_ : dict
        Levels of the columns of a frame that are no numbers.
    parents_ : list of lists
        Numbers of the parents of every column; the class comes last, with the number n_features_in_.
    tables_ : list of arrays
        Probabilities with axes (parents, variable).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from novum.graphical import BayesianNetworkClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BayesianNetworkClassifier(structure="naive").fit(X, y)
    >>> model.predict_proba([[6.1, 3.0, 4.9, 1.7], [6.1, 3.0, float("nan"), float("nan")]]).round(3)
    array([[0.   , 0.619, 0.38 ],
           [0.098, 0.525, 0.376]])
    >>> model.network_.dag
    DAG: class -> x0, class -> x1, class -> x2, class -> x3
    """

    structure: Any
    max_parents: int | None
    _scores_show_gaps = False
    _domains: dict[str, Domain] = {
        "structure": Choice("tan", "naive", "hill_climb") | Instance(DAG) | Instance(dict) | ArrayLike(),
        "scoring": Choice(*SCORES),
        "max_parents": Int(1) | Null(),
        "prior": Real(0, open="low"),
        "cuts": Choice("entropy", "quantile"),
        "n_bins": Int(2),
        "categorical_features": Choice("from_dtype") | ArrayLike() | Null(),
    }
    cuts_: list[Any]
    levels_: dict[Any, Any]
    parents_: list[Any]
    tables_: list[np.ndarray] | list[Any]

    def __init__(
        self,
        *,
        structure: DAG | Arcs | str = "hill_climb",
        scoring: str = "bic",
        max_parents: int | None = 3,
        prior: float = 1.0,
        cuts: Literal["entropy", "quantile"] = "entropy",
        n_bins: int = 5,
        categorical_features: Literal["from_dtype"] | Numbers | None = "from_dtype",
    ) -> None:
        self.structure = structure
        self.scoring = scoring
        self.max_parents = max_parents
        self.prior = prior
        self.cuts = cuts
        self.n_bins = n_bins
        self.categorical_features = categorical_features

    # ---------------------------------------------------------------------------------------------- columns to states

    def _frame(self, X: Any, learn: bool) -> Any:
        """Return X with codes for levels, where it is a frame."""
        if not hasattr(X, "columns") or not is_frame(X):
            return X
        if learn:
            self.levels_ = frame_levels(X) if self.categorical_features is not None else {}
        return coded_frame(type(self).__name__, X, self.levels_) if self.levels_ else X

    def _categorical(self, names: list[Any], d: int) -> list[bool]:
        found = [name in self.levels_ for name in names]
        marked: Any = self.categorical_features
        if marked is not None and not isinstance(marked, str):
            mask = np.asarray(marked)
            for column in np.flatnonzero(mask).tolist() if mask.dtype == bool else list(marked):
                place = names.index(column) if column in names else column
                if not isinstance(place, int | np.integer) or not -d <= place < d:
                    raise ParameterError(f"{type(self).__name__}: there is no column {column!r} among {names}.")
                found[place] = True
        return found

    def _cut(self, X: NDArray, code: NDArray, k: int, weight: NDArray, names: list[Any]) -> tuple[list[Any], list[int]]:
        """Return the cuts and the number of states of every column."""
        cuts: list[Any] = []
        cards: list[int] = []
        for j, categorical in enumerate(self._categorical(names, X.shape[1])):
            column = X[:, j]
            if categorical:
                high = np.nanmax(column, initial=0.0)
                if high >= MOST_LEVELS:
                    raise DataError(
                        f"{type(self).__name__}: the categorical column {names[j]!r} holds {high:g}; "
                        "code its categories 0, 1, 2, ..."
                    )
                cuts.append(None)
                cards.append(max(len(self.levels_.get(names[j], ())), int(high) + 1))
                continue
            if self.cuts == "entropy":
                found = entropy_cuts(column, code, k, weight)
            else:
                found = quantile_cuts(column, weight, self.n_bins)
            cuts.append(found)
            cards.append(len(found) + 1)
        return cuts, cards

    # ---------------------------------------------------------------------------------------------- structure

    def _given(self, names: list[Any]) -> list[tuple[int, ...]]:
        dag = self.structure if isinstance(self.structure, DAG) else DAG(self.structure)
        others = [v for v in dag.nodes if v not in names]
        if len(others) != 1:
            raise ParameterError(
                f"{type(self).__name__}(structure=...): the graph must have one node that is no column, the class; it has "
                f"{', '.join(map(str, others)) or 'none'}. The columns are {', '.join(map(str, names[:20]))}."
            )
        place = {name: j for j, name in enumerate(names)} | {others[0]: len(names)}
        parents: list[tuple[int, ...]] = [()] * (len(names) + 1)
        for node, found in dag.parents.items():
            parents[place[node]] = tuple(place[p] for p in found)
        return parents

    def _parents(self, codes: NDArray[np.int32], cards: list[int], weight: NDArray, names: list[Any]) -> list[Any]:
        """Return the parents of every column and of the class, which comes last."""
        d = len(names)
        if not isinstance(self.structure, str):
            return self._given(names)
        if self.structure == "naive":
            return [(d,)] * d + [()]
        filled = np.ascontiguousarray(np.where(codes < 0, np.array(cards)[:, None], codes), np.int32)
        sizes = [card + bool((one < 0).any()) for card, one in zip(cards, codes, strict=True)]
        owner, numbers = f"{type(self).__name__}.fit", tuple(range(d + 1))
        if self.structure == "tan":
            tree = LocalScores(owner, "log_likelihood", sizes, filled, weight, 1.0)
            found = ChowLiu(target=d)._search(owner, tree, numbers)
        else:
            scores = LocalScores(owner, self.scoring, sizes, filled, weight, 1.0)
            into = [(j, d) for j in range(d)]
            start = [(d, j) for j in range(d)]
            climb = HillClimb(self.scoring, max_parents=self.max_parents, forbidden=into, start=start)
            found = climb._search(owner, scores, numbers)
        return [tuple(sorted(one)) for one in found]

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Fit from scratch.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        self.levels_ = {}
        source = self._source(self._frame(X, True), y, sample_weight, target="classes")
        self.classes_, labelled = labels_of(source)
        rows, code, weight = present_rows(all_rows(labelled, type(self).__name__))
        k, names = len(self.classes_), self._names()
        self.cuts_, cards = self._cut(rows, code, k, weight, names)
        cards.append(k)
        model = NetworkArrays(type(self).__name__, self.cuts_, cards, [], [])
        codes = np.ascontiguousarray(np.vstack([row_states(model, rows).T, code[None].astype(np.int32)]))
        self.parents_ = [list(found) for found in self._parents(codes, cards, weight, names)]
        network = BayesianNetwork(
            dict(enumerate(self.parents_)), states={v: range(card) for v, card in enumerate(cards)}
        )
        columns = {v: np.where(one < 0, np.nan, one) if (one < 0).any() else one for v, one in enumerate(codes)}
        network.fit(columns, prior=float(self.prior), sample_weight=weight)
        self.tables_ = [network.tables[v] for v in range(len(cards))]
        return self

    def _names(self) -> list[Any]:
        return list(getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)]))

    # ---------------------------------------------------------------------------------------------- answers

    def _rows(self, X: Rows, function: Any, params: Any = None, verify: bool = True, *, shows: bool = False) -> Any:
        check_is_fitted(self)
        return super()._rows(self._frame(X, False), function, params, verify, shows=shows)

    def _joint(self) -> Any:
        cards = [table.shape[-1] for table in self.tables_]
        return joint_log, NetworkArrays(
            type(self).__name__, self.cuts_, cards, list(map(tuple, self.parents_)), self.tables_
        )

    @property
    def network_(self) -> BayesianNetwork:
        """The fitted network."""
        check_is_fitted(self)
        names = self._names()
        target = "class"
        while target in names:
            target += "_"
        names = [*names, target]
        states: dict[Any, Any] = {target: self.classes_.tolist()}
        for name, cuts, table in zip(names, self.cuts_, self.tables_, strict=False):
            states[name] = self.levels_.get(name) or range(table.shape[-1]) if cuts is None else intervals(cuts)
        parents = {name: [names[p] for p in found] for name, found in zip(names, self.parents_, strict=True)}
        return BayesianNetwork(parents, dict(zip(names, self.tables_, strict=True)), states)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


class TreeAugmentedNB(BayesianNetworkClassifier):
    """Naive Bayes with a tree of dependences among the columns.

    Parameters
    ----------
    prior : float, default=1.0
        Added to every count of a table.
    cuts, n_bins, categorical_features
        How columns become states, as in `BayesianNetworkClassifier`.

    Attributes
    ----------
    classes_, network_, cuts_, levels_, parents_, tables_, n_features_in_, feature_names_in_
        As in `BayesianNetworkClassifier`.

    Examples
    --------
    >>> from novum.datasets import load_play_tennis
    >>> from novum.graphical import TreeAugmentedNB
    >>> X, y = load_play_tennis(return_X_y=True, as_frame=True)
    >>> model = TreeAugmentedNB().fit(X, y)
    >>> float(model.score(X, y))
    1.0
    """

    structure = "tan"
    _domains = {
        name: BayesianNetworkClassifier._domains[name] for name in ("prior", "cuts", "n_bins", "categorical_features")
    }

    def __init__(
        self,
        *,
        prior: float = 1.0,
        cuts: Literal["entropy", "quantile"] = "entropy",
        n_bins: int = 5,
        categorical_features: Numbers | Literal["from_dtype"] | None = "from_dtype",
    ) -> None:
        self.prior = prior
        self.cuts = cuts
        self.n_bins = n_bins
        self.categorical_features = categorical_features
