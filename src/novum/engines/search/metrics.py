r"""Metrics as norms: which distances are a Minkowski norm of coordinates that were changed first.

    d(x, y) = |A (x - y)|_p                                                                        (1)

    minkowski with weights w   A = diag(w^(1/p))        seuclidean     p = 2, A = diag(1 / sqrt(V))
    mahalanobis                p = 2, A'A = VI          sqeuclidean    p = 2, then squared

Whatever is of the form (1) is searched by the compiled kernels, everything else block by block.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from sklearn.metrics import DistanceMetric
from sklearn.neighbors import VALID_METRICS, VALID_METRICS_SPARSE

from novum.exceptions import DataError, ParameterError

__all__ = ["TREE_METRICS", "VALID_METRICS", "VALID_METRICS_SPARSE", "Form", "form_of", "usual_name"]

SAME = {"l2": "euclidean", "l1": "manhattan", "cityblock": "manhattan", "infinity": "chebyshev", "p": "minkowski"}
FIXED = {"euclidean": 2.0, "sqeuclidean": 2.0, "manhattan": 1.0, "chebyshev": np.inf}
TREE_METRICS = {kind: list(VALID_METRICS[kind]) for kind in ("kd_tree", "ball_tree")}


class Form(NamedTuple):
    """The p and the A of (1); A is a vector where it is diagonal, None where it is the identity."""

    p: float
    change: NDArray | None = None
    squared: bool = False

    def changed(self, X: NDArray) -> NDArray:
        """Return A x for every row, as it is where A is the identity."""
        if self.change is None:
            return X
        X = X.astype(np.float64, copy=False)
        return X * self.change if self.change.ndim == 1 else np.ascontiguousarray(X @ self.change.T)

    def back(self, distance: NDArray) -> NDArray:
        """Return the metric's distances from those of the norm, in place."""
        return np.square(distance, out=distance) if self.squared else distance

    def radius(self, radius: NDArray) -> NDArray:
        """Return the norm's radius of the metric's."""
        return np.sqrt(np.maximum(radius, 0)) if self.squared else radius


def usual_name(metric: Any) -> Any:
    """Return the metric under its usual name."""
    return SAME.get(metric, metric) if isinstance(metric, str) else metric


def inverse_root(precision: NDArray) -> NDArray:
    """Return A with A'A equal to a matrix that must be positive semidefinite."""
    precision = np.asarray(precision, dtype=np.float64)
    if precision.ndim != 2 or precision.shape[0] != precision.shape[1]:
        raise ParameterError(f"metric 'mahalanobis': VI must be a square matrix, not of shape {precision.shape}.")
    values, vectors = scipy.linalg.eigh((precision + precision.T) / 2)
    if values[0] < -1e-10 * max(values[-1], 0) or values[-1] <= 0:
        raise ParameterError(
            f"metric 'mahalanobis': VI has the eigenvalue {values[0]:g}, so the distance of some points would be imaginary;"
            " give the inverse of a covariance matrix."
        )
    return np.sqrt(np.maximum(values, 0))[:, None] * vectors.T


def form_of(metric: Any, params: dict[str, Any], X: NDArray | None = None) -> Form | None:
    """Return the form (1) of a metric, or None if it has none; V and VI that are not given come from the rows X."""
    if isinstance(metric, DistanceMetric):
        name = type(metric).__name__.rstrip("3264").removesuffix("Distance").lower()
        return Form(FIXED[name]) if name in FIXED else None
    if not isinstance(metric, str):
        return None
    metric = usual_name(metric)
    if metric in FIXED and params.get("w") is None:
        return Form(FIXED[metric], None, metric == "sqeuclidean")
    if metric == "minkowski":
        p, w = params.get("p", 2), params.get("w")
        if w is None:
            return Form(float(p))
        w = np.asarray(w, dtype=np.float64)
        if w.ndim != 1 or (X is not None and len(w) != X.shape[1]) or not np.isfinite(w).all() or (w < 0).any():
            raise ParameterError("metric 'minkowski': w must hold one finite weight of zero or more per column.")
        return Form(float(p), (w > 0).astype(float) if np.isinf(p) else w ** (1 / p))
    if metric == "seuclidean":
        V = params.get("V")
        if V is None:
            V = None if X is None or len(X) < 2 else np.var(X, axis=0, ddof=1, dtype=np.float64)
        if V is None or not (np.asarray(V) > 0).all():
            raise DataError(
                "metric 'seuclidean' needs a positive variance V of every column: give metric_params={'V': ...}."
            )
        return Form(2.0, 1 / np.sqrt(np.asarray(V, dtype=np.float64)))
    if metric == "mahalanobis":
        if params.get("VI") is not None:
            return Form(2.0, inverse_root(params["VI"]))
        V = params.get("V")
        if V is None and X is not None and len(X) > 1:
            V = np.atleast_2d(np.cov(X, rowvar=False, dtype=np.float64))
        try:
            if V is None:
                raise np.linalg.LinAlgError
            return Form(2.0, inverse_root(np.linalg.inv(np.asarray(V, dtype=np.float64))))
        except np.linalg.LinAlgError as error:
            raise DataError(
                "metric 'mahalanobis' needs an invertible covariance matrix: give metric_params={'V': ...} or its inverse 'VI'."
            ) from error
    return None
