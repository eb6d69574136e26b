"""The scale of the stopping rule: the variance of a feature, averaged over the features, in one pass.

    variance_j = sum w (x_j - s_j)^2 / W - (sum w (x_j - s_j) / W)^2,   W = sum w                      (11)

about a shift s near the mean, so that no digits cancel.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.engines.kmeans import assignment, device_passes
from novum.fold.blocks import Block, Source
from novum.runtime import arrays

__all__ = ["mean_variance"]


class ShiftedSums(NamedTuple):
    """Sums about a shift."""

    mass: NDArray  # (1,)
    first: NDArray  # (1, d): sum of w (x - shift)
    second: NDArray  # (1, d): sum of w (x - shift)^2


def block_sums(shift: NDArray, block: Block) -> ShiftedSums:
    """Return the sums of (11); those of sparse rows are about zero."""
    X, weight = assignment.host(block.X), assignment.host(block.weight)
    if arrays.is_sparse(X):
        w = np.ones(block.rows) if weight is None else weight
        first, second = X.T @ w, X.multiply(X).T @ w
        return ShiftedSums(np.array([w.sum()]), first[None], second[None])
    if arrays.is_tensor(X):
        return ShiftedSums(*(part[None] for part in device_passes.shifted_sums(X, weight, shift[0])))
    sums = ShiftedSums(np.zeros(1), np.zeros(shift.shape), np.zeros(shift.shape))
    _core.moments.diagonal.class_moments(X, np.zeros(block.rows, np.int64), weight, shift, *sums)
    return sums


def mean_variance(source: Source) -> float:
    """Return (11), averaged over the features."""
    shift = np.zeros((1, source.n_features))
    if not source.sparse:
        block = source.first()
        shift = arrays.row_mean(block.X, block.weight)[None]
    sums = source.total(block_sums, shift)
    offset = sums.first[0] / sums.mass[0]
    return float(np.mean(np.maximum(sums.second[0] / sums.mass[0] - offset**2, 0.0)))
