"""Merges along the edges of a graph: only clusters that are linked may merge, as neighbors of a grid or of a k-NN graph are."""

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from novum import _core
from novum.cluster.hierarchy.merges import METHODS, Merged, numbered
from novum.engines.search.index import distances_between
from novum.engines.search.metrics import usual_name
from novum.exceptions import DataError, ParameterError
from novum.runtime.warn import warn

__all__ = ["constrained_merges", "linked_graph"]

CHUNK = 1 << 16  # edges whose lengths are computed at a time


def between(X: NDArray, metric: Any, rows: NDArray, columns: NDArray) -> NDArray:
    """Return the distances between two sets of rows."""
    if isinstance(metric, str) and metric == "precomputed":
        return X[np.ix_(rows, columns)]
    if callable(metric):
        return np.asarray(metric(X[np.concatenate([rows, columns])]))[: len(rows), len(rows) :]
    return distances_between(X[rows], X[columns], usual_name(metric), {})


def linked_graph(connectivity: Any, X: NDArray, metric: Any, owner: str) -> tuple[Any, int]:
    """Return a graph of one component, as a symmetric CSR matrix without diagonal, and how many components it had.

    Components are linked by the shortest edge between every two of them.
    """
    n = len(X)
    graph = scipy.sparse.csr_matrix(connectivity)
    if graph.shape != (n, n):
        raise DataError(
            f"Wrong shape for connectivity matrix: {graph.shape} when X is {X.shape}. {owner}(connectivity=...) takes a row"
            " and a column per row of X."
        )
    graph = (graph + graph.T).tolil()
    graph.setdiag(0)
    graph = graph.tocsr()
    graph.eliminate_zeros()
    count, label = connected_components(graph, directed=False)
    if count == 1:
        return graph, 1
    warn(
        f"the number of connected components of the connectivity matrix is {count} > 1. Completing it to avoid stopping the tree"
        " early.",
        UserWarning,
    )
    members = [np.flatnonzero(label == c) for c in range(count)]
    links = []
    for i in range(count):
        for j in range(i):
            distance = between(X, metric, members[i], members[j])
            a, b = np.unravel_index(np.argmin(distance), distance.shape)
            links.append((members[i][a], members[j][b]))
    rows, columns = np.array(links).T
    extra = scipy.sparse.coo_matrix((np.ones(len(links)), (rows, columns)), shape=(n, n))
    return (graph + extra + extra.T).tocsr(), count


def edge_lengths(X: NDArray, metric: Any, pair: NDArray) -> NDArray:
    """Return the distance over every edge."""
    if isinstance(metric, str) and metric == "precomputed":
        return np.ascontiguousarray(X[pair[:, 0], pair[:, 1]], np.float64)
    if not callable(metric) and usual_name(metric) in ("euclidean", "manhattan", "cosine"):
        from sklearn.metrics.pairwise import paired_distances

        return np.asarray(paired_distances(X[pair[:, 0]], X[pair[:, 1]], metric=usual_name(metric)), np.float64)
    if callable(metric):
        return np.ascontiguousarray(np.asarray(metric(X))[pair[:, 0], pair[:, 1]], np.float64)
    return np.array([between(X, metric, pair[e, :1], pair[e, 1:])[0, 0] for e in range(len(pair))])


def constrained_merges(X: NDArray, graph: Any, method: str, metric: Any, stop: int, owner: str) -> Merged:
    """Return the tree of merges along the edges of a graph, until `stop` clusters are left."""
    if method not in ("single", "complete", "average", "ward"):
        raise ParameterError(
            f"{owner}(linkage={method!r}): along a connectivity, clusters merge by 'single', 'complete', 'average' or 'ward'."
        )
    n = len(X)
    upper = scipy.sparse.triu(graph, 1).tocoo()
    pair = np.ascontiguousarray(np.column_stack([upper.row, upper.col]).astype(np.int64))
    rows = np.ascontiguousarray(X, np.float64)
    weight = np.zeros(len(pair)) if method == "ward" else edge_lengths(rows, metric, pair)
    if method == "single":
        lengths = scipy.sparse.coo_matrix(
            (weight + 1.0, (pair[:, 0], pair[:, 1])), shape=(n, n)
        ).tocsr()  # zero is no edge
        tree = minimum_spanning_tree(lengths).tocoo()
        edges = np.ascontiguousarray(np.column_stack([tree.row, tree.col]).astype(np.int64))
        exact = scipy.sparse.coo_matrix((np.arange(1, len(pair) + 1), (pair[:, 0], pair[:, 1])), shape=(n, n)).tocsr()
        place = np.asarray(exact[edges.min(axis=1), edges.max(axis=1)]).ravel() - 1
        whole = numbered(edges, weight[place], n)
        return Merged(*(field[: n - stop] for field in whole))
    children, height = np.empty((n - stop, 2), np.int64), np.empty(n - stop)
    made = _core.cluster.hierarchy.constrained(METHODS.index(method), pair, weight, rows, stop, children, height)
    return Merged(children[:made], height[:made], np.zeros(made, np.int64))
