r"""Predictions of linear models whose weights have a Gaussian posterior.

    E[y | x] = a + w'x,   var[y | x] = 1/beta + (x - m)' S (x - m)                                 (6)

m is the mean of the training rows where the intercept is fitted apart from the weights, zero where it is one of them.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from novum.base.fitted import check_is_fitted
from novum.base.intervals import check_interval, normal_interval
from novum.distributions import Normal
from novum.exceptions import DataError
from novum.fold.blocks import Block
from novum.linear_model.least_squares.model import Line, predict_block
from novum.runtime import arrays
from novum.runtime.typing import Rows

__all__ = ["GaussianPredictions", "Predictive", "predictive_block"]


class Predictive(NamedTuple):
    """The parameters of (6)."""

    coef: np.ndarray  # (p,)
    intercept: float
    root: np.ndarray  # (p, m): S = root root'
    center: np.ndarray  # (p,)
    noise: float  # 1/beta
    extra: np.ndarray  # (m,): added to (x - m)'root, the share of an intercept that is one of the weights


def predictive_block(params: Predictive, block: Block) -> Any:
    """Return mean and standard deviation of (6), side by side."""
    X = arrays.double(block.X)
    mean = X @ arrays.like(X, params.coef) + params.intercept
    half = arrays.center(block.X, params.center) @ arrays.like(X, params.root) + arrays.like(X, params.extra)
    std = ((half * half).sum(1) + params.noise) ** 0.5
    out = arrays.concat([mean[:, None], std[:, None]])
    return out.to(block.X.dtype) if arrays.is_tensor(out) else out.astype(block.X.dtype, copy=False)


class GaussianPredictions:
    """Predictions by (6); an estimator brings `_predictive`, `coef_` and `intercept_`."""

    coef_: np.ndarray
    intercept_: Any
    _rows: Callable[..., Any]

    def _predictive(self) -> Predictive:
        """Return the parameters of (6)."""
        raise NotImplementedError

    def predict(self, X: Rows, return_std: bool = False, *, interval: str | None = None, level: float = 0.95) -> Any:
        """Return the predictive mean of every row.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        return_std : bool, default=False
            Also return the predictive standard deviation, of weights and noise together; for data in memory.
        interval : {None, "confidence", "prediction"}, default=None
            "confidence": for the mean at x, of the weights alone; "prediction": for a new target at x. For data in memory.
        level : float, default=0.95
            Of the interval.

        Returns
        -------
        y : array of shape (n_samples,)
        std : array of shape (n_samples,), only with return_std
        with an interval: IntervalPrediction(value, lower, upper)
        """
        check_is_fitted(self)
        if interval is not None:
            owner = f"{type(self).__name__}.predict"
            check_interval(owner, interval, level, std=return_std)
            mean, std = self.predict(X, return_std=True)
            if interval == "confidence":
                std = np.sqrt(np.maximum(np.asarray(std, np.float64) ** 2 - self._predictive().noise, 0.0))
            return normal_interval(owner, mean, std, level)
        if not return_std:
            return self._rows(X, predict_block, Line(self.coef_[None], np.atleast_1d(self.intercept_), True))
        both = self._rows(X, predictive_block, self._predictive())
        if not hasattr(both, "shape") or hasattr(both, "dask"):
            raise DataError(
                f"{type(self).__name__}.predict: return_std=True takes data in memory; give it batches of the rows."
            )
        return both[:, 0], both[:, 1]

    def predict_distribution(self, X: Rows) -> Normal:
        """Return the predictive distribution of every row, a batch of `novum.distributions.Normal`."""
        mean, std = self.predict(X, return_std=True)
        return Normal(arrays.to_numpy(mean), arrays.to_numpy(std).astype(np.float64) ** 2)
