r"""Second moments as a fold: one pass gathers what least squares and principal components need.

With s a shift near the mean (that of some rows of the first block), w the weights and W their sum,

    D = rows sqrt(w_i) [x_i - s_x, y_i - s_y, 1]                                                   (3)
    D'D = [[A, b, a], [b', c, t], [a', t', W]]        summed over the blocks                       (4)
    C_xx = A - a a'/W,   C_xy = b - a t'/W,   C_yy = c - t t'/W,   mean = s + [a, t]/W             (5)

(5) loses digits only where the shift is many standard deviations from the mean; then the pass is repeated about the mean.
Data without a target have no columns y. Derivation: docs/theory/least_squares.md.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from novum import _core
from novum.engines.moments import device_products
from novum.fold.blocks import Block, Source
from novum.fold.homes.team import in_short_blocks, plain_rows
from novum.runtime import arrays

__all__ = [
    "Moments",
    "as_columns",
    "central_moments",
    "constant_columns",
    "count",
    "design",
    "n_target_columns",
    "parts_pay",
]

OWN_PRODUCTS = 512  # columns up to which our kernel, which never stores (3), is faster than BLAS on stored rows
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
EPS = float(np.finfo(np.float64).eps)
WORTH_TEAM = 2**19  # values from which on rows in memory are several blocks
PILOT_ROWS = 1024  # rows that choose the shift: their mean is within a thirtieth of a deviation or so, and a whole pass is spared
FAR_SHIFT = 4.0  # squared distance of shift and mean, in variances, beyond which the pass is repeated about the mean


class MomentSums(NamedTuple):
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
    precision: float = EPS  # of the products, relative to the lengths of the columns


def target_columns(block: Block) -> Any:
    """Return the target of a block as (rows, q) in its own library, without columns where there is none."""
    if isinstance(block.X, np.ndarray) or not arrays.is_tensor(block.X):
        return np.empty((block.X.shape[0], 0)) if block.y is None else as_columns(block.y)
    return block.X[:, :0] if block.y is None else arrays.as_matrix(block.y)


def as_columns(y: Any) -> np.ndarray:
    """Return a target as a C-contiguous float matrix (rows, q)."""
    y = np.asarray(y)
    if y.dtype not in FLOATS:
        y = y.astype(np.float64)
    return np.ascontiguousarray(y if y.ndim == 2 else y.reshape(len(y), 1))


def design(shift: np.ndarray, block: Block) -> Any:
    """Return the rows of (3) as a dense float64 tile (rows, p + q + 1)."""
    if arrays.is_tensor(block.X):
        p = block.X.shape[1]
        y = arrays.center(target_columns(block), shift[p:])
        rows = arrays.concat([arrays.center(block.X, shift[:p]), y, arrays.ones(block.X, block.rows, 1)])
        return rows if block.weight is None else rows * block.weight.sqrt()[:, None]
    out = np.empty((block.rows, len(shift) + 1))
    _core.moments.design.shifted_design(arrays.dense(block.X), target_columns(block), block.weight, shift, out)
    return out


def products(shift: np.ndarray, block: Block) -> MomentSums:
    """Return (4) for one block."""
    if scipy.sparse.issparse(block.X):
        return MomentSums(sparse_products(shift, block), *count(block))
    columns = len(shift) + 1
    if not isinstance(block.X, np.ndarray) and arrays.is_tensor(block.X):
        found = device_products.products(block.X, target_columns(block), block.weight, shift)
        return MomentSums(found, *count(block))
    if columns > OWN_PRODUCTS:
        rows = design(shift, block)
        with np.errstate(invalid="ignore", over="ignore"):  # the sums show NaN and infinity
            return MomentSums(rows.T @ rows, *count(block))  # NumPy sees A'A and computes one triangle
    out = np.empty((columns, columns))
    _core.moments.design.shifted_gram(block.X, target_columns(block), block.weight, shift, out)
    return MomentSums(out, *count(block))


def team_products(source: Source, shift: np.ndarray) -> MomentSums | None:
    """Return (4) of all rows by one call, or None where they go block by block."""
    columns = len(shift) + 1
    rows = plain_rows(source, columns**2) if columns <= OWN_PRODUCTS else None
    if rows is None:
        return None
    y = np.empty((len(rows.X), 0)) if rows.y is None else as_columns(rows.y)
    out = np.empty((columns, columns))
    with rows.team() as team:
        _core.moments.design.shifted_gram_blocks(team, rows.step, rows.X, y, shift, out)
    return MomentSums(out, float(len(rows.X)), 0.0)


def single_products(shift: np.ndarray, block: Block) -> MomentSums:
    """Return (4) for one block of float32 rows: products in float32, sums of many rows in float64; in memory without a target."""
    if arrays.is_tensor(block.X):
        return MomentSums(
            device_products.products(block.X, target_columns(block), block.weight, shift, True), *count(block)
        )
    columns = len(shift) + 1
    if columns <= OWN_PRODUCTS:
        out = np.empty((columns, columns))
        _core.moments.design.single_gram(block.X, block.weight, shift, out)
        return MomentSums(out, *count(block))
    rows = np.ones((block.rows, columns), np.float32)
    with np.errstate(invalid="ignore", over="ignore"):  # the sums show NaN and infinity
        np.subtract(block.X, shift.astype(np.float32), out=rows[:, :-1])
        if block.weight is not None:
            rows *= np.sqrt(block.weight).astype(np.float32)[:, None]
        return MomentSums((rows.T @ rows).astype(np.float64), *count(block))


def count(block: Block) -> tuple[float, float]:
    """Return the number of rows with a positive weight and the sum of its logarithms."""
    if block.weight is None:
        return float(block.X.shape[0]), 0.0
    if arrays.is_tensor(block.weight):
        return device_products.weight_counts(block.weight)
    weight = block.weight
    positive = weight[weight > 0]
    return float(len(positive)), float(np.log(positive).sum())


def sparse_products(shift: np.ndarray, block: Block) -> np.ndarray:
    """Return (4) for a CSR block without making it dense: the shift of its columns is zero."""
    X = block.X.astype(np.float64)
    weight = np.ones(block.rows) if block.weight is None else block.weight
    p = X.shape[1]
    extra = np.column_stack([target_columns(block) - shift[p:], np.ones(block.rows)]) * np.sqrt(weight)[:, None]
    rooted = X.multiply(np.sqrt(weight)[:, None]).tocsr()
    out = np.empty((len(shift) + 1,) * 2)
    out[:p, :p] = (rooted.T @ rooted).toarray()
    out[:p, p:] = rooted.T @ extra
    out[p:, :p] = out[:p, p:].T
    out[p:, p:] = extra.T @ extra
    return out


def n_target_columns(source: Source) -> int:
    """Return q: zero without a target, one where it is flat."""
    return max(1, source.n_targets) if source.has_target else 0


def pilot_shift(source: Source, fit_intercept: bool) -> np.ndarray:
    """Return the shift of (3): the mean of rows all over the first block, zero for sparse columns and without an intercept."""
    block = source.first()
    p = source.n_features
    shift = np.zeros(p + n_target_columns(source))
    if fit_intercept and block.X.shape[0]:
        some = slice(None, None, max(1, block.X.shape[0] // PILOT_ROWS))
        weight = None if block.weight is None else block.weight[some]
        if source.on_device and block.y is not None:  # in one piece: each mean waits for the device
            rows = [arrays.double(values[some]) for values in (block.X, arrays.as_matrix(block.y))]
            return np.asarray(arrays.row_mean(arrays.concat(rows), weight))
        if block.y is not None:
            y = block.y[some]
            shift[p:] = arrays.row_mean(y if y.ndim == 2 else y[:, None], weight)
        if not source.sparse:
            shift[:p] = arrays.row_mean(block.X[some], weight)
    return shift


def parts_pay(source: Source) -> bool:
    """Return whether float32 rows lie on a device that multiplies them by parts in a fraction of the time of float64."""
    if not source.on_device or source.dtype != np.float32:
        return False
    return device_products.takes(source.first().X, n_target_columns(source))


def central_moments(source: Source, fit_intercept: bool = True, *, single: bool = False) -> Moments:
    """Return (5) of all rows; without an intercept the moments about zero.

    `single`: for float32 rows in memory without a target, and where `parts_pay`.
    """
    if not single and source.at_hand and source.n_rows * source.n_features >= WORTH_TEAM:  # type: ignore[operator]
        source = in_short_blocks(source)
    if source.on_device:
        source = source.whole()
    shift = pilot_shift(source, fit_intercept)
    if single:
        shift = shift.astype(np.float32).astype(np.float64)  # what is subtracted is what is added to the mean
        moments, offset = moments_about(source, shift, fit_intercept, single_products)
        if source.on_device:
            shape = source.n_features, n_target_columns(source)
            moments = moments._replace(precision=device_products.parts_precision(*shape))
    else:
        moments, offset = moments_about(source, shift, fit_intercept)
    if not fit_intercept or source.sparse:
        return moments
    variance = np.concatenate([moments.xx.diagonal(), moments.yy.diagonal()]) / moments.weight
    far = offset * offset > FAR_SHIFT * variance
    if far.any() and (far & ~constant_columns(variance, moments.mean)).any():
        moments, _ = moments_about(source, moments.mean, fit_intercept)  # in float64: the rows were hard to tell apart
    return moments


def constant_columns(variance: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Return which columns vary by no more than the rounding of their mean."""
    return variance <= (4 * EPS * mean) ** 2


def moments_about(
    source: Source, shift: np.ndarray, fit_intercept: bool, statistics: Callable = products
) -> tuple[Moments, np.ndarray]:
    """Return (5) from one pass with the given shift, and how far the mean lies from it."""
    total = None
    if statistics is products and source.at_hand and source.n_rows * source.n_features >= WORTH_TEAM:  # type: ignore[operator]
        total = team_products(source, shift)
    if total is None:
        total = source.total(statistics, shift)
    square, p = total.products, source.n_features
    weight = square[-1, -1]
    inner, first = square[:-1, :-1], square[-1, :-1]
    offset = first / weight if fit_intercept else np.zeros_like(first)
    inner = inner - first[:, None] * offset
    mean = shift + offset if fit_intercept else np.zeros_like(shift)
    return Moments(
        float(weight), mean, inner[:p, :p], inner[:p, p:], inner[p:, p:], total.rows, total.log_weight
    ), offset
