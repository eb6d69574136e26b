r"""Covariances of classes drawn towards something simpler: shrinkage, Ledoit and Wolf's amount of it, other estimators, forms.

    S <- (1 - s) S + s tr(S)/d I                                                                   (11)

The best s for the mean squared error, estimated (Ledoit and Wolf, 2004) from rows z scaled to unit variance, n of them:

    b = (sum |z|^4 / n - |S|_F^2) / (n d),   a = |S - m I|_F^2 / d,   m = tr(S)/d,   s = min(b, a) / a      (12)

and the shrunk matrix is scaled back. The sum over the rows is a fold of its own. `covariance_type` keeps only variances
("diag") or their mean ("spherical").
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.fold.blocks import Source
from novum.runtime import arrays

__all__ = ["by_estimator", "ledoit_wolf", "of_type", "shrunk"]

TYPES = ("full", "diag", "spherical")


def shrunk(covariance: NDArray, amount: float) -> NDArray:
    """Return (11) for one matrix or several."""
    d = covariance.shape[-1]
    level = np.trace(covariance, axis1=-2, axis2=-1)[..., None, None] / d
    return (1 - amount) * covariance + amount * level * np.eye(d)


def unit_scale(covariance: NDArray) -> NDArray:
    """Return the standard deviations, one for a constant column."""
    std = np.sqrt(np.maximum(np.diagonal(covariance, axis1=-2, axis2=-1), 0.0))
    return np.where(std > 0, std, 1.0)


def ledoit_wolf(covariance: NDArray, fourth: float, n: float) -> NDArray:
    """Return the shrunk covariance by (12); `fourth` is the sum of |z|^4 over n rows, `covariance` that of the rows x."""
    d = len(covariance)
    if d == 1:
        return covariance
    std = unit_scale(covariance)
    unit = covariance / np.outer(std, std)
    level = np.trace(unit) / d
    square = float((unit**2).sum())
    b = (fourth / n - square) / (n * d)
    a = (square - 2 * level * np.trace(unit) + d * level**2) / d
    amount = 0.0 if min(b, a) == 0 else min(b, a) / a
    return np.outer(std, std) * shrunk(unit, amount)


def of_type(covariance: NDArray, kind: str) -> NDArray:
    """Return covariances of the given form: as they are, their diagonals, or the mean of those."""
    if kind == "full":
        return covariance
    variance = np.diagonal(covariance, axis1=-2, axis2=-1)
    if kind == "spherical":
        variance = np.broadcast_to(variance.mean(axis=-1, keepdims=True), variance.shape)
    return variance[..., None] * np.eye(covariance.shape[-1])


def rows_and_codes(owner: str, source: Source, weight: Any) -> tuple[NDArray, NDArray]:
    """Return all rows and their codes in memory; raise where that cannot be."""
    because = f"{owner}(covariance_estimator=...) learns from whole classes"
    source = source.in_memory(because, "use shrinkage there, or give a sample of the rows")
    if weight is not None:
        raise ParameterError(
            f"{owner}: covariance_estimator takes no weights; leave sample_weight out or use shrinkage."
        )
    return source.array(), np.asarray(source.y)


def fitted_covariance(estimator: Any, X: NDArray) -> NDArray:
    """Return the covariance that a scikit-learn estimator finds."""
    estimator.fit(X)
    if not hasattr(estimator, "covariance_"):
        raise ParameterError(f"{type(estimator).__name__} does not have a covariance_ attribute")
    return np.atleast_2d(np.asarray(estimator.covariance_, np.float64))


def by_estimator(owner: str, estimator: Any, source: Source, k: int) -> tuple[NDArray, NDArray]:
    """Return the covariance of every class, and of all rows together, by a covariance estimator."""
    X, code = rows_and_codes(owner, source, getattr(source, "weight", None))
    each = np.stack([fitted_covariance(estimator, X[code == c]) for c in range(k)])
    return each, fitted_covariance(estimator, arrays.to_numpy(X))
