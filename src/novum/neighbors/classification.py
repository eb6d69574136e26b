r"""Classes by a vote of the nearest rows: no training, all rows kept, the class of most weight wins.

    y(x) = argmax_c sum_{i among the neighbors of x} w_i [y_i = c]                                 (1)

The neighbors are the k nearest rows, or all within a radius; w_i is 1, 1/d_i or a function of the distance. One neighbor gives
every row its Voronoi cell. Of classes with equal votes the first in sorted order wins.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from novum.base.domains import ArrayLike, Choice, Domain, Function, Instance, Int, Null, Real
from novum.base.fitted import check_is_fitted
from novum.exceptions import ParameterError, ParameterTypeError
from novum.neighbors.base import COMMON_DOMAINS
from novum.neighbors.candidacy import NEIGHBORS_CANDIDACY
from novum.neighbors.queries import KNeighborsMixin, RadiusNeighborsMixin
from novum.neighbors.targets import Classes
from novum.neighbors.votes import (
    ByCount,
    ByRadius,
    labels_by_count,
    labels_by_radius,
    shares_by_count,
    shares_by_radius,
)
from novum.runtime import arrays
from novum.runtime.typing import Metric, Rows

__all__ = ["KNeighborsClassifier", "RadiusNeighborsClassifier"]

WEIGHTS = Choice("uniform", "distance") | Function() | Null()


class KNeighborsClassifier(KNeighborsMixin, Classes):
    """Class of most votes among the k nearest rows.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbors that vote.
    weights : {"uniform", "distance"} or function, default="uniform"
        Weight of a vote: one, one over the distance (rows at distance zero then decide alone), or a function of the distances.
    algorithm, leaf_size, p, metric, metric_params, n_jobs
        As in NearestNeighbors.

    Attributes
    ----------
    classes_ : array of shape (n_classes,), or a list of them, one per output
    outputs_2d_ : bool
        Whether there are several outputs.
    effective_metric_, effective_metric_params_, n_samples_fit_, n_features_in_, feature_names_in_
        As in NearestNeighbors.

    Examples
    --------
    >>> from novum.neighbors import KNeighborsClassifier
    >>> X, y = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [3.0, 3.0], [4.0, 3.0]], [0, 0, 1, 1, 1]
    >>> model = KNeighborsClassifier(n_neighbors=3).fit(X, y)
    >>> model.predict([[1.0, 1.0]]), model.partial_fit([[1.0, 1.1]], [1]).predict([[1.0, 1.0]])
    (array([0]), array([1]))
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

    def _settings(self, X: Rows) -> ByCount:
        check_is_fitted(self)
        k = self._checked_n_neighbors(None, X)
        return ByCount(k, self.weights, self._codes(), self._labels(), not self.outputs_2d_)

    def predict(self, X: Rows) -> Any:
        """Return (1) for every query.

            y(x) = argmax_c sum_{i among the neighbors of x} w_i [y_i = c]    (1)

        Parameters
        ----------
        X : array-like, frame, sparse matrix, scan, Dask collection or tensor of shape (n_queries, n_features), or None
            None stands for every row that is kept, itself left out: predictions by leaving one out.

        Returns
        -------
        array of shape (n_queries,) or (n_queries, n_outputs)
        """
        return self._per_row(X, labels_by_count, self._settings(X))

    def predict_proba(self, X: Rows) -> Any:
        """Return the shares of the votes.

        Parameters
        ----------
        X : array-like, frame, sparse matrix, scan, Dask collection or tensor of shape (n_queries, n_features), or None
            As in `predict`.

        Returns
        -------
        array of shape (n_queries, n_classes), or a list of them, one per output
        """
        return self._per_row(X, shares_by_count, self._settings(X))


class RadiusNeighborsClassifier(RadiusNeighborsMixin, Classes):
    """Class of most votes among all rows within a radius.

    Parameters
    ----------
    radius : float, default=1.0
        How far rows that vote may be.
    weights : {"uniform", "distance"} or function, default="uniform"
        As in KNeighborsClassifier; a function is given an array of arrays of distances.
    outlier_label : label, list of labels, "most_frequent" or None, default=None
        What queries without any row near are called; None raises an error for them.
    algorithm, leaf_size, p, metric, metric_params, n_jobs
        As in NearestNeighbors.

    Attributes
    ----------
    classes_ : array of shape (n_classes,), or a list of them, one per output
    outputs_2d_ : bool
        Whether there are several outputs.
    outlier_label_ : list of labels, one per output, or None
    effective_metric_, effective_metric_params_, n_samples_fit_, n_features_in_, feature_names_in_
        As in NearestNeighbors.

    Examples
    --------
    >>> from novum.neighbors import RadiusNeighborsClassifier
    >>> model = RadiusNeighborsClassifier(1.0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict_proba([[1.0]]).round(3)
    array([[0.667, 0.333]])
    """

    _domains: dict[str, Domain] = {
        **COMMON_DOMAINS,
        "radius": Real(0, np.inf),
        "weights": WEIGHTS,
        "outlier_label": Int() | Instance(str) | ArrayLike() | Null(),
    }
    outlier_label_: list[Any] | None

    def __init__(
        self,
        radius: float = 1.0,
        *,
        weights: Literal["uniform", "distance"] | Callable[..., Any] | None = "uniform",
        algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
        leaf_size: int = 30,
        p: float | None = 2,
        metric: Metric = "minkowski",
        outlier_label: Any = None,
        metric_params: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.radius = radius
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.outlier_label = outlier_label
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    def _keep(self, X: Rows) -> None:
        super()._keep(X)
        self.outlier_label_ = self._labels_of_outliers()

    def _labels_of_outliers(self) -> Any:
        """Return the label of outliers for every output, or None; raise if it does not fit the classes."""
        if self.outlier_label is None:
            return None
        codes, labels = self._codes(), self._labels()
        if isinstance(self.outlier_label, str) and self.outlier_label == "most_frequent":
            return [
                known[int(arrays.one_hot(codes, codes[:, o], len(known)).sum(0).argmax())]
                for o, known in enumerate(labels)
            ]
        single = isinstance(self.outlier_label, str) or np.ndim(self.outlier_label) == 0
        given = [self.outlier_label] * len(labels) if single else list(self.outlier_label)
        if len(given) != len(labels):
            raise ParameterError(
                f"The length of outlier_label: {self.outlier_label} is inconsistent with the output length: {len(labels)}"
            )
        for known, label in zip(labels, given):
            if np.ndim(label) and not isinstance(label, str):
                raise ParameterTypeError(
                    f"The outlier_label of classes {known} is supposed to be a scalar, got {label}."
                )
            if np.append(known, label).dtype != known.dtype:
                raise ParameterTypeError(
                    f"The dtype of outlier_label {label} is inconsistent with classes {known} in y."
                )
        return given

    def _settings(self) -> ByRadius:
        check_is_fitted(self)
        flat, outliers = not self.outputs_2d_, self.outlier_label_
        return ByRadius(self.radius, self.weights, self._codes(), self._labels(), flat, outliers)

    def predict(self, X: Rows) -> Any:
        """Return (1) for every query.

            y(x) = argmax_c sum_{i among the neighbors of x} w_i [y_i = c]    (1)

        Parameters
        ----------
        X : array-like, frame, sparse matrix, scan, Dask collection or tensor of shape (n_queries, n_features), or None
            None stands for every row that is kept, itself left out.

        Returns
        -------
        array of shape (n_queries,) or (n_queries, n_outputs)
        """
        return self._per_row(X, labels_by_radius, self._settings())

    def predict_proba(self, X: Rows) -> Any:
        """Return the shares of the votes.

        Parameters
        ----------
        X : array-like, frame, sparse matrix, scan, Dask collection or tensor of shape (n_queries, n_features), or None
            As in `predict`.

        Returns
        -------
        array of shape (n_queries, n_classes), or a list of them, one per output
        """
        return self._per_row(X, shares_by_radius, self._settings())
