r"""Values by the mean of the nearest rows.

    y(x) = sum_i w_i y_i / sum_i w_i   over the neighbors i of x                                   (1)

The neighbors are the k nearest rows, or all within a radius; w_i is 1, 1/d_i or a function of the distance.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from novum.base.domains import Domain, Int, Null, Real
from novum.base.fitted import check_is_fitted
from novum.neighbors.base import COMMON_DOMAINS
from novum.neighbors.candidacy import NEIGHBORS_CANDIDACY
from novum.neighbors.classification import WEIGHTS
from novum.neighbors.queries import KNeighborsMixin, RadiusNeighborsMixin
from novum.neighbors.targets import Values
from novum.neighbors.votes import ByCount, ByRadius, values_by_count, values_by_radius
from novum.runtime import arrays
from novum.runtime.typing import Metric, Rows
from novum.runtime.warn import warn

__all__ = ["KNeighborsRegressor", "RadiusNeighborsRegressor"]


class KNeighborsRegressor(KNeighborsMixin, Values):
    """Mean target of the k nearest rows.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbors that are averaged.
    weights : {"uniform", "distance"} or function, default="uniform"
        As in KNeighborsClassifier.
    algorithm, leaf_size, p, metric, metric_params, n_jobs
        As in NearestNeighbors.

    Attributes
    ----------
    effective_metric_, effective_metric_params_, n_samples_fit_, n_features_in_, feature_names_in_
        As in NearestNeighbors.

    Examples
    --------
    >>> from novum.neighbors import KNeighborsRegressor
    >>> X, y = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [3.0, 3.0], [4.0, 3.0]], [1.0, 2.0, 3.0, 10.0, 12.0]
    >>> KNeighborsRegressor(n_neighbors=3).fit(X, y).predict([[1.0, 1.0]])
    array([2.])
    """

    _candidacy = NEIGHBORS_CANDIDACY
    _domains: dict[str, Domain] = {**COMMON_DOMAINS, "n_neighbors": Int(1) | Null(), "weights": WEIGHTS}

    def __init__(
        self,
        n_neighbors: int | None = 5,
        *,
        weights: Literal["uniform", "distance"] | Callable[..., Any] | None = "uniform",
        algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
        leaf_size: int = 30,
        p: float | None = 2,
        metric: Metric = "minkowski",
        metric_params: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    def predict(self, X: Rows) -> Any:
        """Return (1) for every query.

            y(x) = sum_i w_i y_i / sum_i w_i   over the neighbors i of x    (1)

        Parameters
        ----------
        X : array-like, frame, sparse matrix, scan, Dask collection or tensor of shape (n_queries, n_features), or None
            None stands for every row that is kept, itself left out: predictions by leaving one out.

        Returns
        -------
        array of shape (n_queries,) or (n_queries, n_outputs)
        """
        check_is_fitted(self)
        settings = ByCount(self._checked_n_neighbors(None, X), self.weights, self._columns(), None, self._y.ndim == 1)
        return self._per_row(X, values_by_count, settings)


class RadiusNeighborsRegressor(RadiusNeighborsMixin, Values):
    """Mean target of all rows within a radius.

    Parameters
    ----------
    radius : float, default=1.0
        How far rows that are averaged may be.
    weights : {"uniform", "distance"} or function, default="uniform"
        As in KNeighborsClassifier; a function is given an array of arrays of distances.
    algorithm, leaf_size, p, metric, metric_params, n_jobs
        As in NearestNeighbors.

    Attributes
    ----------
    effective_metric_, effective_metric_params_, n_samples_fit_, n_features_in_, feature_names_in_
        As in NearestNeighbors.

    Examples
    --------
    >>> from novum.neighbors import RadiusNeighborsRegressor
    >>> RadiusNeighborsRegressor(1.0).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 1.0, 1.0]).predict([[1.5]])
    array([0.5])
    """

    _domains: dict[str, Domain] = {**COMMON_DOMAINS, "radius": Real(0, np.inf), "weights": WEIGHTS}

    def __init__(
        self,
        radius: float = 1.0,
        *,
        weights: Literal["uniform", "distance"] | Callable[..., Any] | None = "uniform",
        algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
        leaf_size: int = 30,
        p: float | None = 2,
        metric: Metric = "minkowski",
        metric_params: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.radius = radius
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    def predict(self, X: Rows) -> Any:
        """Return (1) for every query, NaN (and a warning) where no row is near.

            y(x) = sum_i w_i y_i / sum_i w_i   over the neighbors i of x    (1)

        Parameters
        ----------
        X : array-like, frame, sparse matrix, scan, Dask collection or tensor of shape (n_queries, n_features), or None
            None stands for every row that is kept, itself left out.

        Returns
        -------
        array of shape (n_queries,) or (n_queries, n_outputs)
        """
        check_is_fitted(self)
        settings = ByRadius(self.radius, self.weights, self._columns(), None, self._y.ndim == 1)
        value = self._per_row(X, values_by_radius, settings)
        if (isinstance(value, np.ndarray) or arrays.is_tensor(value)) and bool((value != value).any()):
            warn(
                "One or more samples have no neighbors within specified radius; predicting NaN.",
                UserWarning,
            )
        return value
