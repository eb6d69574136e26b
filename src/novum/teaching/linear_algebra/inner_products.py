r"""Bilinear forms and what an inner product measures: lengths, angles, right angles.

    Q(x, y) = x' M y                                                                                           (17)
    cos angle(x, y) = <x, y> / sqrt(<x, x> <y, y>),   <x, y> = x' M y, M positive definite, the identity unless given     (18)
    orthonormal:  <x_i, x_j> = 1 where i = j, else 0                                                           (19)

arccos loses half the digits where vectors are nearly parallel; the angle is taken from the lengths of the difference and of the
sum of the unit vectors, 2 atan2(|u - v|, |u + v|).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.linalg.definite import is_psd
from novum.linalg.input import EPS, finite, square, vectors_of
from novum.runtime.typing import Numbers

__all__ = ["angle", "are_orthonormal", "bilinear_form"]


def bilinear_form(M: Numbers, x: Numbers, y: Numbers) -> float:
    """Return (17).

        Q(x, y) = x' M y    (17)

    Parameters
    ----------
    M : array-like of shape (n, m)
    x : array-like of shape (n,)
    y : array-like of shape (m,)

    Examples
    --------
    >>> from novum.teaching import bilinear_form
    >>> bilinear_form([[2.0, 1.0], [0.0, 3.0]], [1.0, 1.0], [1.0, -1.0])
    -2.0
    """
    owner = "bilinear_form"
    matrix, left, right = finite(owner, "M", M, 2), finite(owner, "x", x, 1), finite(owner, "y", y, 1)
    if matrix.shape != (len(left), len(right)):
        raise DataError(f"{owner}: M has shape {matrix.shape}; x and y need ({len(left)}, {len(right)}).")
    return float(left @ matrix @ right)


def product_matrix(owner: str, M: Any, n: int) -> NDArray[Any]:
    """Return the matrix of an inner product; it must be positive definite."""
    if M is None:
        return np.eye(n)
    matrix = square(owner, "M", M)
    if len(matrix) != n:
        raise DataError(f"{owner}: M has {len(matrix)} rows; the vectors have {n} entries.")
    if not is_psd(matrix).strict:
        raise DataError(f"{owner}: M is not positive definite, so x' M y is no inner product and has no angles.")
    return matrix


def angle(x: Numbers, y: Numbers, M: Numbers | None = None) -> float:
    """Return the angle between two vectors, in radians.

        cos angle(x, y) = <x, y> / sqrt(<x, x> <y, y>)    (18)

    Parameters
    ----------
    x, y : array-like of shape (n,)
        Neither may be zero.
    M : array-like of shape (n, n), default=None
        Of the inner product x' M y, positive definite; None for the dot product.

    Examples
    --------
    >>> import math
    >>> from novum.teaching import angle
    >>> math.degrees(angle([1.0, 0.0], [1.0, 1.0]))
    45.0
    >>> round(math.degrees(angle([1.0, 0.0], [0.0, 1.0], [[2.0, 1.0], [1.0, 2.0]])), 6)
    60.0
    """
    left, right = finite("angle", "x", x, 1), finite("angle", "y", y, 1)
    if left.shape != right.shape:
        raise DataError(f"angle: x has {len(left)} entries and y {len(right)}; they must agree.")
    for name, vector in (("x", left), ("y", right)):
        if not vector.any():
            raise DataError(f"angle: {name} is zero, which has no direction.")
    root = np.linalg.cholesky(product_matrix("angle", M, len(left))).T
    u, v = (root @ (vector / np.abs(vector).max()) for vector in (left, right))
    u, v = u / np.linalg.norm(u), v / np.linalg.norm(v)
    return float(2 * np.arctan2(np.linalg.norm(u - v), np.linalg.norm(u + v)))


def are_orthonormal(vectors: Numbers, M: Numbers | None = None, *, tol: float | None = None) -> bool:
    """Whether vectors have unit length and right angles between them.

        <x_i, x_j> = 1 where i = j, else 0    (19)

    Parameters
    ----------
    vectors : array-like of shape (k, n)
    M : array-like of shape (n, n), default=None
        Of the inner product; None for the dot product.
    tol : float, default=None
        Largest gap of (19); None: 8 n rounding errors of the largest entry of M.

    Examples
    --------
    >>> from novum.teaching import are_orthonormal
    >>> are_orthonormal([[0.6, 0.8], [-0.8, 0.6]]), are_orthonormal([[1.0, 0.0], [1.0, 1.0]])
    (True, False)
    """
    rows = vectors_of("are_orthonormal", "vectors", vectors)
    matrix = product_matrix("are_orthonormal", M, rows.shape[1])
    gap = np.abs(rows @ matrix @ rows.T - np.eye(len(rows))).max()
    return bool(gap <= (8 * rows.shape[1] * EPS * np.abs(matrix).max() if tol is None else tol))
