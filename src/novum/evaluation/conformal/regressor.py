r"""Intervals that hold the target with a probability of at least `level`, around any regressor.

    split       f(x) -+ q,   q the quantile (1) of novum.evaluation.conformal.base of |y_i - f(x_i)| on rows set aside         (1)
    cv_plus     [k-th smallest of f_{-i}(x) - R_i,  k'-th smallest of f_{-i}(x) + R_i],   R_i = |y_i - f_{-i}(x_i)|,
                k' = ceil((n + 1) level),  k = n + 1 - k',  f_{-i} fitted without the fold of row i                        (2)
    jackknife_plus   (2) with a fold per row                                                                               (3)
    quantile    [l(x) - q, u(x) + q],   q the quantile of max(l(x_i) - y_i, y_i - u(x_i)),
                l and u fitted to the quantiles (1 -+ level)/2                                                             (4)

(1) and (4) cover at least at the level (Lei et al. 2018; Romano, Patterson and Candes 2019); (4) is wide only where the target is
uncertain. (2) and (3) use every row for fitting and for calibration; at worst they cover 2 level - 1, in practice about the level
(Barber, Candes, Ramdas and Tibshirani 2021).
"""

import math
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import Bool, Choice, Domain, Int, Methods, Null, RandomState, Real
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.base.intervals import IntervalPrediction, check_interval
from novum.base.sklearn_base import RegressorMixin
from novum.evaluation.conformal.base import ConformalEstimator, conformal_quantile
from novum.exceptions import DataError, ParameterError
from novum.runtime import sklearn_private
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Fittable, Rows, Seed, Target

__all__ = ["ConformalRegressor"]

PAIRS_AT_ONCE = 1 << 23  # of rows to predict and rows fitted, in (2)
FOLDED = ("cv_plus", "jackknife_plus")


def plus_interval(predictions: NDArray, fold: NDArray, residuals: NDArray, level: float) -> NDArray:
    """Return (2) for rows with predictions (n, folds)."""
    n = len(residuals)
    k = math.ceil((n + 1) * level - 1e-9)
    out = np.empty((len(predictions), 2))
    step = max(1, PAIRS_AT_ONCE // n)
    for start in range(0, len(predictions), step):
        part = predictions[start : start + step][:, fold]
        if k > n:
            out[start : start + step] = -np.inf, np.inf
            continue
        out[start : start + step, 0] = np.partition(part - residuals, n - k, axis=1)[:, n - k]
        out[start : start + step, 1] = np.partition(part + residuals, k - 1, axis=1)[:, k - 1]
    return out


class ConformalRegressor(RegressorMixin, ConformalEstimator):
    """Prediction intervals with guaranteed coverage around any regressor.

    Parameters
    ----------
    estimator : regressor, default=None
        None is `LinearRegression`. `method="quantile"` needs one with a parameter `quantile`, such as
        `HistGradientBoostingRegressor(loss="quantile", quantile=0.5)`.
    method : {"split", "cv_plus", "jackknife_plus", "quantile"}, default="split"
        "split" calibrates on rows set aside; "cv_plus" and "jackknife_plus" use every row, with folds or with a fold per row;
        "quantile" sets rows aside and is wide only where the target is uncertain.
    level : float, default=0.9
        Probability that the interval of a new row holds its target.
    calibration_size : float, default=0.25
        Share of the rows set aside for calibration by "split" and "quantile".
    cv : int, default=10
        Folds of "cv_plus".
    fitted : bool, default=False
        Whether `estimator` is fitted already ("split" only): then all rows given to `fit` calibrate, and it must not have
        seen them.
    random_state : default=None
        Which rows are set aside, or fall into which fold.

    Attributes
    ----------
    estimator_ : regressor
        What predicts: fitted to the rows not set aside, to all rows with folds, to the median for "quantile".
    estimators_ : list of regressors
        Of the folds, or of the two quantiles; else empty.
    scores_ : ndarray
        Calibration scores: sorted, or with folds in the order of the rows.
    folds_ : ndarray
        The fold of every row; empty without folds.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.evaluation import ConformalRegressor
    >>> from novum.linear_model import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, (500, 1))
    >>> y = 3 * X[:, 0] + rng.laplace(size=500)
    >>> model = ConformalRegressor(LinearRegression(), level=0.9, random_state=0).fit(X, y)
    >>> found = model.predict([[0.0], [1.0]], interval="prediction")
    >>> found.lower.round(1), found.upper.round(1)
    (array([-2.1,  0.9]), array([2., 5.]))
    """

    _domains: dict[str, Domain] = {
        "estimator": Methods("fit", "predict") | Null(),
        "method": Choice("split", "cv_plus", "jackknife_plus", "quantile"),
        "level": Real(0.5, 1, open="high"),
        "calibration_size": Real(0, 1, open="both"),
        "cv": Int(2),
        "fitted": Bool(),
        "random_state": RandomState(),
    }
    estimator_: Any
    estimators_: list[Any]
    scores_: np.ndarray
    folds_: np.ndarray

    def __init__(
        self,
        estimator: Fittable | None = None,
        *,
        method: Literal["split", "cv_plus", "jackknife_plus", "quantile"] = "split",
        level: float = 0.9,
        calibration_size: float = 0.25,
        cv: int = 10,
        fitted: bool = False,
        random_state: Seed = None,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.level = level
        self.calibration_size = calibration_size
        self.cv = cv
        self.fitted = fitted
        self.random_state = random_state

    def _default(self) -> Any:
        from novum.linear_model import LinearRegression

        return LinearRegression()

    @fits
    def fit(self, X: Rows, y: Target = None) -> Self:
        """Fit the regressor and calibrate it.

        Parameters
        ----------
        X : what the regressor takes
        y : array-like of shape (n_samples,)
        """
        X, target = self._open(X, y, "numeric")
        if target.ndim != 1:
            raise DataError(f"ConformalRegressor: y has {target.shape[1]} columns; wrap it once per target.")
        if self.fitted and self.method != "split":
            raise ParameterError(
                f"ConformalRegressor(fitted=True, method={self.method!r}): only 'split' takes a fitted one."
            )
        n, pick = len(target), sklearn_private.take_rows
        models: list[Any] = []
        fold = np.empty(0, np.int64)
        if self.method in FOLDED:
            fold = self._folds(n)
            residuals = np.empty(n)
            for number in range(int(fold.max()) + 1):
                models.append(self._fitted_model(X, target, np.flatnonzero(fold != number)))
                out = np.flatnonzero(fold == number)
                residuals[out] = np.abs(target[out] - models[-1].predict(pick(X, out)))
            self.estimator_, self.scores_ = self._fitted_model(X, target), residuals
        else:
            rows, aside = self._set_aside(n)
            own, known = pick(X, aside), target[aside]
            if self.method == "quantile":
                low, middle, high = self._quantile_models(X, target, rows)
                models = [low, high]
                ends = [np.asarray(m.predict(own), np.float64) if len(aside) else np.empty(0) for m in models]
                scores, model = np.maximum(ends[0] - known, known - ends[1]), middle
            else:
                model = self._fitted_model(X, target, rows)
                guess = np.asarray(model.predict(own), np.float64) if len(aside) else np.empty(0)
                scores = np.abs(known - guess)
            self.estimator_, self.scores_ = model, np.sort(scores)
        self.estimators_, self.folds_ = models, fold
        return self

    def _folds(self, n: int) -> NDArray:
        """Return the fold of every row: of about equal size, at random."""
        if self.method == "jackknife_plus":
            if n < 2:
                raise DataError("ConformalRegressor(method='jackknife_plus'): a single sample leaves 0 sample to fit.")
            return np.arange(n)
        if n < self.cv:
            raise DataError(f"ConformalRegressor(cv={self.cv}): there are {n} sample(s); give fewer folds.")
        return Stream(seed_of(self.random_state)).permutation("folds", 0, n) % self.cv

    def _quantile_models(self, X: Any, target: NDArray, rows: NDArray) -> list[Any]:
        """Return the regressor fitted to the lower, middle and upper quantile."""
        if "quantile" not in self._base().get_params():
            raise ParameterError(
                f"ConformalRegressor(method='quantile', estimator={self._base()!r}): it has no parameter `quantile`; give"
                " HistGradientBoostingRegressor(loss='quantile', quantile=0.5) or sklearn.linear_model.QuantileRegressor()."
            )
        shares = ((1 - self.level) / 2, 0.5, (1 + self.level) / 2)
        return [self._fitted_model(X, target, rows, quantile=share) for share in shares]

    def predict(self, X: Rows, *, interval: str | None = None, level: float | None = None) -> Any:
        """Return what the regressor predicts, with the interval of every row where one is requested.

        Parameters
        ----------
        X : what the regressor takes
        interval : {None, "prediction"}, default=None
            "prediction": for a new target, of the stated coverage whatever the distribution.
        level : float, default=None
            Another level than that of the estimator, without refitting; not for "quantile".

        Returns
        -------
        array of shape (n_samples,); with an interval IntervalPrediction(value, lower, upper)
            Ends are infinite where too few rows calibrate for the level.
        """
        check_is_fitted(self)
        model = self.estimator_
        value = self._in_own_name(model, lambda: model.predict(X))
        if interval is None:
            return value
        level = self._level("predict", level)
        check_interval("ConformalRegressor.predict", interval, level, ("prediction",))
        ends = self._ends(X, np.asarray(value, np.float64), level)
        return IntervalPrediction(value, ends[:, 0], ends[:, 1])

    def _ends(self, X: Any, center: np.ndarray, level: float) -> np.ndarray:
        """Return lower and upper ends, (n_samples, 2)."""
        if self.method in FOLDED:
            by_fold = np.stack([np.asarray(model.predict(X), np.float64) for model in self.estimators_], axis=1)
            return plus_interval(by_fold, self.folds_, self.scores_, level)
        width = conformal_quantile(self.scores_, level)
        if self.method == "quantile":
            if level != self.level:
                raise ParameterError(
                    f"ConformalRegressor.predict(level={level!r}): the quantiles were fitted for {self.level};"
                    " refit with the level you want."
                )
            low, high = (np.asarray(model.predict(X), np.float64) for model in self.estimators_)
            return np.stack([low - width, high + width], axis=1)
        return np.stack([center - width, center + width], axis=1)

    def coverage(self, X: Rows, y: Target, level: float | None = None) -> Any:
        """Return the share of rows whose interval holds their target, and the mean width.

        Parameters
        ----------
        X, y
            Rows that took no part in `fit`.
        level : float, default=None

        Returns
        -------
        (float, float)
        """
        found, target = self.predict(X, interval="prediction", level=level), np.asarray(y, np.float64)
        if target.shape != found.lower.shape:
            raise DataError(
                f"ConformalRegressor.coverage: {len(found.lower)} rows and y of shape {target.shape}; give one target per row."
            )
        inside = (found.lower <= target) & (target <= found.upper)
        return float(inside.mean()), float((found.upper - found.lower).mean())
