r"""Kernels over points as programs of the compiled core: Gram matrices, products with them, and derivatives, by blocks of rows.

    K[i, j] = k(x_i, z_j)                                                                                       (1)
    (K V)[i] = sum_j k(x_i, z_j) V[j]                     K is not stored                                       (2)
    T[s] = sum_ij W[i, j] dK[i, j] / dtheta[s]            dK is not stored; W = scale A + V V'                  (3)

A kernel that can be compiled adds its nodes to a `Builder` (cpp/include/novum/kernels/program.h lists them); operations stand
behind their operands and slots for derivatives are dealt out in the order of `theta`. Each pair of points is visited once where
rows and columns are the same. Threads share blocks of rows; results do not depend on their number.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.exceptions import DataError
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count

__all__ = ["NODES", "Builder", "GramProgram", "build_kernel", "compile_kernel", "points_of"]

NODES = (  # as cpp/include/novum/kernels/program.h numbers them
    *("constant", "white", "linear", "rbf", "matern12", "matern32", "matern52", "laplacian", "rational", "periodic"),
    *("sum", "product", "power", "exponential", "polynomial", "sigmoid"),
)
OPS = {name: code for code, name in enumerate(NODES)}
STRIP = 64  # rows that the core writes together: blocks begin at multiples of it
BLOCKS = 8  # per thread, so that none waits long for the last one
SMALL = 1 << 16  # pairs: below, waking threads costs more than they save
Array = NDArray[np.float64]


def points_of(owner: str, X: Any, name: str = "X") -> NDArray[Any]:
    """Return points as a C-ordered float table without NaN; one point may come as a vector."""
    if hasattr(X, "toarray") and not isinstance(X, np.ndarray):
        raise DataError(f"{owner}: {name} is a sparse matrix; kernels compare dense points, give {name}.toarray().")
    table = np.atleast_2d(np.asarray(X))
    if table.dtype.kind not in "biuf":
        try:
            table = table.astype(np.float64)
        except (TypeError, ValueError):
            raise DataError(
                f"{owner}: {name} holds {table.dtype} objects, but this kernel compares vectors of numbers; strings, sets and "
                "graphs have kernels of their own (Spectrum, SetKernel, WeisfeilerLehman)."
            ) from None
    if table.ndim != 2:
        raise DataError(f"{owner}: {name} has shape {table.shape}; it must be (n_samples, n_features).")
    table = np.ascontiguousarray(table, dtype=np.float32 if table.dtype == np.float32 else np.float64)
    if not np.isfinite(table).all():
        raise DataError(f"{owner}: {name} contains NaN or infinity; a kernel needs finite points.")
    return table


class Builder:
    """Nodes, numbers and tables of a program in the making."""

    def __init__(self, X: Array, Y: Array | None) -> None:
        self.steps: list[list[int]] = []
        self.numbers: list[float] = []
        self.slots = 0
        self.rows, self.columns = [X], [] if Y is None else [Y]
        self.current = 0

    @property
    def points(self) -> tuple[Array, Array | None]:
        """The tables that leaves compare now."""
        return self.rows[self.current], self.columns[self.current] if self.columns else None

    def use(self, rows: Array, columns: Array | None) -> int:
        """Let leaves compare other tables from now on; return which they compared before."""
        before = self.current
        self.rows.append(np.ascontiguousarray(rows, np.float64))
        if columns is not None:
            self.columns.append(np.ascontiguousarray(columns, np.float64))
        self.current = len(self.rows) - 1
        return before

    def slot(self, count: int = 1) -> int:
        """Return the first of `count` new places for derivatives."""
        first, self.slots = self.slots, self.slots + count
        return first

    def add(
        self,
        op: str,
        numbers: Any = (),
        *,
        left: int = 0,
        right: int = 0,
        slots: tuple[int, int] = (-1, -1),
        each_column: bool = False,
    ) -> int:
        """Add a node and return its place."""
        self.steps.append([OPS[op], left, right, self.current, len(self.numbers), *slots, int(each_column)])
        self.numbers.extend(float(v) for v in numbers)
        return len(self.steps) - 1


class GramProgram:
    """A compiled kernel with the points it compares.

    Parameters
    ----------
    builder : Builder
    dtype : dtype
        Of Gram matrices; sums and derivatives are float64.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.kernels import RBF
    >>> X = np.random.default_rng(0).standard_normal((100, 3))
    >>> program = (2.0 * RBF(1.5)).compile(X)
    >>> K, v = program.gram(), np.ones(100)
    >>> bool(np.allclose(program.times(v), K @ v))
    True
    >>> program.trace(vectors=v[:, None]).shape  # sum_ij dK_ij / dtheta, for the two hyper-parameters
    (2,)
    """

    def __init__(self, builder: Builder, dtype: Any) -> None:
        tables = [np.ascontiguousarray(table, np.float64) for table in builder.rows]
        columns = [np.ascontiguousarray(table, np.float64) for table in builder.columns]
        self.n = len(tables[0])
        self.m = len(columns[0]) if columns else self.n
        self.symmetric, self.slots, self.dtype = not columns, builder.slots, np.dtype(dtype)
        self.core = _core.kernels.gram.Program(
            steps=np.array(builder.steps, np.int32),
            numbers=np.array(builder.numbers, np.float64),
            rows=tables,
            columns=columns,
            n=self.n,
            m=self.m,
            same=self.symmetric,
            slots=self.slots,
        )

    def _blocks(self) -> Iterator[tuple[int, int]]:
        """Yield ranges of rows that depend on the sizes alone."""
        parts = 1 if self.n * self.m <= SMALL else BLOCKS * 8
        size = max(STRIP, -(-self.n // parts) + STRIP - 1) // STRIP * STRIP
        return ((begin, min(begin + size, self.n)) for begin in range(0, self.n, size))

    def _run(self, work: Any, *, adds: bool = False) -> list[Any]:
        """Return `work` of every block; one thread takes all rows at once, unless the blocks' results are added up."""
        threads = 1 if self.n * self.m <= SMALL else thread_count()
        if threads == 1:
            return [work(block) for block in (self._blocks() if adds else [(0, self.n)])]
        return list(map_ordered(work, self._blocks(), threads))

    def gram(self, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return (1), in `out` if that is given."""
        found = np.empty((self.n, self.m), self.dtype) if out is None else out
        if self.m:
            self._run(lambda block: self.core.fill(found, *block))
        return found

    def rows(self, index: Any, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return chosen rows of (1), on the calling thread."""
        places = np.ascontiguousarray(index, np.int64)
        found = np.empty((len(places), self.m), self.dtype) if out is None else out
        self.core.rows(places, found)
        return found

    def times(self, V: Any) -> Array:
        """Return (2), for a vector or for the columns of a matrix."""
        given = np.asarray(V, np.float64)
        table = np.ascontiguousarray(np.atleast_2d(given.T))  # (width, m)
        found = np.empty((self.n, len(table)))
        self._run(lambda block: self.core.times(table, found, *block))
        return found[:, 0] if given.ndim == 1 else found

    def gradient(self) -> Array:
        """Return dK / dtheta, shape (n, m, n_dims)."""
        found = np.zeros((self.n, self.m, self.slots))
        if self.slots:
            self._run(lambda block: self.core.gradient(found, *block))
        return found

    def trace(self, A: Any = None, *, vectors: Any = None, scale: float = 1.0) -> Array:
        """Return (3) with W = scale A + V V'.

        Parameters
        ----------
        A : array-like of shape (n, m), optional
            Where rows and columns are the same points it is symmetric, and only its lower triangle (j <= i of A[i, j]) is read;
            where they differ it is needed, and all of it counts.
        vectors : array-like of shape (n, q), optional
            V.
        scale : float, default=1.0

        Returns
        -------
        ndarray of shape (n_dims,)
        """
        matrix = None if A is None else np.ascontiguousarray(A, np.float64)
        V = np.empty((self.n, 0)) if vectors is None else np.ascontiguousarray(vectors, np.float64).reshape(self.n, -1)

        def part(block: tuple[int, int]) -> Array:
            sums = np.zeros(self.slots)
            self.core.trace(matrix, float(scale), V, *block, sums)
            return sums

        return np.sum(self._run(part, adds=True), axis=0) if self.slots and self.n else np.zeros(self.slots)


def build_kernel(kernel: Any, X: Any, Y: Any = None) -> Builder | None:
    """Return nodes, numbers and tables of the kernel over these points, or None where a part of it has none."""
    owner = type(kernel).__name__
    rows = points_of(owner, X)
    columns = None if Y is None else points_of(owner, Y, "Y")
    if columns is not None and columns.shape[1] != rows.shape[1]:
        raise DataError(f"{owner}: X has {rows.shape[1]} columns and Y {columns.shape[1]}; they must have the same.")
    builder = Builder(rows, columns)
    return None if kernel._nodes(builder) is None else builder


def compile_kernel(kernel: Any, X: Any, Y: Any = None) -> GramProgram | None:
    """Return the kernel over these points as a program, or None where a part of it has none."""
    builder = build_kernel(kernel, X, Y)
    if builder is None:
        return None
    single = all(tables[0].dtype == np.float32 for tables in (builder.rows, builder.columns) if tables)
    return GramProgram(builder, np.float32 if single else np.float64)
