"""The share of the deviance that a generalised linear model explains."""

from typing import Any

import numpy as np

from novum.base.validation import check_weight
from novum.exceptions import DataError
from novum.linear_model.newton.losses.tweedie import Tweedie
from novum.runtime import arrays

__all__ = ["explained_deviance"]


def explained_deviance(owner: str, family: Tweedie, predicted: Any, y: Any, sample_weight: Any) -> float:
    """Return 1 - deviance of the model / deviance of the weighted mean of y."""
    target = np.asarray(arrays.to_numpy(y), dtype=np.float64).ravel()
    mu = np.asarray(arrays.to_numpy(predicted), dtype=np.float64).ravel()
    if len(mu) != len(target):
        raise DataError(f"{owner}.score: X has {len(mu)} rows and y has {len(target)}.")
    if not np.isfinite(target).all() or not family.accepts(target):
        raise DataError(f"{owner}.score: y must be finite and {family.range_text()}.")
    weight = check_weight(owner, sample_weight, len(target))
    w = np.ones(len(target)) if weight is None else weight
    middle = np.full(len(target), w @ target / w.sum())
    return float(1 - (w @ family.deviance(target, mu)) / (w @ family.deviance(target, middle)))
