r"""Definiteness of a symmetric matrix with a certificate, and square roots.

    positive semi-definite:   c' A c >= 0 for all c          <=>  every eigenvalue >= 0                      (9)
    positive definite:        c' A c >  0 for all c != 0     <=>  every eigenvalue >  0                      (10)
    B = V diag(lambda)^(1/2) V',     B B  = A    the symmetric root                                          (11)
    B = diag(lambda)^(1/2) V',       B' B = A    a factor, its rows as many as A has positive eigenvalues    (12)

An eigenvalue counts as zero up to tol times the largest in size, tol = n eps unless given: that is how well the eigenvalues of
A as stored can be known.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.linalg.input import EPS, symmetric
from novum.report.result import Result
from novum.runtime.checks import check_choice, check_number
from novum.runtime.typing import Numbers

__all__ = ["Definiteness", "is_psd", "square_root"]


@dataclass(frozen=True)
class Definiteness(Result):
    """Whether a matrix is positive semi-definite; true in an `if` where it is.

    Attributes
    ----------
    psd, strict : bool
        Positive semi-definite; positive definite.
    smallest_eigenvalue : float
    witness : ndarray of shape (n,) or None
        A unit vector c: with c' A c < 0 where A is not semi-definite, with c' A c = 0 (up to the tolerance) where it is
        semi-definite only, None where it is definite.
    tol : float
        Size up to which an eigenvalue counted as zero.
    """

    psd: bool
    strict: bool
    smallest_eigenvalue: float
    witness: NDArray[Any] | None
    tol: float

    def __bool__(self) -> bool:
        return self.psd

    @property
    def verdict(self) -> str:
        """The answer in words."""
        if self.strict:
            return "positive definite"
        return "positive semi-definite" if self.psd else "not positive semi-definite"


def spectrum(owner: str, A: Any, tol: float | None) -> tuple[NDArray[Any], NDArray[Any], float]:
    """Return rising eigenvalues, their vectors and the size that counts as zero."""
    values, vectors = np.linalg.eigh(symmetric(owner, "A", A))
    share = len(values) * EPS if tol is None else check_number(owner, "tol", tol, 0, 1, open_high=True)
    return values, vectors, share * float(np.abs(values).max())


def is_psd(A: Numbers, *, tol: float | None = None) -> Definiteness:
    """Decide (9) and (10) and show why.

        positive semi-definite:   c' A c >= 0 for all c   <=>  every eigenvalue >= 0    (9)
        positive definite:   c' A c >  0 for all c != 0   <=>  every eigenvalue >  0    (10)

    Parameters
    ----------
    A : array-like of shape (n, n)
        Symmetric.
    tol : float, optional
        Share of the largest eigenvalue up to which one counts as zero; n eps by default.

    Examples
    --------
    >>> from novum.linalg import is_psd
    >>> is_psd([[2, 1], [1, 2]]).verdict
    'positive definite'
    >>> found = is_psd([[0, 1], [1, 0]])
    >>> bool(found), found.witness.round(4)
    (False, array([-0.7071,  0.7071]))
    """
    values, vectors, zero = spectrum("is_psd", A, tol)
    strict = bool(values[0] > zero)
    return Definiteness(
        bool(values[0] >= -zero), strict, float(values[0]), None if strict else vectors[:, 0].copy(), zero
    )


def square_root(A: Numbers, *, form: str = "symmetric", tol: float | None = None) -> NDArray[Any]:
    """Return a square root of a positive semi-definite matrix.

    Parameters
    ----------
    A : array-like of shape (n, n)
    form : {"symmetric", "factor"}
        B of (11), or B of (12): a matrix of shape (rank, n).
    tol : float, optional
        As in `is_psd`.

    Examples
    --------
    >>> from novum.linalg import square_root
    >>> B = square_root([[5, 4], [4, 5]])
    >>> B.round(12)
    array([[2., 1.],
           [1., 2.]])
    """
    check_choice("square_root", "form", form, ("symmetric", "factor"))
    values, vectors, zero = spectrum("square_root", A, tol)
    if values[0] < -zero:
        raise DataError(
            f"square_root: A has the eigenvalue {values[0]:g}, so it has no real square root; c' A c < 0 for c = "
            f"{vectors[:, 0]}."
        )
    root = np.sqrt(np.where(values > zero, values, 0.0))
    if form == "symmetric":
        B = (vectors * root) @ vectors.T
        return (B + B.T) / 2
    return ((vectors * root).T)[values > zero]
