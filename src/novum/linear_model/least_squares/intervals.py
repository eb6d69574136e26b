r"""Intervals about a prediction of least squares.

h(x) = 1/W + (x - m)' C_xx^{-1} (x - m),   s^2 = rss/(n - k)                                                            (19)
confidence, for the mean at x:    yhat -+ t s sqrt(h(x))
prediction, for a new target:     yhat -+ t s sqrt(1 + h(x)),     t the quantile with n - k degrees of freedom         (20)
n = W, the sum of weights, where they count rows; the number of rows where they are precisions (a new target has weight one)
"""

from typing import Any, NamedTuple

import numpy as np

from novum.base.intervals import IntervalPrediction, check_interval
from novum.exceptions import DataError
from novum.fold.blocks import Block
from novum.linear_model.least_squares.model import leverages
from novum.report.numbers import counted, num
from novum.runtime import arrays
from novum.runtime.checks import check_choice

__all__ = ["predict_with_interval"]


class Shape(NamedTuple):
    mean: np.ndarray
    inverse: np.ndarray
    weight: float


def leverage_block(shape: Shape, block: Block) -> np.ndarray:
    """Return h of (19) for every row."""
    return leverages(arrays.to_numpy(arrays.dense(block.X)), shape.mean, shape.inverse, shape.weight)


def predict_with_interval(model: Any, X: Any, interval: str, level: float, weights: str) -> IntervalPrediction:
    """Return (20)."""
    from scipy import stats

    owner = "LinearRegression.predict"
    check_interval(owner, interval, level)
    check_choice(owner, "weights", weights, ("frequency", "precision"))
    if np.ndim(model.coef_) != 1:
        raise DataError(
            f"{owner}: intervals are for one target; the model has {len(model.coef_)}. Fit them one by one."
        )
    if model.positive:
        raise DataError(f"{owner}: coefficients held at >= 0 have no t distribution; fit with positive=False.")
    k = model._rank + model.fit_intercept
    n = model._n_rows if weights == "precision" else model._weight
    freedom = n - k
    if freedom <= 0:
        raise DataError(
            f"{owner}: {num(n):.10g} rows leave no degrees of freedom for {counted(k, 'parameter')}; give more rows."
        )
    value = model.predict(X)
    if not isinstance(value, np.ndarray):
        raise DataError(f"{owner}: intervals are for data in memory; predict batch by batch.")
    p = model.n_features_in_
    shape = Shape(model._mean[:p], model._inverse(), model._weight if model.fit_intercept else np.inf)
    h = np.asarray(model._rows(X, leverage_block, shape))
    variance = float(np.asarray(model._rss).ravel()[0]) / freedom
    half = stats.t.ppf((1 + level) / 2, freedom) * np.sqrt(variance * (h + (interval == "prediction")))
    return IntervalPrediction(value, value - half, value + half)
