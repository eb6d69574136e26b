r"""Designs with many columns, seen by column: dense arrays of either layout and compressed sparse columns.

The columns that (1) of novum.linear_model.penalized.gram_paths means are root (x_j - mean_j), root the roots of the
weights. X itself is neither copied nor centred: all columns meet a residual r in one product,

    x_j'r = X_j'(root r) - mean_j sum(root r)                                                      (8)

and only the few columns of a working set are copied, centred and in float64, with the Gram matrix among them.
"""

from typing import Any

import numpy as np
import scipy.sparse

from novum import _core
from novum.linear_model.penalized.gram_paths import Rule
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count

__all__ = ["DenseDesign", "Design", "SparseDesign", "Working"]

CHUNK_COLUMNS = 1024  # columns per task of a product: some megabytes, and several tasks per thread
MOST_CHUNKS = 16  # tasks of a product, at most
GRAM_COLUMNS = 4096  # columns up to which a working set keeps its Gram matrix: 128 MB
GRAM_TIMES_ROWS = 4  # columns per row up to which it does: beyond, a step along a column of X is the shorter one
SPARE = 64  # columns of room in a new working set; doubled when it is full
NARROW, SHORT = (
    12,
    2048,
)  # residuals and rows up to which they stay in the cache while columns pass: BLAS would copy the columns first


class Design:
    """Columns of X with their means, squared lengths and the weights of the rows."""

    first_size = 100  # columns of a working set before anything is known of the support; one number, so that dense and sparse agree

    def __init__(self, X: Any, weight: np.ndarray | None, n_jobs: int | None) -> None:
        self.X, self.n_jobs = X, n_jobs
        self.n, self.p = X.shape
        self.weight, self.total = weight, float(self.n) if weight is None else float(weight.sum())
        self.root = None if weight is None else np.sqrt(weight)
        self.mean = np.zeros(self.p)
        self.squares = np.zeros(self.p)

    def target(self, y: np.ndarray, fit_intercept: bool) -> tuple[np.ndarray, float]:
        """Return a target centred and scaled as the columns are, and its mean."""
        y = np.asarray(y, dtype=np.float64)
        mean = float(np.average(y, weights=self.weight)) if fit_intercept else 0.0
        return np.ascontiguousarray(y - mean if self.root is None else self.root * (y - mean)), mean

    def chunks(self) -> list[tuple[int, int]]:
        """Return the runs of columns that tasks take."""
        step = max(CHUNK_COLUMNS, -(-self.p // MOST_CHUNKS))
        return [(j, min(j + step, self.p)) for j in range(0, self.p, step)]

    def map(self, function: Any, items: Any) -> Any:
        """Return `function` of every item, on all threads."""
        threads = thread_count(self.n_jobs) if len(items) > 1 else 1
        return list(map_ordered(function, items, min(threads, len(items))))

    def correlate(self, R: np.ndarray) -> np.ndarray:
        """Return (8) for the columns of R (n, k), as (k, p)."""
        scaled = R if self.root is None else self.root[:, None] * R
        out = np.empty((R.shape[1], self.p))
        self._products(scaled, out)
        out -= np.outer(scaled.sum(axis=0), self.mean)
        return out

    def _products(self, R: np.ndarray, out: np.ndarray) -> None:
        raise NotImplementedError(type(self).__name__)

    def working(self, y: np.ndarray) -> "Working":
        """Return an empty working set for a prepared target."""
        raise NotImplementedError(type(self).__name__)


class Working:
    """Copies of a few columns, growing; `chosen` are their numbers in the design."""

    def __init__(self, design: Any, y: np.ndarray) -> None:
        self.design, self.y = design, y
        self.yy = float(y @ y)
        self.chosen = np.empty(0, dtype=np.int64)
        self.inside = np.zeros(design.p, dtype=bool)

    def add(self, columns: np.ndarray) -> None:
        """Copy more columns; those that vary by nothing have no use."""
        columns = columns[(self.design.squares[columns] > 0) & ~self.inside[columns]].astype(np.int64)
        if columns.size:
            before = len(self.chosen)
            self.chosen = np.concatenate([self.chosen, columns])
            self.inside[columns] = True
            self._copy(columns, before)

    def _copy(self, columns: np.ndarray, before: int) -> None:
        raise NotImplementedError(type(self).__name__)

    def descend(self, w: np.ndarray, l1: float, l2: float, gap: float, budget: int, rule: Rule) -> Any:
        """Minimise over the chosen columns from w, in place; return the gap, the epochs and whether the gap was reached."""
        raise NotImplementedError(type(self).__name__)

    def residual(self, w: np.ndarray) -> np.ndarray:
        """Return y - X w, computed afresh."""
        raise NotImplementedError(type(self).__name__)


class DenseDesign(Design):
    """A dense array, row-major or column-major, float32 or float64."""

    def __init__(
        self, X: np.ndarray, weight: np.ndarray | None, fit_intercept: bool, n_jobs: int | None = None
    ) -> None:
        if not (X.flags.c_contiguous or X.flags.f_contiguous):
            X = np.ascontiguousarray(X)
        super().__init__(X, weight, n_jobs)
        first = np.empty(self.p)

        def moments(chunk: Any) -> None:
            start, stop = chunk
            _core.linear_model.descent.column_moments(
                X, weight, start, stop, first[start:stop], self.squares[start:stop]
            )

        self.map(moments, self.chunks())
        shift = X[0].astype(np.float64)
        if fit_intercept:
            self.mean = shift + first / self.total
            self.squares -= first**2 / self.total
        else:
            self.squares += shift * (2 * first + self.total * shift)

    def _products(self, R: Any, out: Any) -> None:
        R = np.ascontiguousarray(R, self.X.dtype)
        narrow = 1 < R.shape[1] <= NARROW and len(R) <= SHORT and self.X.flags.f_contiguous
        nothing = np.zeros(R.shape[1], self.X.dtype)

        def product(chunk: Any) -> None:
            start, stop = chunk
            if narrow:
                found = np.empty((stop - start, R.shape[1]), self.X.dtype)
                _core.products.narrow.narrow(self.X.T[start:stop], R, nothing, found)
                out[:, start:stop] = found.T
            else:
                out[:, start:stop] = R.T @ self.X[:, start:stop]

        self.map(product, self.chunks())

    def working(self, y: Any) -> Any:
        return DenseWorking(self, y)


def steps_of(l1: float, l2: float, gap: float, budget: int, rule: Any) -> dict[str, Any]:
    """Return penalties and limits of a descent, by the names that all kernels have for them."""
    return {"l1": l1, "l2": l2, "positive": rule.positive, "gap": gap, "max_epochs": budget, "seed": rule.seed}


class DenseWorking(Working):
    """Columns one below the other, and, while they are few, their Gram matrix."""

    def __init__(self, design: DenseDesign, y: np.ndarray) -> None:
        super().__init__(design, y)
        self.columns, self.gram, self.c = np.empty((SPARE, design.n)), np.empty((SPARE, SPARE)), np.empty(SPARE)
        self.covered = 0  # columns whose products are in the Gram matrix

    def _copy(self, columns: Any, before: Any) -> None:
        m = len(self.chosen)
        if m > len(self.columns):
            room = max(m, 2 * len(self.columns))
            self.columns = np.concatenate([self.columns[:before], np.empty((room - before, self.design.n))])
        _core.linear_model.descent.gather_columns(
            self.design.X, columns, self.design.mean, self.design.root, self.columns[before:m]
        )

    def _extend_gram(self) -> None:
        m, known = len(self.chosen), self.covered
        if m > len(self.gram):
            grown = np.empty((len(self.columns),) * 2)
            grown[:known, :known] = self.gram[:known, :known]
            self.gram, self.c = grown, np.concatenate([self.c[:known], np.empty(len(grown) - known)])
        fresh = self.columns[known:m]

        def product(rows: Any) -> None:  # the others by symmetry: a pair of new columns is multiplied once
            low = max(known, rows.start)
            block = self.columns[rows] @ self.columns[low:m].T
            self.gram[rows, low:m], self.gram[low:m, rows] = block, block.T

        step = max(64, -(-m // 8))
        self.design.map(product, [slice(i, min(i + step, m)) for i in range(0, m, step)])
        self.c[known:m] = fresh @ self.y
        self.covered = m

    def descend(self, w: Any, l1: Any, l2: Any, gap: Any, budget: Any, rule: Any) -> Any:
        m, steps = len(self.chosen), steps_of(l1, l2, gap, budget, rule)
        if m > min(GRAM_COLUMNS, max(self.design.first_size, GRAM_TIMES_ROWS * self.design.n)):
            residual = np.empty(self.design.n)
            return _core.linear_model.descent.descend_columns(
                self.columns[:m], y=self.y, w=w, residual=residual, **steps
            )
        if self.covered < m:
            self._extend_gram()
        gradient = np.empty(m)
        return _core.linear_model.descent.descend_gram(
            self.gram[:m, :m], c=self.c[:m], yy=self.yy, w=w, gradient=gradient, **steps
        )

    def residual(self, w: Any) -> Any:
        moved = np.flatnonzero(w)
        return self.y - w[moved] @ self.columns[moved]


class SparseDesign(Design):
    """Compressed sparse columns, centred implicitly."""

    def __init__(self, X: Any, weight: np.ndarray | None, fit_intercept: bool, n_jobs: int | None = None) -> None:
        super().__init__(X.tocsc(), weight, n_jobs)
        self.parts = (self.X.data, self.X.indices.astype(np.int32, copy=False), self.X.indptr.astype(np.int64))
        first = np.empty(self.p)

        def moments(chunk: Any) -> None:
            start, stop = chunk
            part = first[start:stop], self.squares[start:stop]
            _core.linear_model.descent.compressed_moments(*self.parts, weight, start, stop, *part)

        self.map(moments, self.chunks())
        if fit_intercept:
            self.mean = first / self.total
            self.squares = np.maximum(self.squares - first * self.mean, 0.0)

    def _products(self, R: Any, out: Any) -> None:
        R = np.ascontiguousarray(R)

        def product(chunk: Any) -> None:
            start, stop = chunk
            _core.linear_model.descent.compressed_products(*self.parts, R, start, stop, out)

        self.map(product, self.chunks())

    def working(self, y: Any) -> Any:
        return SparseWorking(self, y)


class SparseWorking(Working):
    """Compressed columns, each value times the root of its row's weight."""

    def __init__(self, design: SparseDesign, y: np.ndarray) -> None:
        super().__init__(design, y)
        self.root = np.ones(design.n) if design.root is None else design.root
        self.values, self.rows = np.empty(0), np.empty(0, dtype=np.int32)
        self.starts = np.zeros(1, dtype=np.int64)

    def _copy(self, columns: Any, before: Any) -> None:
        part = self.design.X[:, columns]
        rows = part.indices.astype(np.int32, copy=False)
        values = part.data.astype(np.float64, copy=False)
        self.values = np.concatenate([self.values, values if self.design.root is None else values * self.root[rows]])
        self.rows = np.concatenate([self.rows, rows])
        self.starts = np.concatenate([self.starts, self.starts[-1] + part.indptr[1:].astype(np.int64)])

    def descend(self, w: Any, l1: Any, l2: Any, gap: Any, budget: Any, rule: Any) -> Any:
        residual = np.empty(self.design.n + 1)
        return _core.linear_model.descent.descend_sparse(
            self.values,
            rows=self.rows,
            starts=self.starts,
            mean=self.design.mean[self.chosen],
            root=self.root,
            weight=self.design.total,
            y=self.y,
            w=w,
            residual=residual,
            **steps_of(l1, l2, gap, budget, rule),
        )

    def residual(self, w: Any) -> Any:
        columns = scipy.sparse.csc_array((self.values, self.rows, self.starts), shape=(self.design.n, len(self.chosen)))
        return self.y - columns @ w + self.root * float(self.design.mean[self.chosen] @ w)
