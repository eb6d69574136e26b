r"""Normal equations as a fold: one pass gathers every second moment that least squares needs.

With s a shift near the mean (the mean of the first block), w the weights and W their sum,

    D = rows sqrt(w_i) [x_i - s_x, y_i - s_y, 1]                                                   (3)
    D'D = [[A, b, a], [b', c, t], [a', t', W]]        summed over the blocks                       (4)
    C_xx = A - a a'/W,   C_xy = b - a t'/W,   C_yy = c - t t'/W,   mean = s + [a, t]/W             (5)

(5) loses digits only where the shift is many standard deviations from the mean; then the pass is repeated about the mean.

Given coefficients, a second pass measures how far they are from the solution, with residuals from the rows themselves:

    r_i = y_i - m_y - B (x_i - m_x)                                                                (6)
    gradient = sum w_i r_i (x_i - m_x)',   rss = sum w_i r_i^2                                     (7)
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from novum import _array, _core
from novum.fold.blocks import Block, Source

__all__ = ["Moments", "Residue", "central_moments", "residue"]

OWN_PRODUCTS = 512  # columns up to which our kernel, which never stores (3), is faster than BLAS on stored rows
FAR_SHIFT = 4.0  # squared distance of shift and mean, in variances, beyond which the pass is repeated about the mean


class Sums(NamedTuple):
    products: np.ndarray  # (p + q + 1, p + q + 1), eq. (4)
    rows: float  # rows with a positive weight
    log_weight: float  # sum of log w over them


class Moments(NamedTuple):
    """Central second moments, eq. (5)."""

    weight: float  # W
    mean: np.ndarray  # (p + q,)
    xx: np.ndarray  # (p, p)
    xy: np.ndarray  # (p, q)
    yy: np.ndarray  # (q, q)
    rows: float  # rows with a positive weight
    log_weight: float


class Residue(NamedTuple):
    """What coefficients leave unexplained, eq. (7)."""

    gradient: np.ndarray  # (q, p)
    rss: np.ndarray  # (q,)
    bias: np.ndarray  # (q,): sum of w r


def as_columns(y) -> np.ndarray:
    """Return a target as a C-contiguous float matrix (rows, q)."""
    y = np.asarray(y)
    if y.dtype not in (np.float32, np.float64):
        y = y.astype(np.float64)
    return np.ascontiguousarray(_array.as_matrix(y))


def design(shift: np.ndarray, block: Block) -> Any:
    """Return the rows of (3) as a dense float64 tile (rows, p + q + 1)."""
    if _array.is_tensor(block.X):
        p = block.X.shape[1]
        y = _array.centred(_array.as_matrix(block.y), shift[p:])
        rows = _array.concat([_array.centred(block.X, shift[:p]), y, _array.ones(block.X, block.rows, 1)])
        return rows if block.weight is None else rows * block.weight.sqrt()[:, None]
    out = np.empty((block.rows, len(shift) + 1))
    _core.design.shifted_design(_array.dense(block.X), as_columns(block.y), block.weight, shift, out)
    return out


def products(shift: np.ndarray, block: Block) -> Sums:
    """Return (4) for one block."""
    if scipy.sparse.issparse(block.X):
        return Sums(sparse_products(shift, block), *count(block))
    columns = len(shift) + 1
    if _array.is_tensor(block.X) or columns > OWN_PRODUCTS:
        rows = design(shift, block)
        return Sums(_array.to_numpy(rows.T @ rows), *count(block))  # NumPy sees A'A and computes one triangle
    out = np.empty((columns, columns))
    _core.design.shifted_gram(block.X, as_columns(block.y), block.weight, shift, out)
    return Sums(out, *count(block))


def count(block: Block) -> tuple[float, float]:
    """Return the number of rows with a positive weight and the sum of its logarithms."""
    if block.weight is None:
        return float(block.rows), 0.0
    weight = _array.to_numpy(block.weight)
    positive = weight[weight > 0]
    return float(len(positive)), float(np.log(positive).sum())


def sparse_products(shift: np.ndarray, block: Block) -> np.ndarray:
    """Return (4) for a CSR block without making it dense: the shift of its columns is zero."""
    X = block.X.astype(np.float64)
    weight = np.ones(block.rows) if block.weight is None else block.weight
    p = X.shape[1]
    extra = np.column_stack([as_columns(block.y) - shift[p:], np.ones(block.rows)]) * np.sqrt(weight)[:, None]
    rooted = X.multiply(np.sqrt(weight)[:, None]).tocsr()
    out = np.empty((len(shift) + 1,) * 2)
    out[:p, :p] = (rooted.T @ rooted).toarray()
    out[:p, p:] = rooted.T @ extra
    out[p:, :p] = out[:p, p:].T
    out[p:, p:] = extra.T @ extra
    return out


def pilot_shift(source: Source, fit_intercept: bool) -> np.ndarray:
    """Return the shift of (3): the mean of the first block, zero for sparse columns and without an intercept."""
    block = source.first()
    p, q = source.n_features, max(1, source.n_targets)
    shift = np.zeros(p + q)
    if fit_intercept and block.rows:
        shift[p:] = _array.row_mean(_array.as_matrix(block.y), block.weight)
        if not source.sparse:
            shift[:p] = _array.row_mean(block.X, block.weight)
    return shift


def central_moments(source: Source, fit_intercept: bool) -> Moments:
    """Return (5) of all rows; without an intercept the moments about zero."""
    shift = pilot_shift(source, fit_intercept)
    moments, offset = moments_about(source, shift, fit_intercept)
    spread = np.concatenate([np.diag(moments.xx), np.diag(moments.yy)]) / moments.weight
    far = (offset**2 > FAR_SHIFT * spread) & ~constant_columns(spread, moments.mean)
    if fit_intercept and not source.sparse and far.any():
        moments, _ = moments_about(source, moments.mean, fit_intercept)
    return moments


def constant_columns(variance: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Return which columns vary by no more than the rounding of their mean."""
    return variance <= (4 * np.finfo(float).eps * np.abs(mean)) ** 2


def moments_about(source: Source, shift: np.ndarray, fit_intercept: bool) -> tuple[Moments, np.ndarray]:
    """Return (5) from one pass with the given shift, and how far the mean lies from it."""
    total = source.total(products, shift)
    square, p = total.products, source.n_features
    weight = square[-1, -1]
    inner, first = square[:-1, :-1], square[-1, :-1]
    offset = first / weight if fit_intercept else np.zeros_like(first)
    inner = inner - np.outer(first, offset)
    mean = shift + offset if fit_intercept else np.zeros_like(shift)
    return Moments(
        float(weight), mean, inner[:p, :p], inner[:p, p:], inner[p:, p:], total.rows, total.log_weight
    ), offset


class Trial(NamedTuple):
    mean: np.ndarray  # (p + q,)
    coef: np.ndarray  # (q, p)


def residue_of(trial: Trial, block: Block) -> Residue:
    """Return (7) for one block."""
    q, p = trial.coef.shape
    if scipy.sparse.issparse(block.X) or _array.is_tensor(block.X):
        return residue_by_products(trial, block)
    r = np.empty((block.rows, q))
    _core.design.residuals(block.X, as_columns(block.y), trial.mean, trial.coef, r)
    weighted = r if block.weight is None else r * block.weight[:, None]
    gradient = np.zeros((q, p))
    _core.design.correlate(block.X, np.ascontiguousarray(weighted), trial.mean, gradient)
    return Residue(gradient, np.einsum("ik,ik->k", r, weighted), weighted.sum(axis=0))


def residue_by_products(trial: Trial, block: Block) -> Residue:
    """Return (7) for a sparse block or a tensor, centring the products instead of the rows where X is sparse."""
    p = trial.coef.shape[1]
    y = _array.centred(_array.as_matrix(block.y), trial.mean[p:])
    coef = _array.like(y, trial.coef.T, "float64")
    sparse = scipy.sparse.issparse(block.X)
    X = block.X if sparse else _array.centred(block.X, trial.mean[:p])
    r = y - (X @ coef - trial.mean[:p] @ trial.coef.T if sparse else X @ coef)
    weighted = r if block.weight is None else r * block.weight[:, None]
    bias = _array.to_numpy(weighted.sum(0))
    gradient = _array.to_numpy((X.T @ weighted).T)
    if sparse:
        gradient = gradient - np.outer(bias, trial.mean[:p])
    return Residue(gradient, _array.to_numpy((r * weighted).sum(0)), bias)


def residue(source: Source, mean: np.ndarray, coef: np.ndarray) -> Residue:
    """Return (7) over all rows."""
    return source.total(residue_of, Trial(mean, np.ascontiguousarray(coef)))
