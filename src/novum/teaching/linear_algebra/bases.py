r"""Spans, bases and coordinates. Vectors are given as a list (the rows of an array) v_1, ..., v_k of length n.

    v in span(v_1, ..., v_k)   <=>   some c has  sum_i c_i v_i = v                                          (1)
    independent                <=>   sum_i c_i v_i = 0 only for c = 0   <=>   rank = k                      (2)
    coordinates of v in a basis B (vectors as columns):      x_B = B^{-1} v                                 (3)
    change of basis from B to B':                            x_B' = P x_B,   P = B'^{-1} B                  (4)
    matrix of a linear map T from basis B to basis C:        column j = C-coordinates of T(u_j),
                                                             M = C^{-1} A B  where T(x) = A x               (5)

Rank is decided on vectors of unit length, so that units of measurement do not matter: a singular value counts as zero up to
tol times the largest, tol = 8 max(k, n) eps unless given. A vector lies in a span if what the span leaves of it is at most
tol times the lengths of the vectors that were added, |v| + sum_i |c_i v_i|: rounding errors are of that size.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.linalg.input import EPS, finite, vectors_of
from novum.report.result import Result
from novum.runtime.checks import check_number
from novum.runtime.typing import Numbers

__all__ = [
    "LinearIndependence",
    "Membership",
    "are_independent",
    "change_of_basis",
    "coordinates",
    "in_span",
    "matrix_of_map",
]

TIE = 1e-9  # entries that differ by less are equally large; the first of them becomes 1, on every machine
SLACK = 8  # rounding errors of an SVD are a small multiple of max(k, n) eps


@dataclass(frozen=True)
class LinearIndependence(Result):
    """Whether vectors are independent; true in an `if` where they are.

    Attributes
    ----------
    rank : int
        Dimension of their span.
    coefficients : ndarray of shape (k,) or None
        For dependent vectors: c, not zero, with sum c_i v_i = 0; its largest entry is 1.
    singular_values : ndarray
        Of the vectors scaled to unit length, on which the rank was decided.
    """

    rank: int
    coefficients: NDArray[Any] | None
    singular_values: NDArray[Any]

    def __bool__(self) -> bool:
        return self.coefficients is None


@dataclass(frozen=True)
class Membership(Result):
    """Whether a vector lies in a span; true in an `if` where it does.

    Attributes
    ----------
    coefficients : ndarray of shape (k,)
        c of (1); the shortest one (for unit vectors) where several exist, the nearest point of the span where none does.
    residual : ndarray of shape (n,)
        v less that point. It is orthogonal to the whole span: the certificate of a vector outside.
    dimension : int
        Of the span.
    """

    inside: bool
    coefficients: NDArray[Any]
    residual: NDArray[Any]
    dimension: int

    def __bool__(self) -> bool:
        return self.inside


def unit_rows(rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the rows scaled to unit length (a zero row stays zero) and their lengths."""
    peak = np.abs(rows).max(axis=1)
    peak[peak == 0] = 1.0  # squares of very large or small entries would leave the range of floats
    length = peak * np.linalg.norm(rows / peak[:, None], axis=1)
    length[length == 0] = 1.0
    return rows / length[:, None], length


def tolerance(owner: str, tol: float | None, shape: tuple[int, ...]) -> float:
    """Return the relative size up to which a singular value counts as zero."""
    return SLACK * max(shape) * EPS if tol is None else check_number(owner, "tol", tol, 0, 1, open_high=True)


def are_independent(vectors: Numbers, *, tol: float | None = None) -> LinearIndependence:
    """Decide (2), and show a combination that gives zero where the vectors are dependent.

        independent   <=>   sum_i c_i v_i = 0 only for c = 0   <=>   rank = k    (2)

    Parameters
    ----------
    vectors : array-like of shape (k, n)
        A list of vectors.
    tol : float, optional
        Relative size up to which a singular value counts as zero; 8 max(k, n) eps by default.

    Examples
    --------
    >>> from novum.teaching import are_independent
    >>> bool(are_independent([[1, 0, 2], [0, 1, 1]]))
    True
    >>> found = are_independent([[1, 2], [2, 4]])
    >>> found.rank, found.coefficients.round(6)
    (1, array([ 1. , -0.5]))
    """
    rows = vectors_of("are_independent", "vectors", vectors)
    unit, length = unit_rows(rows)
    left, values, _ = np.linalg.svd(unit)  # left (k, k): its last columns combine the rows to zero
    rank = int((values > tolerance("are_independent", tol, rows.shape) * values[0]).sum())
    if rank == len(rows):
        return LinearIndependence(rank, None, values)
    c = left[:, -1] / length
    first = int((np.abs(c) > (1 - TIE) * np.abs(c).max()).argmax())
    return LinearIndependence(rank, c / c[first], values)


def in_span(vector: Numbers, vectors: Numbers, *, tol: float | None = None) -> Membership:
    """Decide (1), with the coefficients or, for a vector outside, with what is left of it.

        v in span(v_1, ..., v_k)   <=>   some c has  sum_i c_i v_i = v    (1)

    Parameters
    ----------
    vector : array-like of shape (n,)
    vectors : array-like of shape (k, n)
    tol : float, optional
        Relative size of what counts as zero; 8 max(k, n) eps by default.

    Examples
    --------
    >>> from novum.teaching import in_span
    >>> in_span([3, 5], [[1, 1], [1, 2]]).coefficients.round(6)
    array([1., 2.])
    >>> in_span([0, 0, 1], [[1, 0, 0], [1, 1, 0]]).residual
    array([0., 0., 1.])
    """
    rows = vectors_of("in_span", "vectors", vectors)
    v = finite("in_span", "vector", vector, 1)
    if v.size != rows.shape[1]:
        raise DataError(f"in_span: vector has {v.size} entries and those of vectors {rows.shape[1]}; they must agree.")
    zero = tolerance("in_span", tol, rows.shape)
    unit, length = unit_rows(rows)
    left, values, right = np.linalg.svd(unit, full_matrices=False)
    rank = int((values > zero * values[0]).sum()) if values[0] > 0 else 0
    along = left[:, :rank], values[:rank], right[:rank]
    c = along[0] @ ((along[2] @ v) / along[1])
    c += along[0] @ ((along[2] @ (v - c @ unit)) / along[1])  # one refinement: the residual to working precision
    residual = v - c @ unit
    inside = float(np.linalg.norm(residual)) <= zero * (float(np.linalg.norm(v)) + float(np.abs(c).sum()))
    return Membership(bool(inside), c / length, residual, rank)


def coordinates(vector: Numbers, basis: Numbers, *, tol: float | None = None) -> NDArray[Any]:
    """Return the coordinates (3) of a vector in a basis of R^n or of a subspace.

        coordinates of v in a basis B (vectors as columns):   x_B = B^{-1} v    (3)

    Parameters
    ----------
    vector : array-like of shape (n,) or (m, n)
        One vector, or a list of them.
    basis : array-like of shape (k, n)
        Independent vectors; a vector outside their span is an error.
    tol : float, optional
        As in `are_independent`.

    Returns
    -------
    ndarray of shape (k,) or (m, k)

    Examples
    --------
    >>> from novum.teaching import coordinates
    >>> coordinates([5, 5], [[3, 1], [-2, 1]]).round(12)
    array([3., 2.])
    """
    rows = vectors_of("coordinates", "basis", basis)
    independent = are_independent(rows, tol=tol)
    if not independent:
        raise DataError(
            f"coordinates: basis has {len(rows)} vectors of rank {independent.rank}, so coordinates are not unique; "
            f"sum c_i v_i = 0 for c = {independent.coefficients}. Leave a vector out."
        )
    many = np.atleast_2d(finite("coordinates", "vector", vector, np.ndim(vector)))
    found = [in_span(v, rows, tol=tol) for v in many]
    for i, one in enumerate(found):
        if not one:
            raise DataError(
                f"coordinates: vector {i} is outside the span of the basis; {one.residual} of it is left over. "
                "`in_span` gives the nearest point of the span."
            )
    result = np.array([one.coefficients for one in found])
    return result if np.ndim(vector) == 2 else result[0]


def change_of_basis(old: Numbers, new: Numbers, *, tol: float | None = None) -> NDArray[Any]:
    """Return P of (4): new coordinates = P @ old coordinates.

        change of basis from B to B':   x_B' = P x_B,   P = B'^{-1} B    (4)

    Parameters
    ----------
    old, new : array-like of shape (k, n)
        Two bases of the same space, each a list of vectors. The other direction is `change_of_basis(new, old)`.
    tol : float, optional
        As in `are_independent`.

    Returns
    -------
    ndarray of shape (k, k)

    Examples
    --------
    >>> from novum.teaching import change_of_basis
    >>> change_of_basis([[3, 1], [-2, 1]], [[1, 0], [0, 1]])  # from {(3, 1), (-2, 1)} to the standard basis
    array([[ 3., -2.],
           [ 1.,  1.]])
    """
    target = vectors_of("change_of_basis", "new", new)
    source = vectors_of("change_of_basis", "old", old, target.shape[1])
    if len(source) != len(target) or not are_independent(source, tol=tol):
        raise DataError(
            f"change_of_basis: old (rank {are_independent(source, tol=tol).rank} of {len(source)} vectors) and new "
            f"({len(target)} vectors) must be bases of the same space."
        )
    return coordinates(source, target, tol=tol).T


def matrix_of_map(
    map: NDArray[Any] | Callable[[NDArray[Any]], Any],
    basis: Numbers,
    image_basis: Numbers,
    *,
    tol: float | None = None,
) -> NDArray[Any]:
    """Return M of (5): coordinates of the image in `image_basis` = M @ coordinates in `basis`.

        matrix of a linear map T from basis B to basis C:   column j = C-coordinates of T(u_j),
        M = C^{-1} A B  where T(x) = A x    (5)

    Parameters
    ----------
    map : callable or array-like of shape (m, n)
        T, or its matrix in the standard bases. A callable is checked for linearity on a combination of the basis.
    basis : array-like of shape (k, n)
        A list of vectors.
    image_basis : array-like of shape (l, m)
    tol : float, optional
        As in `are_independent`.

    Returns
    -------
    ndarray of shape (l, k)

    Examples
    --------
    >>> from novum.teaching import matrix_of_map
    >>> matrix_of_map(lambda x: [x[0] + x[1], x[0]], [[1, 0], [1, 1]], [[1, 0], [0, 1]])
    array([[1., 2.],
           [1., 1.]])
    """
    rows = vectors_of("matrix_of_map", "basis", basis)
    target = vectors_of("matrix_of_map", "image_basis", image_basis)
    if callable(map):
        images = vectors_of("matrix_of_map", "the image of basis", [map(u) for u in rows], target.shape[1])
        mix = 1 + np.arange(len(rows)) / 2  # different coefficients: an even or a homogeneous map shows itself
        whole, parts = np.asarray(map(mix @ rows), dtype=float), mix @ images
        scale = float(np.abs(mix[:, None] * images).sum()) + float(np.abs(whole).sum())
        if np.abs(whole - parts).max() > np.sqrt(EPS) * scale:
            raise DataError(
                f"matrix_of_map: map is not linear: T(sum c_i u_i) = {whole} and sum c_i T(u_i) = {parts} for c = {mix}."
            )
    else:
        A = vectors_of("matrix_of_map", "map", map, rows.shape[1])
        images = rows @ A.T
    return coordinates(images, target, tol=tol).T
