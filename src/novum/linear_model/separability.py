r"""Linear separability: decided by one linear programme, proved by what it returns.

    s = min |sum_A lambda_i x_i - sum_B mu_k x_k|_inf,   lambda, mu >= 0,   sum lambda = sum mu = 1              (1)

is how far the convex hulls of two classes are apart. Its dual

    s = max c_B - c_A,   u'x_i <= c_A on A,   u'x_k >= c_B on B,   |u|_1 <= 1                                   (2)

is a separating plane where s > 0; where s = 0 the solution of (1) is a point that belongs to both hulls, and no plane can have
that point on both of its sides. With a separating plane, the perceptron makes at most

    (R / gamma)^2,   R = max |x_i|,   gamma = min y_i u'x_i / |u|                                               (3)

mistakes from a start at zero (Novikoff 1962), rows augmented by a one where there is an intercept; u of the largest margin
gives the least bound. Derivation: docs/theory/online_learning.md.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import column_or_1d

from novum.exceptions import DataError
from novum.linear_model.hyperplane import Hyperplane
from novum.optimize import solve_qp
from novum.report.numbers import counted
from novum.report.result import result
from novum.runtime.typing import Rows, Target

__all__ = ["MistakeBound", "Separability", "is_linearly_separable", "perceptron_mistake_bound"]


@result
class Separability(NamedTuple):
    """The answer and its proof; true where a plane separates the classes."""

    separable: bool
    plane: Hyperplane | None  # positive on the second class, halfway between the classes
    point: NDArray | None  # (d,): in both hulls
    first_weights: NDArray | None  # (rows of the first class,): convex weights of the point
    second_weights: NDArray | None  # (rows of the second class,)
    gap: float  # separable: geometric margin of the plane; else distance of the two combinations, zero up to rounding

    def __bool__(self) -> bool:
        return self.separable


@result
class MistakeBound(NamedTuple):
    """The bound (3); infinite where no plane separates the classes.

    (R / gamma)^2,   R = max |x_i|,   gamma = min y_i u'x_i / |u|    (3)
    """

    bound: float
    radius: float
    margin: float
    plane: Hyperplane | None


def two_classes(owner: str, X: Any, y: Any) -> tuple[NDArray, NDArray, NDArray]:
    """Return the rows, their signs and the two labels."""
    X = check_array(X, dtype=np.float64, estimator=owner, input_name="X")
    labels = column_or_1d(y)
    check_consistent_length(X, labels)
    classes = np.unique(labels)
    if len(classes) != 2:
        raise DataError(
            f"{owner}: y has {counted(len(classes), 'different label')}, and a plane separates two; give the "
            "rows of two classes at a"
            " time, or one class against the rest."
        )
    return X, np.where(labels == classes[1], 1.0, -1.0), classes


def nearest_of_hulls(A: NDArray, B: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Return lambda and mu of (1) and u of (2)."""
    n, m, d = len(A), len(B), A.shape[1]
    difference = np.hstack([A.T, -B.T])  # (d, n + m)
    ones = np.ones((d, 1))
    rows = np.vstack([np.hstack([difference, -ones]), np.hstack([-difference, -ones])])
    sums = np.zeros((2, n + m + 1))
    sums[0, :n] = sums[1, n : n + m] = 1.0
    cost = np.append(np.zeros(n + m), 1.0)
    solved = linprog(cost, rows, np.zeros(2 * d), sums, np.ones(2), bounds=(0, None), method="highs")
    if not solved.success:
        raise DataError(f"is_linearly_separable: the linear programme failed ({solved.message}); scale the columns.")
    price = solved.ineqlin.marginals
    share, other = np.maximum(solved.x[:n], 0), np.maximum(solved.x[n : n + m], 0)
    return share / share.sum(), other / other.sum(), price[:d] - price[d:]


def plane_between(A: NDArray, B: NDArray, u: NDArray) -> Hyperplane | None:
    """Return the plane of normal u halfway between A and B, or None if u does not separate them."""
    high, low = (A @ u).max(), (B @ u).min()
    if not u.any() or not low > high:
        return None
    plane = Hyperplane(u, -(high + low) / 2)
    right = (plane.decision_function(A) < 0).all() and (plane.decision_function(B) > 0).all()
    return plane if right else None


def is_linearly_separable(X: Rows, y: Target) -> Separability:
    """Return whether a plane separates two classes, with the plane, or with a point of both convex hulls.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two classes.

    Returns
    -------
    Separability
        True or false as it stands. The plane has been checked on every row; classes closer than about 1e-7 of the range of
        the columns may count as touching.

    Examples
    --------
    >>> from novum.linear_model import is_linearly_separable
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> bool(is_linearly_separable(X, [0, 0, 0, 1]))
    True
    >>> xor = is_linearly_separable(X, [0, 1, 1, 0])
    >>> bool(xor), xor.point
    (False, array([0.5, 0.5]))
    """
    X, sign, _ = two_classes("is_linearly_separable", X, y)
    center, scale = X.mean(axis=0), X.std(axis=0)
    scale[scale == 0] = 1.0
    standard = (X - center) / scale
    first, second = sign < 0, sign > 0
    share, other, u = nearest_of_hulls(standard[first], standard[second])
    plane = plane_between(X[first], X[second], u / scale)
    if plane is not None:
        return Separability(True, plane, None, None, None, float(plane.geometric_margin(X, sign).min()))
    a, b = share @ X[first], other @ X[second]
    return Separability(False, None, (a + b) / 2, share, other, float(np.abs(a - b).max()))


def perceptron_mistake_bound(
    X: Rows, y: Target, *, fit_intercept: bool = True, plane: Hyperplane | None = None
) -> MistakeBound:
    """Return (3), the most mistakes that a perceptron started at zero makes on separable classes, in any order.

        (R / gamma)^2,   R = max |x_i|,   gamma = min y_i u'x_i / |u|    (3)

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two classes.
    fit_intercept : bool, default=True
        Whether the perceptron has an intercept: rows are then augmented by a one.
    plane : Hyperplane, default=None
        A separating plane; None takes the one of the largest margin, found by a quadratic programme.

    Examples
    --------
    >>> from novum.linear_model import perceptron_mistake_bound
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> round(perceptron_mistake_bound(X, [0, 0, 0, 1]).bound, 6)
    51.0
    """
    X, sign, _ = two_classes("perceptron_mistake_bound", X, y)
    rows = np.column_stack([X, np.ones(len(X))]) if fit_intercept else X
    radius = float(np.linalg.norm(rows, axis=1).max())
    if plane is None:
        augmented = is_linearly_separable(np.vstack([rows, -rows]), np.append(sign, -sign))  # through zero: both signs
        if not augmented:
            return MistakeBound(np.inf, radius, 0.0, None)
        d = rows.shape[1]
        u = solve_qp(np.eye(d), np.zeros(d), A_ub=-sign[:, None] * rows, b_ub=-np.ones(len(rows))).x
    else:
        u = np.append(plane.coef, plane.intercept) if fit_intercept else plane.coef
    margin = float((sign * (rows @ u)).min() / np.linalg.norm(u))
    if margin <= 0:
        return MistakeBound(np.inf, radius, 0.0, None)
    used = Hyperplane(u[:-1], u[-1]) if fit_intercept else Hyperplane(u)
    return MistakeBound((radius / margin) ** 2, radius, margin, used)
