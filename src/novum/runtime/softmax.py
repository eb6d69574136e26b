r"""Softmax of rows, once for losses and activations, fast for the few columns that classes are.

    y[k] = exp(x[k] - max x) / sum_j exp(x[j] - max x),     log y[k] = x[k] - max x - log sum_j exp(x[j] - max x)     (1)

NumPy reduces a short last axis row by row; up to FEW columns it is several times faster to go column by column.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["log_softmax_and_softmax", "softmax_rows"]

LOOP_COLUMNS = 32  # columns up to which a loop over them beats NumPy's reduction of a row


def row_max(score: NDArray[Any]) -> NDArray[Any]:
    """Return the largest entry along the last axis, which is kept."""
    k = score.shape[-1]
    if k > LOOP_COLUMNS:
        return score.max(axis=-1, keepdims=True)
    largest = score[..., 0].copy()
    for j in range(1, k):
        np.maximum(largest, score[..., j], out=largest)
    return largest[..., None]


def row_sum(values: NDArray[Any]) -> NDArray[Any]:
    """Return the sum along the last axis, which is kept; long rows are added pairwise for accuracy."""
    if values.shape[-1] > LOOP_COLUMNS:
        return values.sum(axis=-1, keepdims=True)
    return np.einsum("...j->...", values)[..., None]


def softmax_rows(score: NDArray[Any]) -> NDArray[Any]:
    """Return y of (1) along the last axis."""
    power = np.exp(score - row_max(score))
    power /= row_sum(power)
    return power


def log_softmax_and_softmax(score: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return log y and y of (1) along the last axis, from one exponential."""
    shifted = score - row_max(score)
    power = np.exp(shifted)
    total = row_sum(power)
    power /= total
    shifted -= np.log(total)
    return shifted, power
