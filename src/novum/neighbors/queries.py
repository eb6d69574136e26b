"""The two questions: which k rows are nearest, and which rows lie within a radius; and their graphs."""

import numbers
from typing import Any, Literal

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum.base.fitted import check_is_fitted
from novum.engines.search.index import Lists
from novum.exceptions import ParameterError, ParameterTypeError
from novum.neighbors.base import Ready
from novum.neighbors.sklearn_queries import KNeighborsMixin as SklearnKNeighbors
from novum.neighbors.sklearn_queries import RadiusNeighborsMixin as SklearnRadiusNeighbors
from novum.runtime import arrays, sklearn_private
from novum.runtime.typing import Rows

__all__ = ["KNeighborsMixin", "RadiusNeighborsMixin", "nearest_rows", "rows_within"]

MODES = ("connectivity", "distance")


def without_self(distance: NDArray, index: NDArray) -> tuple[NDArray, NDArray]:
    """Return k of the k + 1 neighbors of every row, without itself; where equal rows displaced it, without the last."""
    other = index != arrays.like(index, np.arange(len(index)), "int64")[:, None]
    other[other.all(1), -1] = False
    shape = (len(index), index.shape[1] - 1)
    return distance[other].reshape(shape), index[other].reshape(shape)


def nearest_rows(ready: Ready, k: int, threads: int, X: Any, own: bool) -> tuple[NDArray, NDArray]:
    """Return distances and numbers of the k nearest rows of every query; `own`: the queries are the rows."""
    distance, index = ready.search.nearest(X, k + own, threads)
    return without_self(distance, index) if own else (distance, index)


def side_by_side(ready: Ready, threads: int, X: Any, own: bool) -> NDArray:
    """Return distances and numbers in one table, as results outside of memory have to be."""
    return np.hstack(nearest_rows(ready, ready.settings, threads, X, own))


def in_memory(ready: Ready, threads: int, X: Any, own: bool) -> tuple[NDArray, NDArray]:
    """Return distances and numbers."""
    return nearest_rows(ready, ready.settings, threads, X, own)


def rows_within(ready: Ready, radius: Any, threads: int, X: Any, own: bool) -> Lists:
    """Return the rows within the radius of every query; `own`: the queries are the rows."""
    radius = np.ascontiguousarray(np.broadcast_to(np.asarray(radius, np.float64), X.shape[0]))
    found = ready.search.within(X, radius, threads)
    return found.without_self() if own else found


def number_of_queries(X: Any) -> Any:
    """Return the number of queries, "?" where their home does not know it; sparse matrices have a shape and no length."""
    if hasattr(X, "shape"):
        return X.shape[0]
    return len(X) if hasattr(X, "__len__") else "?"


def refuse_mode(mode: Any) -> None:
    """Raise if a graph has no such mode."""
    if mode not in MODES:
        raise ParameterError(f'Unsupported mode, must be one of "connectivity", or "distance" but got "{mode}" instead')


class KNeighborsMixin(SklearnKNeighbors):
    """Queries for the k nearest rows."""

    def _checked_n_neighbors(self: Any, n_neighbors: Any, X: Any) -> int:
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        if not isinstance(k, numbers.Integral):
            raise ParameterTypeError(f"n_neighbors does not take {type(k)} value, enter integer value")
        if k <= 0:
            raise ParameterError(f"Expected n_neighbors > 0. Got {k}")
        if k + (X is None) > self.n_samples_fit_:
            relation = "<" if X is None else "<="
            number = self.n_samples_fit_ if X is None else number_of_queries(X)
            raise ParameterError(
                f"Expected n_neighbors {relation} n_samples_fit, but n_neighbors = {k}, n_samples_fit = {self.n_samples_fit_},"
                f" n_samples = {number}"
            )
        return int(k)

    def kneighbors(
        self: Any, X: Rows | None = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """Find the nearest rows.

        Parameters
        ----------
        X : array-like, frame, sparse matrix, scan, Dask collection or tensor of shape (n_queries, n_features), default=None
            Queries, or rows of distances if metric="precomputed". None stands for the neighbors of every row, itself left out.
        n_neighbors : int, default=None
            How many; None takes the parameter.
        return_distance : bool, default=True

        Returns
        -------
        distances : array of shape (n_queries, n_neighbors)
            Only if `return_distance`. Nearest first; of equal ones the row with the lower number first.
        indices : array of shape (n_queries, n_neighbors)
            From a scan both come batch by batch, on Dask as lazy arrays, of a tensor as tensors on its device.
        """
        check_is_fitted(self)
        rows = X if X is None else self._queries(X)
        k = self._checked_n_neighbors(n_neighbors, X if X is None or rows is None else rows)
        if X is not None and rows is None:
            both = self._per_row(X, side_by_side, k)
            if hasattr(both, "shape"):
                index = both[:, k:].to(dtype=int) if not hasattr(both, "astype") else both[:, k:].astype(np.int64)
                return (both[:, :k], index) if return_distance else index
            batches = ((part[:, :k], part[:, k:].astype(np.int64)) for part in both)
            return batches if return_distance else (index for _, index in batches)
        rows = self._fit_X if X is None else rows
        distance, index = in_memory(Ready(self._index(rows), k), self._threads(), rows, X is None)
        return (distance, index) if return_distance else index

    def kneighbors_graph(
        self: Any,
        X: Rows | None = None,
        n_neighbors: int | None = None,
        mode: Literal["connectivity", "distance"] = "connectivity",
    ) -> Any:
        """Return the graph that links every query to its nearest rows.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features), default=None
            As in `kneighbors`.
        n_neighbors : int, default=None
        mode : {"connectivity", "distance"}, default="connectivity"
            Ones, or distances.

        Returns
        -------
        CSR matrix of shape (n_queries, n_samples_fit)
        """
        check_is_fitted(self)
        refuse_mode(mode)
        distance, index = (arrays.to_numpy(part) for part in self.kneighbors(X, n_neighbors))
        n, k = index.shape
        data = np.ones(n * k) if mode == "connectivity" else distance.ravel()
        begin = np.arange(0, n * k + 1, k)
        graph = scipy.sparse.csr_array((data, index.ravel(), begin), shape=(n, self.n_samples_fit_))
        return sklearn_private.as_configured(graph)


class RadiusNeighborsMixin(SklearnRadiusNeighbors):
    """Queries for all rows within a radius."""

    def _lists(self: Any, X: Any, radius: Any) -> Lists:
        check_is_fitted(self)
        radius = self.radius if radius is None else radius
        rows = self._fit_X if X is None else self._queries(X)
        if rows is None or arrays.is_tensor(rows):
            raise ParameterError(
                f"{type(self).__name__}: lists of neighbors are made of queries in memory; give an array, or one batch at a time."
            )
        return rows_within(Ready(self._index(), None), radius, self._threads(), rows, X is None)

    def radius_neighbors(
        self,
        X: Rows | None = None,
        radius: float | None = None,
        return_distance: bool = True,
        sort_results: bool = False,
    ) -> Any:
        """Find all rows within a radius, those on its border included.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_queries, n_features), default=None
            Queries, or rows of distances if metric="precomputed". None stands for the neighbors of every row, itself left out.
        radius : float, default=None
            None takes the parameter.
        return_distance : bool, default=True
        sort_results : bool, default=False
            By distance; else by number of the row.

        Returns
        -------
        distances : array of shape (n_queries,) of arrays
            Only if `return_distance`.
        indices : array of shape (n_queries,) of arrays
        """
        check_is_fitted(self)
        if sort_results and not return_distance:
            raise ParameterError("return_distance must be True if sort_results is True.")
        found = self._lists(X, radius)
        found = found.sorted() if sort_results else found
        index = found.split(found.row)
        return (found.split(found.distance), index) if return_distance else index

    def radius_neighbors_graph(
        self: Any,
        X: Rows | None = None,
        radius: float | None = None,
        mode: Literal["connectivity", "distance"] = "connectivity",
        sort_results: bool = False,
    ) -> Any:
        """Return the graph that links every query to the rows within a radius.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features), default=None
            As in `radius_neighbors`.
        radius : float, default=None
        mode : {"connectivity", "distance"}, default="connectivity"
            Ones, or distances.
        sort_results : bool, default=False
            Sort the entries of each row by distance.

        Returns
        -------
        CSR matrix of shape (n_queries, n_samples_fit)
        """
        check_is_fitted(self)
        refuse_mode(mode)
        found = self._lists(X, radius)
        found = found.sorted() if sort_results else found
        data = np.ones(len(found.row)) if mode == "connectivity" else found.distance
        shape = (len(found.begin) - 1, self.n_samples_fit_)
        return sklearn_private.as_configured(scipy.sparse.csr_array((data, found.row, found.begin), shape=shape))
