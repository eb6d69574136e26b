r"""What a Gaussian process says of new points: mean, variance, covariance, samples.

    f* | Y ~ N( s K* A + m,   s^2 (K** - V'V) ),   V = L^-1 K*'                                                         (5)

with A and L of `evidence`, m and s the mean and standard deviation by which targets were normalized (0 and 1 if they were not).
White noise in the kernel is part of K** (the distribution of a new target), noise given next to the kernel is not (that of the
function).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataWarning
from novum.fold.blocks import Block
from novum.gaussian_process.covariance import Factor, factorize, half_solve
from novum.gaussian_process.evidence import objects_of
from novum.runtime import arrays
from novum.runtime.random import Stream
from novum.runtime.warn import warn

__all__ = [
    "Posterior",
    "covariance_of",
    "draws_of",
    "like_rows",
    "mean_block",
    "mean_of",
    "prior_predictions",
    "std_block",
    "variance_of",
]

BELOW_ZERO = 1e-5  # of the prior variance: what rounding alone does not explain
SINGULAR = (
    "Predicted variances smaller than 0. Setting those variances to 0. The covariance of the training points is all but"
    " singular: a larger alpha, or a WhiteKernel in the kernel, helps."
)
Array = NDArray[np.float64]


class Posterior(NamedTuple):
    """A fitted process."""

    kernel: Any
    points: Any  # (n, d), or a list of objects
    lower: Array  # (n, n)
    weights: Array  # (n, q)
    offset: Array  # (q,)
    scale: Array  # (q,)


def mean_of(at: Posterior, X: Any) -> Array:
    """Return the mean of (5), shape (m, q)."""
    compiled = getattr(at.kernel, "compile", None)
    program = None if compiled is None else compiled(X, at.points)
    product = np.asarray(at.kernel(X, at.points)) @ at.weights if program is None else program.times(at.weights)
    return product * at.scale + at.offset


def variance_of(at: Posterior, X: Any) -> Array:
    """Return the diagonal of the covariance of (5) for targets that are not scaled back, shape (m,)."""
    V = half_solve(Factor(at.lower, 0.0), np.asarray(at.kernel(X, at.points), np.float64).T)
    prior = np.array(at.kernel.diag(X), dtype=np.float64)
    variance = prior - np.einsum("ij,ij->j", V, V)
    if (variance < -BELOW_ZERO * np.abs(prior)).any():
        warn(SINGULAR, DataWarning)
    return np.maximum(variance, 0.0)


def covariance_of(at: Posterior, X: Any) -> Array:
    """Return the covariance of (5) for targets that are not scaled back, shape (m, m)."""
    V = half_solve(Factor(at.lower, 0.0), np.asarray(at.kernel(X, at.points), np.float64).T)
    return np.asarray(at.kernel(X), np.float64) - V.T @ V


def mean_block(at: Posterior, block: Block) -> Any:
    """Return the means of a block, shape (rows, q), or (rows,) for one output."""
    mean = mean_of(at, np.ascontiguousarray(arrays.to_numpy(block.X), np.float64))
    return like_rows(block.X, mean[:, 0] if mean.shape[1] == 1 else mean)


def std_block(at: Posterior, block: Block) -> Any:
    """Return means and standard deviations of a block side by side, shape (rows, 2 q)."""
    X = objects_of(at.kernel, arrays.to_numpy(block.X))
    std = np.sqrt(variance_of(at, X))[:, None] * at.scale
    return like_rows(block.X, np.column_stack([mean_of(at, X), std]))


def like_rows(X: Any, values: Array) -> Any:
    """Return values in the library and precision of the rows they belong to."""
    return arrays.like(X, values) if arrays.is_tensor(X) else values.astype(X.dtype, copy=False)


def prior_predictions(kernel: Any, X: Any, outputs: int, with_std: bool, with_cov: bool) -> Any:
    """Return the mean of the prior, zero, with standard deviations or the covariance if requested."""
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    mean = np.zeros(n) if outputs == 1 else np.zeros((n, outputs))
    if with_cov:
        K = np.asarray(kernel(X), np.float64)
        return mean, K if outputs == 1 else np.repeat(K[:, :, None], outputs, axis=2)
    if with_std:
        std = np.sqrt(np.asarray(kernel.diag(X), np.float64))
        return mean, std if outputs == 1 else np.repeat(std[:, None], outputs, axis=1)
    return mean


def draws_of(mean: Array, covariance: Array, size: int, seed: int, output: int = 0) -> Array:
    """Return samples of N(mean, covariance), shape (m, size); a covariance that is singular to rounding is no obstacle."""
    m = len(mean)
    normal = Stream(seed).normal("samples", output, size, columns=m) if m else np.empty((size, 0))
    try:
        found = factorize(np.array(covariance, order="C"))
        root = np.tril(found.lower) if found.jitter <= 1e-8 * np.abs(covariance.diagonal()).mean() else None
    except np.linalg.LinAlgError:
        root = None
    if root is None:  # rounding only: directions of no variance have none
        value, vector = np.linalg.eigh(0.5 * (covariance + covariance.T))
        root = vector * np.sqrt(np.maximum(value, 0.0))
    return mean[:, None] + root @ normal.T
