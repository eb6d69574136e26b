r"""A regression of the logarithm of a target that is never below 0, whose predictions are brought back to the target's mean.

    z = log(y + c),  c = 0 where all y > 0, else 1;      f fitted to z                                             (1)
    prediction  g(x) = max(s exp(f(x)) - c, 0)                                                                     (2)

exp(f) is about the median of y + c, which lies below the mean where errors are skewed. The factor s corrects that (smearing):
with f_-i fitted on the folds that row i is not in, so that a model that repeats its rows does not hide their scatter,

    s = sum_i w_i (y_i + c) / sum_i w_i exp(f_-i(x_i))                                                             (3)

so predictions out of folds have the total of the target; Duan's mean of exp(z - f) is s where both are constant, but is carried by
the few largest residuals. For measures of the middle (absolute and relative errors) s = 1. f is kept between the ends of z.
"""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold

from novum.base.sklearn_base import BaseEstimator, RegressorMixin

__all__ = ["LogTargetRegressor"]

LEAST_ROWS = 30  # that are parted; of fewer, s is that of the rows themselves
MOST_FACTOR = 3.0  # and least: 1 / 3; what lies outside is chance


class LogTargetRegressor(RegressorMixin, BaseEstimator):
    """A regressor of the logarithm of the target.

    Parameters
    ----------
    regressor : estimator
    to_mean : bool, default=True
        Whether predictions are corrected for the mean, (3).
    folds : int, default=3
        Folds of (3); 0 takes the rows themselves.
    random_state : int, default=0
        Of the folds.
    """

    def __init__(self, regressor: Any, *, to_mean: bool = True, folds: int = 3, random_state: int = 0) -> None:
        self.regressor = regressor
        self.to_mean = to_mean
        self.folds = folds
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "LogTargetRegressor":
        """Fit (1) and (3)."""
        y = np.asarray(y, dtype=np.float64)
        shift = 0.0 if (y > 0).all() else 1.0
        z = np.log(y + shift)
        weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        ends = np.array([z.min(), z.max()])

        def fitted(rows: np.ndarray | slice) -> Any:
            some = {} if sample_weight is None else {"sample_weight": weight[rows]}
            return clone(self.regressor).fit(X[rows], z[rows], **some)

        model = fitted(slice(None))
        factor = 1.0
        if self.to_mean:
            said = np.empty(len(y))
            if self.folds >= 2 and len(y) >= LEAST_ROWS:
                for train, test in KFold(self.folds, shuffle=True, random_state=self.random_state).split(z):
                    said[test] = fitted(train).predict(X[test])
            else:
                said[:] = model.predict(X)
            total = float((weight * np.exp(np.clip(said, *ends))).sum())
            ratio = float((weight * (y + shift)).sum()) / total if total > 0 else 1.0
            factor = float(np.clip(ratio, 1 / MOST_FACTOR, MOST_FACTOR))
        self.regressor_, self.factor_, self.shift_, self.ends_ = model, factor, shift, ends
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return (2)."""
        said = np.clip(np.asarray(self.regressor_.predict(X), dtype=np.float64), *self.ends_)
        return np.maximum(self.factor_ * np.exp(said) - self.shift_, 0.0)
