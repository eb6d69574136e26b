r"""Spectral clustering: rows, nodes or whole graphs, by how strongly they are linked.

With A the affinities, D the diagonal of their sums and L = I - D^(-1/2) A D^(-1/2),

    embedding  U = D^(-1/2) times the eigenvectors of the k least eigenvalues of L                    (1)
    labels     k-means of the rows of U, a rotation towards indicators, or a pivoted QR               (2)

For two clusters the second column of U relaxes the normalised cut, cut(C, C') (1 / vol C + 1 / vol C'). A graph with k components
has the eigenvalue 0 k times, and U is constant on each of them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
import scipy.linalg
import scipy.sparse
from numpy.typing import NDArray
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils.validation import check_symmetric, validate_data

from novum.base.domains import Bool, Choice, Domain, Function, Instance, Int, Null, RandomState, Real
from novum.base.estimator import fits
from novum.base.validation import home_of
from novum.cluster.kmeans import KMeans
from novum.cluster.labels import LabelModel
from novum.cluster.rows import rows_in_memory
from novum.cluster.spectral_embedding import embedding_of, qr_labels, rotated_labels, symmetric
from novum.exceptions import DataError, DataWarning
from novum.kernels.choice import KernelChoice
from novum.neighbors import NearestNeighbors, kneighbors_graph
from novum.runtime.random import seed_of
from novum.runtime.typing import HasArray, HasShape, Rows, Seed, Target
from novum.runtime.warn import warn

__all__ = ["SpectralClustering", "spectral_clustering"]

KERNELS = ("additive_chi2", "chi2", "linear", "poly", "polynomial", "rbf", "laplacian", "sigmoid", "cosine")
GRAPHS = ("nearest_neighbors", "precomputed", "precomputed_nearest_neighbors")


def is_graph(X: Any) -> bool:
    """Return whether X is a networkx graph."""
    return hasattr(X, "nodes") and hasattr(X, "adjacency")


def check_affinities(affinity: Any, kind: Any) -> None:
    """Raise where affinities are not finite, and warn where some are negative: (1) is a cut of weights that are not."""
    values = affinity.data if scipy.sparse.issparse(affinity) else affinity
    if not (np.isfinite(values.sum()) or np.isfinite(values).all()):  # the sum is quick, and may overflow by itself
        raise DataError(
            f"SpectralClustering(affinity={kind!r}): some affinities are NaN or infinite. Scale the columns"
            " (sklearn.preprocessing.StandardScaler), or look at the weights of the graph."
        )
    if values.size and values.min() < 0:
        warn(
            f"SpectralClustering(affinity={kind!r}): some affinities are negative (least {values.min():.3g}), and clusters mean"
            " nothing then; take a kernel or weights that are zero or more.",
            DataWarning,
        )


class SpectralClustering(LabelModel):
    """Clustering by the eigenvectors of affinities, of rows, nodes or graphs.

    Parameters
    ----------
    n_clusters : int, default=8
    eigen_solver : {"arpack", "lobpcg", "amg"}, default=None
        For large matrices; "amg" runs as "lobpcg". Small ones are solved directly.
    n_components : int, default=None
        Eigenvectors; None is `n_clusters`.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
    n_init : int, default=10
        Starts of k-means.
    gamma : float, default=1.0
        Of the kernels that have one.
    affinity : str or callable, default="rbf"
        A kernel of scikit-learn, "nearest_neighbors", "precomputed" (X holds affinities), "precomputed_nearest_neighbors" (X
        holds distances), or a function of rows or of graphs that makes affinities, such as a kernel of `novum.kernels`.
    n_neighbors : int, default=10
        Of the neighbor graphs.
    eigen_tol : float or "auto", default="auto"
    assign_labels : {"kmeans", "discretize", "cluster_qr"}, default="kmeans"
    degree, coef0 : float, default=3, 1
        Of the kernels that have them.
    kernel_params : dict, default=None
        Further parameters of the kernel.
    n_jobs : int, default=None
        Threads for neighbors; None takes all that are allowed.
    verbose : bool, default=False
        For scikit-learn's sake: nothing is printed.

    Attributes
    ----------
    affinity_matrix_ : array or sparse matrix of shape (n_samples, n_samples)
    labels_ : array of shape (n_samples,)
        In the order of the rows, of the nodes of a graph, or of the graphs.

    Notes
    -----
    A networkx graph given as X is clustered by its nodes, with the attribute "weight" of edges as affinity. A list of networkx
    graphs is clustered by the graphs: by `affinity` if it is callable, else by the normalized kernel of Weisfeiler and Lehman.

    Examples
    --------
    >>> import networkx as nx
    >>> from novum.cluster import SpectralClustering
    >>> graph = nx.barbell_graph(4, 0)  # two cliques of four nodes and one edge between them
    >>> labels = SpectralClustering(2, random_state=0).fit(graph).labels_
    >>> bool(labels[0] != labels[7]), len(set(labels[:4])), len(set(labels[4:]))
    (True, 1, 1)
    """

    _domains: dict[str, Domain] = {
        "n_clusters": Int(1),
        "eigen_solver": Choice("arpack", "lobpcg", "amg") | Null(),
        "n_components": Int(1) | Null(),
        "random_state": RandomState(),
        "n_init": Int(1),
        "gamma": Real(0),
        "affinity": Function() | Choice(*KERNELS, *GRAPHS),
        "n_neighbors": Int(1),
        "eigen_tol": Real(0) | Choice("auto"),
        "assign_labels": Choice("kmeans", "discretize", "cluster_qr"),
        "degree": Real(0),
        "coef0": Real(),
        "kernel_params": Instance(dict) | Null(),
        "n_jobs": Int() | Null(),
        "verbose": Bool() | Int(0),
    }
    affinity_matrix_: Any
    labels_: np.ndarray

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        eigen_solver: Literal["arpack", "lobpcg", "amg"] | None = None,
        n_components: int | None = None,
        random_state: Seed = None,
        n_init: int = 10,
        gamma: float = 1.0,
        affinity: Literal[
            "additive_chi2",
            "chi2",
            "linear",
            "poly",
            "polynomial",
            "rbf",
            "laplacian",
            "sigmoid",
            "cosine",
            "nearest_neighbors",
            "precomputed",
            "precomputed_nearest_neighbors",
        ]
        | Callable[..., Any] = "rbf",
        n_neighbors: int = 10,
        eigen_tol: float | Literal["auto"] = "auto",
        assign_labels: Literal["kmeans", "discretize", "cluster_qr"] = "kmeans",
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Mapping[Any, Any] | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.eigen_solver = eigen_solver
        self.n_components = n_components
        self.random_state = random_state
        self.n_init = n_init
        self.gamma = gamma
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.eigen_tol = eigen_tol
        self.assign_labels = assign_labels
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fits
    def fit(self, X: Rows, y: Target = None) -> Self:
        """Cluster rows, the nodes of a networkx graph, or a list of such graphs.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        """
        seed = seed_of(self.random_state)
        affinity = self._affinities(X)
        if scipy.sparse.issparse(affinity) or not symmetric(affinity):
            affinity = check_symmetric(affinity, raise_warning=False)
        self.affinity_matrix_ = affinity
        check_affinities(affinity, self.affinity)
        n = affinity.shape[0]
        k = self.n_clusters
        if k > n:
            raise DataError(
                f"n_samples={n} should be >= n_clusters={k}. Give SpectralClustering more rows or fewer clusters."
            )
        components = min(k if self.n_components is None else self.n_components, n)
        tol = 0.0 if self.eigen_tol == "auto" else float(self.eigen_tol)
        vectors = embedding_of(affinity, components, self.eigen_solver, tol, seed)
        if self.assign_labels == "kmeans":
            self.labels_ = KMeans(k, n_init=self.n_init, random_state=seed).fit(vectors).labels_
        else:
            assign = self.assign_labels
            self.labels_ = qr_labels(vectors) if assign == "cluster_qr" else rotated_labels(vectors, seed)
        return self

    def _affinities(self, X: Any) -> Any:
        """Return the affinities of rows, nodes or graphs."""
        if is_graph(X):
            import networkx as nx

            self.n_features_in_ = X.number_of_nodes()
            if not X.number_of_nodes():
                raise DataError("SpectralClustering: the graph has no nodes; add some.")
            return scipy.sparse.csr_matrix(nx.to_scipy_sparse_array(X, dtype=np.float64))
        if isinstance(X, list | tuple) and len(X) and is_graph(X[0]):
            return self._graph_affinities(X)
        if home_of(X) != "memory" or hasattr(X, "total"):
            X = rows_in_memory(self, X)[0]
        else:
            X = validate_data(self, X, accept_sparse=["csr", "csc", "coo"], dtype=np.float64, ensure_min_samples=2)
        given = isinstance(self.affinity, str) and self.affinity.startswith("precomputed")
        if X.shape[0] == X.shape[1] and not given:
            warn(
                "The spectral clustering API has changed. ``fit``now constructs an affinity matrix from data. To use a custom"
                " affinity matrix, set ``affinity=precomputed``.",
                DataWarning,
            )
        if given and X.shape[0] != X.shape[1]:
            raise DataError(
                f"SpectralClustering(affinity={self.affinity!r}): X must be a square matrix, not one of shape {X.shape}."
            )
        if self.affinity == "nearest_neighbors":
            graph = kneighbors_graph(X, min(self.n_neighbors, X.shape[0]), include_self=True, n_jobs=self.n_jobs)
            return 0.5 * (graph + graph.T)
        if self.affinity == "precomputed_nearest_neighbors":
            search = NearestNeighbors(n_neighbors=self.n_neighbors, n_jobs=self.n_jobs, metric="precomputed").fit(X)
            graph = search.kneighbors_graph(X, mode="connectivity")
            return 0.5 * (graph + graph.T)
        if self.affinity == "precomputed":
            return X.tocsr() if scipy.sparse.issparse(X) else X
        params = dict(self.kernel_params or {})
        X = X if scipy.sparse.issparse(X) else np.ascontiguousarray(X)
        if not callable(self.affinity):
            params |= {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        elif hasattr(self.affinity, "gram"):  # a kernel of novum.kernels sees all rows at once
            return np.asarray(self.affinity(X), np.float64)
        known = KernelChoice(self.affinity, params).compiled(X.shape[1])
        if known is not None and not scipy.sparse.issparse(X):
            return np.asarray(known(X), np.float64)
        return pairwise_kernels(X, metric=self.affinity, filter_params=True, **params)

    def _graph_affinities(self, X: Any) -> NDArray:
        """Return the affinities between graphs."""
        from novum.kernels import WeisfeilerLehman

        kernel = self.affinity if callable(self.affinity) else WeisfeilerLehman()
        gram = np.asarray(kernel(list(X)), np.float64)
        if not callable(self.affinity):
            length = np.sqrt(np.diagonal(gram))
            if not length.all():
                raise DataError(
                    f"SpectralClustering: graph {int(np.argmin(length))} has no nodes, so it is like no other; leave it out."
                )
            gram = gram / np.outer(length, length)
        self.n_features_in_ = len(X)
        return gram

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.affinity, str) and self.affinity.startswith("precomputed")
        return tags


def spectral_clustering(
    affinity: HasShape | HasArray | Sequence[Any], *, n_clusters: int = 8, **options: Any
) -> NDArray:
    """Return the labels of `SpectralClustering` for a matrix of affinities; options are its parameters.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.cluster import spectral_clustering
    >>> labels = spectral_clustering(np.kron(np.eye(2), np.ones((2, 2))) + 0.01, n_clusters=2, random_state=0)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """
    return SpectralClustering(n_clusters, affinity="precomputed", **options).fit(affinity).labels_
