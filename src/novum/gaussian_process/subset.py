"""A subset of the rows to learn a Gaussian process from: drawn at random, or one row near the middle of every cluster."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.cluster import KMeans
from novum.exceptions import ParameterError
from novum.runtime import arrays
from novum.runtime.random import Stream, seed_of

__all__ = ["choose_rows", "cluster_centers", "rows_of"]

PASSES = 20  # of k-means: the rows have to cover the data, the clusters need not converge


def rows_of(values: Any, rows: Any) -> Any:
    """Return chosen rows of an array, a tensor or a list; a number that holds for all, and None, as they are."""
    if values is None or rows is None or isinstance(values, float):
        return values
    rows = arrays.like(values, rows, "int64") if arrays.is_tensor(values) else rows
    return values[rows] if hasattr(values, "shape") else [values[i] for i in rows]


def cluster_centers(X: Any, size: int, random_state: Any) -> NDArray[np.float64]:
    """Return the centers of `size` clusters of the rows; X may live in any home."""
    model = KMeans(n_clusters=size, n_init=1, max_iter=PASSES, tol=1e-2, random_state=random_state).fit(X)
    return np.asarray(model.cluster_centers_, np.float64)


def choose_rows(X: Any, size: int, by: str, random_state: Any) -> NDArray[np.intp]:
    """Return the sorted numbers of `size` rows.

    Parameters
    ----------
    X : array or tensor of shape (n, d), or a list of objects where `by` is "random"
    size : int
    by : "random" or "cluster"
        "cluster": k-means with `size` clusters, and of each the row nearest to its center.
    random_state : None, int, Generator, RandomState or SeedSequence
    """
    n, seed = len(X), seed_of(random_state)
    if by == "cluster" and arrays.is_tensor(X):
        return nearest_there(X, size, seed)
    if by == "cluster" and not (hasattr(X, "dtype") and X.dtype.kind == "f"):
        raise ParameterError(
            'GaussianProcessRegressor: subset_by="cluster" needs vectors; for objects of a kernel give subset_by="random".'
        )
    if by == "random":
        return np.sort(Stream(seed).choice("subset", 0, n, size)).astype(np.intp)
    rows = np.asarray(X, np.float64)
    model = KMeans(n_clusters=size, n_init=1, max_iter=PASSES, tol=1e-2, random_state=seed % (1 << 32)).fit(rows)
    square = ((rows - model.cluster_centers_[model.labels_]) ** 2).sum(axis=1)
    order = np.lexsort((square, model.labels_))
    first = np.unique(model.labels_[order], return_index=True)[1]
    return np.sort(order[first])


def nearest_there(X: Any, size: int, seed: int) -> NDArray[np.intp]:
    """Return the row nearest to the center of each cluster of rows on a device, of equally near ones the first."""
    model = KMeans(n_clusters=size, n_init=1, max_iter=PASSES, tol=1e-2, random_state=seed % (1 << 32)).fit(X)
    label = model.predict(X).long()
    square = (X - arrays.like(X, model.cluster_centers_)[label]).square().sum(1)
    order = square.argsort(stable=True)
    order = order[label[order].argsort(stable=True)]
    ordered = label[order]
    begins = arrays.ones(X, len(order)).bool()
    begins[1:] = ordered[1:] != ordered[:-1]
    return np.sort(arrays.to_numpy(order[begins])).astype(np.intp)
