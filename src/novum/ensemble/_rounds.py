r"""Boosting by reweighting: rounds of a weak learner, each under weights that grow where the ones before it failed.

The loop is the same for classes and numbers; what a round makes of its member, its error, its vote and the next weights, is
the learner's own. Weights sum to one at the start of every round. Rounds end early where a member makes no mistake (it alone
could decide) or is no better than chance (its vote would be zero or negative).
"""

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from novum._random import Stream, seed_of
from novum.base.callbacks import reporting
from novum.base.domains import Domain, Int, Methods, Null, RandomState, Real
from novum.base.estimator import Estimator, fits
from novum.base.validation import check_weight
from novum.exceptions import DataWarning, ParameterError

__all__ = ["Round", "WeightBoosting", "fresh", "takes_weights"]

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


def fresh(prototype: Any, seed: int) -> Any:
    """Return an unfitted copy of a learner, its random states (also those of parts) set from `seed`."""
    member = clone(prototype)
    names = [name for name in sorted(member.get_params()) if name == "random_state" or name.endswith("__random_state")]
    stream = Stream(seed).uniform("random states of parts", 0, len(names)) if names else ()
    member.set_params(**{name: int(u * (2**31 - 1)) for name, u in zip(names, stream)})
    return member


class WeightBoosting(MetaEstimatorMixin, Estimator):
    """Base of AdaBoost for classes and for numbers."""

    _domains: dict[str, Domain] = {
        "estimator": Methods("fit", "predict") | Null(),
        "n_estimators": Int(1),
        "learning_rate": Real(0, open="low"),
        "random_state": RandomState(),
    }
    _reports_passes = True

    @abstractmethod
    def _default(self) -> Any:
        """Return the weak learner where none is given."""

    @abstractmethod
    def _trainer(self, X: Any, y: NDArray) -> Callable[[NDArray, int, int], Round]:
        """Return the function that makes a round of (weights, seed, number of the round)."""

    def _checked(self, X: Any, y: NDArray) -> None:
        """Raise where the learner cannot be boosted on these data."""

    @fits
    def fit(self, X, y, sample_weight=None):
        """Boost the weak learner.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the first round, before they are divided by their sum.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, **self._accepts(), y_numeric=self._numeric)
        given = check_weight(self, sample_weight, X.shape[0])
        weight = np.ones(X.shape[0]) if given is None else given
        self.estimator_ = self._default() if self.estimator is None else clone(self.estimator)
        self._checked(X, y)
        train = self._trainer(X, y)
        absent, weight = weight == 0.0, weight / weight.sum()
        rounds: list[Round] = []
        seed = seed_of(self.random_state)
        with reporting(self, self.n_estimators, X=X, y=y, sample_weight=sample_weight) as report:
            for step in range(self.n_estimators):
                weight = np.where(absent, 0.0, np.maximum(weight, LEAST_WEIGHT))
                made = train(weight, int(Stream(seed).integers("member", step, 1, high=2**31 - 1)[0]), step)
                if made.weight is None:
                    break
                rounds.append(made)
                total = made.weight.sum()
                if report(step + 1, made.error) or made.error == 0 or not total > 0:
                    break
                if not np.isfinite(total):
                    warnings.warn(OVERFLOW.format(type(self).__name__, step), DataWarning, stacklevel=3)
                    break
                weight = made.weight / total
        self._keep(rounds)
        return self

    _numeric = False

    def _accepts(self) -> dict[str, Any]:
        """Return how rows are checked: what a member cannot take, it refuses itself."""
        tags = self.__sklearn_tags__().input_tags
        finite: Any = "allow-nan" if tags.allow_nan else True
        return {
            "accept_sparse": ["csr", "csc"],
            "dtype": None,
            "allow_nd": True,
            "ensure_2d": True,
            "ensure_all_finite": finite,
        }

    def _keep(self, rounds: list[Round]) -> None:
        """Store members, errors and votes."""
        self.estimators_ = [made.member for made in rounds]
        self.estimator_weights_ = np.zeros(self.n_estimators)
        self.estimator_errors_ = np.ones(self.n_estimators)
        for i, made in enumerate(rounds):
            self.estimator_weights_[i], self.estimator_errors_[i] = made.vote, made.error

    def _opened(self, X: Any) -> Any:
        """Return new rows after the checks."""
        check_is_fitted(self)
        return validate_data(self, X, reset=False, **self._accepts())

    def _votes(self) -> NDArray:
        """Return the votes of the members that there are."""
        return self.estimator_weights_[: len(self.estimators_)]

    def staged_score(self, X, y, sample_weight=None) -> Iterator[float]:
        """Yield the score of the first member, of the first two, and so on.

        Parameters
        ----------
        X, y, sample_weight : as in `score`
        """
        metric = self._metric()
        for predicted in self.staged_predict(X):
            yield metric(y, predicted, sample_weight=sample_weight)

    @property
    def feature_importances_(self):
        """Importances of the columns, averaged over the members by their votes."""
        check_is_fitted(self)
        if not hasattr(self.estimators_[0], "feature_importances_"):
            raise AttributeError(
                "Unable to compute feature importances since estimator does not have a feature_importances_ attribute"
            )
        each = np.array([member.feature_importances_ for member in self.estimators_])
        return self._votes() @ each / self.estimator_weights_.sum()

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: Any) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    def __sklearn_tags__(self):
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
