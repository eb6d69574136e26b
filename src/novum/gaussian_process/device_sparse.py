"""What a sparse Gaussian process says of rows on a device, there: the formulas of `sparse_posterior` in float64."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.base.fitted import check_is_fitted
from novum.fold.blocks import Block
from novum.kernels.device.program import DeviceKernel, device_kernel, refuse_kernel
from novum.runtime import arrays

__all__ = ["SparsePosteriorThere", "mean_there", "posterior_there", "std_there"]


class SparsePosteriorThere(NamedTuple):
    """A fitted sparse process where the rows are, (5) of `inducing`."""

    kernel: DeviceKernel
    points: Any
    lower: Any
    inner: Any
    c: Any
    offset: NDArray[np.float64]
    scale: NDArray[np.float64]


def posterior_there(model: Any, X: Any) -> SparsePosteriorThere:
    """Return the posterior of a `SparseGaussianProcessRegressor` on the device of X."""
    check_is_fitted(model, "kernel_")
    kernel = device_kernel(model.kernel_, model.n_features_in_)
    if kernel is None:
        raise refuse_kernel(type(model).__name__, model.kernel_)
    points, lower, inner, c = model._on_device(X, "inducing_points_", "_lower", "_inner", "_c")
    return SparsePosteriorThere(kernel, points, lower, inner, c, model._y_train_mean, model._y_train_std)


def sparse_parts(at: SparsePosteriorThere, X: Any, with_std: bool) -> Any:
    """Return means, and standard deviations beside them if requested, a block of kernels at a time."""
    import torch

    offset, scale = (arrays.like(X, values, "float64") for values in (at.offset, at.scale))
    found = []
    for part in at.kernel.portions(X.shape[0], 2 * at.points.shape[0]):
        first = torch.linalg.solve_triangular(at.lower, at.kernel.between(at.points, X[part]), upper=False)
        second = torch.linalg.solve_triangular(at.inner, first, upper=False)
        mean = second.T @ at.c * scale + offset
        if with_std:
            variance = at.kernel.diagonal(X[part]) - (first * first).sum(0) + (second * second).sum(0)
            mean = torch.cat([mean, variance.clamp(min=0.0).sqrt()[:, None] * scale], dim=1)
        found.append(mean)
    return torch.cat(found)


def mean_there(at: SparsePosteriorThere, block: Block) -> Any:
    """Return the means of a block."""
    mean = sparse_parts(at, block.X.double(), False).to(block.X.dtype)
    return mean[:, 0] if mean.shape[1] == 1 else mean


def std_there(at: SparsePosteriorThere, block: Block) -> Any:
    """Return means and standard deviations of the function side by side."""
    return sparse_parts(at, block.X.double(), True).to(block.X.dtype)
