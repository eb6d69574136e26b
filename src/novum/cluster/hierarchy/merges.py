r"""Which clusters merge, and at which height: from rows or from a matrix of dissimilarities.

Between clusters A and B, with d a dissimilarity of rows and c the mean of a cluster,

    single    min d(x, y)            complete   max d(x, y)            over x in A, y in B            (1)
    average   mean d(x, y)           weighted   mean of the two clusters that were merged last        (2)
    centroid  |c_A - c_B|            median     the same, c of a merged cluster halfway between two   (3)
    ward      sqrt(2 n_A n_B / (n_A + n_B)) |c_A - c_B|                                               (4)

All but single and Ward's need a matrix; those two work on the rows, with memory for the rows alone. Single linkage is
the least spanning tree, sorted: by Boruvka's rounds over a k-d tree where columns are few, else by Prim.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.base.checks.sizes import memory_bytes
from novum.engines.search.index import distances_between, pieces
from novum.engines.search.metrics import Form, form_of, usual_name
from novum.exceptions import DataError, ParameterError
from novum.neighbors.trees import KDTree
from novum.runtime.pool import map_ordered

__all__ = [
    "METHODS",
    "SQUARED",
    "Merged",
    "check_memory",
    "empty_merges",
    "matrix_merges",
    "numbered",
    "row_merges",
    "spanning_edges",
    "square_distances",
]

METHODS = ("single", "complete", "average", "weighted", "ward", "centroid", "median")  # in the order of the core
SQUARED = ("ward", "centroid", "median")  # their updates are of squared Euclidean distances
INVERTING = ("centroid", "median")  # a merge may lie below the one before it, so merges stay in their order
TREE_DOUBLINGS = 5  # Boruvka is faster than Prim from 2^(columns + this) rows on, measured on uniform rows
LISTED = 8  # neighbors that are found once for all rounds
SEARCHES = 512  # rows of a round that a thread takes at a time
MATRIX_ROWS = 128  # rows of a matrix that a thread computes at a time
MEMORY_SHARE = 0.8  # of the machine's memory that a matrix may take


class Merged(NamedTuple):
    """A tree of clusters: rows are 0 to n - 1, merge i makes cluster n + i."""

    children: NDArray  # (n - 1, 2) int64, lower number first
    height: NDArray  # (n - 1,)
    size: NDArray  # (n - 1,) int64


def numbered(pair: NDArray, height: NDArray, n: int, in_order: bool = False) -> Merged:
    """Return merges of rows as a tree, by height unless they are `in_order`."""
    if not in_order:
        order = np.argsort(height, kind="stable")
        pair, height = np.ascontiguousarray(pair[order]), height[order]
    children, size = np.empty((len(pair), 2), np.int64), np.empty(len(pair), np.int64)
    _core.cluster.hierarchy.tree_of(pair, n, children, size)
    return Merged(children, height, size)


def empty_merges(n: int) -> tuple[NDArray, NDArray]:
    """Return room for n - 1 merges."""
    return np.empty((n - 1, 2), np.int64), np.empty(n - 1)


def check_memory(n: int, owner: str, remedy: str) -> None:
    """Raise where a matrix of n rows would not fit into memory."""
    if n * n * 8 > MEMORY_SHARE * memory_bytes():
        raise DataError(
            f"{owner}: {n} rows need a matrix of {n * n * 8 / 2**30:.0f} GiB, more than this machine holds. Give fewer rows (the"
            f" centers of KMeans, say), or {remedy}."
        )


def square_distances(X: NDArray, metric: Any, params: dict[str, Any], threads: int, squared: bool = False) -> NDArray:
    """Return all distances between rows, as doubles; `squared`: their squares."""
    form = form_of(metric, params, X) if isinstance(metric, str) else None
    out = np.empty((len(X), len(X)))
    if form is not None and form.p >= 1:
        rows, norm = np.ascontiguousarray(form.changed(X), np.float64), form

        def work(part: slice) -> None:
            plain = squared and norm.p == 2 and not norm.squared
            _core.cluster.hierarchy.distance_lines(rows, norm.p, plain, part.start, out[part])
            norm.back(out[part])
            if squared and not plain:
                np.square(out[part], out=out[part])

    else:
        threads = 1

        def work(part: slice) -> None:
            out[part] = distances_between(X[part], X, usual_name(metric), params)
            if squared:
                np.square(out[part], out=out[part])

    for _ in map_ordered(work, pieces(len(X), threads, MATRIX_ROWS, 16), threads):
        pass
    return out


def spanning_edges(
    X: NDArray,
    form: Form,
    threads: int,
    core: NDArray | None = None,
    lists: tuple[NDArray, NDArray] | None = None,
    tree: KDTree | None = None,
) -> tuple[NDArray, NDArray]:
    """Return the edges of the least spanning tree of rows under a norm, in no order; no weight is below the `core` of its ends."""
    pair, height = empty_merges(len(X))
    rows = np.ascontiguousarray(form.changed(X), np.float64)
    n, d = rows.shape
    if core is None and n < 2 ** (d + TREE_DOUBLINGS):
        _core.cluster.hierarchy.spanning_rows(rows, form.p, threads, pair, height)
        return pair, form.back(height)
    tree = (
        KDTree(rows, metric="minkowski", p=form.p) if tree is None else tree
    )  # `rows` are those of a tree that is given
    if lists is None:
        lists = tree.nearest(rows, min(LISTED, n - 1), threads, skip=np.arange(n))
    rounds = _core.cluster.hierarchy.Rounds(tree._handle(), rows, core, *map(np.ascontiguousarray, lists))
    components = n
    while components > 1:
        waiting = rounds.prepare()
        parts = [(start, min(start + SEARCHES, waiting)) for start in range(0, waiting, SEARCHES)]
        for _ in map_ordered(lambda part: rounds.search(*part), parts, threads):
            pass
        before, components = components, rounds.merge()
        if components == before:
            raise DataError("the distances between the rows are not finite: divide the columns by a suitable unit.")
    rounds.edges(pair, height)
    return pair, form.back(height)


def matrix_merges(matrix: NDArray, method: str, *, squared: bool = False) -> Merged:
    """Return the tree of a symmetric matrix of dissimilarities, which is overwritten; `squared` says that it holds squares."""
    n = len(matrix)
    pair, height = empty_merges(n)
    if method == "single":
        _core.cluster.hierarchy.spanning_matrix(matrix, pair, height)
        return numbered(pair, np.sqrt(height) if squared else height, n)
    if method in SQUARED and not squared:
        np.square(matrix, out=matrix)
    _core.cluster.hierarchy.merge_matrix(matrix, METHODS.index(method), pair, height)
    if method in SQUARED:
        height = np.sqrt(np.maximum(height, 0.0))
    return numbered(pair, height, n, in_order=method in INVERTING)


def row_merges(
    X: NDArray, method: str, metric: Any, params: dict[str, Any] | None, threads: int, owner: str = "linkage"
) -> Merged:
    """Return the tree of rows under a metric by (1)-(4)."""
    params = params or {}
    form = form_of(metric, params, X) if isinstance(metric, str) else None
    if method in SQUARED and (form is None or form.p != 2 or form.squared or form.change is not None):
        raise ParameterError(
            f"{metric} was provided as metric. {method.capitalize()} can only work with euclidean distances (i.e. 'euclidean' and"
            f" 'l2'). {owner}: take one of them, or linkage 'average', 'complete', 'weighted' or 'single'."
        )
    n = len(X)
    if method == "ward":
        pair, height = empty_merges(n)
        _core.cluster.hierarchy.ward(np.ascontiguousarray(X, np.float64), threads, pair, height)
        return numbered(pair, height, n)
    if method == "single" and form is not None and form.p >= 1:
        return numbered(*spanning_edges(X, form, threads), n)
    check_memory(n, owner, "take linkage 'single' or 'ward', which need none")
    squared = method in SQUARED
    return matrix_merges(square_distances(X, metric, params, threads, squared), method, squared=squared)
