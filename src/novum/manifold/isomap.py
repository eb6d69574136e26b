r"""Isomap: classical scaling of distances along the data (Tenenbaum, de Silva and Langford 2000).

    graph: every row and its nearest rows, edges as long as their distance
    g_ij = length of the shortest path from i to j                                                 (1)
    K = -1/2 J g^2 J,   K v_l = lambda_l v_l,   z_il = sqrt(lambda_l) v_il                         (2)
    new row x:  g(x, j) = min over its neighbors i of d(x, i) + g_ij,  projected as in kernel principal components   (3)
    landmarks: (1) from m rows only, (2) of those m, (3) for all others: O(m n) instead of O(n^2)  (4)

(4) is de Silva and Tenenbaum's (2003). Shortest paths: Dijkstra from every row, threads over rows.
"""

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import connected_components

from novum import _core
from novum.base.domains import Choice, Domain, Function, Instance, Int, Null, RandomState, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from novum.base.validation import open_rows, rows_at_hand
from novum.decomposition.kernel_pca import model_of_axes
from novum.exceptions import DataWarning, ParameterError
from novum.manifold.centered import centered_axes
from novum.manifold.joining import join_parts
from novum.manifold.quality import trustworthiness
from novum.neighbors import NearestNeighbors
from novum.neighbors.base import NeighborsBase, read_rows
from novum.neighbors.trees import SearchTree
from novum.runtime.pool import map_ordered
from novum.runtime.random import numpy_state
from novum.runtime.threads import thread_count
from novum.runtime.typing import Metric, Rows, Seed, Target
from novum.runtime.warn import warn

__all__ = ["Isomap"]

PIECE = 64  # sources of one call: a thread is never idle for long


def geodesics(graph: Any, sources: np.ndarray, dtype: Any, threads: int) -> np.ndarray:
    """Return (1) from every source to every row; an edge may be walked both ways."""
    n = graph.shape[0]
    coo = graph.tocoo()
    first, second = coo.row.astype(np.int64), coo.col.astype(np.int64)
    keys = np.concatenate([first * n + second, second * n + first])
    lengths = np.concatenate([coo.data, coo.data])
    order = np.lexsort((lengths, keys))
    order = order[np.diff(keys[order], prepend=-1) > 0]  # the shorter of both ways
    begin = np.searchsorted(keys[order], np.arange(n + 1, dtype=np.int64) * n)
    to = np.ascontiguousarray(keys[order] % n, dtype=np.int32)
    length = np.ascontiguousarray(lengths[order], dtype=np.float64)
    out = np.empty((len(sources), n), dtype)
    sources = np.ascontiguousarray(sources, dtype=np.int64)

    def work(part: slice) -> None:
        _core.manifold.geodesics.shortest_paths(begin, to, length, sources[part], out[part])

    for _ in map_ordered(work, [slice(s, s + PIECE) for s in range(0, len(sources), PIECE)], threads):
        pass
    return out


class Isomap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Map of distances along the data.

    Parameters
    ----------
    n_neighbors : int or None, default=5
        Neighbors of every row; None takes `radius`.
    radius : float or None, default=None
        All rows within it are neighbors.
    n_components : int, default=2
        Dimensions of the map.
    eigen_solver : {"auto", "arpack", "dense"}, default="auto"
    tol : float, default=0
        Of "arpack".
    max_iter : int or None, default=None
        Of "arpack".
    path_method : {"auto", "FW", "D"}, default="auto"
        For scikit-learn's sake: shortest paths are Dijkstra's.
    neighbors_algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default="auto"
        Of the search for neighbors.
    n_jobs : int or None, default=None
        Threads; None takes all that are allowed.
    metric : str or function, default="minkowski"
        Of NearestNeighbors; with "precomputed" X holds distances, or a sparse graph of them.
    p : float, default=2
        Power of the Minkowski metric.
    metric_params : dict, default=None
        Further parameters of the metric.
    n_landmarks : int or None, default=None
        Rows from which paths are followed; None takes all, which needs memory for n_samples^2 distances.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
        Draws the landmarks.

    Attributes
    ----------
    embedding_ : array of shape (n_samples, n_components)
    kernel_pca_ : KernelPCA
        That of (2).
    nbrs_ : NearestNeighbors
    dist_matrix_ : array of shape (n_samples, n_samples) or (n_samples, n_landmarks)
        Lengths of paths.
    landmarks_ : array of shape (n_landmarks,)
        Numbers of the landmarks, where there are any.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.manifold import Isomap
    >>> t = np.linspace(0, 3 * np.pi / 2, 60)
    >>> arc = np.column_stack([np.cos(t), np.sin(t)])
    >>> z = Isomap(n_components=1, n_neighbors=2).fit_transform(arc)[:, 0]
    >>> bool(np.allclose(np.abs(np.diff(z)), t[1], rtol=2e-3))  # unrolled: steps along the arc
    True
    """

    _domains: dict[str, Domain] = {
        "n_neighbors": Int(1) | Null(),
        "radius": Real(0, np.inf) | Null(),
        "n_components": Int(1),
        "eigen_solver": Choice("auto", "arpack", "dense"),
        "tol": Real(0),
        "max_iter": Int(1) | Null(),
        "path_method": Choice("auto", "FW", "D"),
        "neighbors_algorithm": Choice("auto", "brute", "kd_tree", "ball_tree"),
        "n_jobs": Int() | Null(),
        "metric": NearestNeighbors._domains["metric"] | Function(),
        "p": Real(1, np.inf),
        "metric_params": Instance(dict) | Null(),
        "n_landmarks": Int(2) | Null(),
        "random_state": RandomState(),
    }
    embedding_: np.ndarray
    kernel_pca_: Any
    nbrs_: NearestNeighbors
    dist_matrix_: np.ndarray
    landmarks_: np.ndarray

    def __init__(
        self,
        *,
        n_neighbors: int | None = 5,
        radius: float | None = None,
        n_components: int = 2,
        eigen_solver: Literal["auto", "arpack", "dense"] = "auto",
        tol: float = 0,
        max_iter: int | None = None,
        path_method: Literal["auto", "FW", "D"] = "auto",
        neighbors_algorithm: Literal["auto", "brute", "kd_tree", "ball_tree"] = "auto",
        n_jobs: int | None = None,
        metric: Metric = "minkowski",
        p: float = 2,
        metric_params: Mapping[Any, Any] | None = None,
        n_landmarks: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.n_components = n_components
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.path_method = path_method
        self.neighbors_algorithm = neighbors_algorithm
        self.n_jobs = n_jobs
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_landmarks = n_landmarks
        self.random_state = random_state

    @fits
    def fit(self, X: Rows, y: Target = None) -> Self:
        """Find the map.

        Parameters
        ----------
        X : array-like, frame, sparse matrix, scan (read into memory), tree or fitted NearestNeighbors
            Rows of shape (n_samples, n_features), or distances (n_samples, n_samples) if metric="precomputed".
        y : ignored

        Returns
        -------
        self
        """
        self._learn(X)
        return self

    @fits
    def fit_transform(self, X: Rows, y: Target = None) -> Any:
        """Find the map, and return it: `embedding_`; parameters as in `fit`."""
        self._learn(X)
        return self.embedding_

    def _learn(self, X: Any) -> None:
        """Set the fitted attributes."""
        if self.n_neighbors is not None and self.radius is not None:
            raise ParameterError(
                f"Both n_neighbors and radius are provided. Use Isomap(radius={self.radius}, n_neighbors=None) if intended to use"
                " radius-based neighbors"
            )
        if self.n_neighbors is None and self.radius is None:
            raise ParameterError(
                "Isomap: n_neighbors and radius are both None, so no row has a neighbor; give one of them."
            )
        search = NearestNeighbors(
            n_neighbors=self.n_neighbors,
            radius=self.radius,
            algorithm=self.neighbors_algorithm,
            metric=self.metric,
            p=self.p,
            metric_params=self.metric_params,
            n_jobs=self.n_jobs,
        )
        if self._takes_rows(X):
            rows, _ = read_rows(self, X, None, target=None)
            self.nbrs_ = search.fit(rows)
        else:
            self.nbrs_ = search.fit(X)
            self.n_features_in_ = search.n_features_in_
        graph = self._graph(X)
        n = graph.shape[0]
        single = getattr(search._fit_X, "dtype", None) == np.float32
        dtype = np.float32 if single else np.float64
        every = self.n_landmarks is None or self.n_landmarks >= n
        sources = np.arange(n) if every else np.sort(numpy_state(self.random_state).permutation(n)[: self.n_landmarks])
        paths = geodesics(graph, sources, dtype, thread_count(self.n_jobs))
        kernel = paths if every else np.ascontiguousarray(paths[:, sources])
        axes = centered_axes(kernel, self.n_components, self.eigen_solver, self.tol, self.n_jobs)
        options = {name: getattr(self, name) for name in ("n_components", "eigen_solver", "tol", "max_iter", "n_jobs")}
        self.kernel_pca_ = model_of_axes(
            axes.values.astype(dtype), axes.vectors.astype(dtype), (-0.5 * axes.means).astype(dtype), options
        )
        if every:
            self.dist_matrix_ = paths
            self.embedding_ = self.kernel_pca_.eigenvectors_ * np.sqrt(self.kernel_pca_.eigenvalues_)
        else:
            self.landmarks_, self.dist_matrix_ = sources, np.ascontiguousarray(paths.T)
            self.embedding_ = self.kernel_pca_.transform(self.dist_matrix_**2 * dtype(-0.5))

    def _takes_rows(self, X: Any) -> bool:
        """Return whether X holds rows, and not distances, a tree or a fitted search."""
        distances = isinstance(self.metric, str) and self.metric == "precomputed"
        return not distances and not isinstance(X, SearchTree | NeighborsBase)

    def _graph(self, X: Any) -> Any:
        """Return the graph of neighbors, joined where it falls apart; the words are scikit-learn's."""
        search = self.nbrs_
        if self.n_neighbors is not None:
            graph = search.kneighbors_graph(None, n_neighbors=self.n_neighbors, mode="distance")
        else:
            graph = search.radius_neighbors_graph(None, radius=self.radius, mode="distance")
        count, labels = connected_components(graph)
        if count == 1:
            return graph
        text = f"The number of connected components of the neighbors graph is {count} > 1. "
        if self.metric == "precomputed" and scipy.sparse.issparse(X):
            raise RuntimeError(
                text
                + "The graph cannot be completed with metric='precomputed', and Isomap cannot be fitted. Increase the number"
                " of neighbors to avoid this issue, or precompute the full distance matrix instead of passing a sparse neighbors"
                " graph."
            )
        warn(
            text
            + "Completing the graph to fit Isomap might be slow. Increase the number of neighbors to avoid this issue.",
            DataWarning,
        )
        return join_parts(search, graph, labels)

    def transform(self, X: Rows) -> Any:
        """Return the places of new rows on the map, by (3).

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_queries, n_features), or distances to the training rows

        Returns
        -------
        array of shape (n_queries, n_components)
        """
        check_is_fitted(self)
        by_number = self.n_neighbors is not None
        if self._takes_rows(X):
            rows = open_rows(self, rows_at_hand(self, X, "Isomap links new rows to all training rows")).array()
        else:
            rows = X
        distance, index = (self.nbrs_.kneighbors if by_number else self.nbrs_.radius_neighbors)(rows)
        paths = self.dist_matrix_
        dtype = np.float32 if getattr(rows, "dtype", None) == np.float32 else np.float64
        linked = np.empty((len(index), paths.shape[1]), dtype)
        for i, (near, far) in enumerate(zip(index, distance)):
            if not len(near):
                raise ParameterError(
                    f"Isomap: row {i} has no training row within radius={self.radius:g}, so no path leads to it; take a larger one."
                )
            linked[i] = np.min(paths[near] + far[:, None], axis=0)
        return self.kernel_pca_.transform(linked**2 * dtype(-0.5))

    def reconstruction_error(self) -> float:
        """Return the norm of what (2) leaves of the kernel, divided by the rows: sqrt(|K|^2 - sum lambda^2) / n."""
        check_is_fitted(self)
        paths = self.dist_matrix_ if not hasattr(self, "landmarks_") else self.dist_matrix_[self.landmarks_]
        K = -0.5 * paths.astype(np.float64) ** 2
        K = K - K.mean(axis=0) - K.mean(axis=1, keepdims=True) + K.mean()
        left = float((K**2).sum() - (self.kernel_pca_.eigenvalues_.astype(np.float64) ** 2).sum())
        return float(np.sqrt(max(left, 0.0)) / len(K))

    def trustworthiness(self, n_neighbors: int = 5) -> float:
        """Return the share of neighborhoods on the map that are neighborhoods of the training rows."""
        check_is_fitted(self)
        metric = "precomputed" if self.metric == "precomputed" else self.nbrs_.effective_metric_
        return trustworthiness(self.nbrs_._fit_X, self.embedding_, n_neighbors=n_neighbors, metric=metric)

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        return tags
