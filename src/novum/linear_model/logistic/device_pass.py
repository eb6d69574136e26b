"""A pass of logistic regression with two classes by the kernel of `device_kernels`; (4) by the products of second moments."""

from typing import Any, NamedTuple

import numpy as np

from novum.engines.moments import device_products
from novum.runtime import arrays

__all__ = ["BinaryPass", "binary_pass", "takes"]

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
        X,
        code.contiguous(),
        score if weight is None else weight,
        score,
        out,
        score if kept is None else kept,
        n,
        d // step,
        run,
        WITH_CURVATURE=kept is not None,
        WEIGHTED=weight is not None,
        STEP=step,
        WIDTH=width,
        ROWS=max(1, TILE_VALUES // width),
        num_warps=4,
    )
    sums = [out.sum(dim=0)]
    if hessian:
        zero = np.zeros(d + 1)
        sums.append(device_products.by_kernels(X, X[:, :0], kept, zero[:-1], single=False).reshape(-1))
    found = arrays.to_numpy(torch.cat(sums))
    gradient, loss, square = found[: d + 1].copy(), float(found[d + 1]), None
    gradient[d] *= constant
    if hessian:
        square = found[d + 2 :].reshape(d + 1, d + 1).copy()
        square[d] *= constant
        square[:, d] *= constant
    return BinaryPass(loss, gradient, square, kept)
