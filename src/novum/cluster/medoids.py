r"""k-medoids: k-means for any dissimilarity; every cluster is stood for by one of its rows.

    J(m, z) = sum_i w_i V(x_i, x_{m_{z_i}})                                                           (1)

"fasterpam" swaps a medoid and a row whenever that lowers J, until no swap does: every swap of one for one is then no gain.
"alternate" is k-means word for word: rows go to their nearest medoid, and the medoid of a cluster becomes the row with

    m_j = argmin over its rows c of  sum_{i: z_i = j} w_i V(x_i, x_c)                                 (2)

which ends sooner and higher. Both need all dissimilarities in memory. Kernel: cpp/include/novum/cluster/medoids.h.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.utils import check_array

from novum import _core
from novum.base.domains import ArrayLike, Choice, Domain, Function, Instance, Int, Null, RandomState
from novum.base.estimator import Estimator, fits
from novum.base.sklearn_base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from novum.cluster.hierarchy.merges import check_memory, square_distances
from novum.cluster.rows import checked_square, is_symmetric, rows_in_memory, warn_of_few_clusters
from novum.engines.search.metrics import VALID_METRICS
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.fold.blocks import Block
from novum.neighbors import pairwise_distances
from novum.runtime import arrays
from novum.runtime.random import Stream, seed_of
from novum.runtime.threads import thread_count
from novum.runtime.typing import Metric, Numbers, Rows, RowWeights, Seed, Target
from novum.runtime.warn import warn

__all__ = ["KMedoids"]

METRICS = sorted({*VALID_METRICS["brute"], *VALID_METRICS["ball_tree"], "precomputed"})


class Swapped(NamedTuple):
    medoid: NDArray  # (k,)
    label: NDArray  # (n,)
    loss: float
    rounds: int
    converged: bool


def start_medoids(matrix: NDArray, weight: NDArray | None, k: int, init: Any, stream: Stream, run: int) -> NDArray:
    """Return k different rows to start from."""
    n = len(matrix)
    if not isinstance(init, str):
        return np.array(init, dtype=np.int64)
    if init == "build":
        medoid = np.empty(k, np.int64)
        _core.cluster.medoids.build_medoids(matrix, weight, medoid)
        return medoid
    if init == "random":
        keys = stream.keys("medoids", run, range(n), weight)
        return np.argsort(keys, kind="stable")[:k].astype(np.int64)
    # rows far apart: drawn by their distance to the nearest one drawn before
    draws = stream.uniform("medoids++", run, k)
    w = np.ones(n) if weight is None else weight
    nearest = np.ones(n)
    chosen: list[int] = []
    for draw in draws:
        mass = w * nearest
        mass[chosen] = 0.0
        if mass.sum() <= 0:
            mass = np.ones(n)
            mass[chosen] = 0.0
        cumulative = np.cumsum(mass)
        c = int(min(np.searchsorted(cumulative, draw * cumulative[-1], side="right"), np.flatnonzero(mass)[-1]))
        nearest = matrix[c].astype(np.float64) if not chosen else np.minimum(nearest, matrix[c])
        chosen.append(c)
    return np.array(chosen, dtype=np.int64)


def swap(matrix: NDArray, weight: NDArray | None, medoid: NDArray, max_iter: int) -> Swapped:
    """Return a minimum of (1) that no swap of one medoid improves."""
    medoid, label = medoid.copy(), np.empty(len(matrix), np.int64)
    loss, rounds, _, converged = _core.cluster.medoids.faster_pam(matrix, weight, medoid, max_iter, label)
    return Swapped(medoid, label, loss, rounds, converged)


def alternate(matrix: NDArray, weight: NDArray | None, medoid: NDArray, max_iter: int) -> Swapped:
    """Return what assignments and (2) in turn come to."""
    w = np.ones(len(matrix)) if weight is None else weight
    rounds, converged = 0, False
    while not converged and rounds < max_iter:
        rounds += 1
        label = np.argmin(matrix[:, medoid], axis=1)
        label[medoid] = np.arange(len(medoid))
        moved = medoid.copy()
        for j in range(len(medoid)):
            rows = np.flatnonzero(label == j)
            cost = w[rows] @ matrix[np.ix_(rows, rows)].astype(np.float64)
            best = int(np.argmin(cost))
            if cost[best] < cost[np.searchsorted(rows, medoid[j])]:
                moved[j] = rows[best]
        converged, medoid = np.array_equal(moved, medoid), moved
    label = np.argmin(matrix[:, medoid], axis=1)
    label[medoid] = np.arange(len(medoid))
    loss = float(w @ matrix[np.arange(len(matrix)), medoid[label]].astype(np.float64))
    return Swapped(medoid, label, loss, rounds, converged)


def distances_of_block(model: Any, block: Block) -> NDArray:
    """Return the dissimilarities of the rows of a block to the medoids of a model."""
    return model._to_medoids(arrays.to_numpy(block.X) if not scipy.sparse.issparse(block.X) else block.X)


def labels_of_block(model: Any, block: Block) -> NDArray:
    """Return the nearest medoid of every row of a block."""
    return np.argmin(distances_of_block(model, block), axis=1)


class KMedoids(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Estimator):
    """k-medoids clustering, for any dissimilarity.

    Parameters
    ----------
    n_clusters : int, default=8
    metric : str or callable, default="euclidean"
        A name that scikit-learn knows, a function of two rows, or "precomputed": then X holds symmetric dissimilarities.
    metric_params : dict, default=None
        Further parameters of the metric.
    method : {"fasterpam", "alternate"}, default="fasterpam"
        Swaps until none helps, or assignments and medoids in turn as in k-means.
    init : {"k-medoids++", "build", "random"} or array-like of int, default="k-medoids++"
        Rows drawn far apart, chosen one after the other as the best, drawn at random, or given by their numbers.
    n_init : int, default=1
        Starts to try; the best is kept.
    max_iter : int, default=300
        Most rounds over all rows.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
    n_jobs : int, default=None
        Threads for the dissimilarities; None takes all that are allowed.

    Attributes
    ----------
    medoid_indices_ : array of shape (n_clusters,)
        The rows that stand for the clusters.
    cluster_centers_ : array of shape (n_clusters, n_features)
        These rows; None for precomputed dissimilarities.
    labels_ : array of shape (n_samples,)
    inertia_ : float
        J of (1): the sum of the dissimilarities to the medoids.
    n_iter_ : int

    Examples
    --------
    >>> from novum.cluster import KMedoids
    >>> model = KMedoids(2, metric="manhattan", random_state=0).fit([[1.0], [2], [3], [20], [21], [400]])
    >>> model.cluster_centers_.ravel().tolist(), model.inertia_
    ([3.0, 400.0], 38.0)
    """

    _squares_rows = True
    _domains: dict[str, Domain] = {
        "n_clusters": Int(1),
        "metric": Choice(*METRICS) | Function(),
        "metric_params": Instance(dict) | Null(),
        "method": Choice("fasterpam", "alternate"),
        "init": Choice("k-medoids++", "build", "random") | ArrayLike(),
        "n_init": Int(1),
        "max_iter": Int(1),
        "random_state": RandomState(),
        "n_jobs": Int() | Null(),
    }
    medoid_indices_: np.ndarray
    cluster_centers_: Any  # None of dissimilarities, which have no coordinates
    labels_: np.ndarray
    inertia_: float
    n_iter_: int

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: Metric = "euclidean",
        metric_params: Mapping[Any, Any] | None = None,
        method: Literal["fasterpam", "alternate"] = "fasterpam",
        init: Literal["k-medoids++", "build", "random"] | Numbers = "k-medoids++",
        n_init: int = 1,
        max_iter: int = 300,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.metric_params = metric_params
        self.method = method
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Find the medoids. Dissimilarities between all rows if metric="precomputed". A scan is read into memory.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        X, weight = rows_in_memory(self, X, sample_weight)
        n, k = X.shape[0], self.n_clusters
        if n < k:
            raise DataError(f"n_samples={n} should be >= n_clusters={k}. Give KMedoids more rows or fewer clusters.")
        rows, used = X, None
        if weight is not None and not (weight > 0).all():  # what has no weight is absent, and gets its label afterwards
            used = np.flatnonzero(weight > 0)
            rows, weight = X[used], weight[used]
            if self._precomputed():
                rows = rows[:, used]
        n = rows.shape[0]
        if n < k:
            raise DataError(f"n_samples={n} should be >= n_clusters={k}: so many rows given to KMedoids have a weight.")
        matrix = self._matrix(rows)
        init = self.init if isinstance(self.init, str) else self._given(n)
        stream = Stream(seed_of(self.random_state))
        improve = swap if self.method == "fasterpam" else alternate
        runs = 1 if not isinstance(init, str) or init == "build" else self.n_init
        best: Swapped | None = None
        for run in range(runs):
            found = improve(matrix, weight, start_medoids(matrix, weight, k, init, stream, run), self.max_iter)
            if best is None or found.loss < best.loss:
                best = found
        assert best is not None
        if not best.converged:
            warn(
                f"KMedoids: medoids still moved after max_iter={self.max_iter} rounds; raise max_iter.",
                NotConverged,
            )
        apart = matrix[np.ix_(best.medoid, best.medoid)] > 0
        warn_of_few_clusters(int((np.triu(~apart, 1).sum(axis=0) == 0).sum()), k)
        order = np.argsort(best.medoid)
        self.medoid_indices_ = best.medoid[order] if used is None else used[best.medoid[order]]
        self.inertia_, self.n_iter_, self._n_features_out = best.loss, best.rounds, k
        self.cluster_centers_ = None if self._precomputed() else X[self.medoid_indices_].copy()
        labels = np.argsort(order)[best.label]
        if used is not None:
            some, labels = labels, np.argmin(self._to_medoids(X), axis=1)
            labels[used] = some
        self.labels_ = labels
        return self

    def _precomputed(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def _matrix(self, X: Any) -> NDArray:
        """Return the dissimilarities between all rows."""
        if self._precomputed():
            matrix = checked_square(X.toarray() if scipy.sparse.issparse(X) else X, "KMedoids")
            if (matrix < 0).any():
                raise DataError("Negative values in data passed to KMedoids: dissimilarities are zero or more.")
            if not is_symmetric(matrix):
                raise DataError("KMedoids(metric='precomputed'): the matrix is not symmetric; give (D + D.T) / 2.")
            return np.ascontiguousarray(matrix)
        check_memory(X.shape[0], "KMedoids", "cluster by KMeans")
        params = dict(self.metric_params or {})
        if scipy.sparse.issparse(X):
            return np.ascontiguousarray(pairwise_distances(X, metric=self.metric, n_jobs=self.n_jobs, **params))
        return square_distances(X, self.metric, params, thread_count(self.n_jobs))

    def _given(self, n: int) -> NDArray:
        """Return the rows that `init` names; raise where they are none."""
        medoid = check_array(self.init, ensure_2d=False, dtype=None, input_name="init")
        if medoid.dtype.kind not in "iu" or medoid.shape != (self.n_clusters,) or len(np.unique(medoid)) < len(medoid):
            raise ParameterError(
                f"KMedoids(init=...): give the numbers of {self.n_clusters} different rows, not an array of shape {medoid.shape}"
                f" and type {medoid.dtype}."
            )
        if medoid.min() < 0 or medoid.max() >= n:
            raise ParameterError(
                f"KMedoids(init=...): rows are numbered 0 to {n - 1}, got {medoid.min()} to {medoid.max()}."
            )
        return medoid

    def transform(self, X: Rows) -> NDArray:
        """Return the dissimilarity of every row to every medoid; with metric="precomputed", X holds those to the rows of `fit`.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_clusters)
        """
        return self._rows(X, distances_of_block, self)

    def _to_medoids(self, rows: Any) -> NDArray:
        """Return the dissimilarities of checked rows to the medoids."""
        if self._precomputed():
            out = rows[:, self.medoid_indices_]
            return out.toarray() if scipy.sparse.issparse(out) else out
        params = dict(self.metric_params or {})
        return pairwise_distances(rows, self.cluster_centers_, metric=self.metric, **params)

    def predict(self, X: Rows) -> NDArray:
        """Return the nearest medoid of every row, the first of equals.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        return self._rows(X, labels_of_block, self)

    def fit_predict(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> NDArray:
        """Fit, and return the label of every row."""
        return self.fit(X, sample_weight=sample_weight).labels_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed()
        tags.input_tags.sparse = True
        return tags
