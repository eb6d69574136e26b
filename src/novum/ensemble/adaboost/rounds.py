r"""Boosting by reweighting: rounds of a weak learner, each under weights that grow where the ones before it failed.

The loop is the same for classes and numbers; what a round makes of its member, its error, its vote and the next weights, is
the learner's own. Weights sum to one at the start of every round. Rounds end early where a member makes no mistake (it alone
could decide) or is no better than chance (its vote would be zero or negative).
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import column_or_1d, has_fit_parameter

from novum.base.callbacks import reporting
from novum.base.domains import Domain, Int, Methods, Null, RandomState, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import MetaEstimatorMixin
from novum.base.validation import check_target, check_weight
from novum.engines.trees.input_table import Table, coded_frame, frame_levels, is_frame, read_table
from novum.ensemble.adaboost.members import by_row
from novum.ensemble.estimator_list import EstimatorList
from novum.exceptions import DataWarning, ParameterError
from novum.fold.homes.memory import ArrayTiles
from novum.runtime import sklearn_private
from novum.runtime.journal import step
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Rows, RowWeights, Target
from novum.runtime.warn import warn

__all__ = ["Round", "WeightBoosting", "takes_weights"]

# A weight that rounds to zero would never come back, whatever later members say of its row.
LEAST_WEIGHT = float(np.finfo(np.float64).eps)
OVERFLOW = (
    "Sample weights have reached infinite values, at iteration {1}, causing overflow. Iterations stopped."
    " Try lowering the learning rate of {0}."
)


class Round(NamedTuple):
    """What a round came to."""

    member: Any
    error: float
    vote: float
    weight: NDArray | None  # (n,) of the next round, not normalised; None where this one is dropped and the rounds end


class WeightBoosting(EstimatorList, MetaEstimatorMixin, Estimator):
    """Base of AdaBoost for classes and for numbers."""

    _domains: dict[str, Domain] = {
        "estimator": Methods("fit", "predict") | Null(),
        "n_estimators": Int(1),
        "learning_rate": Real(0, open="low"),
        "random_state": RandomState(),
    }
    _reports_passes = True
    _kind = "classes"  # of the target
    categorical_features = "from_dtype"  # how tables are read: the members have no other word for it
    estimators_: list[Any]
    estimator_weights_: np.ndarray
    estimator_errors_: np.ndarray
    estimator_: Any
    estimator: Any
    n_estimators: int
    random_state: Any

    if TYPE_CHECKING:  # of the classifier and the regressor
        _metric: Callable[..., Any]
        staged_predict: Callable[..., Any]

    @abstractmethod
    def _default(self) -> Any:
        """Return the weak learner where none is given."""

    @abstractmethod
    def _trainer(self, table: Table, rows: Any, y: NDArray) -> Callable[[NDArray, int, int], Round]:
        """Return the function that makes a round of (weights, seed, number of the round); `rows` are those of the table."""

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Boost the weak learner.

        sample_weight: weights of the first round, before they are divided by their sum.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        self.estimator_ = self._default() if self.estimator is None else clone(self.estimator)
        self.levels_ = frame_levels(X) if is_frame(X) else {}
        table = read_table(self, coded_frame(X, self.levels_) if self.levels_ else X, self.levels_)
        if not self.__sklearn_tags__().input_tags.allow_nan:
            cells = getattr(table.X, "data", table.X) if scipy.sparse.issparse(table.X) else table.X
            sklearn_private.assert_all_finite(cells, estimator_name=type(self).__name__, input_name="X")
        n = table.X.shape[0]
        target = check_target(self, ArrayTiles(np.broadcast_to(np.float64(0), (n, 1))), y, self._kind)
        given = check_weight(self, sample_weight, n)
        weight = np.ones(n) if given is None else given
        rows = table.X if getattr(X, "format", "") == "csc" else by_row(table.X)
        train = self._trainer(table, rows, target if target.ndim == 1 else column_or_1d(target, warn=True))
        absent, weight = weight == 0.0, weight / weight.sum()
        rounds: list[Round] = []
        seed = seed_of(self.random_state)
        options: dict[str, Any] = {"X": X, "y": y, "sample_weight": sample_weight, "objective_of": "leaving"}
        with reporting(self, self.n_estimators, attributes=self._fitted, **options) as report:
            for number in range(self.n_estimators):
                weight = np.where(absent, 0.0, np.maximum(weight, LEAST_WEIGHT))
                member_seed = int(Stream(seed).integers("member", number, 1, high=2**31 - 1)[0])
                made = step("round", partial(train, weight, member_seed, number), (weight, member_seed))
                if made.weight is None:
                    break
                rounds.append(made)
                total = made.weight.sum()
                if report(number + 1, made.error, rounds[:]) or made.error == 0 or not total > 0:
                    break
                if not np.isfinite(total):
                    warn(OVERFLOW.format(type(self).__name__, number), DataWarning)
                    break
                weight = made.weight / total
        vars(self).update(self._fitted(rounds))
        return self

    def _fitted(self, rounds: list[Round]) -> dict[str, Any]:
        """Return members, errors and votes as fitted attributes."""
        weights, errors = np.zeros(self.n_estimators), np.ones(self.n_estimators)
        for i, made in enumerate(rounds):
            weights[i], errors[i] = made.vote, made.error
        members = [made.member for made in rounds]
        return {"estimators_": members, "estimator_weights_": weights, "estimator_errors_": errors}

    def _evaluate(self, X: Any, function: Callable, params: Any) -> Any:
        """Return `function(params, block)` of new rows."""
        check_is_fitted(self)
        if self.levels_ and is_frame(X):
            sklearn_private.check_feature_names(self, X, reset=False)
            X = coded_frame(X, self.levels_)
        return self._rows(X, function, params)

    def _votes(self) -> NDArray:
        """Return the votes of the members that there are."""
        return self.estimator_weights_[: len(self.estimators_)]

    def staged_score(self, X: Rows, y: Target, sample_weight: RowWeights = None) -> Iterator[float]:
        """Yield the score of the first member, of the first two, and so on.

        Parameters
        ----------
        X, y, sample_weight : as in `score`
        """
        metric = self._metric()
        for predicted in self.staged_predict(X):
            yield metric(y, predicted, sample_weight=sample_weight)

    @property
    def feature_importances_(self) -> Any:
        """Importances of the columns, averaged over the members by their votes."""
        check_is_fitted(self)
        if not hasattr(self.estimators_[0], "feature_importances_"):
            raise AttributeError(
                "Unable to compute feature importances since estimator does not have a feature_importances_ attribute"
            )
        each = np.array([member.feature_importances_ for member in self.estimators_])
        return self._votes() @ each / self.estimator_weights_.sum()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = (self._default() if self.estimator is None else self.estimator).__sklearn_tags__().input_tags
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.allow_nan = inner.allow_nan
        return tags


def takes_weights(owner: str, learner: Any) -> None:
    """Raise where a learner has no `sample_weight`."""
    if not has_fit_parameter(learner, "sample_weight"):
        raise ParameterError(
            f"{type(learner).__name__} doesn't support sample_weight. {owner} reweights the rows: give it a learner that"
            f" does, such as a tree of depth 1."
        )
