r"""Holm's adjustment: many tests, one bound on the chance of any false rejection.

    p_(1) <= ... <= p_(m):     adjusted_(i) = min(1, max_{j <= i} (m - j + 1) p_(j))               (1)

Rejecting what has an adjusted p at most alpha keeps the chance of one or more false rejections at most alpha,
whatever the dependence between the tests, and never rejects less than Bonferroni's m p.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novum.exceptions import DataError

__all__ = ["holm"]


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Return p-values adjusted by Holm's steps, in the order given.

    Parameters
    ----------
    p_values : array-like of shape (m,)
        In [0, 1].

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> from novum.evaluation import holm
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise DataError(f"holm(p_values={p_values!r}): pass a list of numbers between 0 and 1.")
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(np.arange(len(p), 0, -1) * p[order])
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted
