r"""A regression of the logarithm of a target that is never below 0, whose predictions are brought back to the target's mean.

    z = log(y + c),  c = 0 where all y > 0, else 1;      f fitted to z                                             (1)
    prediction  g(x) = max(s exp(f(x)) - c, 0)                                                                     (2)

exp(f) is about the median of y + c, which lies below the mean where errors are skewed. The factor s corrects that (smearing):
with f_-i fitted on the folds that row i is not in, so that a model that repeats its rows does not hide their scatter,

    s = sum_i w_i (y_i + c) / sum_i w_i exp(f_-i(x_i))                                                             (3)

so predictions out of folds have the total of the target; Duan's mean of exp(z - f) is s where both are constant, but is carried by
the few largest residuals. For measures of the middle (absolute and relative errors) s = 1. f is kept between the ends of z.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from novum.base.device_forms import check_rows_on_device, is_elsewhere
from novum.base.domains import Bool, Domain, Int, Methods, Null, RandomState
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import MetaEstimatorMixin, RegressorMixin
from novum.engines.wrapped import in_own_name, open_for_parts, pass_on_tags
from novum.exceptions import DataError, ParameterError
from novum.fold.batch_results import of_results
from novum.runtime import arrays, sklearn_private
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Fittable, Rows, RowWeights, Seed, Target

__all__ = ["LogTargetRegressor"]

LEAST_ROWS = 30  # that are parted; of fewer, s is that of the rows themselves
MOST_FACTOR = 3.0  # and least: 1 / 3; what lies outside is chance


class LogTargetRegressor(RegressorMixin, MetaEstimatorMixin, Estimator):
    """Any regressor, fitted to the logarithm of a target that is never below 0; predicts the target's mean.

    For amounts and counts whose errors grow with their size, and whose effects multiply.

    Parameters
    ----------
    regressor : regressor, default=None
        None is `LinearRegression`.
    to_mean : bool, default=True
        Whether predictions are corrected for the mean; without, they are about the median.
    cv : int, default=3
        Folds of the correction; None takes the predictions for the rows learned from, as does a fit on fewer than 30 rows.
    random_state : default=0
        Which rows fall into which fold.

    Attributes
    ----------
    regressor_ : regressor
        Fitted to the logarithms.
    factor_ : float
        What predictions are multiplied by.
    shift_ : float
        What is added before the logarithm: 1 where the target has zeros, else 0.
    ends_ : array of shape (2,)
        The least and the largest logarithm, between which predictions stay.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.linear_model import LinearRegression, LogTargetRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(4000, 1))
    >>> y = np.exp(X[:, 0] + rng.normal(size=4000))  # its median at 0 is 1, its mean sqrt(e)
    >>> LogTargetRegressor(LinearRegression()).fit(X, y).predict([[0.0]]).round(1)
    array([1.6])
    >>> LogTargetRegressor(LinearRegression(), to_mean=False).fit(X, y).predict([[0.0]]).round(1)
    array([1.])
    """

    _domains: dict[str, Domain] = {
        "regressor": Methods("fit", "predict") | Null(),
        "to_mean": Bool(),
        "cv": Int(2) | Null(),
        "random_state": RandomState(),
    }
    regressor_: Any
    factor_: float
    shift_: float
    ends_: np.ndarray

    def __init__(
        self,
        regressor: Fittable | None = None,
        *,
        to_mean: bool = True,
        cv: int | None = 3,
        random_state: Seed = 0,
    ) -> None:
        self.regressor = regressor
        self.to_mean = to_mean
        self.cv = cv
        self.random_state = random_state

    def _base(self) -> Any:
        if self.regressor is not None:
            return self.regressor
        from novum.linear_model.ols import LinearRegression

        return LinearRegression()

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Fit the regressor to the logarithms, and find the factor.

        Parameters
        ----------
        X : what the regressor takes
        y : array-like of shape (n_samples,)
            Never below 0.
        sample_weight : array-like of shape (n_samples,), default=None
        """
        if sample_weight is not None and not has_fit_parameter(self._base(), "sample_weight"):
            raise ParameterError(f"LogTargetRegressor: {type(self._base()).__name__} takes no sample_weight.")
        X, given, weight = open_for_parts(self, X, y, "numeric", sample_weight)
        if given.ndim != 1:
            raise DataError(f"LogTargetRegressor: y has {given.shape[1]} columns; fit one for each target.")
        target = given.astype(np.float64)
        if (target < 0).any():
            raise DataError(
                f"LogTargetRegressor: y has values below 0, such as {target.min():g}, which have no logarithm. Shift y, or fit"
                " the regressor without it."
            )
        if weight is not None and not (weight > 0).all():
            there = np.flatnonzero(weight > 0)
            X, target, weight = sklearn_private.take_rows(X, there), target[there], weight[there]
        shift = 0.0 if (target > 0).all() else 1.0
        z = np.log(target + shift)
        ends = np.array([z.min(), z.max()])
        model = self._fitted(X, z, weight)
        factor = self._factor(X, z, weight, target + shift, ends, model) if self.to_mean else 1.0
        self.regressor_, self.factor_, self.shift_, self.ends_ = model, factor, shift, ends
        return self

    def _fitted(self, X: Any, z: NDArray, weight: NDArray | None, rows: NDArray | None = None) -> Any:
        """Return the regressor fitted to the logarithms of all or some rows."""
        if rows is not None:
            X, z = sklearn_private.take_rows(X, rows), z[rows]
            weight = None if weight is None else weight[rows]
        model = clone(self._base())
        more = {} if weight is None else {"sample_weight": weight}
        return in_own_name(self, model, lambda: model.fit(X, z, **more))

    def _factor(self, X: Any, z: NDArray, weight: NDArray | None, shifted: NDArray, ends: NDArray, model: Any) -> float:
        """Return (3)."""
        said = np.empty(len(z))
        if self.cv is not None and len(z) >= LEAST_ROWS:
            fold = Stream(seed_of(self.random_state)).permutation("folds", 0, len(z)) % self.cv
            for number in range(self.cv):
                test = np.flatnonzero(fold == number)
                part = self._fitted(X, z, weight, np.flatnonzero(fold != number))
                said[test] = part.predict(sklearn_private.take_rows(X, test))
        else:
            said[:] = model.predict(X)
        by = np.ones(len(z)) if weight is None else weight
        ratio = float((by * shifted).sum() / (by * np.exp(np.clip(said, *ends))).sum())
        return float(np.clip(ratio, 1 / MOST_FACTOR, MOST_FACTOR))

    def predict(self, X: Rows) -> Any:
        """Return the mean of the target for every row, or about its median without `to_mean`.

        Parameters
        ----------
        X : what the regressor takes
        """
        check_is_fitted(self)
        check_rows_on_device(self, is_elsewhere(X))
        said = in_own_name(self, self.regressor_, lambda: self.regressor_.predict(X))
        return of_results(self._brought_back, said)

    def _brought_back(self, said: Any) -> Any:
        """Return (2) for logarithms."""
        if arrays.is_tensor(said):
            return arrays.like(said, self._brought_back(arrays.to_numpy(said)))
        logarithms = np.clip(np.asarray(said, dtype=np.float64), *self.ends_)
        found = np.maximum(self.factor_ * np.exp(logarithms) - self.shift_, 0.0)
        return found.astype(said.dtype, copy=False)

    def __sklearn_tags__(self) -> Any:
        tags = pass_on_tags(super().__sklearn_tags__(), self._base())
        tags.target_tags.positive_only = True
        tags.target_tags.single_output = True
        return tags
