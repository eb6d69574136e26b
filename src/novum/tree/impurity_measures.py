r"""How mixed a group of rows is, and what a split of it leaves.

gini               1 - sum_k p_k^2 = sum_k p_k (1 - p_k)                                       (1)
entropy            -sum_k p_k log_b p_k                                                        (2)
misclassification  1 - max_k p_k                                                               (3)
squared_error      sum_i w_i (y_i - mean)^2 / sum_i w_i                                        (4)
absolute_error     sum_i w_i |y_i - median| / sum_i w_i                                        (5)
split              sum_v W_v I_v / sum_v W_v over the groups v of a split                      (6)
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.runtime.typing import Numbers

__all__ = ["impurity", "split_impurity"]

OF_CLASSES = ("gini", "entropy", "misclassification")
OF_NUMBERS = ("squared_error", "absolute_error")


def impurity(values: Numbers, criterion: str = "gini", *, base: float = 2.0) -> float:
    """Return the impurity of a group, (1) to (5).

        gini   1 - sum_k p_k^2 = sum_k p_k (1 - p_k)    (1)
        entropy   -sum_k p_k log_b p_k    (2)
        misclassification  1 - max_k p_k    (3)
        squared_error   sum_i w_i (y_i - mean)^2 / sum_i w_i    (4)
        absolute_error   sum_i w_i |y_i - median| / sum_i w_i    (5)

    Parameters
    ----------
    values : array-like
        Weights (counts, shares) of the classes; for "squared_error" and "absolute_error" the targets of the rows.
    criterion : {"gini", "entropy", "misclassification", "squared_error", "absolute_error"}, default="gini"
    base : float, default=2.0
        Of the logarithm in the entropy.

    Examples
    --------
    >>> from novum.tree import impurity
    >>> round(impurity([9, 5]), 6), round(impurity([9, 5], "entropy"), 6)
    (0.459184, 0.940286)
    """
    if criterion not in OF_CLASSES + OF_NUMBERS:
        raise ParameterError(f"impurity(criterion={criterion!r}): choose one of {', '.join(OF_CLASSES + OF_NUMBERS)}.")
    x = np.asarray(values, np.float64).ravel()
    if not x.size or not np.isfinite(x).all():
        raise DataError("impurity: values are finite numbers, at least one.")
    if criterion in OF_NUMBERS:
        middle = x.mean() if criterion == "squared_error" else np.median(x)
        return float(np.mean((x - middle) ** 2 if criterion == "squared_error" else np.abs(x - middle)))
    p = shares(x)
    if criterion == "gini":
        return float((p * (1 - p)).sum())
    if criterion == "misclassification":
        return float(1 - p.max())
    return float(-(p[p > 0] * np.log(p[p > 0])).sum() / np.log(base)) + 0.0


def split_impurity(groups: Sequence[Any], criterion: str = "gini", *, base: float = 2.0) -> float:
    """Return (6): what a split leaves.

        split   sum_v W_v I_v / sum_v W_v over the groups v of a split    (6)

    Parameters
    ----------
    groups : sequence of array-like
        `values` of `impurity` for every side of the split.
    criterion, base
        As in `impurity`.

    Examples
    --------
    >>> from novum.tree import split_impurity
    >>> round(split_impurity([[1, 1.2, 0.8], [5, 5.4, 4.6]], "squared_error"), 6)
    0.066667
    """
    if len(groups) == 0:
        raise DataError("split_impurity(groups=[]): a split has at least one side; give the values of each.")
    parts = [impurity(group, criterion, base=base) for group in groups]
    sizes = [np.size(group) if criterion in OF_NUMBERS else float(np.sum(group)) for group in groups]
    return float(np.average(parts, weights=sizes))


def shares(weight: NDArray) -> NDArray:
    """Return weights as shares of their sum."""
    if (weight < 0).any() or not weight.sum() > 0:
        raise DataError("impurity: weights of classes are zero or more, and not all zero.")
    return weight / weight.sum()
