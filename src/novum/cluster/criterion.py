r"""How tight a clustering is, whoever made it: the squared distances of the rows to the centers of their clusters.

    J   = sum_j J_j,   J_j = sum_{i: z_i = j} w_i |x_i - c_j|^2                                       (1)
    c_j = sum_{i: z_i = j} w_i x_i / sum_{i: z_i = j} w_i    unless centers are given                 (3)

For given labels the means (3) minimise (1): its derivative is -2 sum w_i (x_i - c_j). For given centers the nearest ones
do. k-means alternates the two.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import column_or_1d

from novum.base.validation import check_weight
from novum.exceptions import DataError
from novum.report.numbers import counted
from novum.report.result import result
from novum.runtime.typing import Numbers, Rows, RowWeights

__all__ = ["WithinClusterError", "nearest_means", "within_cluster_error"]


@result
class WithinClusterError(NamedTuple):
    """The criterion (1) and its parts.

    J   = sum_j J_j,   J_j = sum_{i: z_i = j} w_i |x_i - c_j|^2    (1)
    """

    total: float
    by_cluster: NDArray  # (k,): J_j
    clusters: NDArray  # (k,): the label of each
    centers: NDArray  # (k, d)


def weighted_means(X: NDArray, code: NDArray, weight: NDArray, k: int) -> NDArray:
    """Return (3), about the first row of every cluster so that data far from zero lose no digits."""
    first = X[np.unique(code, return_index=True)[1]]  # (k, d)
    offset = np.zeros((k, X.shape[1]))
    np.add.at(offset, code, weight[:, None] * (X - first[code]))
    mass = np.bincount(code, weight, minlength=k)
    return first + offset / np.where(mass > 0, mass, 1.0)[:, None]


def within_cluster_error(
    X: Rows, labels: Numbers, *, centers: Numbers | None = None, sample_weight: RowWeights = None
) -> WithinClusterError:
    """Return the within-cluster sum of squared distances of any labelling, in total and by cluster.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    labels : array-like of shape (n_samples,)
        The cluster of every row, by any name; with `centers`, the row of `centers` that stands for it.
    centers : array-like of shape (n_clusters, n_features), default=None
        What distances are measured to; None takes the mean of every cluster.
    sample_weight : array-like of shape (n_samples,), default=None

    Returns
    -------
    WithinClusterError
        `total`, `by_cluster`, `clusters` (their labels) and `centers`.

    Examples
    --------
    >>> from novum.cluster import within_cluster_error
    >>> error = within_cluster_error([[1], [2], [3], [8], [9], [10]], list("aaabbb"))
    >>> error.total, error.by_cluster
    (4.0, array([2., 2.]))
    """
    X = check_array(X, dtype=np.float64, input_name="X")
    labels = column_or_1d(labels)
    check_consistent_length(X, labels)
    given = check_weight("within_cluster_error", sample_weight, len(X))
    weight = np.ones(len(X)) if given is None else given
    if centers is None:
        clusters, code = np.unique(labels, return_inverse=True)
        centers = weighted_means(X, code, weight, len(clusters))
    else:
        centers = check_array(centers, dtype=np.float64, input_name="centers")
        clusters, code = np.arange(len(centers)), labels
        if labels.dtype.kind not in "iu" or labels.min() < 0 or labels.max() >= len(centers):
            raise DataError(
                f"within_cluster_error: with {counted(len(centers), 'center')} given, labels must be whole numbers from 0 to"
                f" {len(centers) - 1}; found {labels.min()!r} to {labels.max()!r}."
            )
        if centers.shape[1] != X.shape[1]:
            raise DataError(
                f"within_cluster_error: centers have {counted(centers.shape[1], 'feature')}, X has {X.shape[1]}; give as many."
            )
    square = ((X - centers[code]) ** 2).sum(axis=1)
    by_cluster = np.bincount(code, weight * square, minlength=len(centers))
    return WithinClusterError(float(by_cluster.sum()), by_cluster, clusters, centers)


def nearest_means(X: NDArray, labels: NDArray, rows: NDArray) -> NDArray:
    """Return for every row of X the cluster of other rows whose mean is nearest: a labelling of all by one of a sample."""
    found = within_cluster_error(rows, labels)
    shift = found.centers - X.mean(axis=0)
    half = (shift**2).sum(axis=1) / 2 - (X - X.mean(axis=0)) @ shift.T
    return found.clusters[np.argmin(half, axis=1)]
