r"""Covariance and correlation of columns, with weights.

    m = sum_i w_i x_i / W,    C = sum_i w_i (x_i - m)(x_i - m)' / (W - correction),    W = sum_i w_i        (15)
    R[s, t] = C[s, t] / sqrt(C[s, s] C[t, t])                                                               (16)

correction = 0 is maximum likelihood, 1 the unbiased estimate; weights count repetitions. The rows are centred before they are
multiplied: E[xy] - E[x] E[y], equal in exact arithmetic, loses every digit for data far from zero.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.linalg.input import finite
from novum.runtime.checks import check_number, row_weights
from novum.runtime.typing import Rows, RowWeights

__all__ = ["correlation", "covariance"]


def covariance(X: Rows, *, correction: float = 0, sample_weight: RowWeights = None) -> NDArray[Any]:
    """Return C of (15).

        m = sum_i w_i x_i / W,   C = sum_i w_i (x_i - m)(x_i - m)' / (W - correction),   W = sum_i w_i    (15)

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    correction : float, default=0
        0 divides by the total weight, 1 by one less.
    sample_weight : array-like of shape (n_samples,), optional
        Weight w means w equal rows.

    Returns
    -------
    ndarray of shape (n_features, n_features)

    Examples
    --------
    >>> import numpy as np
    >>> from novum.linalg import covariance
    >>> covariance(np.column_stack([[1, 2, 3, 4], [2, 1, 4, 3]]))
    array([[1.25, 0.75],
           [0.75, 1.25]])
    """
    rows = finite("covariance", "X", X, 2)
    correction = check_number("covariance", "correction", correction, 0)
    weight = row_weights("covariance", sample_weight, len(rows))
    w = np.ones(len(rows)) if weight is None else weight
    total = float(w.sum())
    if total <= correction:
        raise DataError(
            f"covariance: a total weight of {total:g} leaves nothing to divide by after correction={correction:g}; "
            "more rows or correction=0 are needed."
        )
    centred = rows - rows[0]  # an offset of the data's own size keeps the mean of far away data exact
    centred = centred - w @ centred / total
    root = centred * np.sqrt(w)[:, None]  # one product of a matrix with itself: symmetric to the bit
    return root.T @ root / (total - correction)


def correlation(X: Rows, *, sample_weight: RowWeights = None) -> NDArray[Any]:
    """Return R of (16).

        R[s, t] = C[s, t] / sqrt(C[s, s] C[t, t])    (16)

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    sample_weight : array-like of shape (n_samples,), optional

    Returns
    -------
    ndarray of shape (n_features, n_features)

    Examples
    --------
    >>> from novum.linalg import correlation
    >>> correlation([[1, 2], [2, 1], [3, 4], [4, 3]]).round(12)
    array([[1. , 0.6],
           [0.6, 1. ]])
    """
    C = covariance(X, sample_weight=sample_weight)
    deviation = np.sqrt(np.diag(C))
    if not deviation.all():
        raise DataError(f"correlation: column {int(deviation.argmin())} is constant, so its correlation is undefined.")
    R = np.clip(C / np.outer(deviation, deviation), -1.0, 1.0)
    np.fill_diagonal(R, 1.0)
    return R
