"""What conformal predictors share: the rows set aside, the quantile of their scores, and the model inside.

Let s_1, ..., s_m be the scores of m calibration rows that the model has not seen, and s that of a new row. If all are exchangeable
s is equally likely to have any rank among them, so

    P(s <= s_(k)) >= level   for   k = ceil((m + 1) level),   s_(k) = infinity where k > m                     (1)

whatever the model and the distribution (Vovk; Lei et al. 2018). Without ties the probability is at most level + 1/(m + 1).
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from novum.base.estimator import Estimator
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import MetaEstimatorMixin
from novum.base.wrapped import in_own_name, open_for_parts, pass_on_tags
from novum.runtime import sklearn_private
from novum.runtime.checks import check_level
from novum.runtime.random import Stream, seed_of

__all__ = ["ConformalEstimator", "conformal_quantile"]


def conformal_quantile(scores: NDArray, level: float) -> float:
    """Return s_(k) of (1) for sorted scores."""
    # a hair below: (m + 1) level that is whole must not become the next number by rounding
    k = math.ceil((len(scores) + 1) * level - 1e-9)
    return float("inf") if k > len(scores) else float(scores[max(k, 1) - 1])


class ConformalEstimator(MetaEstimatorMixin, Estimator):
    """A model with calibration rows; the parameters are those of the public classes."""

    estimator: Any
    level: float
    calibration_size: float
    fitted: bool
    random_state: Any

    def _default(self) -> Any:
        raise NotImplementedError(type(self).__name__)

    def _base(self) -> Any:
        return self._default() if self.estimator is None else self.estimator

    def _open(self, X: Any, y: Any, target: str) -> tuple[Any, NDArray]:
        """Return X, so that rows can be taken from it, and the target after scikit-learn's checks."""
        X, known, _ = open_for_parts(self, X, y, target)
        return X, known

    def _set_aside(self, n: int) -> tuple[NDArray, NDArray]:
        """Return the rows to fit and the rows to calibrate: drawn at random, which (1) rests on."""
        order = Stream(seed_of(self.random_state)).permutation("calibration", 0, n)
        if self.fitted:
            return order[:0], np.arange(n)
        m = min(n - 1, round(self.calibration_size * n))
        return np.sort(order[m:]), np.sort(order[:m])

    def _fitted_model(self, X: Any, y: Any, rows: NDArray | None = None, **settings: Any) -> Any:
        """Return the model fitted to some rows, or as it was given."""
        if self.fitted:
            check_is_fitted(self._base())
            return self._base()
        model = clone(self._base())
        if settings:
            model.set_params(**settings)
        pick = sklearn_private.take_rows
        if rows is not None:
            X, y = pick(X, rows), pick(y, rows)
        return self._in_own_name(model, lambda: model.fit(X, y))

    def _in_own_name(self, model: Any, call: Any) -> Any:
        """Return what a call gives; errors of the model inside speak of this estimator."""
        return in_own_name(self, model, call)

    def _level(self, method: str, level: float | None) -> float:
        owner = f"{type(self).__name__}.{method}"
        given = self.level if level is None else level
        return check_level(owner, given)

    def __sklearn_tags__(self) -> Any:
        return pass_on_tags(super().__sklearn_tags__(), self._base())
