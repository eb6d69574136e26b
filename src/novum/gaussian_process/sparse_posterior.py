"""The posterior of a sparse Gaussian process at new rows.

The formulas are those of `sparse`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.fold.blocks import Block
from novum.gaussian_process.covariance import Factor, half_solve
from novum.gaussian_process.posterior import like_rows
from novum.runtime import arrays

__all__ = ["SparsePosterior", "mean_block", "std_block"]

Array = NDArray[np.float64]


class SparsePosterior(NamedTuple):
    """What predictions need, (5) of `inducing`."""

    kernel: Any
    points: Array
    lower: Array
    inner: Array
    c: Array
    offset: Array
    scale: Array


def halves(at: SparsePosterior, X: Array) -> tuple[Array, Array]:
    """Return L^-1 k* and L_B^-1 L^-1 k*."""
    first = half_solve(Factor(at.lower, 0.0), np.asarray(at.kernel(X, at.points), np.float64).T)
    return first, half_solve(Factor(at.inner, 0.0), first)


def mean_block(at: SparsePosterior, block: Block) -> Any:
    """Return the means of a block."""
    X = np.ascontiguousarray(arrays.to_numpy(block.X), np.float64)
    mean = halves(at, X)[1].T @ at.c * at.scale + at.offset
    return like_rows(block.X, mean[:, 0] if mean.shape[1] == 1 else mean)


def std_block(at: SparsePosterior, block: Block) -> Any:
    """Return means and standard deviations of the function side by side."""
    X = np.ascontiguousarray(arrays.to_numpy(block.X), np.float64)
    first, second = halves(at, X)
    prior = np.asarray(at.kernel.diag(X), np.float64)
    variance = prior - np.einsum("ij,ij->j", first, first) + np.einsum("ij,ij->j", second, second)
    std = np.sqrt(np.maximum(variance, 0.0))[:, None] * at.scale
    return like_rows(block.X, np.column_stack([second.T @ at.c * at.scale + at.offset, std]))
