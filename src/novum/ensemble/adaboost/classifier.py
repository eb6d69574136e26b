r"""AdaBoost for classes: a weighted vote of learners, each trained on what the ones before it got wrong.

With d the weights of the rows (sum one), h_m the member of round m, K classes and rate nu,

    e_m = sum_i d_i [h_m(x_i) != y_i]                                                              (1)
    a_m = nu (log((1 - e_m) / e_m) + log(K - 1))                                                   (2)
    d_i <- d_i exp(a_m [h_m(x_i) != y_i]) / Z                                                      (3)
    H(x) = argmax_c sum_m a_m [h_m(x) = c]                                                         (4)

(2) is SAMME (Zhu et al. 2009): a member must beat a guess among K. M1 (Freund and Schapire 1997) leaves log(K - 1) out and
requires e_m < 1/2. For two classes they are one, and with y = -1, +1

    f = 1/2 sum_m a_m h_m,   E = (1/n) sum_i exp(-y_i f(x_i)) = prod_m Z_m >= training error       (5)
    Z_m = 2 sqrt(e_m (1 - e_m))          at rate 1                                                 (6)
    margin_i = y_i sum_m a_m h_m(x_i) / sum_m a_m                                                  (7)

so every round divides the bound by what its member knows. Derivations: docs/theory/adaboost.md.
"""

from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.metrics import accuracy_score

from novum.base.candidacy import Candidacy
from novum.base.classes import distinct
from novum.base.domains import Choice, Domain
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import ClassifierMixin
from novum.engines.trees.input_table import Table
from novum.ensemble.adaboost.members import codes_of, members
from novum.ensemble.adaboost.rounds import Round, WeightBoosting, takes_weights
from novum.exceptions import DataError
from novum.fold.batch_results import of_results
from novum.fold.blocks import Block
from novum.runtime import arrays
from novum.runtime.typing import Fittable, Rows, Seed, Target

__all__ = ["AdaBoostClassifier"]

ROUNDING = 1e-12  # an error this close to chance is chance: its vote would be made of rounding


def vote(error: float, n_classes: int, algorithm: str, rate: float) -> float:
    """Return (2); not above zero for a member that is no better than chance."""
    gain = np.log(n_classes - 1.0) if algorithm == "SAMME" else 0.0
    return float(rate * (np.log1p(-error) - np.log(error) + gain))


class Committee(NamedTuple):
    """The members, their votes and the classes they vote for."""

    members: list[Any]
    votes: NDArray  # (m,)
    classes: NDArray  # (K,)


def every_code(committee: Committee, block: Block) -> NDArray:
    """Return the place of the class that every member is for (rows, m)."""
    X = arrays.to_numpy(block.X) if arrays.is_tensor(block.X) else block.X
    return np.column_stack([codes_of(member, X, committee.classes) for member in committee.members])


def committee_decision(committee: Committee, block: Block) -> NDArray:
    """Return the decision of the whole committee, in the dtype of the rows."""
    X = arrays.to_numpy(block.X) if arrays.is_tensor(block.X) else block.X
    sums, at = np.zeros((X.shape[0], len(committee.classes))), np.arange(X.shape[0])
    for member, a in zip(committee.members, committee.votes):
        sums[at, codes_of(member, X, committee.classes)] += a
    return decision(sums, float(committee.votes.sum())).astype(X.dtype, copy=False)


def decision(sums: NDArray, total: float) -> NDArray:
    """Return votes as a decision: -1/(K - 1) of a vote, instead of none, for other classes, so that they sum to zero."""
    k = sums.shape[1]
    if k == 1:
        return np.zeros((len(sums), 1))
    if k == 2:
        return (sums[:, 1] - sums[:, 0]) * (2.0 / total)
    return (sums * k - total) / ((k - 1) * total)


class AdaBoostClassifier(ClassifierMixin, WeightBoosting):
    """AdaBoost: a weighted vote of weak classifiers.

    Parameters
    ----------
    estimator : classifier, default=None
        The weak learner, which takes weights; None is a tree of depth 1. Trees of novum are grown from columns that are
        sorted once for all rounds.
    n_estimators : int, default=50
        Rounds at most.
    learning_rate : float, default=1.0
        Factor of every vote.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
        For learners that draw.
    algorithm : {"SAMME", "M1"}, default="SAMME"
        What a member must beat: a guess among all classes, or one half. The same for two classes.

    Attributes
    ----------
    estimators_ : list of classifiers
    estimator_weights_, estimator_errors_ : array of shape (n_estimators,)
        Votes (2) and weighted errors (1); zeros and ones for rounds that were not needed.
    classes_ : array of shape (n_classes,)
    n_classes_ : int
    estimator_ : classifier
        The weak learner, unfitted.
    feature_importances_ : array of shape (n_features,)

    Examples
    --------
    >>> from novum.ensemble import AdaBoostClassifier
    >>> X, y = [[0], [1], [2], [3], [4], [5]], [1, 1, -1, -1, 1, 1]
    >>> model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    >>> model.predict(X).tolist(), model.estimator_errors_.round(4).tolist()
    ([1, 1, -1, -1, 1, 1], [0.3333, 0.25, 0.1667])
    >>> round(model.training_error_bound(), 4)
    0.6086
    """

    _candidacy = Candidacy(rank=8, settings={"n_estimators": 200}, most_rows=20_000)
    _domains: dict[str, Domain] = {**WeightBoosting._domains, "algorithm": Choice("SAMME", "M1")}
    classes_: np.ndarray
    n_classes_: int

    def __init__(
        self,
        estimator: Fittable | None = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        random_state: Seed = None,
        algorithm: Literal["SAMME", "M1"] = "SAMME",
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.random_state = random_state
        self.algorithm = algorithm

    def _default(self) -> Any:
        from novum.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(max_depth=1)

    def _metric(self) -> Any:
        return accuracy_score

    def _trainer(self, table: Table, rows: Any, y: NDArray) -> Callable[[NDArray, int, int], Round]:
        """Return the function that makes a round."""
        takes_weights(type(self).__name__, self.estimator_)
        self.classes_, code = distinct(y)
        self.n_classes_ = k = len(self.classes_)
        make = members(type(self).__name__, self.estimator_, table, rows, y)
        least = 1.0 - 1.0 / k if self.algorithm == "SAMME" else 0.5

        def train(weight: NDArray, seed: int, step: int) -> Round:
            member = make(weight, seed)
            wrong = codes_of(member, rows, self.classes_) != code
            error = float(weight @ wrong / weight.sum())
            if error <= 0:
                return Round(member, 0.0, 1.0, weight)
            if error >= least * (1.0 - ROUNDING):
                if step == 0:
                    raise DataError(
                        "BaseClassifier in AdaBoostClassifier ensemble is worse than random, ensemble can not be fit:"
                        f" {type(member).__name__} is wrong on {error:.3g} of the weight, and only less than {least:.3g}"
                        " helps. Give estimator= a learner that fits these data better."
                    )
                return Round(member, error, 0.0, None)
            a = vote(error, k, self.algorithm, self.learning_rate)
            if step == self.n_estimators - 1:
                return Round(member, error, a, weight)
            with np.errstate(over="ignore"):
                return Round(member, error, a, np.where(wrong, weight * np.exp(a), weight))

        return train

    def _committee(self) -> Committee:
        check_is_fitted(self)
        return Committee(self.estimators_, self._votes(), self.classes_)

    def _stages(self, X: Any) -> Iterator[NDArray]:
        """Yield the sums of the votes for every class (n, K), member by member, in one array that grows."""
        codes = self._evaluate(X, every_code, self._committee())
        sums, at = np.zeros((len(codes), self.n_classes_)), np.arange(len(codes))
        for m, a in enumerate(self._votes()):
            sums[at, codes[:, m]] += a
            yield sums

    def decision_function(self, X: Rows) -> Any:
        """Return the votes of all members, divided by their sum.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_classes), or (n_samples,) for two classes
            A class gets a_m of a member that is for it and -a_m / (K - 1) of one that is not; for two classes the
            second less the first.
        """
        return self._evaluate(X, committee_decision, self._committee())

    def staged_decision_function(self, X: Rows) -> Iterator[Any]:
        """Yield `decision_function` of the first member, of the first two, and so on."""
        for sums, total in zip(self._stages(X), np.cumsum(self._votes())):
            yield decision(sums, total)

    def _labels(self, decision: NDArray) -> NDArray:
        if self.n_classes_ == 2:
            return self.classes_.take(arrays.to_numpy(decision) > 0)
        return self.classes_.take(np.argmax(arrays.to_numpy(decision), axis=1))

    def predict(self, X: Rows) -> Any:
        """Return the class with most votes (4) of every row.

        H(x) = argmax_c sum_m a_m [h_m(x) = c]    (4)
        """
        return of_results(self._labels, self.decision_function(X))

    def staged_predict(self, X: Rows) -> Iterator[Any]:
        """Yield the predictions of the first member, of the first two, and so on."""
        for decision in self.staged_decision_function(X):
            yield self._labels(decision)

    def _shares(self, decision: NDArray) -> NDArray:
        k = self.n_classes_
        if k == 1:
            return np.ones((len(decision), 1))
        if k == 2:
            return softmax(np.column_stack([-decision, decision]) / 2, axis=1)
        return softmax(decision / (k - 1), axis=1)

    def predict_proba(self, X: Rows) -> Any:
        """Return shares of the classes by the logistic view of the votes; boosting itself gives no probabilities."""
        return of_results(self._shares, self.decision_function(X))

    def staged_predict_proba(self, X: Rows) -> Iterator[Any]:
        """Yield `predict_proba` of the first member, of the first two, and so on."""
        for decision in self.staged_decision_function(X):
            yield self._shares(decision)

    def predict_log_proba(self, X: Rows) -> Any:
        """Return the logarithms of `predict_proba`."""
        return of_results(np.log, self.predict_proba(X))

    def margins(self, X: Rows, y: Target) -> Any:
        """Return (7): the share of the votes for the true class less that of the strongest other, in [-1, 1].

            margin_i = y_i sum_m a_m h_m(x_i) / sum_m a_m    (7)

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        """
        (*_, sums), code = self._stages(X), self._codes(y)
        at = np.arange(len(code))
        own, rest = sums[at, code], sums.copy()
        rest[at, code] = -np.inf
        return (own - rest.max(axis=1)) / self._votes().sum()

    def staged_exponential_loss(self, X: Rows, y: Target) -> Iterator[Any]:
        """Yield E of (5), which every round lowers on the rows it learned from; for two classes.

        f = 1/2 sum_m a_m h_m,   E = (1/n) sum_i exp(-y_i f(x_i)) = prod_m Z_m >= training error    (5)
        """
        sign = 2.0 * self._codes(y) - 1.0
        if self.n_classes_ != 2:
            raise DataError(f"AdaBoostClassifier.staged_exponential_loss: {self.n_classes_} classes; (5) is for two.")
        for sums in self._stages(X):
            yield float(np.exp(-sign * (sums[:, 1] - sums[:, 0]) / 2).mean())

    def staged_weights(self, X: Rows, y: Target) -> Iterator[Any]:
        """Yield the weights of the rows before every round (3), from equal ones on; at most as many as there are members.

        d_i <- d_i exp(a_m [h_m(x_i) != y_i]) / Z    (3)
        """
        code, each = self._codes(y), self._evaluate(X, every_code, self._committee())
        weight = np.full(len(code), 1.0 / len(code))
        for m, a in enumerate(self._votes()):
            yield weight
            weight = np.where(code != each[:, m], weight * np.exp(a), weight)
            weight = weight / weight.sum()

    def training_error_bound(self) -> float:
        """Return the product of (6), above the share of training rows that two classes get wrong at rate 1.

        Z_m = 2 sqrt(e_m (1 - e_m))   at rate 1    (6)
        """
        error = self.estimator_errors_[: len(self._votes())]
        return float(np.prod(2.0 * np.sqrt(error * (1.0 - error))))

    def _codes(self, y: Any) -> NDArray:
        y = np.asarray(y)
        unknown = ~np.isin(y, self.classes_)
        if unknown.any():
            raise DataError(
                f"AdaBoostClassifier: y holds {y[unknown][0]!r}, not among the classes {self.classes_.tolist()}."
            )
        return np.searchsorted(self.classes_, y)
