r"""Orthogonal factors as a fold, for data whose squares lose too many digits: ill-conditioned, rank-deficient, wide.

The QR factor of stacked rows is the QR factor of their stacked factors:

    R(block) = qr([x - m_x, y - m_y] sqrt(w)),   merge(R1, R2) = qr([R1; R2])                      (8)
    R = [[R_xx, R_xy], [0, R_yy]],   R'R = [[C_xx, C_xy], [C_yx, C_yy]]                            (9)

With fewer rows than columns R is the rows themselves. Data without a target have no columns y.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from novum.engines.moments.second import count, design, n_target_columns, target_columns
from novum.fold.blocks import Block, Source
from novum.runtime import arrays

__all__ = ["Factor", "factor", "lengths", "reduce_rows"]


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
    y = arrays.double(target_columns(block))
    w = arrays.ones(y, block.rows) if block.weight is None else block.weight
    X: Any = block.X if scipy.sparse.issparse(block.X) else arrays.double(block.X)
    total = float(w.sum())
    sums = np.concatenate([arrays.to_numpy(X.T @ w), arrays.to_numpy(y.T @ w)]) - total * shift
    return Firsts(sums, total, *count(block))


def triangle(mean: np.ndarray, block: Block) -> Triangle:
    """Return R of (8) for one block."""
    return Triangle(reduce_rows(design(mean, block)[:, :-1]))


def merge(a: Triangle, b: Triangle) -> Triangle:
    """Return R of (8) for two blocks together."""
    return Triangle(reduce_rows(np.vstack([a.R, b.R])))


def reduce_rows(rows: Any) -> np.ndarray:
    """Return the R factor of `rows`, or the rows themselves while they are fewer than the columns."""
    return arrays.to_numpy(rows) if rows.shape[0] <= rows.shape[1] else arrays.r_factor(rows)


def factor(source: Source, fit_intercept: bool = True) -> Factor:
    """Return (9) of all rows."""
    p, q = source.n_features, n_target_columns(source)
    total = source.total(first_moments, np.zeros(p + q))
    mean = total.sums / total.weight if fit_intercept else np.zeros(p + q)
    R = source.total(triangle, mean, merge).R
    return Factor(R[:, :p], R[:, p:], mean, total.weight, total.rows, total.log_weight)


def lengths(columns: np.ndarray) -> np.ndarray:
    """Return the length of every column, also where squares would overflow or vanish."""
    largest = np.abs(columns).max(axis=0, initial=0.0)
    unit = np.where(largest > 0, largest, 1.0)
    return largest * np.linalg.norm(columns / unit, axis=0)
