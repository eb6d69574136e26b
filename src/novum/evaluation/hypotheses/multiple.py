r"""Many tests at once: bounds on the probability of any false rejection (Holm), or on the share of false ones among the rejected.

    p_(1) <= ... <= p_(m):     adjusted_(i) = min(1, max_{j <= i} (m - j + 1) p_(j))               (1)

Rejecting what has an adjusted p at most alpha keeps the probability of one or more false rejections at most alpha,
whatever the dependence between the tests, and never rejects less than Bonferroni's m p.

    Benjamini and Hochberg:  adjusted_(i) = min(1, min_{j >= i} p_(j) m c / j),  c = 1                                      (2)
    Benjamini and Yekutieli: the same with c = sum_{j <= m} 1/j

Rejecting what has (2) at most q keeps the expected share of false rejections at most q: for independent or positively dependent
tests with c = 1, for any with the other.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novum.exceptions import DataError
from novum.runtime.checks import check_choice

__all__ = ["false_discovery_rate", "holm"]


def checked_p_values(owner: str, p_values: ArrayLike) -> NDArray[np.float64]:
    """Return p-values as an array, or raise."""
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise DataError(f"{owner}(p_values={p_values!r}): pass a list of numbers between 0 and 1.")
    return p


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
    p = checked_p_values("holm", p_values)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(np.arange(len(p), 0, -1) * p[order])
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def false_discovery_rate(p_values: ArrayLike, *, method: str = "bh") -> NDArray[np.float64]:
    """Return p-values adjusted so that rejecting those up to q keeps the expected share of false rejections at q.

    Parameters
    ----------
    p_values : array-like of shape (m,)
        In [0, 1].
    method : {"bh", "by"}, default="bh"
        Benjamini and Hochberg's steps, for independent or positively dependent tests; Benjamini and Yekutieli's, for any.

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> from novum.evaluation import false_discovery_rate
    >>> false_discovery_rate([0.01, 0.04, 0.03, 0.5]).round(4)
    array([0.04  , 0.0533, 0.0533, 0.5   ])
    """
    p = checked_p_values("false_discovery_rate", p_values)
    check_choice("false_discovery_rate", "method", method, ("bh", "by"))
    m = len(p)
    places = np.arange(1, m + 1)
    factor = m * ((1 / places).sum() if method == "by" else 1.0)
    order = np.argsort(p, kind="stable")
    stepped = np.minimum.accumulate((p[order] * factor / places)[::-1])[::-1]
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted
