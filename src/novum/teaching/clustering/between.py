r"""How far two clusters are apart, by every linkage whose value depends on their rows alone.

single    min d(x, y)      complete  max d(x, y)      average  mean d(x, y)      over x in A, y in B      (1)
centroid  d(mean A, mean B)      ward  sqrt(2 n_A n_B / (n_A + n_B)) |mean A - mean B|                    (2)
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from novum.exceptions import DataError, ParameterError
from novum.neighbors import pairwise_distances
from novum.runtime.typing import Metric, Rows

__all__ = ["cluster_distance"]

OF_PAIRS: dict[str, Callable[[NDArray], Any]] = {"single": np.min, "complete": np.max, "average": np.mean}


def cluster_distance(
    A: Rows,
    B: Rows,
    linkage: Literal["single", "complete", "average", "centroid", "ward"] | Callable[..., Any] = "single",
    metric: Metric = "euclidean",
    **params: Any,
) -> float:
    """Return the dissimilarity of two clusters.

    Parameters
    ----------
    A, B : array-like of shape (n_rows, n_features)
        The rows of the two clusters.
    linkage : {"single", "complete", "average", "centroid", "ward"} or callable, default="single"
        A callable gets the matrix of the distances between the rows of A and of B.
    metric : str or callable, default="euclidean"
        Whatever `novum.neighbors.pairwise_distances` takes, "sqeuclidean" among them.
    **params
        Parameters of the metric.

    Examples
    --------
    >>> from novum.teaching import cluster_distance
    >>> [cluster_distance([[0], [1]], [[3], [6]], name) for name in ("single", "complete", "average", "centroid")]
    [2.0, 6.0, 4.0, 4.0]
    """
    A, B = (check_array(rows, dtype=np.float64, input_name=name) for rows, name in ((A, "A"), (B, "B")))
    if A.shape[1] != B.shape[1]:
        raise DataError(
            f"cluster_distance: A has {A.shape[1]} features, B has {B.shape[1]}; give both the same columns."
        )
    if callable(linkage) or linkage in OF_PAIRS:
        of_pairs = linkage if callable(linkage) else OF_PAIRS[linkage]
        return float(of_pairs(pairwise_distances(A, B, metric, **params)))
    if linkage not in ("centroid", "ward"):
        raise ParameterError(
            f"Unknown linkage type {linkage!r}: cluster_distance knows {[*OF_PAIRS, 'centroid', 'ward']}, or a function of the"
            " distances."
        )
    if linkage == "ward" and metric not in ("euclidean", "l2"):
        raise ParameterError(
            f"{metric} was provided as metric. Ward can only work with euclidean distances (i.e. 'euclidean' and 'l2')."
        )
    apart = pairwise_distances(A.mean(axis=0)[None], B.mean(axis=0)[None], metric, **params)[0, 0]
    weight = np.sqrt(2 * len(A) * len(B) / (len(A) + len(B))) if linkage == "ward" else 1.0
    return float(weight * apart)
