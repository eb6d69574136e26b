"""What a Gaussian process says of rows on a device, there: (5) of `posterior` in float64, a block of kernels at a time."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataWarning
from novum.fold.blocks import Block
from novum.gaussian_process.posterior import BELOW_ZERO, SINGULAR
from novum.gaussian_process.tensors import factor_of
from novum.kernels.device.program import DeviceKernel
from novum.runtime import arrays
from novum.runtime.random import Stream
from novum.runtime.warn import warn

__all__ = ["DevicePosterior", "as_given", "covariance_of", "draws_of", "mean_block", "std_block"]

ROUNDED = 1e-8  # jitter, by the mean variance, up to which a factor of a covariance gives its draws


class DevicePosterior(NamedTuple):
    """A fitted process where the rows are."""

    kernel: DeviceKernel
    points: Any  # (n, d)
    lower: Any  # (n, n)
    weights: Any  # (n, q)
    offset: NDArray[np.float64]  # (q,)
    scale: NDArray[np.float64]  # (q,)


def mean_of(at: DevicePosterior, X: Any) -> Any:
    """Return the mean of (5), shape (m, q)."""
    return scaled(at, at.kernel.times(X, at.points, at.weights))


def scaled(at: DevicePosterior, product: Any) -> Any:
    """Return K* A in units of the targets."""
    return product * arrays.like(product, at.scale) + arrays.like(product, at.offset)


def mean_and_variance(at: DevicePosterior, X: Any) -> tuple[Any, Any]:
    """Return the mean of (5), and the diagonal of its covariance for targets that are not scaled back, (m, q) and (m,)."""
    import torch

    prior = at.kernel.diagonal(X)
    variance, products = torch.empty_like(prior), []
    for part in at.kernel.portions(X.shape[0], 2 * at.points.shape[0]):  # a block of kernels, and as much of V
        K = at.kernel.between(at.points, X[part])
        products.append(K.T @ at.weights)
        V = torch.linalg.solve_triangular(at.lower, K, upper=False)
        variance[part] = prior[part] - torch.linalg.vector_norm(V, dim=0).square_()
    if bool((variance < -BELOW_ZERO * prior.abs()).any()):
        warn(SINGULAR, DataWarning)
    return scaled(at, torch.cat(products)), variance.clamp_(min=0.0)


def covariance_of(at: DevicePosterior, X: Any) -> Any:
    """Return the covariance of (5) for targets that are not scaled back, shape (m, m)."""
    import torch

    V = torch.linalg.solve_triangular(at.lower, at.kernel.between(at.points, X), upper=False)
    return at.kernel.gram(X) - V.T @ V


def mean_block(at: DevicePosterior, block: Block) -> Any:
    """Return the means of a block, shape (rows, q), or (rows,) for one output."""
    mean = mean_of(at, block.X.double())
    return (mean[:, 0] if mean.shape[1] == 1 else mean).to(block.X.dtype)


def std_block(at: DevicePosterior, block: Block) -> Any:
    """Return means and standard deviations of a block side by side, shape (rows, 2 q)."""
    mean, variance = mean_and_variance(at, block.X.double())
    return arrays.concat([mean, variance.sqrt_()[:, None] * arrays.like(mean, at.scale)]).to(block.X.dtype)


def as_given(_: Any, block: Block) -> Any:
    """Return the rows of a block."""
    return block.X


def draws_of(mean: Any, covariance: Any, size: int, seed: int, output: int = 0) -> Any:
    """Return samples of N(mean, covariance), shape (m, size), from the normal numbers that arrays get."""
    import torch

    m = mean.shape[0]
    normal = mean.new_tensor(Stream(seed).normal("samples", output, size, columns=m))
    usual = float(covariance.diagonal().abs().mean())
    try:
        root, jitter = factor_of(covariance.clone())
    except np.linalg.LinAlgError:
        root, jitter = None, np.inf
    if not jitter <= ROUNDED * usual:  # rounding only: directions of no variance have none
        value, vector = torch.linalg.eigh(0.5 * (covariance + covariance.T))
        root = vector * value.clamp(min=0.0).sqrt()
    return mean[:, None] + root @ normal.T
