r"""A Gaussian mixture on a tensor: (2)-(4) as batched products on the device where it lies, a few rows at a time.

Differences from the means and the products of rows are taken in the dtype of the tensor, log-sums and sums over portions
in float64.
"""

from typing import Any

import numpy as np

from novum import _array
from novum.fold.blocks import Block
from novum.mixture._covariance import DIAGONAL, FULL, TIED, Sums

__all__ = ["cast", "log_sum", "tensor_joint", "tensor_pass"]

LOWEST = float(np.finfo(np.float64).min)  # in place of minus infinity, from which it cannot be subtracted
VALUES = 2**27  # of differences (k, rows, d) held at a time: 1 GB of float64


def cast(values: Any, X: Any) -> Any:
    """Return values in the dtype of X."""
    return values.to(X.dtype) if _array.is_tensor(values) else values.astype(X.dtype)


def log_sum(scores: Any) -> Any:
    """Return log sum_k exp of every row; minus infinity where all are."""
    if _array.is_tensor(scores):
        return scores.logsumexp(dim=1)
    top = scores.max(axis=1, keepdims=True, initial=LOWEST)
    with np.errstate(divide="ignore"):
        return (top + np.log(np.exp(scores - top).sum(axis=1, keepdims=True)))[:, 0]


def portions(X: Any, k: int) -> list[slice]:
    """Return slices of the rows such that their differences from all means fit the memory."""
    rows = max(1, VALUES // max(1, k * X.shape[1]))
    return [slice(start, start + rows) for start in range(0, X.shape[0], rows)]


def differences(density: Any, X: Any) -> Any:
    """Return x - mean, shape (k, rows, d)."""
    return X[None] - _array.like(X, density.mean)[:, None]


def portion_joint(density: Any, offset: Any) -> Any:
    """Return l of (2) in float64, shape (rows, k)."""
    factor = _array.like(offset, density.factor)
    if density.layout == DIAGONAL:
        white = offset * factor[:, None]
    else:
        white = offset @ factor  # (k, rows, d) times (k, d, d) or (d, d)
    square = (white * white).sum(2).double()  # (k, rows)
    return _array.like(offset, density.constant, "float64") - 0.5 * square.T


def tensor_joint(density: Any, X: Any) -> Any:
    """Return l of (2) in float64."""
    k = len(density.constant)
    return _array.stack_rows([portion_joint(density, differences(density, X[part])) for part in portions(X, k)])


def tensor_pass(density: Any, block: Block, weight: float) -> Sums:
    """Return (4) of a block; everything is added up on the device, five small arrays come back."""
    import torch

    X = block.X
    found: list[Any] = []
    for part in portions(X, len(density.constant)):
        offset = differences(density, X[part])
        joint = portion_joint(density, offset)
        total = torch.logsumexp(joint, dim=1)
        logs = joint - total[:, None]
        r = logs.exp()
        w = None if block.weight is None else block.weight[part]
        if w is not None:  # a row without weight may hold anything
            used = w > 0
            total = torch.where(used, total, 0.0)
            offset = torch.where(used[None, :, None], offset, 0.0)
            r = torch.where(used[:, None], r, 0.0)
        weighted = r if w is None else r * w[:, None]
        information = torch.where(r > 0, weighted * logs, 0.0).sum()
        likelihood = total.sum() if w is None else (w * total).sum()
        root = weighted.sqrt().T.to(X.dtype)  # (k, rows)
        offset *= root[:, :, None]
        first = (root[:, None] @ offset)[:, 0]
        if density.layout == DIAGONAL:
            second = (offset * offset).sum(1, dtype=torch.float64)
        else:
            second = (offset.transpose(1, 2) @ offset).double()
        sums = (weighted.sum(0), first.double(), second, likelihood, information)
        found = list(sums) if not found else [a + b for a, b in zip(found, sums)]
    mass, first, second, likelihood, information = (_array.to_numpy(value) for value in found)
    second = second.sum(axis=0) if density.layout == TIED else second
    assert second.ndim == {FULL: 3, TIED: 2, DIAGONAL: 2}[density.layout]
    return Sums(mass, first, np.ascontiguousarray(second), float(likelihood), float(information), weight)
