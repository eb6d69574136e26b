r"""Bottom-up clustering: every row begins as a cluster, the closest two merge until enough are left.

Which are closest: `merges` (1)-(4), along the edges of a graph if one is given (`constrained`). How the tree is cut:
`cuts` (1), (2). Greedy: a merge is never undone, so the clusters minimise nothing as a whole.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array
from sklearn.utils.validation import check_memory

from novum.base.domains import ArrayLike, Bool, Choice, Domain, Function, Instance, Int, Methods, Null, Real
from novum.base.estimator import fits
from novum.cluster.hierarchy.constrained import constrained_merges, linked_graph
from novum.cluster.hierarchy.cuts import cut_by_number, labels_below
from novum.cluster.hierarchy.merges import METHODS, Merged, matrix_merges, row_merges
from novum.cluster.labels import LabelModel
from novum.cluster.rows import checked_square, is_symmetric, rows_in_memory
from novum.engines.search.metrics import VALID_METRICS, usual_name
from novum.exceptions import DataError, DataWarning, ParameterError
from novum.runtime.threads import thread_count
from novum.runtime.typing import HasArray, HasShape, Metric, Rows, Target
from novum.runtime.warn import warn

__all__ = ["AgglomerativeClustering", "ward_tree"]

METRICS = sorted({*VALID_METRICS["brute"], *VALID_METRICS["ball_tree"], "precomputed"})
MANY_CLUSTERS, CLUSTER_SHARE = 100, 0.02  # scikit-learn's: from here on a tree that stops early is worth it


def check_directions(X: NDArray, metric: Any) -> None:
    """Raise where the cosine of a row is not defined."""
    if isinstance(metric, str) and metric == "cosine" and not np.any(X, axis=1).all():
        raise DataError(
            "Cosine affinity cannot be used when X contains zero vectors. Leave those rows out, or take another metric."
        )


def grow_tree(X: NDArray, graph: Any, linkage: str, metric: Any, stop: int, owner: str) -> tuple[Merged, int]:
    """Return the tree of rows or of a matrix of distances, and the number of components of the graph."""
    if graph is not None:
        linked, components = linked_graph(graph, X, metric, owner)
        return constrained_merges(X, linked, linkage, metric, stop, owner), components
    precomputed = isinstance(metric, str) and metric == "precomputed"
    if precomputed or callable(metric):
        matrix = X if precomputed else np.asarray(metric(X))
        matrix = checked_square(np.array(matrix, dtype=np.float64, order="C"), owner)
        if not is_symmetric(matrix):
            warn(
                f"{owner}: the matrix of distances is not symmetric, and only what lies above its diagonal is looked at; give"
                " (D + D.T) / 2.",
                DataWarning,
            )
        upper = np.triu(matrix, 1)  # as SciPy
        return matrix_merges(upper + upper.T, linkage), 1
    return row_merges(X, linkage, metric, None, thread_count(None), owner), 1


class AgglomerativeClustering(LabelModel):
    """Bottom-up hierarchical clustering.

    Parameters
    ----------
    n_clusters : int or None, default=2
        Clusters to find; None if `distance_threshold` is given.
    metric : str or callable, default="euclidean"
        A name that scikit-learn knows, "precomputed" for a matrix of distances, or a function that makes one of all rows.
    memory : str or joblib.Memory, default=None
        Where to keep the tree between fits.
    connectivity : array-like, sparse matrix or callable, default=None
        Which rows are neighbors: only neighboring clusters merge. A callable makes it of X.
    compute_full_tree : bool or "auto", default="auto"
        Whether merges go on below `n_clusters`; matters only with a connectivity.
    linkage : {"ward", "complete", "average", "single", "weighted", "centroid", "median"}, default="ward"
        The distance between clusters. The last three need `connectivity=None`.
    distance_threshold : float, default=None
        Merges at this height or above are not made.
    compute_distances : bool, default=False
        Whether `distances_` is kept without a threshold, as `plot_dendrogram` needs it.

    Attributes
    ----------
    n_clusters_ : int
    labels_ : array of shape (n_samples,)
    n_leaves_ : int
        Rows.
    n_connected_components_ : int
        Components of the connectivity, before they were linked.
    children_ : array of shape (n_merges, 2)
        The two clusters of every merge; merge i makes cluster n_samples + i.
    distances_ : array of shape (n_merges,)
        Heights of the merges.

    Notes
    -----
    Ward's and single linkage need memory for the rows alone, the others for a matrix of distances.

    Examples
    --------
    >>> from novum.cluster import AgglomerativeClustering
    >>> X = [[0.0], [1.0], [3.0], [6.0], [10.0]]
    >>> AgglomerativeClustering(linkage="average").fit(X).labels_
    array([1, 1, 1, 0, 0])
    """

    _domains: dict[str, Domain] = {
        "n_clusters": Int(1) | Null(),
        "metric": Choice(*METRICS) | Function(),
        "memory": Instance(str) | Methods("cache") | Null(),
        "connectivity": ArrayLike() | Methods("tocsr") | Function() | Null(),
        "compute_full_tree": Choice("auto") | Bool(),
        "linkage": Choice(*METHODS),
        "distance_threshold": Real(0) | Null(),
        "compute_distances": Bool(),
    }
    n_clusters_: int
    labels_: np.ndarray
    n_leaves_: int
    n_connected_components_: int
    children_: np.ndarray
    distances_: np.ndarray

    def __init__(
        self,
        n_clusters: int | None = 2,
        *,
        metric: Metric = "euclidean",
        memory: Any = None,
        connectivity: HasShape | HasArray | Sequence[Any] | Callable[..., Any] | None = None,
        compute_full_tree: Literal["auto"] | bool = "auto",
        linkage: Literal["single", "complete", "average", "weighted", "ward", "centroid", "median"] = "ward",
        distance_threshold: float | None = None,
        compute_distances: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.memory = memory
        self.connectivity = connectivity
        self.compute_full_tree = compute_full_tree
        self.linkage = linkage
        self.distance_threshold = distance_threshold
        self.compute_distances = compute_distances

    @fits
    def fit(self, X: Rows, y: Target = None) -> Self:
        """Build the tree and cut it. Distances between all rows if metric="precomputed". A scan is read into memory.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        """
        X, _ = rows_in_memory(self, X, min_rows=2)
        self._check_settings(X)
        n = len(X)
        graph = self.connectivity(X) if callable(self.connectivity) else self.connectivity
        if graph is not None:
            graph = check_array(graph, accept_sparse=["csr", "coo", "lil"], input_name="connectivity")
        whole = self.compute_full_tree
        if graph is None:
            whole = True
        elif whole == "auto":
            whole = self.n_clusters is None or self.n_clusters < max(MANY_CLUSTERS, CLUSTER_SHARE * n)
        stop = 1 if whole or self.n_clusters is None else min(self.n_clusters, n)
        grow = check_memory(self.memory).cache(grow_tree)
        tree, self.n_connected_components_ = grow(X, graph, self.linkage, self.metric, stop, type(self).__name__)
        self.children_, self.n_leaves_ = tree.children, n
        if self.distance_threshold is not None or self.compute_distances:
            self.distances_ = tree.height
        if self.n_clusters is not None:
            self.n_clusters_ = self.n_clusters
        else:
            self.n_clusters_ = int((tree.height >= self.distance_threshold).sum()) + 1
        if whole:
            self.labels_ = cut_by_number(tree.children, n, self.n_clusters_)
        else:
            inner = np.zeros(n + len(tree.children), bool)
            inner[tree.children.ravel()] = True
            self.labels_ = labels_below(tree.children, n, np.flatnonzero(~inner))
        return self

    def _check_settings(self, X: NDArray) -> None:
        """Raise where parameters or data do not go together."""
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ParameterError(
                "Exactly one of n_clusters and distance_threshold has to be set, and the other needs to be None."
                f" AgglomerativeClustering got n_clusters={self.n_clusters}, distance_threshold={self.distance_threshold}."
            )
        if self.distance_threshold is not None and not self.compute_full_tree:
            raise ParameterError(
                "compute_full_tree must be True if distance_threshold is set. Leave that of AgglomerativeClustering at 'auto'."
            )
        if self.linkage == "ward" and (callable(self.metric) or usual_name(self.metric) != "euclidean"):
            raise ParameterError(
                f"{self.metric} was provided as metric. Ward can only work with euclidean distances (i.e. 'euclidean' and 'l2')."
                " Take another linkage of AgglomerativeClustering."
            )
        if self.n_clusters is not None and self.n_clusters > len(X):
            raise DataError(
                f"Cannot extract more clusters than samples: {self.n_clusters} clusters were given for a tree with {len(X)} leaves."
                " Give AgglomerativeClustering fewer clusters."
            )
        check_directions(X, self.metric)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        return tags


def ward_tree(
    X: Rows,
    *,
    connectivity: HasShape | HasArray | Sequence[Any] | Callable[..., Any] | None = None,
    n_clusters: int | None = None,
    return_distance: bool = False,
) -> tuple:
    """Return the tree of Ward's linkage: children, components, leaves, the parent of every node, and the heights if requested.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    connectivity : sparse matrix, default=None
        Which rows are neighbors; merges may then stop at `n_clusters`.
    n_clusters : int, default=None
    return_distance : bool, default=False

    Examples
    --------
    >>> from novum.cluster import ward_tree
    >>> children, components, leaves, parents = ward_tree([[0.0], [1.0], [5.0]])
    >>> children.tolist(), leaves
    ([[0, 1], [2, 3]], 3)
    """
    X = np.asarray(X)
    X = check_array(X.reshape(-1, 1) if X.ndim == 1 else X, dtype=np.float64, ensure_min_samples=2, input_name="X")
    if n_clusters is not None and connectivity is None:
        warn(
            "Partial build of the tree is implemented only for structured clustering (i.e. with explicit connectivity). The"
            " algorithm will build the full tree and only retain the lower branches required for the specified number of clusters",
        )
    if n_clusters is not None and n_clusters > len(X):
        raise DataError(
            f"Cannot provide more clusters than samples. {n_clusters} n_clusters was asked, and there are {len(X)} samples."
        )
    stop = 1 if n_clusters is None or connectivity is None else n_clusters
    tree, components = grow_tree(X, connectivity, "ward", "euclidean", stop, "ward_tree")
    parents = None
    if connectivity is not None:
        parents = np.arange(len(X) + len(tree.children))
        parents[tree.children.ravel()] = np.repeat(np.arange(len(X), len(parents)), 2)
    found = (tree.children, components, len(X), parents)
    return (*found, tree.height) if return_distance else found
