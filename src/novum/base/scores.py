"""`score` of classifiers and regressors: scikit-learn's numbers, without its checks where the arrays are plainly sound.

In a search over a small table those checks take longer than the fit. Whatever is not two plain arrays goes to scikit-learn.
"""

from typing import Any

import numpy as np
import sklearn.base

__all__ = ["ClassifierMixin", "RegressorMixin"]


def plain_accuracy(y: Any, found: Any) -> float | None:
    """Return the share of equal labels of two flat arrays of whole numbers; None for anything else."""
    arrays = type(y) is np.ndarray and type(found) is np.ndarray
    if not arrays or y.ndim != 1 or y.shape != found.shape or not y.size:
        return None
    if y.dtype.kind not in "iub" or found.dtype.kind not in "iub":
        return None
    return float(np.count_nonzero(y == found) / y.size)


def plain_r2(y: Any, found: Any) -> float | None:
    """Return 1 - sum (y - found)^2 / sum (y - mean)^2 of two flat arrays; None for anything else or where it has no value."""
    arrays = type(y) is np.ndarray and type(found) is np.ndarray
    if not arrays or y.ndim != 1 or y.shape != found.shape or y.size < 2:
        return None
    if y.dtype.kind not in "fiu" or found.dtype != np.float64:
        return None
    rest, deviation = y - found, y - np.add.reduce(y, dtype=np.float64) / y.size
    left, whole = rest.dot(rest), deviation.dot(deviation)
    return float(1 - left / whole) if np.isfinite(left) and 0 < whole < np.inf else None


def accuracy_score(*args: Any, **kwargs: Any) -> float:
    """Return scikit-learn's accuracy, imported when it is needed."""
    from sklearn.metrics import accuracy_score

    return float(accuracy_score(*args, **kwargs))


def r2_score(*args: Any, **kwargs: Any) -> float:
    """Return scikit-learn's R^2, imported when it is needed."""
    from sklearn.metrics import r2_score

    return float(r2_score(*args, **kwargs))


class ClassifierMixin(sklearn.base.ClassifierMixin):
    def score(self: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy of the predictions for X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            The true classes.
        sample_weight : array-like of shape (n_samples,), default=None
        """
        found = self.predict(X)
        share = plain_accuracy(y, found) if sample_weight is None else None
        return accuracy_score(y, found, sample_weight=sample_weight) if share is None else share


class RegressorMixin(sklearn.base.RegressorMixin):
    def score(self: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the coefficient of determination R^2 of the predictions for X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            The true targets.
        sample_weight : array-like of shape (n_samples,), default=None
        """
        found = self.predict(X)
        share = plain_r2(y, found) if sample_weight is None else None
        return r2_score(y, found, sample_weight=sample_weight) if share is None else share
