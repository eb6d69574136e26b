r"""Least squares by orthogonal factors, for designs that the normal equations cannot carry.

From the factor (8), (9) of novum.engines.moments.triangles, with R_xx = U S V' (columns scaled to unit length where the
rank is decided),

    b = V S^+ U' R_xy                      least squares, of least length among equals             (10)
    b = V S (S^2 + alpha)^{-1} U' R_xy     ridge                                                   (11)
"""

import numpy as np
import scipy.linalg

from novum.engines.moments.triangles import Factor, lengths
from novum.runtime import arrays

__all__ = ["kernel_basis", "least_squares", "ridge"]

EPS = float(np.finfo(np.float64).eps)
RANK_SLACK = 10.0  # times p eps: rounding of the factor itself
TRACE = 100.0  # times p eps and the condition: what rounding leaves of a zero in a singular vector


def least_squares(f: Factor, eps: float) -> tuple[np.ndarray, int]:
    """Return (10), shape (p, q), and the rank; columns that vary by no more than rounding take no part.

    The rank is decided on columns of unit length, so it does not depend on units; the least length is that of the
    coefficients themselves.
    """
    p, q = f.xx.shape[1], f.xy.shape[1]
    length = lengths(f.xx)
    noise = eps * np.abs(f.mean[:p]) * np.sqrt(max(f.weight, 1.0))
    used = length > 4 * noise
    coef = np.zeros((p, q))
    if not used.any():
        return coef, 0
    scale = length[used]
    U, s, Vt = scipy.linalg.svd(f.xx[:, used] / scale, full_matrices=False)
    rank = int((s > cutoff(s[0], noise[used] / scale, eps)).sum())
    b = Vt[:rank].T @ ((U[:, :rank].T @ f.xy) / s[:rank, None]) / scale[:, None]
    if rank < used.sum():
        b = b - project_on_kernel(f.xx[:, used] / scale, Vt, rank, scale, b)
    coef[used] = b
    return coef, rank


def cutoff(largest: float, noise: np.ndarray, eps: float) -> float:
    """Return below which a singular value of unit columns is rounding: of the factor, or of the data it was made from.

    A value of size m is known to eps m, so a column whose mean is m/sd standard deviations from zero carries a relative noise
    of eps m/sd (`noise`), which no factorisation can see through.
    """
    return max(RANK_SLACK * len(noise) * eps * largest, 2 * float(np.linalg.norm(noise)))


def correction(f: Factor, gradient: np.ndarray) -> np.ndarray:
    """Return C_xx^{-1} gradient for a design of full rank: the step (12) with R'R in place of C_xx."""
    scale = lengths(f.xx)
    R = arrays.r_factor(f.xx / scale)
    inner = scipy.linalg.solve_triangular(R, gradient / scale[:, None], trans="T")
    return scipy.linalg.solve_triangular(R, inner) / scale[:, None]


def kernel_basis(scaled: np.ndarray, rank: int, scale: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis of the coefficients that a design of this rank does not see, shape (p, p - rank).

    `scaled` has columns of unit length, `scale` their lengths before. A column that no dependency involves has a zero in every
    vector of the null space; rounding leaves a trace there, which the units of the column could make larger than all else.
    """
    _, s, Vt = scipy.linalg.svd(scaled)
    kernel = Vt[rank:].T.copy()
    trace = TRACE * len(scale) * EPS * (s[0] / s[rank - 1] if rank else 1.0)
    kernel[np.linalg.norm(kernel, axis=1) <= trace] = 0.0
    return np.linalg.qr(kernel / scale[:, None])[0]


def project_on_kernel(scaled: np.ndarray, Vt: np.ndarray, rank: int, scale: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the part of b in the null space of the design; leaving it out gives the shortest solution."""
    p = scaled.shape[1]
    if p <= 2 * rank or Vt.shape[0] == p:
        basis = kernel_basis(scaled, rank, scale)
        return basis @ (basis.T @ b)
    # a large null space: b minus its projection on the (small) row space
    rows = np.linalg.qr((Vt[:rank] * scale).T)[0]
    return b - rows @ (rows.T @ b)


def ridge(f: Factor, alpha: np.ndarray) -> np.ndarray:
    """Return (11) for every target with its own alpha > 0, shape (p, q)."""
    m, p = f.xx.shape
    if m < p and np.ptp(alpha) == 0:  # the dual form: an m x m system, unless the penalty is lost in its rounding
        kernel = f.xx @ f.xx.T
        if alpha[0] > m * EPS * np.trace(kernel):
            kernel.flat[:: m + 1] += alpha[0]
            return f.xx.T @ scipy.linalg.solve(kernel, f.xy, assume_a="pos")
    U, s, Vt = scipy.linalg.svd(f.xx, full_matrices=False)
    s[s <= RANK_SLACK * p * EPS * s[0]] = 0.0  # rounding: a small penalty would turn it into coefficients
    return Vt.T @ ((U.T @ f.xy) * (s[:, None] / (s[:, None] ** 2 + alpha)))
