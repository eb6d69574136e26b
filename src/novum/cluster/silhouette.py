r"""Silhouettes: whether a row is nearer to its own cluster than to the next.

    a_i = sum_{j in C} d(i, j) / (|C| - 1)       or / |C|, as the notes have it                       (1)
    b_i = min over other clusters C' of  sum_{j in C'} d(i, j) / |C'|                                 (2)
    s_i = (b_i - a_i) / max(a_i, b_i),   0 for a row alone in its cluster                             (3)

Under a norm the sums are added up panel by panel, and no matrix is kept; other metrics go block by block.
"""

from typing import Any, Literal

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import column_or_1d

from novum import _core
from novum.base import domains
from novum.base.domains import Choice, Int, Null, RandomState
from novum.engines.search.index import distances_between, pieces
from novum.engines.search.metrics import form_of, usual_name
from novum.exceptions import DataError
from novum.runtime.pool import map_ordered
from novum.runtime.random import Stream, seed_of
from novum.runtime.threads import thread_count
from novum.runtime.typing import Metric, Numbers, Rows, Seed

__all__ = ["silhouette_samples", "silhouette_score"]

SETTINGS = {"divisor": Choice("others", "all"), "sample_size": Int(1) | Null(), "random_state": RandomState()}
QUERIES = 256  # rows that a thread takes at a time
BLOCK = 1 << 21  # distances of a metric without norm at a time


def checked_clusters(X: Any, labels: Any, metric: Any) -> tuple[Any, NDArray, NDArray]:
    """Return rows or distances, the code of every row and the size of every cluster; raise where there is nothing to compare."""
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], input_name="X")
    labels = column_or_1d(np.asarray(labels))
    check_consistent_length(X, labels)
    _, code, size = np.unique(labels, return_inverse=True, return_counts=True)
    if not 1 < len(size) < len(labels):
        raise DataError(
            f"Number of labels is {len(size)}. Valid values are 2 to n_samples - 1 (inclusive). A silhouette needs two clusters,"
            " and one with more than one row."
        )
    if isinstance(metric, str) and metric == "precomputed":
        if X.shape[0] != X.shape[1]:
            raise DataError(
                f"silhouette(metric='precomputed'): distances form a square matrix, not one of shape {X.shape}."
            )
        diagonal = X.diagonal()
        if (np.abs(diagonal) > 100 * np.finfo(X.dtype).eps).any():
            raise DataError(
                "The precomputed distance matrix contains non-zero elements on the diagonal. Use np.fill_diagonal(X, 0)."
            )
    return X, code, size


def norm_sums(X: NDArray, form: Any, order: NDArray, begin: NDArray, threads: int) -> NDArray:
    """Return the sums of distances from every row to every cluster under a norm."""
    rows = np.ascontiguousarray(form.changed(X)[order])
    out = np.empty((len(X), len(begin) - 1))

    def work(part: slice) -> None:
        _core.cluster.silhouette.cluster_sums(rows, form.p, form.squared, begin, part.start, part.stop, out[part])

    for _ in map_ordered(work, pieces(len(X), threads, QUERIES, 16), threads):
        pass
    back = np.empty_like(out)
    back[order] = out
    return back


def block_sums(X: Any, metric: Any, params: dict[str, Any], order: NDArray, begin: NDArray) -> NDArray:
    """Return the same for any metric, distances between sparse rows, and matrices of distances."""
    n = X.shape[0]
    out = np.empty((n, len(begin) - 1))
    X = X.astype(np.float64, copy=False)
    for part in pieces(n, 1, max(1, BLOCK // n)):
        if isinstance(metric, str) and metric == "precomputed":
            block = X[part].toarray() if scipy.sparse.issparse(X) else X[part]
        else:
            block = np.array(distances_between(X[part], X, usual_name(metric), params))
            own = np.arange(part.start, min(part.stop, n))
            block[own - part.start, own] = 0.0  # products of sparse rows leave rounding there
        out[part] = np.add.reduceat(block[:, order].astype(np.float64), begin[:-1], axis=1)
    return out


def silhouette_samples(
    X: Rows, labels: Numbers, *, metric: Metric = "euclidean", divisor: Literal["others", "all"] = "others", **kwds: Any
) -> NDArray:
    """Return the silhouette of every row.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows, or distances between them if metric="precomputed".
    labels : array-like of shape (n_samples,)
        The cluster of every row, by any name.
    metric : str or callable, default="euclidean"
        A name that scikit-learn knows, a function of two rows, or "precomputed".
    divisor : {"others", "all"}, default="others"
        What the distances to the own cluster are divided by: its other rows, or all of its rows.
    **kwds
        Parameters of the metric.

    Examples
    --------
    >>> from novum.cluster import silhouette_samples
    >>> silhouette_samples([[1], [2], [3], [8], [9], [10]], list("aaabbb")).round(4).tolist()
    [0.8125, 0.8571, 0.75, 0.75, 0.8571, 0.8125]
    """
    domains.check({"divisor": SETTINGS["divisor"]}, {"divisor": divisor}, "silhouette_samples")
    X, code, size = checked_clusters(X, labels, metric)
    order = np.argsort(code, kind="stable")
    begin = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
    form = None
    if isinstance(metric, str) and metric != "precomputed" and not scipy.sparse.issparse(X):
        form = form_of(metric, kwds, X)
    if form is not None and form.p >= 1:
        total = norm_sums(X, form, order, begin, thread_count(None))
    else:
        total = block_sums(X, metric, kwds, order, begin)
    rows = np.arange(len(code))
    own = total[rows, code]
    others = total / size
    others[rows, code] = np.inf
    b = others.min(axis=1)
    alone = size[code] == 1
    a = own / np.where(alone, 1, size[code] - (divisor == "others"))
    widest = np.maximum(a, b)
    with np.errstate(invalid="ignore", divide="ignore"):
        s = np.where(alone | (widest == 0), 0.0, (b - a) / widest)
    return s.astype(X.dtype, copy=False)


def silhouette_score(
    X: Rows,
    labels: Numbers,
    *,
    metric: Metric = "euclidean",
    sample_size: int | None = None,
    random_state: Seed = None,
    divisor: Literal["others", "all"] = "others",
    **kwds: Any,
) -> float:
    """Return the mean silhouette.

    Parameters
    ----------
    X, labels, metric, divisor, **kwds
        As in `silhouette_samples`.
    sample_size : int, default=None
        Rows to draw, without replacement; None takes all.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None

    Examples
    --------
    >>> from novum.cluster import silhouette_score
    >>> X, labels = [[1], [2], [3], [8], [9], [10]], list("aaabbb")
    >>> round(silhouette_score(X, labels), 6), round(silhouette_score(X, labels, divisor="all"), 6)
    (0.806548, 0.871032)
    """
    given = {"divisor": divisor, "sample_size": sample_size, "random_state": random_state}
    domains.check(SETTINGS, given, "silhouette_score")
    if sample_size is not None:
        X = check_array(X, accept_sparse=["csr", "csc"], input_name="X")
        X = X.tocsr() if scipy.sparse.issparse(X) else X
        labels = column_or_1d(np.asarray(labels))
        check_consistent_length(X, labels)
        keys = Stream(seed_of(random_state)).uniform("silhouette", 0, len(labels))
        chosen = np.argsort(keys)[:sample_size]
        labels = labels[chosen]
        X = X[chosen][:, chosen] if isinstance(metric, str) and metric == "precomputed" else X[chosen]
    return float(np.mean(silhouette_samples(X, labels, metric=metric, divisor=divisor, **kwds)))
