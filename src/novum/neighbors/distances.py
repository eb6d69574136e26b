r"""Distances between rows, and whether a function of two rows is a metric.

    euclidean     sqrt(sum (x_i - y_i)^2)                                                          (1)
    minkowski     (sum |x_i - y_i|^p)^(1/p), p >= 1; p = 1 manhattan, p = inf chebyshev            (2)
    mahalanobis   sqrt((x - y)' VI (x - y)), VI the inverse of a covariance                        (3)
    cosine        1 - x.y / (|x| |y|)                                                              (4)

A metric is zero between equal rows only, symmetric, and obeys d(x, z) <= d(x, y) + d(y, z); (4) does not, nor does (2) with p < 1.
"""

from typing import Any

import numpy as np
import scipy.sparse
from scipy.spatial.distance import cdist
from sklearn.metrics import DistanceMetric
from sklearn.utils import check_array

from novum import _core
from novum.engines.search.index import alike, distances_between, pieces
from novum.engines.search.metrics import VALID_METRICS, form_of, usual_name
from novum.exceptions import DataError, ParameterError
from novum.runtime.checks import is_true
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count
from novum.runtime.typing import Metric, Rows

__all__ = ["pairwise_distances"]


def pairwise_distances(
    X: Rows,
    Y: Rows | None = None,
    metric: Metric = "euclidean",
    *,
    n_jobs: int | None = None,
    ensure_all_finite: bool = True,
    **kwds: Any,
) -> Any:
    """Return the distances between the rows of X and those of Y.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, n_features)
    Y : array-like or sparse matrix of shape (m, n_features), default=None
        None takes X.
    metric : str, function or DistanceMetric, default="euclidean"
        A name that scikit-learn knows, a function of two rows, or "precomputed": then X is returned after checks.
    n_jobs : int, default=None
        Threads; None takes all that are allowed.
    ensure_all_finite : bool or "allow-nan", default=True
        As in scikit-learn.
    **kwds
        Of the metric: p, w, V, VI. V and VI come from the rows where they are not given.

    Returns
    -------
    array of shape (n, m)
        Norms are computed from differences, so that near rows keep their digits.

    Examples
    --------
    >>> from novum.neighbors import pairwise_distances
    >>> pairwise_distances([[0.0, 0.0]], [[3.0, 4.0]])
    array([[5.]])
    >>> [float(pairwise_distances([[0.0, 0.0]], [[3.0, 4.0]], "minkowski", p=p)[0, 0].round(6)) for p in (1, 3)]
    [7.0, 4.497941]
    """
    known = {*VALID_METRICS["brute"], *VALID_METRICS["ball_tree"], "precomputed"}
    if not callable(metric) and not isinstance(metric, DistanceMetric) and metric not in known:
        raise ParameterError(
            f"Unknown metric {metric}. Valid metrics are {sorted(known)}, or 'precomputed', or a callable: pairwise_distances got"
            f" metric={metric!r}."
        )
    allow = "allow-nan" if metric == "nan_euclidean" and is_true(ensure_all_finite) else ensure_all_finite
    options: dict[str, Any] = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "ensure_all_finite": allow}
    X = check_array(X, input_name="X", **options)
    Y = X if Y is None else check_array(Y, input_name="Y", **options)
    if metric == "precomputed":
        if X is not Y and X.shape[1] != Y.shape[0]:
            raise DataError(
                f"Precomputed metric requires shape (n_queries, n_indexed). Got {X.shape} for {Y.shape[0]} indexed."
            )
        return X
    if X.shape[1] != Y.shape[1]:
        raise DataError(
            f"Incompatible dimension for X and Y matrices: X.shape[1] == {X.shape[1]} while Y.shape[1] == {Y.shape[1]}"
        )
    sparse = scipy.sparse.issparse(X) or scipy.sparse.issparse(Y)
    form = None
    if not sparse and isinstance(metric, str):
        rows = X if X is Y or usual_name(metric) not in ("seuclidean", "mahalanobis") else np.concatenate([X, Y])
        form = form_of(metric, kwds, rows)
    if form is not None and form.p < 1:
        raise ParameterError(
            f"pairwise_distances: p={form.p:g} of the Minkowski metric must be 1 or more; below, the triangle inequality fails."
        )
    out = np.empty((X.shape[0], Y.shape[0]))
    threads = 1 if callable(metric) else thread_count(n_jobs)
    if form is None:
        name = usual_name(metric)

        def work(part: Any) -> None:
            if (
                name == "braycurtis"
            ):  # SciPy's, as scikit-learn's function has it; its search trees divide by other sums
                out[part] = cdist(X[part], Y, name, **kwds)
            else:
                out[part] = distances_between(X[part], Y, name, kwds)
    else:
        left, right = alike(form.changed(X), form.changed(Y))
        norm = form

        def work(part: Any) -> None:
            _core.search.neighbors.distances(left[part], right, norm.p, out[part])
            norm.back(out[part])

    for _ in map_ordered(work, pieces(X.shape[0], threads, 1024, 16), threads):
        pass
    return out.astype(np.float32) if X.dtype == Y.dtype == np.float32 else out
