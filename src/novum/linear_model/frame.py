r"""The frame in which iterative fits work: columns about their middle and in units of their own standard deviation.

With m_j and s_j the weighted mean and standard deviation of column j, and a linear predictor eta = b'x + a,

    z_j = (x_j - c_j) / u_j,   c_j = m_j where |m_j| > FAR s_j and there is an intercept, else 0,   u_j = 2^round(log2 s_j)   (1)
    eta = d'z + e,   b_j = d_j / u_j,   a = e - sum_j b_j c_j                                                                (2)
    penalties  l |b_j|^k = (l / u_j^k) |d_j|^k,   covariance of (b, a) = T cov(d, e) T',   T the matrix of (2)               (3)

(2) is one to one, so that the optimum is the one in the user's units; gradients in d are pure numbers, so that a tolerance and a
rank cut mean the same whatever the units; and products of columns keep their digits, which columns far from zero lose: a column r
deviations away from zero costs a factor r^2 in the condition of a Hessian. Powers of two and differences of near numbers are exact.

Most tables need no frame: some rows tell whether one may be due, and then a look at all of them decides. A column that is far from
zero has next to no zeros, so that filling it leaves a sparse matrix as sparse as it was.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from novum.exceptions import DataError, DataWarning
from novum.fold.blocks import Block, Source
from novum.fold.homes.memory import ArrayTiles, MemorySource, SparseTiles
from novum.runtime import arrays
from novum.runtime.warn import warn

__all__ = ["Frame", "FramedSource", "check_outward", "frame_of", "names_of", "say_far"]

FAR = (
    30.0  # standard deviations from zero beyond which a column is centred: fewer than one cell in 900 of it can be zero
)
FAR_SAMPLE = 10.0  # half ranges of a sample from zero that make it worth a look at all rows
SMALL, LARGE = 2.0**-10, 2.0**13  # half ranges between which columns are left in their units
SMALL_SPARSE = 2.0**-20  # of sparse columns: normalised counts of rare words are small and in good order
SAMPLE = 512  # rows that are looked at first
LOST = 1e5  # standard deviations from zero at which columns that cannot be centred cost the coefficients half of their digits
LEVELS = 64.0  # times eps: a deviation below it, relative to the size, leaves a column a handful of values
ROUNDING = 4.0 * float(np.finfo(np.float64).eps)  # relative deviation that is rounding: the column is constant
SHOWN = 3  # columns that a message names


class Frame(NamedTuple):
    """(1), for every column."""

    center: np.ndarray  # c
    unit: np.ndarray  # u
    constant: np.ndarray  # columns that do not vary beyond rounding: zero in the frame

    def rows(self, X: Any) -> Any:
        """Return z of (1), in float64: an array, a tensor or a CSR matrix as X is."""
        if scipy.sparse.issparse(X):
            return self.sparse_rows(X)
        if arrays.is_tensor(X):
            return arrays.center(X, self.center) * arrays.like(
                X, np.where(self.constant, 0.0, 1 / self.unit), "float64"
            )
        out = X.astype(np.float64)
        out -= self.center
        out /= self.unit
        out[:, self.constant] = 0.0
        return out

    def sparse_rows(self, X: Any) -> Any:
        """Return z of (1) of a sparse matrix: far columns filled, the others scaled."""
        filled = np.flatnonzero((self.center != 0) & ~self.constant)
        scaled = scipy.sparse.csr_array(X, dtype=np.float64, copy=True)
        scaled.data /= self.unit[scaled.indices]
        scaled.data[(self.constant | (self.center != 0))[scaled.indices]] = 0.0
        scaled.eliminate_zeros()
        if len(filled):
            cells = (X[:, filled].toarray() - self.center[filled]) / self.unit[filled]
            rows, columns = np.indices(cells.shape)
            placed = (cells.ravel(), (rows.ravel(), filled[columns.ravel()]))
            scaled = scaled + scipy.sparse.csr_array(placed, shape=X.shape)
        return type(X)(scaled) if X.format == "csr" else type(X)(scaled).tocsr()

    def source(self, source: Source) -> Source:
        """Return the rows of a source in the frame: changed once where they are in memory, else at every pass."""
        if not isinstance(source, MemorySource):
            return FramedSource(source, self)
        X = self.rows(source.array())
        tiles: Any = SparseTiles(X) if scipy.sparse.issparse(X) else ArrayTiles(X)
        return MemorySource(tiles, source.y, source.weight, source.n_jobs)

    def inward(self, theta: np.ndarray, value: float = 1.0) -> np.ndarray:
        """Return (d, e) of (b, a), along the last axis; `value` is what the column of the intercept holds."""
        b = theta[..., :-1]
        e = theta[..., -1] + (b @ self.center) / (value or 1.0)
        return np.concatenate([b * self.unit, e[..., None]], axis=-1)

    def outward(self, theta: np.ndarray, value: float = 1.0) -> np.ndarray:
        """Return (b, a) of (d, e), (2)."""
        with np.errstate(over="ignore", invalid="ignore"):
            b = theta[..., :-1] / self.unit
            a = theta[..., -1] - (b @ self.center) / (value or 1.0)
        return np.concatenate([b, a[..., None]], axis=-1)

    def matrix(self, intercept: bool, value: float = 1.0) -> np.ndarray:
        """Return T of (3) for one vector (b, a), the intercept last, or for b alone."""
        T = np.diag(np.append(1 / self.unit, 1.0))
        T[-1, :-1] = -self.center / self.unit / (value or 1.0)
        return T if intercept else T[:-1, :-1]


class FramedSource(Source):
    """The rows of a home other than memory, in a frame."""

    def __init__(self, inner: Source, frame: Frame) -> None:
        self.inner, self.frame = inner, frame
        self.n_features, self.n_rows, self.names = inner.n_features, inner.n_rows, inner.names
        self.n_targets, self.has_target, self.sparse = inner.n_targets, inner.has_target, inner.sparse
        self.home, self.at_hand = inner.home, inner.at_hand
        self.lists_rows, self.rereads = inner.lists_rows, inner.rereads
        self.dtype = np.dtype(np.float64)

    def in_memory(self, *reasons: str) -> Any:
        return self.frame.source(self.inner.in_memory(*reasons))

    def total(self, statistics: Callable, params: Any = None, *merge: Callable) -> Any:
        return self.inner.total(on_framed, FramePass(self.frame, statistics, params), *merge)

    def rows(self, function: Callable, params: Any = None) -> Any:
        return self.inner.rows(on_framed, FramePass(self.frame, function, params))

    def first(self) -> Block:
        block = self.inner.first()
        return block._replace(X=self.frame.rows(block.X))

    def each(self) -> Iterator[Block]:
        return (block._replace(X=self.frame.rows(block.X)) for block in self.inner.each())

    def map_target(self, function: Callable[[Any], Any]) -> "FramedSource":
        return FramedSource(self.inner.map_target(function), self.frame)

    def without_features(self) -> Source:
        return self.inner.without_features()


class FramePass(NamedTuple):
    frame: Frame
    function: Callable
    params: Any


def on_framed(framed: FramePass, block: Block) -> Any:
    """Return a function of the block in the frame."""
    return framed.function(framed.params, block._replace(X=framed.frame.rows(block.X)))


class Range(NamedTuple):
    low: np.ndarray
    high: np.ndarray


class ColumnSums(NamedTuple):
    weight: float
    first: np.ndarray  # sums of w v, v = (x - middle) / half range
    second: np.ndarray  # of w v^2


def column_range(_: None, block: Block) -> Range:
    """Return the least and the largest value of every column over rows that count."""
    X = block.X
    if arrays.is_tensor(X):
        X = X if block.weight is None else X[block.weight > 0]
        if len(X):
            low, high = (arrays.to_numpy(edge).astype(np.float64) for edge in X.aminmax(dim=0))
            return Range(low, high)
    elif block.weight is not None:
        X = X[np.flatnonzero(block.weight > 0)]
    if not X.shape[0]:
        return Range(np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf))
    low, high = X.min(axis=0), X.max(axis=0)
    if scipy.sparse.issparse(X):
        low, high = low.toarray().ravel(), high.toarray().ravel()
    return Range(np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64))


def merge_ranges(a: Range, b: Range) -> Range:
    """Return the range of two blocks together."""
    return Range(np.minimum(a.low, b.low), np.maximum(a.high, b.high))


def middle_of(found: Range) -> tuple[np.ndarray, np.ndarray]:
    """Return middle and half range, neither of which can overflow."""
    return found.low / 2 + found.high / 2, found.high / 2 - found.low / 2


def column_sums(found: Range, block: Block) -> ColumnSums:
    """Return the sums of v and v^2 over a block: numbers between -1 and 1, so that nothing overflows, vanishes or cancels."""
    middle, half = middle_of(found)
    half = np.where(half > 0, half, 1.0)
    if arrays.is_tensor(block.X):
        v = (arrays.double(block.X) - arrays.like(block.X, middle, "float64")) / arrays.like(block.X, half, "float64")
        ones = arrays.ones(block.X, block.rows) if block.weight is None else block.weight
        return ColumnSums(float(ones.sum()), *(arrays.to_numpy(part) for part in (ones @ v, ones @ v**2)))
    w = np.ones(block.rows) if block.weight is None else np.asarray(block.weight, dtype=np.float64)
    if not scipy.sparse.issparse(block.X):
        v = (np.asarray(block.X, dtype=np.float64) - middle) / half
        return ColumnSums(float(w.sum()), w @ v, w @ v**2)
    far = np.abs(middle) > FAR_SAMPLE * half
    plain = scipy.sparse.csr_array(block.X, dtype=np.float64, copy=True)
    plain.data /= half[plain.indices]
    shift = np.where(far, 0.0, middle / half)
    first, second = plain.T @ w, plain.multiply(plain).T @ w
    first, second = first - w.sum() * shift, second - 2 * shift * first + w.sum() * shift**2
    if far.any():
        v = (block.X[:, np.flatnonzero(far)].toarray() - middle[far]) / half[far]
        first[far], second[far] = w @ v, w @ v**2
    return ColumnSums(float(w.sum()), first, second)


def unusual(half: np.ndarray, far: np.ndarray, sparse: bool) -> bool:
    """Return whether some column is not to be left in its units."""
    small = SMALL_SPARSE if sparse else SMALL
    return bool((far | ((half > 0) & ((half < small) | (half > LARGE)))).any())


def may_need(source: Source) -> bool:
    """Return whether some rows say that a frame may be due."""
    if isinstance(source, MemorySource):
        n = source.n_rows or 0
        rows = np.arange(n) if n <= SAMPLE else np.linspace(0, n - 1, SAMPLE).astype(np.int64)
        X: Any = source.array()[rows] if source.sparse else source.columns(slice(None), rows).T
    else:
        X = source.first().X
    if not X.shape[0]:
        return True
    middle, half = middle_of(column_range(None, Block(X)))
    return unusual(half, np.abs(middle) > FAR_SAMPLE * half, source.sparse)


class Columns(NamedTuple):
    """What a look at all rows says of the columns."""

    mean: np.ndarray
    deviation: np.ndarray
    half: np.ndarray  # of the range
    constant: np.ndarray  # no variation beyond rounding
    far: np.ndarray


def columns_of(source: Source) -> Columns | None:
    """Return the columns, or None where all are to be left in their units."""
    if not source.n_features or not may_need(source):
        return None
    found = source.total(column_range, None, merge_ranges)
    middle, half = middle_of(found)
    sums = source.total(column_sums, found)
    mean = sums.first / sums.weight
    deviation = half * np.sqrt(np.maximum(sums.second / sums.weight - mean**2, 0.0))
    mean = middle + half * mean
    constant = (half == 0) | (deviation <= ROUNDING * np.abs(mean))
    far = ~constant & (np.abs(mean) > FAR * deviation)
    if not unusual(np.where(constant, 0.0, half), far, source.sparse):
        return None
    return Columns(mean, deviation, half, constant, far)


def frame_of(source: Source, owner: str, centered: bool, *, intercept: bool = True) -> Frame | None:
    """Return the frame of the rows, or None where their own units serve.

    `centered` says whether an intercept takes up what centring leaves, `intercept` whether there is one at all. Speaks up where
    columns have lost the digits that a fit needs: they hardly vary, or lie far from zero and cannot be centred.
    """
    found = columns_of(source)
    if found is None:
        return None
    say_lost(owner, source, found, centered, intercept)
    mean, constant = found.mean, found.constant
    size = found.deviation if centered else np.hypot(mean, found.deviation)
    if centered:
        unit, center = np.where(constant, 1.0, size), np.where(found.far | constant, mean, 0.0)
    else:
        constant = constant & (mean == 0)
        unit, center = np.where(size > 0, size, 1.0), np.zeros(len(mean))
    with np.errstate(divide="ignore"):
        exponent = np.rint(np.log2(unit)).astype(np.int64)
    return Frame(center, np.ldexp(1.0, np.clip(exponent, -1060, 1020)), constant)


def say_far(source: Source, owner: str, intercept: bool) -> None:
    """Warn of columns whose digits are gone, for learners whose penalty on the intercept leaves no room for a frame."""
    found = columns_of(source)
    if found is not None:
        say_lost(owner, source, found, False, intercept)


def names_of(source: Source, columns: np.ndarray) -> str:
    """Return the names of some columns, for a message."""
    names = source.names or [f"x{j}" for j in range(source.n_features)]
    more = f" and {len(columns) - SHOWN} more" if len(columns) > SHOWN else ""
    return ", ".join(str(names[j]) for j in columns[:SHOWN]) + more


def say_lost(owner: str, source: Source, found: Columns, centered: bool, intercept: bool) -> None:
    """Warn of columns whose digits are gone."""
    mean, deviation, half = found.mean, found.deviation, found.half
    eps = float(np.finfo(source.dtype).eps)
    dull = np.flatnonzero((half > 0) & (deviation < LEVELS * eps * np.abs(mean)))
    if len(dull):
        j = dull[0]
        warn(
            f"{owner}: {names_of(source, dull)} hardly varies for its size (about {mean[j]:.3g},"
            f" standard deviation {deviation[j]:.2g}), and {source.dtype} rounds there to {eps * abs(mean[j]):.1g};"
            f" what was rounded away before the fit cannot be learned."
            f" Subtract a constant from it before it is stored.",
            DataWarning,
        )
    distant = np.flatnonzero((half > 0) & (np.abs(mean) > LOST * deviation))
    if not centered and len(distant) and len(distant) + intercept > 1:
        j = distant[0]
        why = "under a penalty on the intercept" if intercept else "without an intercept"
        warn(
            f"{owner}: {names_of(source, distant)} lies {abs(mean[j]) / max(deviation[j], 1e-300):.1g} standard deviations from"
            f" zero and cannot be centred {why}: the coefficients lose digits; subtract a constant from it"
            f"{'' if intercept else ', or fit an intercept'}.",
            DataWarning,
        )


def check_outward(owner: str, source: Source, theta: np.ndarray) -> None:
    """Raise where a coefficient in the user's units is too large for a number."""
    bad = np.flatnonzero(~np.isfinite(np.atleast_2d(theta)[:, : source.n_features]).all(axis=0))
    if len(bad):
        raise DataError(
            f"{owner}: {names_of(source, bad)} varies so little that its coefficient is larger than any float64; multiply the"
            " column by a power of ten."
        )
