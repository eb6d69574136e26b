r"""DBSCAN: clusters are regions where rows are dense, of any shape; rows elsewhere are noise.

    core       i  if  sum of w_j over d(x_i, x_j) <= eps  is at least min_samples, itself included    (1)
    joined     cores within eps of each other are in one cluster                                      (2)
    border     a row within eps of a core belongs to the first cluster that has one there             (3)

Clusters are numbered by their first core. Under a norm, leaves of a k-d tree are compared in pairs: sums (1) end as soon as they
are large enough, and leaves that are known to be in one cluster are not compared at all. Other metrics go through lists
of neighbors.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import sort_graph_by_row_values

from novum import _core
from novum.base.domains import Domain, Int, Real
from novum.base.estimator import fits
from novum.cluster.labels import LabelModel
from novum.cluster.rows import rows_in_memory
from novum.engines.search.metrics import Form, form_of
from novum.exceptions import DataError
from novum.neighbors import NearestNeighbors
from novum.neighbors.base import COMMON_DOMAINS
from novum.neighbors.trees import KDTree
from novum.runtime import sklearn_private
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count
from novum.runtime.typing import Metric, Rows, RowWeights, Target
from novum.runtime.warn import warn

__all__ = ["DBSCAN", "dbscan"]

NOISE = -1
MOST_LISTED = 33  # neighbors that are remembered of a row while it may be no core
LEAVES = 64  # of the tree that a thread takes at a time


class DensityClusters(NamedTuple):
    labels: NDArray  # (n,)
    core: NDArray  # numbers of the core rows


def density_in_tree(
    X: NDArray, form: Form, eps: float, need: float, weight: NDArray | None, threads: int
) -> DensityClusters:
    """Return (1)-(3) under a norm."""
    kernels = _core.cluster.density
    rows = np.ascontiguousarray(form.changed(X), np.float64)
    tree = KDTree(rows, metric="minkowski", p=form.p)
    handle, places = tree._handle(), tree._index.ravel()
    leaves = len(tree._index)
    radius = float(form.radius(np.array([eps]))[0])
    core, label = np.zeros(len(places), np.uint8), np.empty(len(places), np.int64)
    parent, whole = np.arange(len(places)), np.zeros(leaves, np.uint8)
    placed = tree.placed(weight)
    parts = [(a, min(a + LEAVES, leaves)) for a in range(0, leaves, LEAVES)]

    def each(work: Any) -> None:
        for _ in map_ordered(lambda part: work(*part), parts, threads):
            pass

    listed = (
        need - 1 if weight is None and need <= MOST_LISTED else 0
    )  # a row that is no core has so many neighbors at most
    few = np.full((len(places), int(listed)), -1, np.int32)
    each(lambda a, b: kernels.find_cores(handle, eps=radius, need=need, weight=placed, a=a, b=b, core=core, few=few))
    each(lambda a, b: kernels.join_inside(handle, radius, core, parent, whole, a, b))
    each(lambda a, b: kernels.join_across(handle, radius, core, parent, whole, a, b))
    kernels.number_clusters(handle, core, parent, label)
    if listed:
        kernels.reach_listed(handle, core, few, label)
    elif need > 1 or weight is not None:
        each(lambda a, b: kernels.reach_borders(handle, radius, core, a, b, label))
    there = places < len(X)
    labels, is_core = np.empty(len(X), np.int64), np.empty(len(X), bool)
    labels[places[there]], is_core[places[there]] = label[there], core[there]
    return DensityClusters(labels, np.flatnonzero(is_core))


def density_in_graph(graph: Any, need: float, weight: NDArray | None) -> DensityClusters:
    """Return (1)-(3) from the graph that links every row to all within eps, itself among them."""
    n = graph.shape[0]
    w = np.ones(n) if weight is None else weight
    is_core = graph @ w >= need
    core = np.flatnonzero(is_core)
    labels = np.full(n, NOISE, np.int64)
    if len(core) == 0:
        return DensityClusters(labels, core)
    _, component = connected_components(graph[core][:, core], directed=False)
    _, first, code = np.unique(component, return_index=True, return_inverse=True)
    labels[core] = np.argsort(np.argsort(first))[code]
    reached = graph.tocsr()[:, core].tocoo()  # rows that have a core within eps
    border = ~is_core[reached.row]
    order = np.lexsort((-labels[core[reached.col[border]]], reached.row[border]))
    labels[reached.row[border][order]] = labels[core[reached.col[border][order]]]  # the last written is the lowest
    return DensityClusters(labels, core)


class DBSCAN(LabelModel):
    """Density-based clustering.

    Parameters
    ----------
    eps : float, default=0.5
        Rows at this distance or nearer are neighbors.
    min_samples : int, default=5
        Neighbors, itself included, or their weight, that make a row a core.
    metric : str, function or DistanceMetric, default="euclidean"
        A name that scikit-learn knows, a function of two rows, or "precomputed": then X holds distances.
    metric_params : dict, default=None
        Further parameters of the metric.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        For scikit-learn's sake: norms are searched in a k-d tree, all else row by row, with the same result.
    leaf_size : int, default=30
        For scikit-learn's sake.
    p : float, default=None
        Power of the Minkowski metric; None is 2.
    n_jobs : int, default=None
        Threads; None takes all that are allowed.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
        The cluster of every row; -1 is noise.
    core_sample_indices_ : array of shape (n_cores,)
    components_ : array of shape (n_cores, n_features)
        The core rows.

    Notes
    -----
    The labels are scikit-learn's: a border row between two clusters belongs to the one whose first core comes first. Weights
    may be negative: such a row keeps others from being cores.

    Examples
    --------
    >>> from novum.cluster import DBSCAN
    >>> DBSCAN(eps=3, min_samples=2).fit([[1, 2], [2, 2], [2, 3], [8, 7], [8, 8], [25, 80]]).labels_
    array([ 0,  0,  0,  1,  1, -1])
    """

    _domains: dict[str, Domain] = {
        **{name: COMMON_DOMAINS[name] for name in ("algorithm", "leaf_size", "metric", "metric_params", "n_jobs")},
        "eps": Real(0, open="low"),
        "min_samples": Int(1),
        "p": COMMON_DOMAINS["p"],
    }
    labels_: np.ndarray
    core_sample_indices_: np.ndarray
    components_: np.ndarray

    def __init__(
        self,
        eps: float = 0.5,
        *,
        min_samples: int = 5,
        metric: Metric = "euclidean",
        metric_params: Mapping[Any, Any] | None = None,
        algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
        leaf_size: int = 30,
        p: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.eps = eps
        self.min_samples = min_samples
        self.metric = metric
        self.metric_params = metric_params
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.n_jobs = n_jobs

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Find the clusters. Distances between all rows if metric="precomputed". A scan is read into memory batch by batch.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            What a row adds to the density around it; may be negative.
        """
        X, weight = rows_in_memory(self, X)
        if sample_weight is not None:
            weight = checked_weight(sample_weight, X)
        params = dict(self.metric_params or {})
        if self.metric == "minkowski" and self.p is not None:
            if "p" in params:
                warn(
                    "Parameter p is found in metric_params. The corresponding parameter from __init__ is ignored.",
                    SyntaxWarning,
                )
            params.setdefault("p", self.p)
        form = None
        if isinstance(self.metric, str) and self.metric != "precomputed" and not scipy.sparse.issparse(X):
            form = form_of(self.metric, params, X)
        need, threads = float(self.min_samples), thread_count(self.n_jobs)
        if form is not None and form.p >= 1:
            found = density_in_tree(X, form, float(self.eps), need, weight, threads)
        else:
            found = density_in_graph(self._neighbor_graph(X), need, weight)
        self.labels_, self.core_sample_indices_ = found
        self.components_ = X[found.core].copy() if len(found.core) else np.empty((0, X.shape[1]), X.dtype)
        return self

    def _neighbor_graph(self, X: Any) -> Any:
        """Return the graph of all pairs within eps, by any metric."""
        if self.metric == "precomputed" and scipy.sparse.issparse(X):
            X = X.copy()  # an entry that is not stored is no neighbor, but every row is its own
            X.setdiag(X.diagonal())
            X = sort_graph_by_row_values(X, copy=False, warn_when_not_sorted=False)
        search = NearestNeighbors(
            radius=self.eps,
            algorithm=self.algorithm,
            leaf_size=self.leaf_size,
            metric=self.metric,
            metric_params=self.metric_params,
            p=self.p,
            n_jobs=self.n_jobs,
        ).fit(X)
        return search.radius_neighbors_graph(X, self.eps, mode="connectivity")

    def fit_predict(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> NDArray:
        """Fit, and return the label of every row."""
        return self.fit(X, sample_weight=sample_weight).labels_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        tags.input_tags.sparse = True
        return tags


def checked_weight(sample_weight: Any, X: Any) -> NDArray:
    """Return weights of either sign, one per row."""
    rows = np.broadcast_to(np.float64(0), (X.shape[0], 1))
    weight = np.asarray(sklearn_private.check_sample_weight(sample_weight, rows, dtype=np.float64), np.float64)
    if not np.isfinite(weight).all():
        raise DataError(
            f"Input sample_weight contains NaN or infinity: DBSCAN was given {sample_weight!r:.80}. Give finite weights."
        )
    return weight


def dbscan(X: Rows, eps: float = 0.5, *, sample_weight: RowWeights = None, **options: Any) -> tuple[NDArray, NDArray]:
    """Return the numbers of the core rows and the labels of all rows: `DBSCAN` as a function, with its parameters.

    Examples
    --------
    >>> from novum.cluster import dbscan
    >>> dbscan([[0.0], [1.0], [9.0]], eps=1, min_samples=2)[1]
    array([ 0,  0, -1])
    """
    model = DBSCAN(eps, **options).fit(X, sample_weight=sample_weight)
    return model.core_sample_indices_, model.labels_
