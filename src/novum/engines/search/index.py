"""Indices: rows that answer which of them are nearest to a query. Threads run over blocks of queries.

Every index has `nearest(X, k, threads)` and `within(X, radius, threads)`. Of rows at equal distance the one with the lower number
comes first.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.metrics import DistanceMetric
from sklearn.metrics import pairwise_distances as sklearn_distances

from novum import _core
from novum.engines.search.metrics import Form, usual_name
from novum.exceptions import DataError, ParameterError
from novum.runtime.pool import map_ordered

__all__ = ["Blocks", "Index", "Lists", "Precomputed", "Scan", "alike", "distances_between", "nearest_of", "pieces"]

SCAN_QUERIES = 4096  # most queries of a block: they and their candidates stay below a few megabytes
BLOCK_DISTANCES = 1 << 21  # of a metric without form: 16 MB of distances at a time
DIRECT_COLUMNS = 64  # up to here differences cost no more than a product of matrices, and they do not cancel
COMPILED = {  # metrics without form that scikit-learn has compiled, with its own reading of signs and of truth
    *("hamming", "canberra", "braycurtis", "jaccard", "dice", "rogerstanimoto", "russellrao", "sokalmichener"),
    *("sokalsneath", "haversine"),
}

LEAST_WORK = 1 << 20  # products of cells below which waking another thread takes longer than the search


class Lists(NamedTuple):
    """Neighbors of query i: places begin[i] to begin[i + 1]."""

    begin: NDArray  # (q + 1,)
    row: NDArray
    distance: NDArray

    def split(self, values: NDArray) -> NDArray:
        """Return one array per query, in an array of objects."""
        out = np.empty(len(self.begin) - 1, dtype=object)
        out[:] = np.split(values, self.begin[1:-1]) if len(out) > 1 else [values]
        return out

    def sorted(self) -> "Lists":
        """Return the lists by distance."""
        query = np.repeat(np.arange(len(self.begin) - 1), np.diff(self.begin))
        order = np.lexsort((self.row, self.distance, query))
        return Lists(self.begin, self.row[order], self.distance[order])

    def without_self(self) -> "Lists":
        """Return the lists without the query itself, for queries that are the rows."""
        query = np.repeat(np.arange(len(self.begin) - 1), np.diff(self.begin))
        other = self.row != query
        begin = np.concatenate([[0], np.cumsum(np.bincount(query[other], minlength=len(self.begin) - 1))])
        return Lists(begin, self.row[other], self.distance[other])


class Index(Protocol):
    """What every index offers."""

    def nearest(self, X: Any, k: int, threads: int) -> tuple[NDArray, NDArray]:
        """Return distances and numbers of the k nearest rows of every query, nearest first."""

    def within(self, X: Any, radius: NDArray, threads: int) -> Lists:
        """Return the rows within radius[i] of query i, by number."""


def pieces(n: int, threads: int, most: int, least: int = 1, each: int = 2) -> list[slice]:
    """Return slices of n queries: `each` per thread where there are enough, none longer than `most`."""
    size = max(least, min(most, -(-n // (each * threads)))) if threads > 1 else most
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def lists_of(found: tuple[NDArray, NDArray, NDArray]) -> Lists:
    """Return lists from the core, whose integers are of the same size as NumPy's but not of the same name."""
    begin, index, distance = found
    return Lists(begin.view(np.int64), index.view(np.int64), distance)


def join_lists(parts: list[Lists]) -> Lists:
    """Return the lists of consecutive blocks of queries as one."""
    if len(parts) == 1:
        return parts[0]
    shifts = np.cumsum([0, *(part.begin[-1] for part in parts[:-1])])
    begin = np.concatenate([[0], *(part.begin[1:] + shift for part, shift in zip(parts, shifts))])
    return Lists(begin, np.concatenate([p.row for p in parts]), np.concatenate([p.distance for p in parts]))


def alike(X: NDArray, Y: NDArray) -> tuple[NDArray, NDArray]:
    """Return two tables row-major and of one type, the wider of theirs."""
    dtype = np.float32 if X.dtype == Y.dtype == np.float32 else np.float64
    return np.ascontiguousarray(X, dtype), np.ascontiguousarray(Y, dtype)


class Scan:
    """All rows are looked at, by a norm."""

    def __init__(self, rows: NDArray, form: Form) -> None:
        self.form, self.rows = form, np.ascontiguousarray(form.changed(rows))
        self.origin = np.zeros(rows.shape[1])
        self.reach = _core.search.neighbors.frame(self.rows, self.origin) if form.p == 2 else 0.0

    def nearest(self, X: Any, k: int, threads: int) -> tuple[NDArray, NDArray]:
        """Return distances and numbers of the k nearest rows."""
        X, rows = alike(self.form.changed(X), self.rows)
        distance, index = np.empty((len(X), k)), np.empty((len(X), k), np.int64)

        def work(part: Any) -> None:
            _core.search.neighbors.nearest_by_scan(
                X[part], rows, self.form.p, self.origin, self.reach, distance[part], index[part]
            )

        threads = threads if X.size * len(rows) > LEAST_WORK else 1
        # One piece per thread: every piece packs all rows anew, and queries cost the same.
        for _ in map_ordered(work, pieces(len(X), threads, SCAN_QUERIES, 64, 1), threads):
            pass
        return self.form.back(distance), index

    def within(self, X: Any, radius: NDArray, threads: int) -> Lists:
        """Return the rows within the radius of every query."""
        X, rows = alike(self.form.changed(X), self.rows)
        radius = np.ascontiguousarray(self.form.radius(radius))

        def work(part: Any) -> Any:
            found = _core.search.neighbors.within_by_scan(
                X[part], rows, self.form.p, self.origin, self.reach, radius[part]
            )
            return lists_of(found)

        threads = threads if X.size * len(rows) > LEAST_WORK else 1
        found = join_lists(list(map_ordered(work, pieces(len(X), threads, SCAN_QUERIES // 4, 64), threads)))
        return found._replace(distance=self.form.back(found.distance))

    def sums_within(self, X: Any, radius: NDArray, values: NDArray, threads: int) -> tuple[NDArray, NDArray]:
        """Return sums of the values (n, m) of all rows within the radius of every query, and their number; no lists are made."""
        X, rows = alike(self.form.changed(X), self.rows)
        radius, values = np.ascontiguousarray(self.form.radius(radius)), np.ascontiguousarray(values, np.float64)
        sums, count = np.empty((len(X), values.shape[1])), np.empty(len(X), np.int64)

        def work(part: Any) -> None:
            _core.search.neighbors.sums_by_scan(
                X[part],
                rows,
                self.form.p,
                self.origin,
                self.reach,
                radius=radius[part],
                value=values,
                sum=sums[part],
                count=count[part],
            )

        for _ in map_ordered(work, pieces(len(X), threads, SCAN_QUERIES, 64), threads):
            pass
        return sums, count


def distances_between(X: Any, Y: Any, metric: Any, params: dict[str, Any]) -> NDArray:
    """Return all distances under a metric that is no norm, in this thread."""
    if isinstance(metric, DistanceMetric):
        return np.asarray(metric.pairwise(X, Y))
    if callable(metric) and not scipy.sparse.issparse(X):
        return np.array([[metric(x, y, **params) for y in Y] for x in X], dtype=np.float64).reshape(len(X), len(Y))
    if not scipy.sparse.issparse(X) and metric in COMPILED and not params:
        wide = np.ascontiguousarray(X, np.float64), np.ascontiguousarray(Y, np.float64)
        return np.asarray(DistanceMetric.get_metric(metric).pairwise(*wide))
    if metric == "yule" and not scipy.sparse.issparse(X):
        X, Y = np.asarray(X) != 0, np.asarray(Y) != 0
    if metric == "euclidean" and not params and not scipy.sparse.issparse(X) and X.shape[1] <= DIRECT_COLUMNS:
        out = np.empty((len(X), len(Y)))
        first, second = alike(np.asarray(X), np.asarray(Y))
        _core.search.neighbors.distances(first, second, 2.0, out)
        return out
    if metric == "euclidean" and not params:
        return np.asarray(sklearn_distances(X, Y, metric="euclidean"))
    given = {name: value for name, value in params.items() if value is not None}
    return np.asarray(sklearn_distances(X, Y, metric=metric, **given))


def checked_distances(distance: NDArray, metric: Any) -> NDArray:
    """Return what a user's metric made of queries and rows; raise where it is no distance."""
    wrong = ~(distance >= 0)
    if wrong.any():
        query, row = np.argwhere(wrong)[0]
        raise DataError(
            f"metric {getattr(metric, '__name__', repr(metric))} returned {distance[query, row]:g} for query {query} and row {row};"
            " a distance is a number >= 0, and 0 for a row and itself. Mend the function, or clean the cells that it cannot read."
        )
    return distance


def nearest_of(distance: NDArray, k: int) -> tuple[NDArray, NDArray]:
    """Return the k least of every row, in order; of equal ones the first."""
    n = distance.shape[1]
    if k < n:
        bound = np.partition(distance, k - 1, axis=1)[:, k - 1 : k]
        crowd = (distance <= bound).sum(1).max(initial=k)
        # argpartition may pick any of those at the bound: with ties, all of them take part in the sort
        index = np.argpartition(distance, min(crowd, n) - 1, axis=1)[:, :crowd] if crowd < n else None
    else:
        index = None
    if index is None:
        index = np.broadcast_to(np.arange(n), distance.shape)
    values = np.take_along_axis(distance, index, 1)
    order = np.lexsort((index, values), axis=1)[:, :k]
    return np.take_along_axis(values, order, 1), np.take_along_axis(index, order, 1)


class Blocks:
    """All rows are looked at, by any metric, sparse rows too: a block of distances at a time."""

    def __init__(self, rows: Any, metric: Any, params: dict[str, Any]) -> None:
        self.rows, self.metric, self.params = rows, usual_name(metric), params

    def between(self, X: Any) -> NDArray:
        """Return the distances from queries to all rows."""
        distance = distances_between(X, self.rows, self.metric, self.params)
        return checked_distances(distance, self.metric) if callable(self.metric) else distance

    def _parts(self, n: int, threads: int) -> list[slice]:
        return pieces(n, threads, max(1, BLOCK_DISTANCES // self.rows.shape[0]))

    def nearest(self, X: Any, k: int, threads: int) -> tuple[NDArray, NDArray]:
        """Return distances and numbers of the k nearest rows."""
        threads = 1 if callable(self.metric) else threads  # a function of Python runs on one thread anyway
        parts = map_ordered(
            lambda part: nearest_of(self.between(X[part]), k), self._parts(X.shape[0], threads), threads
        )
        distance, index = zip(*parts)
        return np.concatenate(distance), np.concatenate(index)

    def within(self, X: Any, radius: NDArray, threads: int) -> Lists:
        """Return the rows within the radius of every query."""
        threads = 1 if callable(self.metric) else threads

        def work(part: Any) -> Any:
            return lists_within(self.between(X[part]), radius[part])

        return join_lists(list(map_ordered(work, self._parts(X.shape[0], threads), threads)))


def lists_within(distance: NDArray, radius: NDArray) -> Lists:
    """Return the places of every row that are at most its radius."""
    query, index = np.nonzero(distance <= radius[:, None])
    begin = np.concatenate([[0], np.cumsum(np.bincount(query, minlength=len(distance)))])
    return Lists(begin, index, distance[query, index].astype(np.float64, copy=False))


def sorted_by_distance(graph: Any) -> Any:
    """Return a sparse graph whose entries stand in the order of their distances, row by row.

    Whoever checks, copies or loads a sparse matrix may put the entries of a row into the order of their columns again.
    """
    falls = graph.data[:-1] > graph.data[1:]
    falls[graph.indptr[1:-1][(graph.indptr[1:-1] > 0) & (graph.indptr[1:-1] < graph.nnz)] - 1] = (
        False  # from row to row
    )
    if not falls.any():
        return graph
    order = np.lexsort((graph.indices, graph.data, np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))))
    return scipy.sparse.csr_array((graph.data[order], graph.indices[order], graph.indptr), graph.shape)


class Precomputed:
    """Queries are rows of distances themselves: dense, or a sparse graph whose entries are the known distances."""

    def nearest(self, X: Any, k: int, threads: int) -> tuple[NDArray, NDArray]:
        """Return the k least entries of every row."""
        if not scipy.sparse.issparse(X):
            return nearest_of(np.asarray(X), k)
        X = sorted_by_distance(X)
        count = np.diff(X.indptr)
        if count.min() < k:
            raise ParameterError(
                f"{k} neighbors per samples are required, but some samples have only {count.min()} neighbors in precomputed graph"
                " matrix. Decrease number of neighbors used or recompute the graph with more neighbors."
            )
        place = X.indptr[:-1, None] + np.arange(k)
        return X.data[place], X.indices[place].astype(np.int64)

    def within(self, X: Any, radius: NDArray, threads: int) -> Lists:
        """Return the entries within the radius of every row."""
        if not scipy.sparse.issparse(X):
            return lists_within(np.asarray(X), radius)
        X = sorted_by_distance(X)
        near = X.data <= np.repeat(radius, np.diff(X.indptr))
        begin = np.concatenate([[0], np.cumsum(near)])[X.indptr]
        return Lists(begin, X.indices[near].astype(np.int64), X.data[near])
