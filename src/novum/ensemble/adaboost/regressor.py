r"""AdaBoost.R2 for numbers (Drucker 1997): members trained on rows drawn by weight, their weighted median predicts.

With d the weights of the rows (sum one), h_m the member of round m and rate nu,

    l_i = |h_m(x_i) - y_i| / max_j |h_m(x_j) - y_j|,  or l_i^2,  or 1 - exp(-l_i)                   (1)
    e_m = sum_i d_i l_i,   b_m = e_m / (1 - e_m),   a_m = nu log(1 / b_m)                           (2)
    d_i <- d_i b_m^{nu (1 - l_i)} / Z                                                               (3)
    H(x) = the least h_m(x) that members with half of all votes a_m or more do not exceed           (4)
"""

from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import r2_score

from novum.base.domains import Choice, Domain
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import RegressorMixin
from novum.engines.trees.input_table import Table
from novum.ensemble.adaboost.members import members, numbers_of
from novum.ensemble.adaboost.rounds import Round, WeightBoosting
from novum.fold.blocks import Block
from novum.runtime import arrays
from novum.runtime.random import Stream
from novum.runtime.typing import Fittable, Rows, Seed

__all__ = ["AdaBoostRegressor"]


def losses(residual: NDArray, present: NDArray, kind: str) -> NDArray:
    """Return (1); the largest residual is that of the rows that count."""
    largest = residual[present].max()
    share = residual / largest if largest > 0 else np.zeros_like(residual)
    if kind == "square":
        return share**2
    return -np.expm1(-share) if kind == "exponential" else share


def weighted_median(predictions: NDArray, votes: NDArray) -> NDArray:
    """Return (4) of every row of predictions (n, m)."""
    order = np.argsort(predictions, axis=1, kind="stable")
    reached = np.cumsum(votes[order], axis=1)
    first = (reached >= 0.5 * reached[:, -1:]).argmax(axis=1)
    at = np.arange(len(predictions))
    return predictions[at, order[at, first]]


class Committee(NamedTuple):
    """The members and their votes."""

    members: list[Any]
    votes: NDArray  # (m,)


def every_number(committee: Committee, block: Block) -> NDArray:
    """Return what every member predicts (rows, m), in the dtype of the rows."""
    X = arrays.to_numpy(block.X) if arrays.is_tensor(block.X) else block.X
    return np.column_stack([numbers_of(member, X) for member in committee.members]).astype(X.dtype, copy=False)


def median(committee: Committee, block: Block) -> NDArray:
    """Return (4) of every row of a block."""
    return weighted_median(every_number(committee, block), committee.votes)


class AdaBoostRegressor(RegressorMixin, WeightBoosting):
    """AdaBoost.R2: the weighted median of regressors, each trained on rows that the ones before it missed.

    Parameters
    ----------
    estimator : regressor, default=None
        The weak learner; None is a tree of depth 3.
    n_estimators : int, default=50
        Rounds at most.
    learning_rate : float, default=1.0
        Factor of every vote.
    loss : {"linear", "square", "exponential"}, default="linear"
        How the residuals become losses (1).
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
        For the rows drawn in every round, and for learners that draw.

    Attributes
    ----------
    estimators_ : list of regressors
    estimator_weights_, estimator_errors_ : array of shape (n_estimators,)
        Votes and average losses (2); zeros and ones for rounds that were not needed.
    estimator_ : regressor
        The weak learner, unfitted.
    feature_importances_ : array of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from novum.ensemble import AdaBoostRegressor
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> model = AdaBoostRegressor(random_state=0).fit(X, np.sin(X[:, 0]))
    >>> bool(model.score(X, np.sin(X[:, 0])) > 0.97)
    True
    """

    _domains: dict[str, Domain] = {**WeightBoosting._domains, "loss": Choice("linear", "square", "exponential")}
    _kind = "numeric"

    def __init__(
        self,
        estimator: Fittable | None = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        loss: Literal["linear", "square", "exponential"] = "linear",
        random_state: Seed = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.loss = loss
        self.random_state = random_state

    def _default(self) -> Any:
        from novum.tree import DecisionTreeRegressor

        return DecisionTreeRegressor(max_depth=3)

    def _metric(self) -> Any:
        return r2_score

    def _trainer(self, table: Table, rows: Any, y: NDArray) -> Callable[[NDArray, int, int], Round]:
        """Return the function that makes a round."""
        y = y.astype(np.float64, copy=False)
        make = members(type(self).__name__, self.estimator_, table, rows, y)

        def train(weight: NDArray, seed: int, step: int) -> Round:
            present = np.flatnonzero(weight)
            reach = np.cumsum(weight[present])
            places = Stream(seed).uniform("rows", step, len(present)) * reach[-1]
            drawn = present[np.searchsorted(reach, places, side="right").clip(max=len(present) - 1)]
            member = make(None, seed, drawn)
            loss = losses(np.abs(numbers_of(member, rows) - y), weight > 0, self.loss)
            error = float(weight @ loss / weight.sum())
            if error <= 0:
                return Round(member, 0.0, 1.0, weight)
            if error >= 0.5:  # a first member is all there is, so it stays
                return Round(member, 1.0, 0.0, np.zeros_like(weight) if step == 0 else None)
            beta = error / (1.0 - error)
            a = float(self.learning_rate * -np.log(beta))
            return Round(member, error, a, weight * beta ** ((1.0 - loss) * self.learning_rate))

        return train

    def predict(self, X: Rows) -> Any:
        """Return the weighted median (4) of the members' predictions for every row.

            H(x) = the least h_m(x) that members with half of all votes a_m or more do not exceed    (4)

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        check_is_fitted(self)
        return self._evaluate(X, median, Committee(self.estimators_, self._votes()))

    def staged_predict(self, X: Rows) -> Iterator[Any]:
        """Yield the predictions of the first member, of the first two, and so on."""
        check_is_fitted(self)
        each = self._evaluate(X, every_number, Committee(self.estimators_, self._votes()))
        for m in range(1, each.shape[1] + 1):
            yield weighted_median(each[:, :m], self._votes()[:m])
