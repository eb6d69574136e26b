"""Factors and bases whose small cells count: each row or column is exact in its own unit, and what is rounding is exactly zero."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.sequence.lds.rounding import EPS

__all__ = ["NOTHING", "ROUNDING", "cleaned", "echelon", "graded", "inverse", "null_basis", "root_of"]

Array = NDArray[Any]
ROUNDING = 256 * EPS  # share of the sizes it is made of, below which a cell is zero
NOTHING = 1e-12  # the same of sums of such cells, and of standard deviations
MOST = 100.0  # by which sizes of rows before count more than the cells: bounds grow where a transition forgets their errors


def cleaned(left: Array, right: Array, share: float = NOTHING) -> Array:
    """Return a product without the cells that are rounding relative to what they are made of."""
    found = left @ right
    found[np.abs(found) <= share * (np.abs(left) @ np.abs(right))] = 0.0
    return found


def root_of(covariance: Array) -> Array:
    """Return a lower triangle whose square is a positive semidefinite matrix, each row exact in its own unit."""
    try:
        return np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        pass
    units = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    safe = np.where(units > 0, units, 1.0)
    values, vectors = np.linalg.eigh(covariance / safe[:, None] / safe)
    kept = np.where(values > ROUNDING, values, 0.0)
    return np.asarray(np.linalg.qr((units[:, None] * vectors * np.sqrt(kept)).T, mode="r")).T


def graded(scale: Array, log_volume: float) -> Array:
    """Return T V with orthogonal columns, V orthogonal: each column exact in its own unit, so that larger ones hide none.

    One of the same volume where a column has left the range of numbers: its ratio to the others is then not to be had.
    """
    from scipy.linalg.lapack import dgejsv

    if not len(scale):
        return scale
    unit = float(np.abs(scale).max())
    if unit > 0 and np.isfinite(unit):
        sizes, U, V, work, _, info = dgejsv(scale / unit, joba=2)
        sizes = sizes * (work[0] / work[1]) * unit
        if (
            info == 0
            and (sizes > 0).all()
            and abs(np.log(sizes).sum() - log_volume) <= 1e-6 * max(1.0, abs(log_volume))
        ):
            found = U * sizes
            found[np.abs(found) <= ROUNDING * (np.abs(scale) @ np.abs(V))] = 0.0
            return found
    return np.eye(len(scale)) * np.exp(log_volume / len(scale))


def echelon(moved: Array, size: Array) -> tuple[Array, list[int], Array]:
    """Return a basis of the columns, its rows that are a unit matrix, its sizes; what is rounding relative to `size` is zero."""
    unit = size[0].max(axis=1, initial=0.0, keepdims=True)
    unit = np.where(unit > 0, unit, 1.0)
    found, bound = moved / unit, size / unit
    columns: list[int] = []
    rows: list[int] = []
    used = np.zeros(len(moved), dtype=bool)
    found[np.abs(found) <= ROUNDING * bound[0]] = 0.0
    weight = 1 / np.maximum(np.abs(found).max(axis=0, initial=0.0), 1e-300)
    for _ in range(found.shape[1]):
        free = np.setdiff1d(np.arange(found.shape[1]), columns)
        candidates = np.abs(found[:, free]) * weight[free] * ~used[:, None]
        if not candidates.any():
            break
        row, at = np.unravel_index(int(candidates.argmax()), candidates.shape)
        column = int(free[at])
        bound[:, :, column] /= abs(found[row, column])
        found[:, column] /= found[row, column]
        others = np.arange(found.shape[1]) != column
        factors = found[row, others]
        found[:, others] -= np.outer(found[:, column], factors)
        bound[:, :, others] += bound[:, :, [column]] * np.abs(factors)
        found[np.abs(found) <= ROUNDING * bound[0]] = 0.0
        found[row, others], found[row, column] = 0.0, 1.0
        used[row] = True
        columns.append(column)
        rows.append(int(row))
    bound[0] = np.minimum(bound[0], MOST * np.abs(found).max(axis=0, initial=0.0))
    bound[:, found == 0] = 0.0
    bound[:, rows] = np.abs(found[rows])
    return (unit * found)[:, columns] / unit[rows].T, rows, (unit * bound)[:, :, columns] / unit[rows].T


def inverse(part: Array, size: Array) -> tuple[Array, Array]:
    """Return the inverse of a matrix, what is rounding in it exactly zero, and the sizes of the numbers that it is made of."""
    n, order = len(part), list[int]()
    found, bound = np.hstack([part, np.eye(n)]), np.hstack([size, np.eye(n)])
    for k in range(n):
        free = np.setdiff1d(np.arange(n), order)
        row = int(free[np.argmax(np.abs(found[free, k]) / np.maximum(np.abs(found[free, :n]).max(axis=1), 1e-300))])
        bound[row] /= abs(found[row, k])
        found[row] /= found[row, k]
        others = np.arange(n) != row
        factors = found[others, k][:, None]
        found[others] -= factors * found[row]
        bound[others] += np.abs(factors) * bound[row]
        rounding = np.abs(found) <= ROUNDING * bound
        found[rounding] = bound[rounding] = 0.0
        order.append(row)
    return found[order, n:], bound[order, n:]


def null_basis(part: Array) -> Array:
    """Return a basis of what a matrix of full row rank maps to zero."""
    found, rows, _ = echelon(part.T.copy(), np.abs(part.T)[None])
    others = np.setdiff1d(np.arange(part.shape[1]), rows)
    null = np.zeros((part.shape[1], len(others)))
    null[others, np.arange(len(others))] = 1.0
    null[rows] = -found[others].T
    return null
