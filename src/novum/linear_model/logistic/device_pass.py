"""A pass of logistic regression with two classes by the kernel of `device_kernels`, and the Hessians (4) and (6) on a device.

(4) is a product of second moments. (6) is one product of the pairs of columns with w p_a p_b for all pairs of classes, to which
sum w p_a x'x'' belongs as well, for the p_b of a row sum to one:

    Hessian_ab = [a = b] sum_c G_ac - G_ab,   G_ab = sum w p_a p_b x' x''                                     (7)
"""

from typing import Any, NamedTuple

import numpy as np

from novum.engines.gaussians import device_pass as pairs
from novum.engines.moments import device_products
from novum.runtime import arrays

__all__ = ["BinaryPass", "binary_pass", "class_hessian", "takes", "takes_classes"]

TILE_VALUES = 2048  # of a tile of rows: what registers hold in float64


class BinaryPass(NamedTuple):
    """What a pass gives, on the host but for the curvature."""

    loss: float
    gradient: np.ndarray  # (d + 1,)
    hessian: np.ndarray | None  # (d + 1, d + 1)
    curvature: Any  # (n,) or None


def takes(X: Any) -> bool:
    """Return whether the kernel takes rows of this shape."""
    return device_products.takes(X, 1)


def takes_classes(X: Any, k: int) -> bool:
    """Return whether kernels make the Hessian of so many classes."""
    return pairs.takes_shape(k * (k + 1) // 2, X)


def class_hessian(probability: Any, X: Any, weight: Any, constant: float) -> np.ndarray:
    """Return (7), (k (d + 1), k (d + 1))."""
    k, d = probability.shape[1], X.shape[1]
    a, b = np.triu_indices(k)
    left, right = arrays.like(X, a, "int64"), arrays.like(X, b, "int64")
    total: Any = 0.0
    for part in pairs.portions(X, len(a)):
        p, w = probability[part], None if weight is None else weight[part]
        shares = p[:, left] * p[:, right]
        shares = shares if w is None else shares * w[:, None]
        total = total + pairs.products(X[part], arrays.like(X, np.zeros(d), "float64"), shares, w)
    product = np.empty((k, k, d + 1, d + 1))
    product[a, b] = product[b, a] = arrays.to_numpy(total.permute(2, 0, 1))
    scale = np.append(np.ones(d), constant)
    product *= scale[:, None] * scale
    hessian = -product
    hessian[np.arange(k), np.arange(k)] += product.sum(axis=1)
    return hessian.transpose(0, 2, 1, 3).reshape(k * (d + 1), k * (d + 1))


def binary_pass(
    theta: np.ndarray, constant: float, X: Any, code: Any, weight: Any, *, hessian: bool, keep: bool
) -> BinaryPass:
    """Return (2) to (4) of a tensor of rows; `theta` has the coefficient of the constant last."""
    import torch

    from novum.linear_model.logistic import device_kernels as kernels

    n, d = X.shape
    step, run = device_products.step_of(d), device_products.run_of(X)
    chunks, width = -(-n // run), max(16, 1 << (d - 1).bit_length())
    out = torch.empty((chunks, d + 2), dtype=torch.float64, device=X.device)
    kept = torch.empty(n, dtype=torch.float64, device=X.device) if hessian or keep else None
    score = arrays.like(X, np.append(theta[:-1], constant * theta[-1]), "float64")
    kernels.binary_pass[(chunks,)](
        X=X,
        code=code.contiguous(),
        weight=score if weight is None else weight,
        theta=score,
        out=out,
        curvature=score if kept is None else kept,
        n=n,
        p=d // step,
        run=run,
        WITH_CURVATURE=kept is not None,
        WEIGHTED=weight is not None,
        STEP=step,
        WIDTH=width,
        ROWS=max(1, TILE_VALUES // width),
        num_warps=4,
    )
    sums = [out.sum(dim=0)]
    if hessian:
        sums.append(device_products.squares_and_sums(X, kept).reshape(-1))
    found = arrays.to_numpy(torch.cat(sums))
    gradient, loss, square = found[: d + 1].copy(), float(found[d + 1]), None
    gradient[d] *= constant
    if hessian:
        square = found[d + 2 :].reshape(d + 1, d + 1).copy()
        square[d] *= constant
        square[:, d] *= constant
    return BinaryPass(loss, gradient, square, kept)
