r"""Least squares by orthogonal factors, for designs that the normal equations cannot carry: ill-conditioned, rank-deficient, wide.

The QR factor of stacked rows is the QR factor of their stacked factors, so it is a fold:

    R(block) = qr([x - m_x, y - m_y] sqrt(w)),   merge(R1, R2) = qr([R1; R2])                      (8)
    R = [[R_xx, R_xy], [0, R_yy]],   R'R = [[C_xx, C_xy], [C_yx, C_yy]]                            (9)

and, with R_xx = U S V' (columns scaled to unit length where the rank is decided),

    b = V S^+ U' R_xy                      least squares, of least length among equals             (10)
    b = V S (S^2 + alpha)^{-1} U' R_xy     ridge                                                   (11)
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse

from novum import _array
from novum.fold.blocks import Block, Source
from novum.linear_model._normal import count, design

__all__ = ["Factor", "factor", "least_squares", "ridge"]

EPS = float(np.finfo(np.float64).eps)
RANK_SLACK = 10.0  # times p eps: rounding of the factor itself


class Factor(NamedTuple):
    """R of (9) in its two column groups, with the mean and weight it was centred by."""

    xx: np.ndarray  # (m, p), m = min(rows, p + q)
    xy: np.ndarray  # (m, q)
    mean: np.ndarray  # (p + q,)
    weight: float
    rows: float
    log_weight: float


class Triangle(NamedTuple):
    R: np.ndarray  # (m, p + q)


class Firsts(NamedTuple):
    sums: np.ndarray  # (p + q,): weighted sums about the shift
    weight: float
    rows: float
    log_weight: float


def first_moments(shift: np.ndarray, block: Block) -> Firsts:
    """Return the weighted sums of one block about `shift`."""
    y = _array.double(_array.as_matrix(block.y))
    w = _array.ones(y, block.rows) if block.weight is None else block.weight
    X: Any = block.X if scipy.sparse.issparse(block.X) else _array.double(block.X)
    total = float(w.sum())
    sums = np.concatenate([_array.to_numpy(X.T @ w), _array.to_numpy(y.T @ w)]) - total * shift
    return Firsts(sums, total, *count(block))


def triangle(mean: np.ndarray, block: Block) -> Triangle:
    """Return R of (8) for one block."""
    return Triangle(reduce_rows(design(mean, block)[:, :-1]))


def merge(a: Triangle, b: Triangle) -> Triangle:
    """Return R of (8) for two blocks together."""
    return Triangle(reduce_rows(np.vstack([a.R, b.R])))


def reduce_rows(rows: Any) -> np.ndarray:
    """Return the R factor of `rows`, or the rows themselves while they are fewer than the columns."""
    return _array.to_numpy(rows) if rows.shape[0] <= rows.shape[1] else _array.r_factor(rows)


def factor(source: Source, fit_intercept: bool) -> Factor:
    """Return (9) of all rows."""
    p = source.n_features
    q = max(1, source.n_targets)
    total = source.total(first_moments, np.zeros(p + q))
    mean = total.sums / total.weight if fit_intercept else np.zeros(p + q)
    R = source.total(triangle, mean, merge).R
    return Factor(R[:, :p], R[:, p:], mean, total.weight, total.rows, total.log_weight)


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


def lengths(columns: np.ndarray) -> np.ndarray:
    """Return the length of every column, also where squares would overflow or vanish."""
    largest = np.abs(columns).max(axis=0, initial=0.0)
    unit = np.where(largest > 0, largest, 1.0)
    return largest * np.linalg.norm(columns / unit, axis=0)


def correction(f: Factor, gradient: np.ndarray) -> np.ndarray:
    """Return C_xx^{-1} gradient for a design of full rank: the step (12) with R'R in place of C_xx."""
    scale = lengths(f.xx)
    R = _array.r_factor(f.xx / scale)
    inner = scipy.linalg.solve_triangular(R, gradient / scale[:, None], trans="T")
    return scipy.linalg.solve_triangular(R, inner) / scale[:, None]


def project_on_kernel(scaled: np.ndarray, Vt: np.ndarray, rank: int, scale: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the part of b in the null space of the design; leaving it out gives the shortest solution."""
    p = scaled.shape[1]
    if p <= 2 * rank or Vt.shape[0] == p:
        kernel = scipy.linalg.svd(scaled)[2][rank:].T / scale[:, None]
        basis = np.linalg.qr(kernel)[0]
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
