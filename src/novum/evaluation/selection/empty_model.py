r"""The model without features that a selection starts from: one constant answer.

    regression:       the mean of y with an intercept, 0 without                                   (1)
    classification:   the shares of the classes with intercepts, 1/K without                       (2)

Its parameters are one mean (per target) or K - 1 shares, and none without an intercept.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.sklearn_base import BaseEstimator, ClassifierMixin, RegressorMixin

__all__ = ["EmptyClassifier", "EmptyRegressor", "has_intercept", "no_columns"]


def has_intercept(estimator: Any) -> bool:
    """Return whether a model, or the last step of a pipeline, fits a constant."""
    last = estimator[-1] if hasattr(estimator, "named_steps") else estimator
    return bool(getattr(last, "fit_intercept", True))


def no_columns(y: Any) -> NDArray:
    """Return rows without columns."""
    return np.empty((len(y), 0))


class EmptyRegressor(RegressorMixin, BaseEstimator):
    """(1)."""

    def __init__(self, fit_intercept: bool = True) -> None:
        self.fit_intercept = fit_intercept

    def fit(self, X: Any, y: Any) -> "EmptyRegressor":
        """Learn the mean."""
        target = np.asarray(y, dtype=np.float64)
        self.constant_ = target.mean(axis=0) if self.fit_intercept else np.zeros(target.shape[1:])
        self.n_empty_parameters_ = np.size(self.constant_) if self.fit_intercept else 0
        return self

    def predict(self, X: Any) -> NDArray:
        """Return the constant for every row."""
        return np.broadcast_to(self.constant_, (len(X), *np.shape(self.constant_))).copy()


class EmptyClassifier(ClassifierMixin, BaseEstimator):
    """(2)."""

    def __init__(self, fit_intercept: bool = True) -> None:
        self.fit_intercept = fit_intercept

    def fit(self, X: Any, y: Any) -> "EmptyClassifier":
        """Learn the shares."""
        self.classes_, counts = np.unique(np.asarray(y), return_counts=True)
        k = len(self.classes_)
        self.shares_ = counts / counts.sum() if self.fit_intercept else np.full(k, 1 / k)
        self.n_empty_parameters_ = k - 1 if self.fit_intercept else 0
        return self

    def predict_proba(self, X: Any) -> NDArray:
        """Return the shares for every row."""
        return np.tile(self.shares_, (len(X), 1))

    def decision_function(self, X: Any) -> NDArray:
        """Return the log-odds of the second of two classes, or the log of every share."""
        with np.errstate(divide="ignore"):
            log = np.log(self.predict_proba(X))
        return log[:, 1] - log[:, 0] if len(self.classes_) == 2 else log

    def predict(self, X: Any) -> NDArray:
        """Return the most frequent class."""
        return np.full(len(X), self.classes_[int(np.argmax(self.shares_))])
