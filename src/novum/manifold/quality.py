r"""How much a map keeps: neighbors that are true ones, and distances.

With r(i, j) the place of row j among the others by distance from row i, and U_i the k nearest of i on the map,

    trustworthiness = 1 - 2 / (n k (2 n - 3 k - 1)) sum_i sum_{j in U_i} max(0, r(i, j) - k)       (1)

One says that all neighbors on the map were neighbors before (Venna and Kaski 2001).
"""

import numpy as np
from sklearn.utils import check_array

from novum.engines.search.index import distances_between
from novum.exceptions import ParameterError
from novum.neighbors import NearestNeighbors
from novum.runtime.typing import Metric, Numbers, Rows

__all__ = ["trustworthiness"]

BLOCK = 2**22  # distances looked at together


def ranks_of(distance: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Return r(i, j) of chosen rows j: one more than the others that are nearer to i, or tied with j and before it.

    The row itself has a distance below zero: it is the one that is counted too much.
    """
    at = np.take_along_axis(distance, chosen, 1)  # (b, k)
    number = np.arange(distance.shape[1])
    out = np.empty(chosen.shape)
    for c in range(chosen.shape[1]):
        bound = at[:, c : c + 1]
        out[:, c] = ((distance < bound) | ((distance == bound) & (number < chosen[:, c : c + 1]))).sum(axis=1)
    return out


def trustworthiness(X: Rows, X_embedded: Numbers, *, n_neighbors: int = 5, metric: Metric = "euclidean") -> float:
    """Return the share (1) of neighborhoods on a map that were neighborhoods before.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or distances (n_samples, n_samples) if metric="precomputed"
    X_embedded : array-like of shape (n_samples, n_components)
        The map.
    n_neighbors : int, default=5
        k; below n_samples / 2.
    metric : str or function, default="euclidean"
        Of the rows of X.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.manifold import trustworthiness
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> trustworthiness(X, 2 * X)
    1.0
    """
    X = check_array(X, accept_sparse="csr", input_name="X")
    Z = check_array(X_embedded, input_name="X_embedded")
    n, k = X.shape[0], n_neighbors
    if k >= n / 2:
        raise ParameterError(f"n_neighbors ({k}) should be less than n_samples / 2 ({n / 2}) in trustworthiness.")
    near = NearestNeighbors(n_neighbors=k).fit(Z).kneighbors(return_distance=False)
    total = 0.0
    for start in range(0, n, max(1, BLOCK // n)):
        own = np.arange(start, min(start + max(1, BLOCK // n), n))
        distance = (
            X[own] if isinstance(metric, str) and metric == "precomputed" else distances_between(X[own], X, metric, {})
        )
        distance = np.array(distance, dtype=np.float64)
        distance[np.arange(len(own)), own] = -1.0  # rounding may leave the row itself away from zero
        total += float(np.maximum(ranks_of(distance, near[own]) - k, 0.0).sum())
    return 1.0 - total * (2.0 / (n * k * (2.0 * n - 3.0 * k - 1.0)))
