"""The function of a fitted machine, (1) of `estimator`, for blocks of rows in memory and on a device."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.fold.blocks import Block
from novum.kernel_ridge import device_solve, solve
from novum.kernels.choice import KernelChoice
from novum.kernels.device.choice import DeviceChoice
from novum.kernels.device.program import portions
from novum.runtime import arrays

__all__ = ["ExpansionThere", "KernelExpansion", "double_rows", "expansion_block", "predict_block"]

Array = NDArray[np.float64]


class KernelExpansion(NamedTuple):
    """What a prediction needs: features and their weights, or the kernel with rows and coefficients."""

    kernel: KernelChoice
    rows: Any
    coefficient: Array  # (n, t), or (M, t) of the features
    features: solve.Monomials | None
    flat: bool  # whether there is one target, without a dimension of its own


class ExpansionThere(NamedTuple):
    """The same with tensors."""

    kernel: DeviceChoice
    rows: Any
    coefficient: Any
    features: solve.Monomials | None
    flat: bool


def predict_block(params: KernelExpansion, block: Block) -> Any:
    """Return f(x) for every row of a block."""
    X = arrays.to_numpy(block.X) if arrays.is_tensor(block.X) else block.X
    if params.features is not None:
        out = np.asarray(params.features.of(X) @ params.coefficient)
    else:
        out = params.kernel.times(X, params.rows, params.coefficient)
    out = out[:, 0] if params.flat else out
    return arrays.like(block.X, out) if hasattr(block.X, "dtype") and block.X.dtype != object else out


def expansion_block(params: ExpansionThere, block: Block) -> Any:
    """Return f(x) for every row of a block on a device, there."""
    X = block.X.double()
    if params.features is None:
        out = params.kernel.times(X, params.rows, params.coefficient)
    else:
        blocks = portions(X.shape[0], len(params.coefficient))
        out = arrays.stack_rows(
            [device_solve.features_of(params.features, X[at]) @ params.coefficient for at in blocks]
        )
    return (out[:, 0] if params.flat else out).to(block.X.dtype)


def double_rows(rows: Any) -> Any:
    """Return a table of numbers in double precision, anything else as it is."""
    numeric = hasattr(rows, "dtype") and rows.dtype.kind in "fiub"
    return rows.astype(np.float64, copy=False) if numeric else rows
