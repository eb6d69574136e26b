"""Whether a function of two rows is a metric.

A metric is zero between equal rows only, symmetric, and obeys d(x, z) <= d(x, y) + d(y, z); the cosine distance does not, nor
does Minkowski's with p < 1.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_array

from novum.engines.search.metrics import usual_name
from novum.exceptions import DataError
from novum.neighbors.distances import pairwise_distances
from novum.report.result import result
from novum.runtime.typing import Metric, Rows

__all__ = ["MetricAxioms", "check_metric_axioms"]

MOST_TRIPLES = 200  # rows whose triples are all looked at


@result
class MetricAxioms(NamedTuple):
    """Which axioms a distance obeys on some rows, and by how much the triangle inequality fails at worst."""

    nonnegative: bool
    zero_on_equal_rows: bool
    positive_between_different_rows: bool
    symmetric: bool
    triangle: bool
    worst_triangle: float

    @property
    def is_metric(self) -> bool:
        """Whether all axioms hold."""
        return all(self[:5])


def check_metric_axioms(metric: Metric, X: Rows, *, tol: float = 1e-9, **kwds: Any) -> Any:
    """Try the axioms of a metric on all pairs and triples of some rows.

    Parameters
    ----------
    metric : str, function or "precomputed"
        As in pairwise_distances; with "precomputed", X holds the distances. Minkowski's metric may have p < 1 here.
    X : array-like of shape (n, n_features)
        At most 200 rows.
    tol : float, default=1e-9
        What counts as rounding, relative to the largest distance.
    **kwds
        Of the metric.

    Returns
    -------
    MetricAxioms

    Examples
    --------
    >>> from novum.teaching import check_metric_axioms
    >>> points = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]
    >>> check_metric_axioms("euclidean", points).is_metric, check_metric_axioms("minkowski", points, p=0.5).triangle
    (True, False)
    """
    X = check_array(X, dtype=np.float64)
    if len(X) > MOST_TRIPLES:
        raise DataError(
            f"check_metric_axioms looks at all triples of rows: give at most {MOST_TRIPLES} of them, not {len(X)}."
        )
    if usual_name(metric) == "minkowski" and kwds.get("p", 2) < 1:
        difference = np.abs(X[:, None] - X[None])
        D = (difference ** kwds["p"]).sum(-1) ** (1 / kwds["p"])
        same = (difference == 0).all(-1)
    else:
        D = np.asarray(pairwise_distances(X, metric=metric, **kwds), dtype=np.float64)
        same = np.eye(len(X), dtype=bool) if metric == "precomputed" else (X[:, None] == X[None]).all(-1)
    slack = tol * max(float(np.abs(D).max(initial=0)), np.finfo(float).tiny)
    excess = max((float((D - (D[:, j, None] + D[j][None])).max()) for j in range(len(D))), default=0.0)
    return MetricAxioms(
        bool((-slack <= D).all()),
        bool((np.abs(D[same]) <= slack).all()),
        bool((D[~same] > 0).all()),
        bool((np.abs(D - D.T) <= slack).all()),
        excess <= slack,
        max(excess, 0.0),
    )
