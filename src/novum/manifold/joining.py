"""Joins of a graph of neighbors that falls apart: between every two parts the shortest edge there is.

    parts a and b:  (i, j) = argmin over i in a, j in b of d(x_i, x_j)                             (1)

Edges of length zero are edges too: rows that coincide, more of them than a row has neighbors, fall apart without lying apart.
"""

from typing import Any

import numpy as np
import scipy.sparse

from novum.neighbors import NearestNeighbors

__all__ = ["join_parts"]


def nearest_pair(search: Any, first: np.ndarray, second: np.ndarray) -> tuple[int, int, float]:
    """Return (1) for two parts: a row of each, and their distance."""
    X = search._fit_X
    if search.effective_metric_ == "precomputed":
        between = np.asarray(X[np.ix_(first, second)])
        i, j = np.unravel_index(np.argmin(between), between.shape)
        return int(first[i]), int(second[j]), float(between[i, j])
    inner = NearestNeighbors(
        n_neighbors=1, metric=search.metric, p=search.p, metric_params=search.metric_params, n_jobs=search.n_jobs
    ).fit(X[second])
    distance, index = inner.kneighbors(X[first])
    least = int(np.argmin(distance[:, 0]))
    return int(first[least]), int(second[index[least, 0]]), float(distance[least, 0])


def join_parts(search: Any, graph: Any, labels: np.ndarray) -> Any:
    """Return the graph with one edge more, both ways, for every two parts; `labels` numbers the part of every row."""
    parts = [np.flatnonzero(labels == part) for part in range(labels.max() + 1)]
    edges = [
        nearest_pair(search, first, second) if len(first) <= len(second) else nearest_pair(search, second, first)
        for b, second in enumerate(parts)
        for first in parts[:b]
    ]
    row, column, length = (np.array(field) for field in zip(*edges))
    known = graph.tocoo()
    ends = (np.concatenate([known.row, row, column]), np.concatenate([known.col, column, row]))
    return scipy.sparse.coo_matrix((np.concatenate([known.data, length, length]), ends), shape=graph.shape)
