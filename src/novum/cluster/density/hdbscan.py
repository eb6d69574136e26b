r"""HDBSCAN: DBSCAN for all radii at once, and the clusters that last longest.

    core distance   k_i = distance to the min_samples-th nearest row, itself included                 (1)
    reachability    m_ij = max(k_i, k_j, d_ij / alpha)                                                (2)

The least spanning tree of (2) is the tree of single linkage, from which small clusters are taken out (`condensed`).
"""

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from novum.base.domains import Bool, Choice, Domain, Function, Instance, Int, Null, Real
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.base.validation import home_of
from novum.cluster.density.condensed import condense, labels_and_strengths, selected_clusters
from novum.cluster.density.reachability_trees import (
    MISSING,
    NOISE,
    Usable,
    tree_of_graph,
    tree_of_matrix,
    tree_of_rows,
    usable_rows,
    with_others,
)
from novum.cluster.hierarchy.cuts import cut_where
from novum.cluster.hierarchy.merges import Merged, square_distances
from novum.cluster.labels import LabelModel
from novum.cluster.rows import check_reach, rows_in_memory
from novum.engines.search.metrics import TREE_METRICS, VALID_METRICS, form_of
from novum.exceptions import DataError, DataWarning, ParameterError
from novum.neighbors import pairwise_distances
from novum.runtime.threads import thread_count
from novum.runtime.typing import Metric, Rows, Target
from novum.runtime.warn import warn

__all__ = ["HDBSCAN"]

METRICS = sorted({*VALID_METRICS["brute"], *VALID_METRICS["ball_tree"], "precomputed"})


class HDBSCAN(LabelModel):
    """Hierarchical density-based clustering.

    Parameters
    ----------
    min_cluster_size : int, default=5
        Fewer rows are no cluster.
    min_samples : int, default=None
        Which neighbor gives the core distance of a row, itself counted; None is `min_cluster_size`.
    cluster_selection_epsilon : float, default=0.0
        Clusters that split at a smaller distance are merged.
    max_cluster_size : int, default=None
        More rows are split further, by "eom".
    metric : str or callable, default="euclidean"
        A name that scikit-learn knows, a function of two rows, or "precomputed": then X holds distances.
    metric_params : dict, default=None
        Further parameters of the metric.
    alpha : float, default=1.0
        Distances are divided by it.
    algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default="auto"
        "brute" computes all distances; the others search a k-d tree where the metric is a norm.
    leaf_size : int, default=40
        For scikit-learn's sake.
    n_jobs : int, default=None
        Threads; None takes all that are allowed.
    cluster_selection_method : {"eom", "leaf"}, default="eom"
        Keep the clusters with the largest excess of mass, or the leaves of the tree.
    allow_single_cluster : bool, default=False
    store_centers : {"centroid", "medoid", "both"}, default=None
        Which centers of clusters to keep.
    copy : bool, default=True
        For scikit-learn's sake: X is never changed.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
        -1 is noise; -2 a row with infinity, -3 one with NaN.
    probabilities_ : array of shape (n_samples,)
        How strongly a row belongs to its cluster; NaN where cells are missing.
    centroids_, medoids_ : array of shape (n_clusters, n_features)
        As `store_centers` says.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.cluster import HDBSCAN
    >>> X = np.concatenate([np.linspace(0, 1, 10), np.linspace(5, 6, 10), [20.0]])[:, None]
    >>> HDBSCAN().fit(X).labels_.tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1]
    """

    _domains: dict[str, Domain] = {
        "min_cluster_size": Int(2),
        "min_samples": Int(1) | Null(),
        "cluster_selection_epsilon": Real(0),
        "max_cluster_size": Int(1) | Null(),
        "metric": Choice(*METRICS) | Function(),
        "metric_params": Instance(dict) | Null(),
        "alpha": Real(0, open="low"),
        "algorithm": Choice("auto", "brute", "kd_tree", "ball_tree"),
        "leaf_size": Int(1),
        "n_jobs": Int() | Null(),
        "cluster_selection_method": Choice("eom", "leaf"),
        "allow_single_cluster": Bool(),
        "store_centers": Choice("centroid", "medoid", "both") | Null(),
        "copy": Bool(),
    }
    labels_: np.ndarray
    probabilities_: np.ndarray
    centroids_: np.ndarray
    medoids_: np.ndarray

    def __init__(
        self,
        min_cluster_size: int = 5,
        min_samples: int | None = None,
        cluster_selection_epsilon: float = 0.0,
        max_cluster_size: int | None = None,
        metric: Metric = "euclidean",
        metric_params: Mapping[Any, Any] | None = None,
        alpha: float = 1.0,
        algorithm: Literal["auto", "brute", "kd_tree", "ball_tree"] = "auto",
        leaf_size: int = 40,
        n_jobs: int | None = None,
        cluster_selection_method: Literal["eom", "leaf"] = "eom",
        allow_single_cluster: bool = False,
        store_centers: Literal["centroid", "medoid", "both"] | None = None,
        copy: bool = True,
    ) -> None:
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.max_cluster_size = max_cluster_size
        self.metric = metric
        self.metric_params = metric_params
        self.alpha = alpha
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.n_jobs = n_jobs
        self.cluster_selection_method = cluster_selection_method
        self.allow_single_cluster = allow_single_cluster
        self.store_centers = store_centers
        self.copy = copy

    @fits
    def fit(self, X: Rows, y: Target = None) -> Self:
        """Find the clusters. Rows with NaN or infinity are in none. Distances between all rows if metric="precomputed".

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        """
        precomputed = isinstance(self.metric, str) and self.metric == "precomputed"
        if precomputed and self.store_centers is not None:
            raise ParameterError(
                "Cannot store centers when using a precomputed distance matrix. Leave store_centers of HDBSCAN at None."
            )
        self._check_algorithm()
        X = self._read(X, precomputed)
        usable = usable_rows(X) if not precomputed else Usable(X, np.arange(X.shape[0]), np.full(X.shape[0], NOISE))
        n = usable.X.shape[0]
        if n < 2:
            raise DataError(f"n_samples={n} while HDBSCAN requires more than one sample: give more rows without gaps.")
        k = self.min_cluster_size if self.min_samples is None else self.min_samples
        if k > n:
            raise ParameterError(
                f"min_samples ({k}) must be at most the number of samples in X ({n}). Give HDBSCAN more rows, or a smaller"
                " min_samples or min_cluster_size."
            )
        if not precomputed:
            check_reach(usable.X, "HDBSCAN")
        tree = self._tree(usable.X, k, precomputed)
        condensed = condense(tree, self.min_cluster_size)
        options: dict[str, Any] = {"single": self.allow_single_cluster, "epsilon": self.cluster_selection_epsilon}
        kept = selected_clusters(condensed, self.cluster_selection_method, most=self.max_cluster_size, **options)
        labels, strength = labels_and_strengths(condensed, kept, **options)
        self.labels_, self.probabilities_ = usable.labels.copy(), np.zeros(len(usable.labels))
        self.labels_[usable.row], self.probabilities_[usable.row] = labels, strength
        self.probabilities_[usable.labels == MISSING] = np.nan
        whole = with_others(tree, usable)
        self._children, self._height, self._size = whole
        if self.store_centers:
            self._keep_centers(usable.X, labels, strength)
        return self

    def _check_algorithm(self) -> None:
        """Raise where the metric is none for the tree that was requested."""
        if self.algorithm in ("kd_tree", "ball_tree") and self.metric not in TREE_METRICS[self.algorithm]:
            kind = "KDTree" if self.algorithm == "kd_tree" else "BallTree"
            raise ParameterError(
                f"{self.metric} is not a valid metric for a {kind}-based algorithm. Please select a different metric. HDBSCAN with"
                " algorithm='brute' takes every metric."
            )

    def _read(self, X: Any, precomputed: bool) -> Any:
        """Return rows or distances after every check; gaps are allowed where they make sense."""
        if home_of(X) != "memory" or hasattr(X, "total"):
            return rows_in_memory(self, X)[0]
        X = validate_data(
            self,
            X,
            accept_sparse=["csr", "lil"],
            dtype=np.float64,
            ensure_all_finite=precomputed and scipy.sparse.issparse(X),
        )
        X = X.tocsr() if scipy.sparse.issparse(X) else X
        if not precomputed:
            return X
        if not scipy.sparse.issparse(X) and np.isnan(X).any():
            raise DataError(
                "np.nan values found in precomputed-dense: HDBSCAN takes np.inf for distances that are missing."
            )
        if X.shape[0] != X.shape[1]:
            raise DataError(
                f"The precomputed distance matrix is expected to be symmetric, however it has shape {X.shape}. Please verify that"
                " the distance matrix was constructed correctly."
            )
        apart = abs(X - X.T) if scipy.sparse.issparse(X) else None
        symmetric = apart.max() <= 1e-7 * abs(X).max() if apart is not None else np.allclose(X, X.T)
        if not symmetric:
            raise DataError(
                "The precomputed distance matrix is expected to be symmetric, however its values appear to be asymmetric. Please"
                " verify that the distance matrix was constructed correctly."
            )
        return X

    def _tree(self, X: Any, k: int, precomputed: bool) -> Merged:
        """Return the tree of single linkage of (2)."""
        params, threads = dict(self.metric_params or {}), thread_count(self.n_jobs)
        if self.algorithm in ("kd_tree", "ball_tree") and scipy.sparse.issparse(X):
            raise ParameterError(
                "Sparse data matrices only support algorithm `brute`. Set it, or leave HDBSCAN's at 'auto'."
            )
        if precomputed and scipy.sparse.issparse(X):
            return tree_of_graph(X / self.alpha, k, float(params.get("max_distance", 0.0)))
        if precomputed:
            tree = tree_of_matrix(np.array(X / self.alpha, dtype=np.float64, order="C"), k)
            if np.isinf(tree.height).any():
                warn(
                    "The minimum spanning tree contains edge weights with value infinity. Potentially, you are missing too many"
                    " distances in the initial distance matrix for the given neighborhood size.",
                    DataWarning,
                )
            return tree
        form = None
        if isinstance(self.metric, str) and not scipy.sparse.issparse(X):
            form = form_of(self.metric, params, X)
        if form is not None and form.p >= 1 and not form.squared and self.algorithm != "brute":
            return tree_of_rows(X, form, k, self.alpha, threads)
        if scipy.sparse.issparse(X):
            matrix = np.array(pairwise_distances(X, metric=self.metric, n_jobs=self.n_jobs, **params), np.float64)
        else:
            matrix = square_distances(X, self.metric, params, threads)
        return tree_of_matrix(np.divide(matrix, self.alpha, out=matrix), k)

    def _keep_centers(self, X: Any, labels: NDArray, strength: NDArray) -> None:
        """Compute the centers that were requested, weighted by strength."""
        centroids, medoids = [], []
        for c in range(labels.max(initial=-1) + 1):
            rows, weight = X[labels == c], strength[labels == c]
            if self.store_centers in ("centroid", "both"):
                centroids.append(np.average(rows, weights=weight, axis=0))
            if self.store_centers in ("medoid", "both"):
                distance = pairwise_distances(rows, metric=self.metric, **(self.metric_params or {}))
                medoids.append(rows[np.argmin(distance @ weight)])
        shape = (-1, X.shape[1])
        if self.store_centers in ("centroid", "both"):
            self.centroids_ = np.array(centroids, np.float64).reshape(shape)
        if self.store_centers in ("medoid", "both"):
            self.medoids_ = np.array(medoids, np.float64).reshape(shape)

    @property
    def _single_linkage_tree_(self) -> NDArray:
        """The tree under scikit-learn's name and in its form."""
        check_is_fitted(self)
        names = {"left_node": np.intp, "right_node": np.intp, "value": np.float64, "cluster_size": np.intp}
        columns = (*self._children.T, self._height, self._size)
        return np.rec.fromarrays(columns, dtype=list(names.items())).view(np.ndarray)

    def dbscan_clustering(self, cut_distance: float, min_cluster_size: int = 5) -> NDArray:
        """Return the clusters of DBSCAN without border rows at one radius, noise where they are small.

        Parameters
        ----------
        cut_distance : float
            Merges at this reachability or above are undone.
        min_cluster_size : int, default=5
            Fewer rows are noise.
        """
        check_is_fitted(self)
        code = cut_where(self._children, len(self.labels_), self._height < cut_distance)
        large = np.bincount(code) >= min_cluster_size
        labels = np.where(large[code], (np.cumsum(large) - 1)[code], NOISE)
        special = self.labels_ < NOISE
        labels[special] = self.labels_[special]
        return labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = not (isinstance(self.metric, str) and self.metric == "precomputed")
        return tags
