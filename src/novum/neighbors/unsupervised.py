"""Nearest rows without targets: `NearestNeighbors`, and the graphs that link rows to their neighbors."""

import math
from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np

from novum.base.domains import Domain, Int, Null, Real
from novum.base.estimator import fits
from novum.exceptions import ParameterError
from novum.neighbors.base import COMMON_DOMAINS, NeighborsBase
from novum.neighbors.queries import KNeighborsMixin, RadiusNeighborsMixin
from novum.neighbors.targets import stack_rows
from novum.neighbors.trees import SearchTree
from novum.runtime.typing import Metric, Numbers, Rows, Target

__all__ = ["NearestNeighbors", "kneighbors_graph", "radius_neighbors_graph"]


class NearestNeighbors(KNeighborsMixin, RadiusNeighborsMixin, NeighborsBase):
    """Search for nearest rows.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbors of a query.
    radius : float, default=1.0
        Radius of `radius_neighbors`.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        A search tree, or a look at all rows; "auto" takes the cheaper one. The neighbors are the same.
    leaf_size : int, default=30
        Most rows of a leaf of a tree; at most 16 are used.
    metric : str, function or DistanceMetric, default="minkowski"
        A name that scikit-learn knows, a function of two rows, or "precomputed": then X holds distances.
    p : float, default=2
        Power of the Minkowski metric.
    metric_params : dict, default=None
        Further parameters of the metric, such as w, V or VI.
    n_jobs : int, default=None
        Threads; None takes all that are allowed.

    Attributes
    ----------
    effective_metric_ : str or function
        The metric that is meant: Minkowski's with p = 2 is "euclidean".
    effective_metric_params_ : dict
    n_samples_fit_ : int
        Rows kept.

    Notes
    -----
    Distances are computed from differences in double precision whatever the algorithm. Euclidean scans let matrix products
    in single precision leave out rows that cannot be among the nearest, by a bound of the rounding errors. Of rows at equal
    distance the one with the lower number comes first.

    Examples
    --------
    >>> from novum.neighbors import NearestNeighbors
    >>> model = NearestNeighbors(n_neighbors=2).fit([[0.0, 0.0], [1.0, 0.0], [4.0, 3.0]])
    >>> model.kneighbors([[4.0, 0.0]])
    (array([[3., 3.]]), array([[1, 2]]))
    """

    _domains: dict[str, Domain] = {
        **COMMON_DOMAINS,
        "n_neighbors": Int(1) | Null(),
        "radius": Real(0, math.inf) | Null(),
    }

    def __init__(
        self,
        *,
        n_neighbors: int | None = 5,
        radius: float | None = 1.0,
        algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
        leaf_size: int = 30,
        metric: Metric = "minkowski",
        p: float | None = 2,
        metric_params: Mapping[Any, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    @fits
    def fit(self, X: Rows, y: Target = None) -> Self:
        """Keep the rows.

        Distances between all rows if metric="precomputed". A scan is read into memory.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        """
        if isinstance(X, SearchTree | NeighborsBase):
            self._adopt(X)
            return self
        X, _ = self._read(X)
        self._settle_metric()
        self._keep(X)
        return self

    @fits
    def partial_fit(self, X: Rows, y: Target = None) -> Self:
        """Add rows; the rows that are there keep their numbers.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        """
        if not hasattr(self, "n_samples_fit_"):
            return self.fit(X)
        self._no_graph("partial_fit")
        X, _ = self._read(X, reset=False)
        self._keep(stack_rows(self._fit_X, X))
        return self

    @fits
    def forget(self, indices: Numbers) -> Self:
        """Forget the rows of these numbers, or of a mask; later rows move up."""
        self._no_graph("forget")
        self._keep(self._fit_X[self._forgotten(indices)])
        return self


def search_and_queries(
    X: Any, include_self: Any, owner: str, given: dict[str, Any], mode: str
) -> tuple[NearestNeighbors, Any]:
    """Return a fitted search over X, and the queries: None leaves every row out of its own neighbors."""
    if isinstance(X, NeighborsBase | SearchTree):
        model: Any = X
        mismatch = [name for name in ("metric", "p", "metric_params") if getattr(X, name, None) != given[name]]
        if isinstance(X, NeighborsBase) and mismatch:
            name = mismatch[0]
            raise ParameterError(
                f"Got {given[name]} for {name}, while the estimator has {getattr(X, name)} for the same parameter."
            )
        if isinstance(X, SearchTree):
            model = NearestNeighbors(**given).fit(model)
    else:
        model = NearestNeighbors(**given).fit(X)
    if include_self == "auto":
        include_self = mode == "connectivity"
    if not isinstance(include_self, bool | np.bool_):
        raise ParameterError(f"{owner}: include_self must be True, False or 'auto', got {include_self!r}.")
    return model, model._fit_X if include_self else None


def kneighbors_graph(
    X: Rows,
    n_neighbors: int,
    *,
    mode: Literal["connectivity", "distance"] = "connectivity",
    metric: Metric = "minkowski",
    p: float = 2,
    metric_params: Mapping[str, Any] | None = None,
    include_self: bool = False,
    n_jobs: int | None = None,
) -> Any:
    """Return the graph that links every row to its nearest rows.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), tree or fitted neighbor estimator
    n_neighbors : int
    mode : {"connectivity", "distance"}, default="connectivity"
        Ones, or distances.
    metric, p, metric_params, n_jobs
        As in NearestNeighbors.
    include_self : bool or "auto", default=False
        Whether a row is its own neighbor; "auto": in connectivity only.

    Returns
    -------
    CSR matrix of shape (n_samples, n_samples)

    Examples
    --------
    >>> from novum.neighbors import kneighbors_graph
    >>> kneighbors_graph([[0.0], [1.0], [3.0]], 1).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 1., 0.]])
    """
    given = {"metric": metric, "p": p, "metric_params": metric_params, "n_jobs": n_jobs}
    model, queries = search_and_queries(X, include_self, "kneighbors_graph", given, mode)
    return model.kneighbors_graph(queries, n_neighbors=n_neighbors, mode=mode)


def radius_neighbors_graph(
    X: Rows,
    radius: float,
    *,
    mode: Literal["connectivity", "distance"] = "connectivity",
    metric: Metric = "minkowski",
    p: float = 2,
    metric_params: Mapping[str, Any] | None = None,
    include_self: bool = False,
    n_jobs: int | None = None,
) -> Any:
    """Return the graph that links every row to all rows within a radius.

    Parameters
    ----------
    radius : float
    X, mode, metric, p, metric_params, include_self, n_jobs
        As in kneighbors_graph.

    Returns
    -------
    CSR matrix

    Examples
    --------
    >>> from novum.neighbors import radius_neighbors_graph
    >>> radius_neighbors_graph([[0.0], [1.0], [3.0]], 1.5).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """
    given = {"metric": metric, "p": p, "metric_params": metric_params, "n_jobs": n_jobs}
    model, queries = search_and_queries(X, include_self, "radius_neighbors_graph", given, mode)
    return model.radius_neighbors_graph(queries, radius, mode=mode)
