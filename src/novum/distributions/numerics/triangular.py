r"""Cholesky factors and triangular solves over batches of small matrices.

    C = L L',    z = L^-1 y,    y' C^-1 y = |z|^2                                                  (1)

One matrix and many vectors are one call of LAPACK. A batch of matrices is solved by halves,

    [L11 0; L21 L22] [z1; z2] = [y1; y2]:   z1 = L11^-1 y1,   z2 = L22^-1 (y2 - L21 z1)            (2)

which is a batched product for all but small diagonal blocks; those are substituted forward, row by row, over the whole batch.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dtrtrs

from novum.distributions.parameters import real
from novum.exceptions import ParameterError
from novum.runtime import arrays

__all__ = ["cholesky", "covariance", "log_determinant", "solve_lower", "squared_length"]

SMALL = 8  # rows of a diagonal block that is substituted row by row
ASYMMETRY = 1e-8  # relative difference of a matrix and its transpose that is taken for rounding


def covariance(family: str, name: str, value: Any, d: int) -> NDArray[np.float64]:
    """Return a symmetric (..., d, d) matrix; a number stands for a multiple of the identity, d numbers for a diagonal."""
    matrix = real(family, name, value)
    if matrix.ndim == 0 or matrix.shape == (d,):
        matrix = matrix * np.eye(d)
    if matrix.ndim < 2 or matrix.shape[-2:] != (d, d):
        raise ParameterError(
            f"{family}({name}=...): {name} has shape {matrix.shape}; it must be a number, ({d},) for a diagonal, or"
            f" (..., {d}, {d})."
        )
    other = matrix.swapaxes(-1, -2)
    if not np.all(np.isfinite(matrix)) or np.any(np.abs(matrix - other) > ASYMMETRY * np.abs(matrix).max(initial=0.0)):
        raise ParameterError(
            f"{family}({name}=...): {name} must be finite and symmetric; give ({name} + {name}.T) / 2."
        )
    return 0.5 * (matrix + other)


def cholesky(family: str, name: str, matrix: NDArray) -> NDArray[np.float64]:
    """Return L of (1); raise where a matrix is not positive definite to rounding."""
    d = matrix.shape[-1]
    diagonal = np.diagonal(matrix, axis1=-2, axis2=-1)
    try:
        factor = np.linalg.cholesky(matrix)
        share = (
            np.diagonal(factor, axis1=-2, axis2=-1) ** 2 / diagonal
        )  # of a variance that the others leave unexplained
        if np.all(share > d * np.finfo(float).eps):
            return factor
    except np.linalg.LinAlgError:
        pass
    raise ParameterError(
        f"{family}({name}=...): {name} must be positive definite; its least eigenvalue is"
        f" {np.linalg.eigvalsh(matrix).min():.3g}. Add a multiple of the identity, or leave out dependent coordinates."
    )


def log_determinant(factor: NDArray) -> NDArray:
    """Return log |C| from its factor."""
    return 2 * np.log(np.diagonal(factor, axis1=-2, axis2=-1)).sum(axis=-1)


def solve_lower(factor: Any, right: Any) -> Any:
    """Return L^-1 B for (..., d, d) and (..., d, m), broadcast over the batch."""
    if arrays.is_tensor(right):
        import torch

        return torch.linalg.solve_triangular(factor, right, upper=False)
    d = factor.shape[-1]
    if factor.ndim == 2 and right.ndim == 2:
        return dtrtrs(factor.T, right, lower=0, trans=1)[0]
    if d <= SMALL:
        return substitute(factor, right)
    half = d // 2
    top = solve_lower(factor[..., :half, :half], right[..., :half, :])
    bottom = solve_lower(factor[..., half:, half:], right[..., half:, :] - factor[..., half:, :half] @ top)
    return np.concatenate([np.broadcast_to(top, bottom.shape[:-2] + top.shape[-2:]), bottom], axis=-2)


def substitute(factor: NDArray, right: NDArray) -> NDArray:
    """Return L^-1 B by forward substitution, for few rows."""
    d = factor.shape[-1]
    shape = np.broadcast_shapes(factor.shape[:-2], right.shape[:-2])
    out = np.array(np.broadcast_to(right, shape + right.shape[-2:]))
    for i in range(d):
        row = out[..., i, :]
        for j in range(i):
            row -= factor[..., i, j, None] * out[..., j, :]
        row /= factor[..., i, i, None]
    return out


def squared_length(factor: Any, offset: Any, *, spent: bool = False) -> Any:
    """Return y' C^-1 y for offsets (..., *batch, d) and factors (*batch, d, d); `spent` offsets may be written over."""
    d = factor.shape[-1]
    if factor.ndim == 2:
        flat = offset.reshape(-1, d)
        if arrays.is_tensor(offset):
            solved = solve_lower(factor, flat.T)
            return (solved * solved).sum(0).reshape(offset.shape[:-1])
        solved = dtrtrs(factor.T, flat.T, lower=0, trans=1, overwrite_b=spent)[0].T
        return np.einsum("ij,ij->i", solved, solved).reshape(offset.shape[:-1])
    batch = factor.ndim - 2
    lead = tuple(offset.shape[: offset.ndim - 1 - batch])
    rows = offset.reshape((-1, *offset.shape[offset.ndim - 1 - batch :]))  # (n, *batch, d)
    if arrays.is_tensor(rows):
        solved = solve_lower(factor, rows.movedim(0, -1))
        return (solved * solved).sum(-2).movedim(-1, 0).reshape(lead + tuple(rows.shape[1:-1]))
    solved = solve_lower(factor, np.moveaxis(rows, 0, -1))  # (*batch, d, n)
    square = np.einsum("...ij,...ij->...j", solved, solved)
    return np.moveaxis(square, -1, 0).reshape(lead + rows.shape[1:-1])
