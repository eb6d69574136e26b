r"""Predictions with intervals: the one answer of every `predict(X, interval=..., level=...)`.

confidence    an interval for the mean, or the function, at x
prediction    an interval for a new target at x, its noise included

normal        value +- z std,  z the quantile (1 + level) / 2 of the standard normal               (1)
mixture       both ends q solve  sum_k p_k Phi((q - m_k) / s_k) = (1 -+ level) / 2                  (2)
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from novum.exceptions import DataError, ParameterError
from novum.report.result import result
from novum.runtime.checks import check_level

__all__ = ["IntervalPrediction", "check_interval", "mixture_interval", "normal_interval", "tensor_interval"]

KINDS = ("confidence", "prediction")
HALVINGS = 60  # of the bracket of a quantile: 2^-60 of its width is below rounding


@result
class IntervalPrediction(NamedTuple):
    """Predictions with the ends of their intervals."""

    value: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


def check_interval(owner: str, interval: Any, level: Any, kinds: tuple[str, ...] = KINDS, *, std: bool = False) -> None:
    """Raise unless `interval` is one that the model has, `level` a confidence, and no standard deviation requested with it."""
    if interval not in KINDS:
        raise ParameterError(f"{owner}: interval={interval!r} is none of None, 'confidence', 'prediction'.")
    if interval not in kinds:
        raise ParameterError(
            f"{owner}(interval={interval!r}): this model has intervals for new targets only, 'prediction'."
        )
    if std:
        raise ParameterError(f"{owner}: give return_std or interval, not both.")
    check_level(owner, level)


def normal_interval(owner: str, value: Any, std: Any, level: float) -> IntervalPrediction:
    """Return (1)."""
    if not isinstance(value, np.ndarray):
        raise DataError(f"{owner}: intervals are for data in memory; predict batch by batch.")
    half = ndtri((1 + level) / 2) * np.asarray(std)
    return IntervalPrediction(value, value - half, value + half)


def tensor_interval(value: Any, std: Any, level: float) -> IntervalPrediction:
    """Return (1) of tensors."""
    half = float(ndtri((1 + level) / 2)) * std
    return IntervalPrediction(value, value - half, value + half)


def mixture_interval(
    value: np.ndarray, share: np.ndarray, means: np.ndarray, stds: np.ndarray, level: float
) -> IntervalPrediction:
    """Return (2) for every row; `share`, `means` and `stds` are (rows, parts), or broadcast to it."""
    reach = 1.0 + ndtri((1 + level) / 2)

    def quantile(q: float) -> np.ndarray:
        low, high = (means - reach * stds).min(axis=1), (means + reach * stds).max(axis=1)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            below = (share * ndtr((middle[:, None] - means) / stds)).sum(axis=1) < q
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return (low + high) / 2

    return IntervalPrediction(value, quantile((1 - level) / 2), quantile((1 + level) / 2))
