"""Vectors and matrices as the toolbox takes them: finite float64, with errors that name function and argument."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.runtime.checks import float_array

__all__ = ["EPS", "finite", "square", "symmetric", "vectors_of"]

EPS = float(np.finfo(np.float64).eps)
SYMMETRY = (
    64 * EPS
)  # a product such as X'X, added in another order, differs from its transpose by a few rounding errors


def finite(owner: str, name: str, value: Any, ndim: int) -> NDArray[Any]:
    """Return `value` as a finite float64 array with `ndim` axes."""
    array = float_array(owner, name, value).astype(np.float64, copy=False)
    if array.ndim != ndim or array.size == 0:
        raise DataError(f"{owner}: {name} has shape {array.shape}; it must have {ndim} axes and at least one entry.")
    if not np.isfinite(array).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise DataError(f"{owner}: {name}{list(place)} is {array[place]}; every entry must be finite.")
    return array


def vectors_of(owner: str, name: str, value: Any, length: int | None = None) -> NDArray[Any]:
    """Return a list of k vectors of equal length as rows (k, n)."""
    rows = finite(owner, name, value, 2)
    if length is not None and rows.shape[1] != length:
        raise DataError(f"{owner}: the vectors of {name} have {rows.shape[1]} entries; they need {length}.")
    return rows


def square(owner: str, name: str, value: Any) -> NDArray[Any]:
    """Return a square matrix."""
    matrix = finite(owner, name, value, 2)
    if matrix.shape[0] != matrix.shape[1]:
        raise DataError(f"{owner}: {name} has shape {matrix.shape}; it must be square.")
    return matrix


def symmetric(owner: str, name: str, value: Any) -> NDArray[Any]:
    """Return a symmetric matrix, free of the last rounding errors of an almost symmetric one."""
    matrix = square(owner, name, value)
    gap = np.abs(matrix - matrix.T)
    i, j = np.unravel_index(int(gap.argmax()), gap.shape)
    largest = np.abs(matrix).max()
    if gap[i, j] > SYMMETRY * largest:
        raise DataError(
            f"{owner}: {name} is not symmetric: {name}[{i}, {j}] = {matrix[i, j]:g} and {name}[{j}, {i}] = "
            f"{matrix[j, i]:g}; for the quadratic form alone pass ({name} + {name}.T) / 2."
        )
    return matrix / 2 + matrix.T / 2 if largest > 1 else (matrix + matrix.T) / 2  # no overflow, no underflow
