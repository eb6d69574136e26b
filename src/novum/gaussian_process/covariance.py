r"""Factors of covariance matrices: Cholesky with as much jitter as it takes, solves, the inverse, new rows.

    C + j I = L L'           j = 0 if that works, else the least of 1e-12, 1e-11, ... times mean(diag C) that does          (1)
    C^-1                     from L in place (LAPACK's potri), 2/3 n^3                                                      (2)
    [C B'; B D] = [L 0; M N] [L 0; M N]',   M = B L^-T,   N N' = D - M M'                                                   (3)

Rounding leaves the eigenvalues of a singular matrix somewhere about n eps times the largest, on either side of zero: equal
rows, constant columns and tiny noise make such matrices. j is kept in the result; a matrix that needs more than a hundredth of
its own diagonal is no covariance, and refused.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack, solve_triangular

from novum.exceptions import DataError
from novum.runtime.blas import single_blas

__all__ = ["Factor", "append", "factorize", "half_solve", "inverse_lower", "large_blas", "log_determinant", "solve"]

FIRST_JITTER, MOST_JITTER = 1e-12, 1e-2  # times the mean of the diagonal
LARGE = (
    2048  # rows from which BLAS may use its threads: below they gain little, and results keep their bits for any number
)
Array = NDArray[np.float64]


class Factor(NamedTuple):
    """(1)."""

    lower: Array  # (n, n), row-major; what lies above the diagonal is not looked at
    jitter: float


def large_blas(n: int) -> AbstractContextManager[None]:
    """Return the context in which matrices of n rows are factored."""
    return nullcontext() if n > LARGE else single_blas()


def factorize(C: Array) -> Factor:
    """Return (1); C is overwritten.

    Raises
    ------
    numpy.linalg.LinAlgError
        Where no jitter helps.
    """
    diagonal, n = C.diagonal().copy(), len(C)
    if not np.isfinite(diagonal).all():
        raise np.linalg.LinAlgError("a covariance matrix holds NaN or infinity")
    scale = float(np.abs(diagonal).mean()) if n else 0.0
    share = 0.0
    with large_blas(n):
        while True:
            _, fault = lapack.dpotrf(C.T, lower=0, clean=0, overwrite_a=1)  # the upper triangle of C stays as it was
            if fault == 0 and np.isfinite(C.diagonal()).all():
                return Factor(C, share * scale)
            share = share * 10 if share else FIRST_JITTER
            if share > MOST_JITTER or scale == 0.0:
                raise np.linalg.LinAlgError("a matrix is not positive definite, and no jitter makes it so")
            lower = np.tril_indices(n, -1)
            C[lower] = C.T[lower]
            C[np.diag_indices(n)] = diagonal + share * scale


def solve(factor: Factor, B: Array) -> Array:
    """Return C^-1 B."""
    with large_blas(len(factor.lower)):
        return np.ascontiguousarray(lapack.dpotrs(factor.lower.T, B, lower=0)[0])


def half_solve(factor: Factor, B: Array) -> Array:
    """Return L^-1 B."""
    with large_blas(len(factor.lower)):
        return solve_triangular(factor.lower, B, lower=True, check_finite=False)


def log_determinant(factor: Factor) -> float:
    """Return log |C|."""
    return 2 * float(np.log(factor.lower.diagonal()).sum())


def inverse_lower(factor: Factor) -> Array:
    """Return (2), of which only the lower triangle means anything; the factor is overwritten."""
    with large_blas(len(factor.lower)):
        lapack.dpotri(factor.lower.T, lower=0, overwrite_c=1)
    return factor.lower


def append(factor: Factor, B: Array, D: Array) -> Factor:
    """Return the factor of (3) for new rows: B with the old, D with themselves."""
    old, new = len(factor.lower), len(D)
    M = half_solve(factor, B.T).T
    corner = D - M @ M.T
    corner[np.diag_indices(new)] += factor.jitter
    # what is left of a row that lies among the old ones is rounding, measured by D and not by itself
    scale = float(np.abs(D.diagonal()).mean()) if new else 0.0
    share = 0.0
    while True:
        try:
            N = np.linalg.cholesky(corner + share * scale * np.eye(new))
            break
        except np.linalg.LinAlgError:
            share = share * 10 if share else FIRST_JITTER
            if share > MOST_JITTER or scale == 0.0:
                raise
    lower = np.zeros((old + new, old + new))
    lower[:old, :old], lower[old:, :old], lower[old:, old:] = np.tril(factor.lower), M, N
    return Factor(lower, max(factor.jitter, share * scale))


def check_square(owner: str, K: Any, n: int) -> Array:
    """Return the answer of a kernel as a matrix of float64 that may be overwritten; raise where it has another shape."""
    found = np.array(K, dtype=np.float64, order="C")
    if found.shape != (n, n):
        raise DataError(f"{owner}: the kernel returned an array of shape {found.shape} for {n} points, not ({n}, {n}).")
    return found
