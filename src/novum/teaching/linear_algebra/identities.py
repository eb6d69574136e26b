r"""Rules of transposes, inverses, traces, determinants and ranks, tried on two matrices, each with its residual.

(MN)' = N'M'         (MN)^-1 = N^-1 M^-1     (M')^-1 = (M^-1)'      M M^-1 = I
tr MN = tr NM        |MN| = |M| |N|          |M'| = |M|             |M^-1| = 1 / |M|         rank M' = rank M
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.linalg.input import EPS, square
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.runtime.typing import Numbers

__all__ = ["MatrixIdentities", "check_identities"]


@dataclass(frozen=True)
class MatrixIdentities(Result):
    """The sizes of both sides' difference, relative to the sides; true in an `if` where all are rounding.

    Attributes
    ----------
    residuals : dict of str to float
    tol : float
        n eps times the larger condition number of the two matrices: what their inverses may lose.
    rank, trace, determinant : int, float, float
        Of M.
    inverse : ndarray of shape (n, n)
        Of M.
    """

    residuals: dict[str, float]
    tol: float
    rank: int
    trace: float
    determinant: float
    inverse: NDArray[Any]

    def __bool__(self) -> bool:
        return all(residual <= self.tol for residual in self.residuals.values())


def check_identities(M: Numbers, N: Numbers) -> MatrixIdentities:
    """Try nine rules of matrices on M and N, and return M's rank, trace, determinant and inverse with them.

    Parameters
    ----------
    M, N : array-like of shape (n, n)
        Both invertible.

    Examples
    --------
    >>> from novum.teaching import check_identities
    >>> found = check_identities([[2.0, 1.0], [0.0, 3.0]], [[1.0, 4.0], [1.0, 1.0]])
    >>> bool(found), len(found.residuals), found.rank, found.trace, round(found.determinant, 12)
    (True, 9, 2, 5.0, 6.0)
    """
    owner = "check_identities"
    M, N = square(owner, "M", M), square(owner, "N", N)
    if len(M) != len(N):
        raise DataError(f"{owner}: M has {counted(len(M), 'row')} and N {len(N)}; they must agree.")
    condition = max(float(np.linalg.cond(matrix)) for matrix in (M, N))
    if not condition * len(M) * EPS < 1:
        raise DataError(
            f"{owner}: one of the matrices is singular (condition {num(condition):.3g}); it has no inverse."
        )
    inverse, det, rank = np.linalg.inv, np.linalg.det, np.linalg.matrix_rank
    sides: dict[str, tuple[Any, Any]] = {
        "(MN)' = N'M'": ((M @ N).T, N.T @ M.T),
        "(MN)^-1 = N^-1 M^-1": (inverse(M @ N), inverse(N) @ inverse(M)),
        "(M')^-1 = (M^-1)'": (inverse(M.T), inverse(M).T),
        "M M^-1 = I": (M @ inverse(M), np.eye(len(M))),
        "tr MN = tr NM": (np.trace(M @ N), np.trace(N @ M)),
        "|MN| = |M| |N|": (det(M @ N), det(M) * det(N)),
        "|M'| = |M|": (det(M.T), det(M)),
        "|M^-1| = 1 / |M|": (det(inverse(M)), 1 / det(M)),
        "rank M' = rank M": (float(rank(M.T)), float(rank(M))),
    }
    size = float(np.linalg.norm(M) * np.linalg.norm(N))
    residuals = {name: relative_gap(left, right, size) for name, (left, right) in sides.items()}
    tolerance = 8 * len(M) * EPS * condition**2
    return MatrixIdentities(residuals, tolerance, int(rank(M)), float(np.trace(M)), float(det(M)), inverse(M))


def relative_gap(left: Any, right: Any, scale: float) -> float:
    """Return the size of a difference relative to the sides; of traces, which may cancel, relative to the matrices."""
    size = np.linalg.norm(np.atleast_1d(left)) if np.ndim(left) else max(abs(left), abs(right))
    if not np.ndim(left) and size < scale * EPS:
        size = scale
    return float(np.linalg.norm(np.atleast_1d(np.asarray(left) - right)) / size)
