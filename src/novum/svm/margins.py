"""Margins of a separating plane w'x + w_0, labels y of +1 and -1.

functional  m_i = y_i (w'x_i + w_0)      geometric  m_i / |w|, the signed distance from the plane                     (1)
margin of the set  min_i m_i / |w|       canonical form  (w, w_0) / min_i m_i, so that the nearest point has m = 1      (2)
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.report.numbers import num
from novum.report.result import Result
from novum.runtime.checks import float_array, vector
from novum.runtime.typing import Numbers, Rows, Target

__all__ = ["Margins", "canonical_hyperplane", "margins"]


@dataclass(repr=False)
class Margins(Result):
    """Margins of all points: see `margins`."""

    functional: NDArray[np.float64]
    geometric: NDArray[np.float64]
    functional_margin: float  # the least of the functional ones
    margin: float  # the least distance; negative where a point is on the wrong side
    width: float  # of the strip without points: twice the margin


def margins(coef: Numbers, intercept: float, X: Rows, y: Target) -> Margins:
    """Return the margins (1) of every point and of the set.

    Parameters
    ----------
    coef : array-like of shape (n_features,)
    intercept : float
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels +1 and -1.

    Examples
    --------
    >>> from novum.svm import margins
    >>> found = margins([2 / 3, 2 / 3], -5 / 3, [[0, 0], [1, 0], [2, 2]], [-1, -1, 1])
    >>> found.functional.round(3), round(found.width, 4)
    (array([1.667, 1.   , 1.   ]), 2.1213)
    """
    w, rows, sign = plane("margins", coef, X, y)
    functional = sign * (rows @ w + float(intercept))
    norm = float(np.linalg.norm(w))
    geometric = functional / norm
    least = float(functional.min())
    return Margins(functional, geometric, least, least / norm, 2 * least / norm)


def canonical_hyperplane(coef: Numbers, intercept: float, X: Rows, y: Target) -> tuple[NDArray[np.float64], float]:
    """Return the same plane in its canonical form (2); it must separate the points.

    Parameters
    ----------
    coef, intercept, X, y
        As in `margins`.

    Examples
    --------
    >>> from novum.svm import canonical_hyperplane
    >>> canonical_hyperplane([3.0, 3.0], -6.0, [[0, 0], [2, 2]], [-1, 1])
    (array([0.5, 0.5]), -1.0)
    """
    least = margins(coef, intercept, X, y).functional_margin
    if not least > 0:
        raise DataError(
            "canonical_hyperplane: the plane does not separate the points (least functional margin "
            f"{num(least):.6g}). Give one that"
            " does, for instance that of SVC(kernel='linear', C=inf)."
        )
    w, _, _ = plane("canonical_hyperplane", coef, X, y)
    return w / least, float(intercept) / least


def plane(owner: str, coef: Any, X: Any, y: Any) -> tuple[NDArray, NDArray, NDArray]:
    """Return weights, points and signs as arrays, after their checks."""
    w, rows, sign = vector(owner, "coef", np.ravel(coef)), float_array(owner, "X", X), vector(owner, "y", y)
    if rows.ndim != 2 or rows.shape != (len(sign), len(w)):
        raise DataError(f"{owner}: X has the shape {rows.shape}, and y and coef ask for ({len(sign)}, {len(w)}).")
    if not np.isin(sign, (-1.0, 1.0)).all():
        raise DataError(f"{owner}: y must be +1 or -1, got {np.unique(sign)[:5]}. Map the classes to signs first.")
    if not w.any():
        raise DataError(f"{owner}: coef is zero, so that there is no plane.")
    return w, rows, sign
