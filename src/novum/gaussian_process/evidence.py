r"""The log marginal likelihood of a Gaussian process and its gradient, with no derivative of the covariance stored.

    C = K(theta) + diag(noise),   A = C^-1 Y                                                            (n, q)          (1)
    log p(Y | theta) = sum_q [ -1/2 y_q' C^-1 y_q ] - q/2 log |C| - q n/2 log 2 pi                                      (2)
    d/dtheta_s of it = 1/2 tr( (A A' - q C^-1) dK/dtheta_s )                                                            (3)
    y_i given the others:  mean y_i - A_i / (C^-1)_ii,  variance 1 / (C^-1)_ii                                          (4)

One Cholesky factor serves (1) and (2), its inverse (3) and (4). The compiled kernels give the trace in (3) for all theta in one
walk over the pairs of points.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.gaussian_process.covariance import Factor, check_square, factorize, inverse_lower, log_determinant, solve

__all__ = ["Evidence", "covariance", "evidence_at", "leave_one_out", "log_evidence", "objects_of"]

LOG_2_PI = float(np.log(2 * np.pi))
Array = NDArray[np.float64]


class Evidence(NamedTuple):
    """(1) to (3)."""

    value: np.float64
    gradient: Array | None
    jitter: float


def objects_of(kernel: Any, X: Any) -> Any:
    """Return points as float64, other objects as they are."""
    return np.ascontiguousarray(X, dtype=np.float64) if kernel.requires_vector_input else X


def program_of(kernel: Any, X: Any) -> Any:
    """Return the kernel over these points as a program of the core, or None where it runs in Python."""
    compiled = getattr(kernel, "compile", None)
    return None if compiled is None else compiled(X)


def covariance(kernel: Any, X: Any, noise: Any) -> Array:
    """Return C of (1)."""
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    program = program_of(kernel, X)
    C = check_square("GaussianProcessRegressor", kernel(X), n) if program is None else program.gram()
    C.reshape(-1)[:: n + 1] += noise  # the diagonal, as a view
    return C


def log_evidence(kernel: Any, X: Any, Y: Array, noise: Any, gradient: bool = True) -> Evidence:
    """Return (2), and (3) if requested.

    Parameters
    ----------
    kernel : Kernel, ours or scikit-learn's
    X : float64 array of shape (n, d), or objects of the kernel
    Y : array of shape (n, q)
    noise : float or array of shape (n,)
    gradient : bool, default=True

    Raises
    ------
    numpy.linalg.LinAlgError
        Where the kernel gives no covariance.
    """
    n, outputs = Y.shape
    program, slopes = program_of(kernel, X), None
    if program is not None:
        C = program.gram()
    elif gradient:
        K, slopes = kernel(X, eval_gradient=True)
        C = check_square("GaussianProcessRegressor", K, n)
    else:
        C = check_square("GaussianProcessRegressor", kernel(X), n)
    C.reshape(-1)[:: n + 1] += noise  # the diagonal, as a view
    factor = factorize(C)
    A = solve(factor, Y)
    half = 0.5 * outputs
    fit = np.float64(np.einsum("iq,iq->", Y, A))
    value = -0.5 * fit - half * log_determinant(factor) - half * n * LOG_2_PI
    if not gradient:
        return Evidence(value, None, factor.jitter)
    inverse = inverse_lower(factor)
    if program is not None:
        slope = 0.5 * program.trace(inverse, vectors=A, scale=-float(outputs))
    else:
        W = A @ A.T - outputs * (np.tril(inverse) + np.tril(inverse, -1).T)
        slope = 0.5 * (W.ravel() @ np.asarray(slopes, np.float64).reshape(n * n, -1))
    return Evidence(value, slope, factor.jitter)


def leave_one_out(factor: Factor, Y: Array) -> tuple[Array, Array]:
    """Return means and variances (4), shapes (n, q) and (n,)."""
    A = solve(factor, Y)
    diagonal = inverse_lower(Factor(factor.lower.copy(), factor.jitter)).diagonal()
    return Y - A / diagonal[:, None], 1 / diagonal


def evidence_at(lower: Array, Y: Array, A: Array) -> np.float64:
    """Return (2) from a factor and A that are at hand."""
    outputs = Y.size // len(Y)
    half = np.log(lower.diagonal()).sum() + 0.5 * len(Y) * LOG_2_PI
    return np.float64(-0.5 * np.sum(Y * A) - outputs * half)
