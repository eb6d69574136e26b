r"""A Gaussian mixture on a tensor: (2)-(4) as few large products on the device where it lies, a portion of rows at a time.

With c the mean of the means, z = x - c and g_k = mean_k - c, one product whitens for all components, and the moments about c are
products of responsibilities with z and with its products z_i z_j, which all components share:

    U_k' (x - mean_k) = U_k' z - U_k' g_k                                                          (16)
    sum w r (x - mean)(x - mean)' = sum w r z z' - F g' - g F' + N g g',   F = sum w r z, N = sum w r  (17)

(16) for full factors is taken in the dtype of the tensor, everything else in float64.
"""

from typing import Any

import numpy as np

from novum.engines.gaussians.covariance import DIAGONAL, FULL, TIED, MixtureSums
from novum.fold.blocks import Block
from novum.runtime import arrays

__all__ = ["LOWEST", "cast", "log_sum", "tensor_joint", "tensor_pass"]

LOWEST = float(np.finfo(np.float64).min)  # in place of minus infinity, from which it cannot be subtracted
VALUES = 2**27  # of whitened rows, or of products of coordinates, held at a time: 1 GB of float64


def cast(values: Any, X: Any) -> Any:
    """Return values in the dtype of X."""
    return values.to(X.dtype) if arrays.is_tensor(values) else values.astype(X.dtype)


def log_sum(scores: Any) -> Any:
    """Return log sum_k exp of every row; minus infinity where all are."""
    if arrays.is_tensor(scores):
        return scores.logsumexp(dim=1)
    top = scores.max(axis=1, keepdims=True, initial=LOWEST)
    with np.errstate(divide="ignore"):
        return (top + np.log(np.exp(scores - top).sum(axis=1, keepdims=True)))[:, 0]


def portions(density: Any, X: Any) -> list[slice]:
    """Return slices of the rows such that what is made of them fits the memory."""
    k, d = density.mean.shape
    values = max(k * d, d * d) if density.layout == FULL else max(k, d)
    rows = max(1, VALUES // values)
    return [slice(start, start + rows) for start in range(0, X.shape[0], rows)]


def square_distances(density: Any, z: Any) -> Any:
    """Return |U' (x - mean)|^2 in float64, (rows, k), from rows about the mean of the means."""
    import torch

    k, d = density.mean.shape
    gap = density.mean - density.mean.mean(axis=0)
    if density.layout == FULL:  # (16)
        columns = arrays.like(z, density.factor.transpose(1, 0, 2).reshape(d, k * d))
        offset = arrays.like(z, np.einsum("ki,kij->kj", gap, density.factor).ravel())
        white = torch.addmm(offset, z, columns, beta=-1).reshape(z.shape[0], k, d)
        return torch.linalg.vector_norm(white, dim=2).double() ** 2
    if density.layout == TIED:
        white, middle = z.double() @ arrays.like(z, density.factor, "float64"), gap @ density.factor
        scale = np.ones_like(gap)
    else:
        white, middle, scale = z.double(), gap, density.factor**2
    cross = white @ arrays.like(z, (scale * middle).T, "float64")
    own = (white * white) @ arrays.like(z, scale.T, "float64")
    return (own - 2 * cross + arrays.like(z, (scale * middle**2).sum(axis=1), "float64")).clamp_min(0)


def centred_rows(density: Any, X: Any) -> Any:
    """Return x minus the mean of the means."""
    return X - arrays.like(X, density.mean.mean(axis=0))


def portion_joint(density: Any, z: Any) -> Any:
    """Return l of (2) in float64."""
    return arrays.like(z, density.constant, "float64") - 0.5 * square_distances(density, z)


def tensor_joint(density: Any, X: Any) -> Any:
    """Return l of (2) for every row of a tensor, in float64."""
    return arrays.stack_rows([portion_joint(density, centred_rows(density, X[p])) for p in portions(density, X)])


def about_means(layout: int, mass: Any, first: Any, second: Any, gap: Any) -> tuple[Any, Any]:
    """Return first and second moments about the means by (17), from those about the center."""
    if layout == DIAGONAL:
        second = second - 2 * gap * first + mass[:, None] * gap**2
    elif layout == TIED:
        cross = first.T @ gap
        second = second - cross - cross.T + (mass * gap.T) @ gap
    else:
        cross = first[:, :, None] * gap[:, None]
        second = (
            second.reshape(cross.shape)
            - cross
            - cross.swapaxes(1, 2)
            + mass[:, None, None] * gap[:, :, None] * gap[:, None]
        )
    return first - mass[:, None] * gap, second


def tensor_pass(density: Any, block: Block, weight: float) -> MixtureSums:
    """Return (4) of a block; everything is added up on the device, five small arrays come back."""
    import torch

    X = block.X
    found: list[Any] = []
    for part in portions(density, X):
        z = centred_rows(density, X[part])
        w = None if block.weight is None else block.weight[part]
        if w is not None:  # a row without weight may hold anything
            z = torch.where((w > 0)[:, None], z, 0.0)
        joint = portion_joint(density, z)
        total = log_sum(joint)
        logs = joint - total[:, None]
        r = logs.exp()
        wr = r if w is None else r * w[:, None]
        z = z.double()
        if density.layout == FULL:
            second = wr.T @ (z[:, :, None] * z[:, None, :]).reshape(z.shape[0], -1)
        elif density.layout == TIED:
            second = (z if w is None else z * w[:, None]).T @ z
        else:
            second = wr.T @ (z * z)
        information = torch.where(r > 0, wr * logs, 0.0).sum()
        likelihood = total.sum() if w is None else w @ total
        sums = (wr.sum(0), wr.T @ z, second, likelihood, information)
        found = list(sums) if not found else [a + b for a, b in zip(found, sums)]
    mass, first, second, likelihood, information = (arrays.to_numpy(value) for value in found)
    first, second = about_means(density.layout, mass, first, second, density.mean - density.mean.mean(axis=0))
    return MixtureSums(mass, first, second, float(likelihood), float(information), weight)
