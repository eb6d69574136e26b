"""Rows, targets and weights of a block as the passes of Newton's method take them."""

from typing import Any

import numpy as np

from novum.fold.blocks import Block
from novum.linear_model.newton.losses.loss import Array
from novum.runtime import arrays

__all__ = ["columns_of", "leading", "line_of", "target_and_weight"]


def target_and_weight(block: Block) -> tuple[Array, Array]:
    """Return target and weights of a block in float64."""
    y = np.asarray(arrays.to_numpy(block.y), dtype=np.float64).ravel()
    return y, np.ones(len(y)) if block.weight is None else np.asarray(arrays.to_numpy(block.weight), dtype=np.float64)


def columns_of(block: Block) -> Any:
    """Return the rows of a block as an array of float64 or a CSR matrix."""
    return block.X if arrays.is_sparse(block.X) else np.asarray(arrays.to_numpy(block.X), dtype=np.float64)


def line_of(X: Any, theta: Array) -> Array:
    """Return eta = x'b + a of every row."""
    p = X.shape[1]
    return np.asarray(X @ theta[:p]).ravel() + theta[p]


def leading(block: Block, share: int) -> Block:
    """Return the first of `share` parts of a block's rows."""
    if share == 1:
        return block
    n = -(-block.rows // share)
    return block._replace(X=block.X[:n], y=block.y[:n], weight=None if block.weight is None else block.weight[:n])
