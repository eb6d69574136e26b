r"""A Gaussian mixture on a tensor: (2)-(4) as few large products on the device where it lies, a portion of rows at a time.

With c the mean of the means, z = x - c and g_k = mean_k - c, one product whitens for all components, and the moments about c are
products of responsibilities with z and with its products z_i z_j, which all components share:

    U_k' (x - mean_k) = U_k' z - U_k' g_k                                                          (16)
    sum w r (x - mean)(x - mean)' = sum w r z z' - F g' - g F' + N g g',   F = sum w r z, N = sum w r  (17)

Where Triton runs, `device_pass` makes the sums of full covariances from one read of the rows each, in float64. Elsewhere (16) for
full factors is taken in the dtype of the tensor, everything else in float64.
"""

from collections.abc import Iterable
from functools import reduce
from typing import Any

import numpy as np

from novum.engines.gaussians import device_pass
from novum.engines.gaussians.covariance import DIAGONAL, FULL, TIED, MixtureSums
from novum.fold.blocks import Block
from novum.runtime import arrays

__all__ = ["LOWEST", "cast", "given_pass", "log_sum", "observed_sums", "tensor_joint", "tensor_pass"]

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
    if device_pass.takes(density.layout, len(density.constant), X):
        return device_pass.joint_by_kernels(density, density.mean.mean(axis=0), X)
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


def second_of(layout: int, wr: Any, z: Any, w: Any) -> Any:
    """Return the second moments of a portion about the center, in the shape of (17)."""
    if layout == FULL:
        return wr.T @ (z[:, :, None] * z[:, None, :]).reshape(z.shape[0], -1)
    if layout == TIED:
        return (z if w is None else z * w[:, None]).T @ z
    return wr.T @ (z * z)


def to_host(sums: tuple[Any, ...]) -> list[np.ndarray]:
    """Return sums as NumPy arrays, by one transfer."""
    import torch

    flat = arrays.to_numpy(torch.cat([value.reshape(-1) for value in sums]))
    edges = np.cumsum([0] + [value.numel() for value in sums])
    return [flat[a:b].reshape(tuple(value.shape)) for a, b, value in zip(edges, edges[1:], sums)]


def portion_sums(density: Any, X: Any, w: Any) -> tuple[Any, ...]:
    """Return (4) of a portion about the mean of the means, on the device."""
    import torch

    z = centred_rows(density, X)
    if w is not None:  # a row without weight may hold anything
        z = torch.where((w > 0)[:, None], z, 0.0)
    joint = portion_joint(density, z)
    total = log_sum(joint)
    logs = joint - total[:, None]
    r = logs.exp()
    wr = r if w is None else r * w[:, None]
    z = z.double()
    information = torch.where(r > 0, wr * logs, 0.0).sum()
    likelihood = total.sum() if w is None else w @ total
    return wr.sum(0), wr.T @ z, second_of(density.layout, wr, z, w), likelihood, information


def added(parts: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return sums of portions, field by field."""
    return reduce(lambda a, b: tuple(x + y for x, y in zip(a, b)), parts)


def tensor_pass(density: Any, block: Block, weight: float) -> MixtureSums:
    """Return (4) of a block; everything is added up on the device, five small arrays come back at once."""
    X, w = block.X, block.weight
    center = density.mean.mean(axis=0)
    if device_pass.takes(density.layout, len(density.constant), X):
        found = device_pass.sums_by_kernels(density, center, X, w)
    else:
        found = added(portion_sums(density, X[p], None if w is None else w[p]) for p in portions(density, X))
    mass, first, second, likelihood, information = to_host(found)
    first, second = about_means(density.layout, mass, first, second, density.mean - center)
    return MixtureSums(mass, first, second, float(likelihood), float(information), weight)


def given_pass(kind: int, shares: Any, shift: np.ndarray, X: Any, weight: Any, mass: float) -> MixtureSums:
    """Return (4) of a tensor under given responsibilities, about `shift`."""
    k, d = shift.shape
    center = shift.mean(axis=0)
    away = arrays.like(X, center, "float64")
    rows = max(1, VALUES // max(k * d, d * d))

    def portion(part: slice) -> tuple[Any, ...]:
        z, w = X[part].double() - away, None if weight is None else weight[part]
        wr = shares[part] if w is None else shares[part] * w[:, None]
        first = wr.T @ z
        if kind == TIED:  # a scatter for all components together: of all that they share
            every = wr.sum(1, keepdim=True)
            return wr.sum(0), first, (z * every).T @ z
        return wr.sum(0), first, second_of(kind, wr, z, w)

    found = added(portion(slice(start, start + rows)) for start in range(0, len(X), rows))
    total, first, second = to_host(found)
    first, second = about_means(kind, total, first, second, shift - center)
    return MixtureSums(total, first, second, 0.0, 0.0, mass)


def observed_sums(X: Any, weight: Any, shift: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the weight of the observed cells of every column, their sum about a shift, and how many cells are missing."""
    import torch

    d, away = X.shape[1], arrays.like(X, shift, "float64")
    rows = max(1, VALUES // d)

    def portion(part: slice) -> tuple[Any, ...]:
        x = X[part].double() - away
        w = torch.ones_like(x[:, 0]) if weight is None else weight[part]
        seen, used = ~x.isnan(), w > 0
        x = torch.where(seen & used[:, None], x, 0.0)
        return w @ seen.double(), w @ x, (~seen & used[:, None]).sum().double()

    mass, total, gaps = to_host(added(portion(slice(start, start + rows)) for start in range(0, len(X), rows)))
    return mass, total, int(gaps)
