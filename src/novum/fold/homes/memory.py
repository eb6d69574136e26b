"""Data in memory: arrays of any layout, frames, sparse matrices. Threads run over blocks; the cut depends on (n, d) alone.

Only a block at a time is made row-major and of the tile dtype; a C-contiguous float array is never copied.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any, Protocol, Self

import numpy as np
import scipy.sparse

from novum import _core
from novum.fold.blocks import (
    BLOCK_VALUES,
    ROWS_PER_COLUMN,
    Block,
    RowsInOnePiece,
    Source,
    add,
    merge_tree,
    tile_dtype,
)
from novum.fold.dealing import Deal, Portion, Portions, rows_by_bucket
from novum.runtime.pool import here, map_ordered
from novum.runtime.threads import thread_count

__all__ = ["FLOATS", "ArrayTiles", "FrameTiles", "MemorySource", "SparseTiles", "Tiles", "block_rows", "row_blocks"]

MOST_SQUARES = 1e290  # of a block: millions of blocks can still be added up
MOST_BLOCKS = 256  # enough for any machine's threads; more would only cost calls
LEAST_ROWS = 128  # of a block of predictions: a product with fewer would spend its time on preparing the other factor
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))  # kept as they are


def block_rows(n: int, d: int) -> int:
    """Return the rows per block for n x d data in memory: a function of n and d alone."""
    count = min(MOST_BLOCKS, max(1, n * d // BLOCK_VALUES), max(1, n // max(1, ROWS_PER_COLUMN * d)))
    count = 1 << (count.bit_length() - 1)  # a power of two: equal shares for 2, 4, 8 ... threads, and a full merge tree
    return -(-n // count)


def row_blocks(n: int, d: int) -> int:
    """Return the rows per block for results row by row, which are not merged: wide data are cut as well."""
    count = min(MOST_BLOCKS, max(1, n * d // BLOCK_VALUES), max(1, n // LEAST_ROWS))
    return -(-n // (1 << (count.bit_length() - 1)))


class Tiles(Protocol):
    """Rows that can be cut into tiles."""

    shape: tuple[int, int]
    dtype: np.dtype

    def tile(self, start: int, stop: int) -> Any:
        """Return rows start to stop as a row-major tile (or a CSR matrix)."""

    def finite(self, start: int, stop: int) -> bool:
        """Return whether rows start to stop hold neither NaN nor infinity."""

    def matrix(self) -> Any:
        """Return all rows as one array of the tile dtype, in the layout they have, or as a sparse matrix in its format."""


class ArrayTiles:
    """A two-dimensional NumPy array of numbers."""

    def __init__(self, X: np.ndarray) -> None:
        self.X, self.shape = X, X.shape
        self.dtype = X.dtype if X.dtype in FLOATS else tile_dtype(X.dtype)
        # ascontiguousarray of a column-major block strides through memory column by column; packing goes line by line.
        self.packed = X.dtype == self.dtype and not X.flags.c_contiguous and X.dtype.isnative

    def tile(self, start: Any, stop: Any) -> Any:
        if not self.packed:
            return np.ascontiguousarray(self.X[start:stop], dtype=self.dtype)
        out = np.empty((stop - start, self.shape[1]), self.dtype)
        _core.runtime.tiles.pack_columns([self.X[start:stop, j] for j in range(self.shape[1])], out)
        return out

    def finite(self, start: Any, stop: Any) -> Any:
        if self.X.dtype.kind != "f":
            return True
        whole = self.packed and (start, stop) == (0, len(self.X)) and self.X.flags.f_contiguous
        return _core.runtime.tiles.all_finite(self.X.T if whole else self.tile(start, stop))

    def matrix(self) -> Any:
        return self.X.astype(self.dtype, copy=False)


class FrameTiles:
    """Columns of a data frame, each a NumPy array."""

    def __init__(self, columns: list[np.ndarray]) -> None:
        self.columns = columns
        self.shape = (len(columns[0]), len(columns))
        self.dtype = tile_dtype(np.result_type(*{column.dtype for column in columns}))
        self.packed = all(column.dtype == self.dtype for column in columns)

    def tile(self, start: Any, stop: Any) -> Any:
        out = np.empty((stop - start, self.shape[1]), self.dtype)
        if self.packed:
            _core.runtime.tiles.pack_columns([column[start:stop] for column in self.columns], out)
        else:
            for j, column in enumerate(self.columns):
                out[:, j] = column[start:stop]
        return out

    def finite(self, start: Any, stop: Any) -> Any:
        return _core.runtime.tiles.all_finite(self.tile(start, stop))

    def matrix(self) -> Any:
        return np.array(self.columns, dtype=self.dtype).T


class SparseTiles:
    """A CSR matrix: blocks are CSR matrices over the same rows, centring is implicit, nothing is made dense.

    Compressed columns are kept for learners that go by column; the first block that is read turns them into rows.
    """

    def __init__(self, X: Any) -> None:
        self.X, self.shape, self.dtype = X, X.shape, tile_dtype(X.dtype)
        self.by_row: Any = X if X.format == "csr" else None
        self.sound = X.format != "csr" and bool(_core.runtime.tiles.all_finite(X.data))

    def rows(self) -> Any:
        """Return the matrix by row."""
        if self.by_row is None:
            self.by_row = self.X.tocsr()
        return self.by_row

    def tile(self, start: Any, stop: Any) -> Any:
        X = self.rows()
        low, high = X.indptr[start], X.indptr[stop]
        out = type(X)((stop - start, self.shape[1]), dtype=X.dtype)
        # Views: a slice would copy its entries at every pass, and so would the constructor given them.
        out.data, out.indices = X.data[low:high], X.indices[low:high]
        out.indptr = X.indptr[start : stop + 1] - low
        return out

    def finite(self, start: Any, stop: Any) -> Any:
        if self.sound:
            return True
        X = self.rows()
        return bool(_core.runtime.tiles.all_finite(X.data[X.indptr[start] : X.indptr[stop]]))

    def matrix(self) -> Any:
        return self.X


def small_squares(X: np.ndarray) -> bool:
    """Return whether the sum of the squares of a tile is far from overflow: then every cell is finite too."""
    return bool(_core.runtime.tiles.sum_of_squares(X) < MOST_SQUARES)


class BucketsInMemory(Portions):
    """Buckets whose rows are copied while they are visited."""

    def __init__(self, source: "MemorySource", deal: Deal) -> None:
        self.whole, self.count = Block(source.array(), source.y, source.weight, memory={}), deal.buckets
        self.buckets = rows_by_bucket(deal, self.whole.rows)

    def walk(self, function: Callable[[Any, Portion], Any], state: Any, order: Sequence[int] | None = None) -> Any:
        numbers = list(range(self.count) if order is None else order)
        for bucket in numbers:
            block = self.whole if self.count == 1 else self.whole.take(self.buckets[bucket])
            state = function(state, Portion(block, bucket, bucket == numbers[-1]))
        return state


class MemorySource(Source):
    """Tiles with their target and weights, cut once."""

    at_hand = lists_rows = True

    def __init__(
        self,
        tiles: Tiles,
        y: np.ndarray | None = None,
        weight: np.ndarray | None = None,
        n_jobs: Any = None,
        *,
        rows: Callable[[int, int], int] = block_rows,
        check: Callable[["MemorySource"], Any] | None = None,
    ) -> None:
        self.tiles, self.y, self.weight, self.n_jobs = tiles, y, weight, n_jobs
        self.n_rows, self.n_features = tiles.shape
        self.dtype = tiles.dtype
        self.sparse = isinstance(tiles, SparseTiles)
        self.has_target = y is not None
        self.n_targets = y.shape[1] if y is not None and y.ndim == 2 else 0
        self.check = check  # for values that are not finite, until `verified` has made it
        self.threads: int | None = None  # determined once: a learner of many short passes would feel it
        self._cut(rows)

    def _cut(self, rows: Callable[[int, int], int]) -> None:
        n, step = self.tiles.shape[0], max(1, rows(*self.tiles.shape))
        self.bounds = [(start, min(start + step, n)) for start in range(0, n, step)]
        self.memories: list[dict] = [{} for _ in self.bounds]
        self.joins_rows = len(self.bounds) > 1 and self.weight is None and isinstance(self.tiles, ArrayTiles)

    def _with(self, rows: Callable[[int, int], int], **changes: Any) -> "MemorySource":
        twin = copy(self)
        twin.__dict__.update(changes)
        twin._cut(rows)
        return twin

    def cut(self, rows: Callable[[int, int], int]) -> "MemorySource":
        return self._with(rows)

    def with_weight(self, weight: np.ndarray | None) -> "MemorySource":
        """Return the same rows with other weights."""
        return self._with(block_rows, weight=weight)

    def with_target(self, y: np.ndarray) -> "MemorySource":
        """Return the same rows with another target."""
        return self._with(block_rows, y=y, has_target=True, n_targets=y.shape[1] if y.ndim == 2 else 0)

    def in_memory(self, because: str = "", remedy: str = "") -> Self:
        return self

    def array(self, because: str = "", remedy: str = "") -> Any:
        return self.tiles.rows() if isinstance(self.tiles, SparseTiles) else self.tiles.tile(0, self.tiles.shape[0])

    def matrix(self) -> Any:
        """Return all rows as they lie: an array of the tile dtype in either layout, or a sparse matrix in its own format."""
        return self.tiles.matrix()

    def in_one_piece(self) -> RowsInOnePiece | None:
        tiles: Any = self.tiles
        if (
            not self.joins_rows
            or tiles.X.dtype != tiles.dtype
            or not tiles.X.flags.c_contiguous
            or not tiles.X.dtype.isnative
        ):
            return None
        start, stop = self.bounds[0]
        return RowsInOnePiece(tiles.X, self.y, stop - start, self.memories)

    def columns(self, part: slice, rows: np.ndarray) -> np.ndarray:
        """Return some columns of dense data at some sorted rows, (columns, rows), in float64."""
        whole, tiles = len(rows) == self.n_rows, self.tiles
        if isinstance(tiles, FrameTiles):
            return np.array([column if whole else column[rows] for column in tiles.columns[part]], np.float64)
        X = tiles.X[:, part]  # type: ignore[attr-defined]
        return np.ascontiguousarray((X if whole else X[rows]).T, np.float64)

    def some_rows(self, rows: np.ndarray) -> np.ndarray:
        """Return some sorted rows of dense data, gathered block by block."""
        parts = []
        for start, stop in self.bounds:
            inside = rows[np.searchsorted(rows, start) : np.searchsorted(rows, stop)] - start
            parts.append(self.tiles.tile(start, stop)[inside])
        return np.concatenate(parts)

    def check_results(self, results: Any) -> Self:
        return self if self.check is None or np.isfinite(results).all() else self.verified()

    def block(self, index: int) -> Block:
        """Return one block, to look at a few rows without a pass."""
        start, stop = self.bounds[index]
        y = None if self.y is None else self.y[start:stop]
        weight = None if self.weight is None else self.weight[start:stop]
        return Block(self.tiles.tile(start, stop), y, weight, start, self.memories[index])

    def _alone(self, function: Callable, params: Any) -> Any:
        """Return `function(params, block)` of the only block, during which nobody starts threads: no pool is needed."""
        outer, here.inside_block = here.inside_block, True
        try:
            return function(params, self.block(0))
        finally:
            here.inside_block = outer

    def _map(self, function: Callable) -> Any:
        if self.threads is None:
            self.threads = thread_count(self.n_jobs)
        return map_ordered(function, range(len(self.bounds)), min(self.threads, len(self.bounds)))

    def first(self) -> Any:
        return self.block(0)

    def total(self, statistics: Any, params: Any = None, merge: Any = add) -> Any:
        if len(self.bounds) == 1:
            return self._alone(statistics, params)
        return merge_tree(self._map(lambda index: statistics(params, self.block(index))), merge)

    def rows(self, function: Any, params: Any = None) -> Any:
        if len(self.bounds) == 1:
            part = self._alone(function, params)
            return part if scipy.sparse.issparse(part) else np.array(part, order="C")  # never the rows of the caller
        out = None
        parts = iter(self._map(lambda index: function(params, self.block(index))))
        for (start, stop), part in zip(self.bounds, parts):
            if scipy.sparse.issparse(part):
                rest = list(parts)
                return scipy.sparse.vstack([part, *rest], "csr") if rest else part
            if out is None:
                out = np.empty((self.n_rows, *part.shape[1:]), part.dtype)
            out[start:stop] = part
        return out

    @contextmanager
    def dealt(self, deal: Deal) -> Iterator[Portions]:
        yield BucketsInMemory(self, deal)

    def verified(self) -> Self:
        if self.check is not None:
            check, self.check = self.check, None
            check(self)
        return self

    def bad_blocks(self, squares: bool = False) -> Iterator[Block]:
        """Yield the blocks that hold NaN or infinity; with `squares`, also those whose sums of squares come near overflow."""
        floats = getattr(getattr(self.tiles, "X", None), "dtype", self.dtype).kind == "f"
        if squares and floats and self.dtype == np.float64 and not self.sparse:
            return self._failing(lambda index: small_squares(self.tiles.tile(*self.bounds[index])))
        if self.sparse and self.tiles.finite(0, self.tiles.shape[0]):
            return iter(())  # sparse rows are wide: many blocks, with little to look at in each
        return self._failing(lambda index: self.tiles.finite(*self.bounds[index]))

    def _failing(self, passes: Callable[[int], bool]) -> Iterator[Block]:
        if len(self.bounds) == 1:
            return iter(() if passes(0) else (self.block(0),))
        verdicts = self._map(passes)
        return (self.block(index) for index, good in enumerate(verdicts) if not good)

    def map_target(self, function: Any) -> Any:
        return self.with_target(function(self.y))
