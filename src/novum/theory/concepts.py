r"""Which labelings of points a class can realize, with the concept that does: the oracles of shattering.

Classes that are linear in some features phi(x) ask a linear programme for the largest t with

    s_i w'phi(x_i) >= t,   |w_j| <= 1,   t <= 1        realizable iff t > 0 for some w                           (1)

phi = (x, 1) halfspaces, x planes through the origin, the monomials polynomials, (|x|^2, x, 1) with one sign of the first
weight balls. Boxes and hulls need none: the smallest concept that holds the positives realizes the labeling, or nothing in
the class does.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from novum.linear_model.hyperplane import Hyperplane
from novum.linear_model.separability import is_linearly_separable

__all__ = ["ORACLES", "Ball", "Box", "Hull", "Polynomial", "Union", "oracle_of"]

SMALLEST_MARGIN = (
    1e-9  # of (1) on standardized features; a programme solved to 1e-7 of feasibility returns zero below it
)


class Box(NamedTuple):
    """low <= x <= high in every coordinate; empty where an end is above the other."""

    low: NDArray[Any]
    high: NDArray[Any]

    def contains(self, X: NDArray) -> NDArray:
        return np.all((self.low <= X) & (self.high >= X), axis=1)


class Union(NamedTuple):
    """At least one of the boxes."""

    boxes: tuple[Box, ...]

    def contains(self, X: NDArray) -> NDArray:
        return np.any([box.contains(X) for box in self.boxes], axis=0) if self.boxes else np.zeros(len(X), bool)


class Ball(NamedTuple):
    """|x - center| <= radius; empty where the radius is negative."""

    center: NDArray[Any]
    radius: float

    def contains(self, X: NDArray) -> NDArray:
        return np.linalg.norm(X - self.center, axis=1) <= self.radius


class Hull(NamedTuple):
    """The convex hull of these points."""

    points: NDArray[Any]  # (m, d)

    def contains(self, X: NDArray) -> NDArray:
        return np.array([in_hull(x, self.points) for x in X], dtype=bool)


class Polynomial(NamedTuple):
    """weights'monomials(x) >= 0; monomials of the standardized coordinates, in the order of `exponents`."""

    weights: NDArray[Any]
    exponents: NDArray[Any]  # (terms, d)
    center: NDArray[Any]
    scale: NDArray[Any]

    def contains(self, X: NDArray) -> NDArray:
        return monomials((X - self.center) / self.scale, self.exponents) @ self.weights >= 0


def in_hull(x: NDArray, points: NDArray) -> bool:
    """Return whether x is a convex combination of the points."""
    if not len(points):
        return False
    A = np.vstack([points.T, np.ones(len(points))])
    return bool(linprog(np.zeros(len(points)), A_eq=A, b_eq=np.append(x, 1.0), method="highs").status == 0)


def strict_weights(features: NDArray, labels: NDArray, bounds: Sequence[tuple[float, float]]) -> NDArray | None:
    """Return w of (1) that has every feature row strictly on its side, or None."""
    sign = np.where(labels, 1.0, -1.0)
    A = np.column_stack([-sign[:, None] * features, np.ones(len(features))])
    cost = np.append(np.zeros(features.shape[1]), -1.0)
    solved = linprog(cost, A, np.zeros(len(features)), bounds=[*bounds, (None, 1.0)], method="highs")
    if not solved.success or solved.x[-1] <= SMALLEST_MARGIN:
        return None
    w = solved.x[:-1]
    return w if (sign * (features @ w) > 0).all() else None


def standardize(X: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    center, scale = X.mean(axis=0), X.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    return (X - center) / scale, center, scale


def monomials(X: NDArray, exponents: NDArray) -> NDArray:
    return np.prod(X[:, None, :] ** exponents[None], axis=2)


def exponents_up_to(degree: int, d: int) -> NDArray:
    """Return all exponents of total degree at most `degree`."""
    grid = np.stack(np.meshgrid(*[np.arange(degree + 1)] * d, indexing="ij"), axis=-1).reshape(-1, d)
    return grid[grid.sum(axis=1) <= degree]


def halfspace(X: NDArray, labels: NDArray, k: int, degree: int) -> Hyperplane | None:
    """Return a plane that is positive on the true labels only."""
    if labels.all() or not labels.any():
        return Hyperplane(np.eye(X.shape[1])[0], float((-1, 1)[int(labels.all())] * (1 + np.abs(X).max())))
    return is_linearly_separable(X, labels).plane


def through_origin(X: NDArray, labels: NDArray, k: int, degree: int) -> Hyperplane | None:
    w = strict_weights(X / (np.abs(X).max() or 1.0), labels, [(-1, 1)] * X.shape[1])
    return None if w is None else Hyperplane(w, 0.0)


def polynomial(X: NDArray, labels: NDArray, k: int, degree: int) -> Polynomial | None:
    Z, center, scale = standardize(X)
    exponents = exponents_up_to(degree, X.shape[1])
    w = strict_weights(monomials(Z, exponents), labels, [(-1, 1)] * len(exponents))
    return None if w is None else Polynomial(w, exponents, center, scale)


def ball(X: NDArray, labels: NDArray, k: int, degree: int) -> Ball | None:
    """Return a ball with the true labels inside: (1) on (|x|^2, x, 1), the first weight not positive."""
    if not labels.any():
        return Ball(X[0] if len(X) else np.zeros(X.shape[1]), -1.0)
    center = X.mean(axis=0)
    scale = float(np.abs(X - center).max()) or 1.0  # one scale for all coordinates: a ball stays a ball
    Z = (X - center) / scale
    features = np.column_stack([(Z**2).sum(axis=1), Z, np.ones(len(Z))])
    w = strict_weights(features, labels, [(-1, 0)] + [(-1, 1)] * (features.shape[1] - 1))
    if w is None:
        return None
    margin = float(np.abs(features @ w).min())
    a = w[0] - margin / (2 * max(features[:, 0].max(), 1.0))  # a halfspace is bent into a ball within half the margin
    c = -w[1:-1] / (2 * a)
    found = Ball(center + scale * c, float(scale * np.sqrt(max(c @ c - w[-1] / a, 0.0))))
    return found if (found.contains(X) == labels).all() else None


def box(X: NDArray, labels: NDArray, k: int, degree: int) -> Box | None:
    d = X.shape[1]
    if not labels.any():
        return Box(np.full(d, np.inf), np.full(d, -np.inf))
    tight = Box(X[labels].min(axis=0), X[labels].max(axis=0))
    return tight if (tight.contains(X) == labels).all() else None


def ray(X: NDArray, labels: NDArray, k: int, degree: int) -> Box | None:
    x = X[:, 0]
    low = x[labels].min() if labels.any() else np.inf
    return Box(np.array([low]), np.array([np.inf])) if ((x >= low) == labels).all() else None


def interval_union(X: NDArray, labels: NDArray, k: int, degree: int) -> Union | None:
    """Return at most k intervals: the runs of true labels in sorted order."""
    order = np.argsort(X[:, 0], kind="stable")
    x, on = X[order, 0], labels[order]
    edge = np.diff(np.concatenate([[False], on, [False]]).astype(int))
    found = Union(tuple(Box(x[[a]], x[[b - 1]]) for a, b in zip(np.flatnonzero(edge == 1), np.flatnonzero(edge == -1))))
    return found if len(found.boxes) <= k and (found.contains(X) == labels).all() else None


def hull(X: NDArray, labels: NDArray, k: int, degree: int) -> Hull | None:
    tight = Hull(X[labels])
    outside = X[~labels]
    return None if len(outside) and tight.contains(outside).any() else tight


Oracle = Callable[[NDArray, NDArray, int, int], Any]
ORACLES: dict[str, Oracle] = {
    "linear": halfspace,
    "homogeneous": through_origin,
    "polynomials": polynomial,
    "balls": ball,
    "rectangles": box,
    "intervals": box,
    "thresholds": ray,
    "interval_unions": interval_union,
    "convex": hull,
}
ONE_DIMENSION = ("intervals", "thresholds", "interval_unions")


def oracle_of(concepts: Any, k: int, degree: int) -> Callable[[NDArray, NDArray], Any]:
    """Return a function of points and labels that gives a concept or None; a callable may also answer True or False."""
    if callable(concepts):

        def oracle_or_none(X: NDArray, labels: NDArray) -> Any:
            answer = concepts(X, labels)
            return None if answer is None or answer is False or answer is np.False_ else answer

        return oracle_or_none
    oracle = ORACLES[concepts]
    return lambda X, labels: oracle(X, labels, k, degree)
