r"""Predictions of linear models whose weights have a Gaussian posterior.

    E[y | x] = a + w'x,   var[y | x] = 1/beta + (x - m)' S (x - m)                                 (6)

m is the mean of the training rows where the intercept is fitted apart from the weights, zero where it is one of them.
"""

from typing import Any, NamedTuple

import numpy as np

from novum import _array
from novum.distributions import Normal
from novum.exceptions import DataError
from novum.fold.blocks import Block

__all__ = ["Predictive", "predict_distribution", "predict_with_std", "predictive_block"]


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
    X = _array.double(block.X)
    mean = X @ _array.like(X, params.coef) + params.intercept
    half = _array.centred(block.X, params.center) @ _array.like(X, params.root) + _array.like(X, params.extra)
    std = ((half * half).sum(1) + params.noise) ** 0.5
    out = _array.concat([mean[:, None], std[:, None]])
    return out.to(block.X.dtype) if _array.is_tensor(out) else out.astype(block.X.dtype, copy=False)


def predict_with_std(estimator: Any, X: Any, params: Predictive) -> tuple[Any, Any]:
    """Return the predictive mean and standard deviation of every row; for data in memory and tensors."""
    both = estimator._rows(X, predictive_block, params)
    if not hasattr(both, "shape") or hasattr(both, "dask"):
        raise DataError(
            f"{type(estimator).__name__}.predict: return_std=True takes data in memory; give it batches of the rows."
        )
    return both[:, 0], both[:, 1]


def predict_distribution(estimator: Any, X: Any, params: Predictive) -> Normal:
    """Return (6) as distributions, one per row."""
    mean, std = predict_with_std(estimator, X, params)
    return Normal(_array.to_numpy(mean), _array.to_numpy(std).astype(np.float64) ** 2)
