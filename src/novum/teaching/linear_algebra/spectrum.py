r"""What eigenvalues say of a square matrix, and what they do not.

    |M| = prod_i lambda_i,   tr M = sum_i lambda_i        over the complex numbers, with multiplicity          (20)
    singular  <=>  some lambda_i = 0  <=>  |M| = 0  <=>  the columns are dependent:                            (21)
    M_n = sum_{i<n} M_i (-x_i / x_n)                      for M x = 0 with x_n != 0                            (22)

Eigenvectors of different eigenvalues are independent, so that there are at least as many independent ones as different eigenvalues;
a matrix with fewer than rows is defective. (22) needs x_n != 0: any column with x_j != 0 can take its place.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.linalg.input import EPS, finite, square
from novum.report.result import Result
from novum.runtime.checks import check_number
from novum.runtime.typing import Numbers

__all__ = ["EigenReport", "eigen_report", "is_eigenpair"]


@dataclass(frozen=True)
class EigenReport(Result):
    """Eigenvalues of a matrix and what follows from them.

    Attributes
    ----------
    values : ndarray of shape (n,)
        Complex where some are; falling in size.
    determinant, trace : float
        Product and sum of the eigenvalues.
    rank : int
        From the singular values: that of a defective matrix is not the number of its eigenvalues other than zero.
    independent_vectors : int
        How many independent eigenvectors there are.
    dependent_column : int or None
        Of a singular matrix, a column that the others make up.
    combination : ndarray of shape (n,) or None
        Its weights, (22), with zero in its own place.
    """

    values: NDArray[Any]
    determinant: float
    trace: float
    rank: int
    independent_vectors: int
    dependent_column: int | None
    combination: NDArray[Any] | None

    @property
    def singular(self) -> bool:
        """Whether some eigenvalue is zero."""
        return self.dependent_column is not None

    @property
    def defective(self) -> bool:
        """Whether there are fewer independent eigenvectors than rows."""
        return self.independent_vectors < len(self.values)


def is_eigenpair(M: Numbers, value: complex, x: Numbers, *, tol: float = 1e-9) -> bool:
    """Whether M x = value x for an x that is not zero, up to `tol` of the sizes of M and x.

    Examples
    --------
    >>> from novum.teaching import is_eigenpair
    >>> is_eigenpair([[2.0, 1.0], [1.0, 2.0]], 3.0, [1.0, 1.0]), is_eigenpair([[2.0, 1.0], [1.0, 2.0]], 2.0, [1.0, 1.0])
    (True, False)
    """
    matrix = square("is_eigenpair", "M", M)
    vector = np.asarray(x, dtype=np.complex128)
    if vector.shape != (len(matrix),) or not np.isfinite(vector).all():
        raise DataError(f"is_eigenpair: x has shape {vector.shape}; it must be {len(matrix)} finite numbers.")
    slack = check_number("is_eigenpair", "tol", tol, 0)
    size = np.linalg.norm(vector)
    return bool(size > 0 and np.linalg.norm(matrix @ vector - value * vector) <= slack * np.linalg.norm(matrix) * size)


def eigen_report(M: Numbers, *, tol: float | None = None) -> EigenReport:
    """Return eigenvalues, determinant, trace, rank, how many independent eigenvectors there are, and a dependent column.

        |M| = prod_i lambda_i,   tr M = sum_i lambda_i    (20)

    Parameters
    ----------
    M : array-like of shape (n, n)
    tol : float, default=None
        Singular values up to this share of the largest count as zero; None: n rounding errors. Eigenvectors of equal eigenvalues
        are known to the square root of that only, and are compared so.

    Examples
    --------
    >>> from novum.teaching import eigen_report
    >>> jordan = eigen_report([[1.0, 1.0], [0.0, 1.0]])
    >>> jordan.independent_vectors, jordan.defective, jordan.singular
    (1, True, False)
    >>> singular = eigen_report([[1.0, 2.0, 3.0], [4.0, 5.0, 9.0], [7.0, 8.0, 15.0]])
    >>> singular.dependent_column, singular.combination.round(12)
    (2, array([1., 1., 0.]))
    """
    matrix = finite("eigen_report", "M", square("eigen_report", "M", M), 2)
    n = len(matrix)
    share = n * EPS if tol is None else check_number("eigen_report", "tol", tol, 0, 1, open_high=True)
    values, vectors = np.linalg.eig(matrix)
    order = np.argsort(-np.abs(values), kind="stable")
    values, vectors = values[order], vectors[:, order]
    sizes = np.linalg.svd(matrix, compute_uv=False)
    rank = int((sizes > share * sizes[0]).sum()) if sizes[0] > 0 else 0
    singular = np.linalg.svd(vectors, compute_uv=False)
    column, combination = None, None
    if rank < n:
        x = np.linalg.svd(matrix)[2][-1]
        column = int(n - 1 if abs(x[-1]) > share else np.abs(x).argmax())
        combination = -x / x[column]
        combination[column] = 0.0
    independent = int((singular > 10 * np.sqrt(share) * singular[0]).sum())
    product, total = np.prod(values).real, np.sum(values).real
    return EigenReport(values, float(product), float(total), rank, independent, column, combination)
