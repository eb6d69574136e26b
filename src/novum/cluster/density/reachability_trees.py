"""Spanning trees of mutual reachability, from rows, a matrix of distances or a sparse graph of them.

The formulas are those of `hdbscan`.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from novum import _core
from novum.cluster.hierarchy.merges import Merged, empty_merges, numbered, spanning_edges
from novum.engines.search.metrics import Form
from novum.exceptions import DataError
from novum.neighbors.trees import KDTree

__all__ = [
    "MISSING",
    "NOISE",
    "Usable",
    "tree_of_graph",
    "tree_of_matrix",
    "tree_of_rows",
    "usable_rows",
    "with_others",
]

LISTED = 6  # neighbors that are kept for the spanning tree, at least
NOISE, INFINITE, MISSING = -1, -2, -3  # labels of rows in no cluster


class Usable(NamedTuple):
    """The rows that can be clustered, and what the others are."""

    X: Any
    row: NDArray  # numbers of these rows
    labels: NDArray  # (n,): INFINITE or MISSING where a row is left out


def tree_of_rows(X: NDArray, form: Form, k: int, alpha: float, threads: int) -> Merged:
    """Return the tree of (2) under a norm."""
    rows = np.ascontiguousarray(form.changed(X), np.float64) / alpha
    n = len(rows)
    tree = KDTree(rows, metric="minkowski", p=form.p)
    distance, index = tree.nearest(rows, min(max(k - 1, LISTED), n - 1), threads, skip=np.arange(n))
    core = distance[:, k - 2].copy() * alpha if k > 1 else np.zeros(n)
    if form.squared:
        core = core * core
    plain = Form(form.p)
    pair, height = spanning_edges(rows, plain, threads, core=core, lists=(distance, index), tree=tree)
    return numbered(pair, height, n)


def tree_of_matrix(matrix: NDArray, k: int) -> Merged:
    """Return the tree of (2) of a matrix of distances, which is overwritten."""
    n = len(matrix)
    core = np.partition(matrix, k - 1, axis=1)[:, k - 1]
    np.maximum(matrix, core[:, None], out=matrix)
    np.maximum(matrix, core[None, :], out=matrix)
    pair, height = empty_merges(n)
    _core.cluster.hierarchy.spanning_matrix(matrix, pair, height)
    return numbered(pair, height, n)


def tree_of_graph(graph: Any, k: int, max_distance: float) -> Merged:
    """Return the tree of (2) of a sparse matrix of distances, whose missing entries are infinite, or `max_distance` if positive."""
    n = graph.shape[0]
    count = np.diff(graph.indptr)
    core = np.full(n, max_distance if max_distance > 0 else np.inf)
    for i in np.flatnonzero(count >= k):
        core[i] = np.partition(graph.data[graph.indptr[i] : graph.indptr[i + 1]], k - 1)[k - 1]
    if (count < k).any():
        raise DataError(
            f"There exists points with fewer than {k} neighbors. Ensure your distance matrix has non-zero values for at least"
            f" `min_sample`={k} neighbors for each points (i.e. K-nn graph), or specify a `max_distance` in `metric_params` to use"
            " when distances are missing."
        )
    coo = graph.tocoo()
    weight = np.maximum(coo.data, np.maximum(core[coo.row], core[coo.col]))
    reach = scipy.sparse.coo_matrix((weight, (coo.row, coo.col)), shape=graph.shape).tocsr()
    parts = connected_components(reach, directed=False, return_labels=False)
    if parts > 1:
        raise DataError(
            f"Sparse mutual reachability matrix has {parts} connected components. HDBSCAN cannot be performed on a disconnected"
            " graph. Ensure that the sparse distance matrix has only one connected component."
        )
    tree = minimum_spanning_tree(reach).tocoo()
    pair = np.ascontiguousarray(np.column_stack([tree.row, tree.col]).astype(np.int64))
    return numbered(pair, tree.data.astype(np.float64), n)


def usable_rows(X: Any) -> Usable:
    """Return the rows without NaN and infinity."""
    n = X.shape[0]
    sums = np.asarray(X.sum(axis=1), np.float64).ravel()
    labels = np.full(n, NOISE)
    labels[np.isinf(sums)], labels[np.isnan(sums)] = INFINITE, MISSING
    row = np.flatnonzero(np.isfinite(sums))
    return Usable(X if len(row) == n else X[row], row, labels)


def with_others(tree: Merged, usable: Usable) -> Merged:
    """Return a tree of some rows as one of all: the others join last, at infinite height."""
    n, kept = len(usable.labels), len(usable.row)
    if n == kept:
        return tree
    raw = np.concatenate([usable.row, np.arange(kept, 2 * kept - 1) + (n - kept)])
    children = raw[tree.children]
    rest = np.flatnonzero(usable.labels != NOISE)
    extra = np.column_stack([rest, n + kept - 2 + np.arange(len(rest))])
    size = np.concatenate([tree.size, kept + 1 + np.arange(len(rest))])
    height = np.concatenate([tree.height, np.full(len(rest), np.inf)])
    return Merged(np.concatenate([children, extra]), height, size)
