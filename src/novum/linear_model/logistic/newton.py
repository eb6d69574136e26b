r"""Newton's method for the smooth part of logistic regression: the mean loss and a quadratic penalty.

    f(theta) = loss / W + 1/2 sum_kj l2_j theta_kj^2,      W = sum of the weights                  (7)
    theta <- theta + t d,   (Hessian + diag l2) d = -gradient,   t = 1, 1/2, 1/4 ... until f falls  (8)

Few columns: the Hessian is summed and factored (Cholesky on unit diagonal). Many: d by conjugate gradients, each step one
product with the Hessian, preconditioned by the Kronecker product of the classes' mean curvature and the products of columns
(diagonalised once) or, beyond WIDE columns, by the diagonal. The iteration stops where no component of the gradient of f
exceeds tol, as in scikit-learn.

Scores do not change when all theta_k move together, so (6) is singular in that direction. The gradient has no part in it; a
multiple of its projector makes the Hessian regular without changing the step.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from scipy.linalg import lapack

from novum.fold.blocks import Source
from novum.linear_model.logistic.sums import Direction, Point, evaluate_all, hessian_product, moments, weighted_rows

__all__ = ["NewtonMinimum", "Objective", "Value", "newton_cg", "newton_cholesky"]

WIDE = 1024  # columns up to which the preconditioner is a full matrix: its decomposition costs a few products with the Hessian
HALVINGS = 40  # of a step, after which nothing is left of it
ARMIJO = 1e-4  # share of the promised decrease that must come
ROUNDING = (
    64 * np.finfo(np.float64).eps
)  # relative change of f that cannot be distinguished from rounding, as in scikit-learn's lbfgs
RANK = (
    1e-13  # eigenvalues of the unit-diagonal Hessian below this share of the largest are directions without information
)
LOOSE = 0.25  # most that conjugate gradients may leave of the gradient
MOST_PRODUCTS = 500  # of one Newton step


class Value(NamedTuple):
    """f of (7) and its derivatives at a point."""

    objective: float
    gradient: np.ndarray  # (K, p + 1)
    hessian: Any  # (K (p + 1), K (p + 1)) or 0


class NewtonMinimum(NamedTuple):
    """Where an iteration ended."""

    theta: np.ndarray
    n_iter: int
    converged: bool
    history: list[float]
    norm: float  # largest component of the gradient


class Objective:
    """(7) over a source; every call is a pass."""

    def __init__(
        self, source: Source, k: int, constant: float, class_weight: Any, weight: float, l2: np.ndarray
    ) -> None:
        self.source, self.k, self.constant, self.class_weight = source, k, constant, class_weight
        self.weight, self.l2 = weight, l2  # l2: (p + 1,), per column
        self.free = source.n_features + (constant != 0)  # columns of theta that may move
        self.share, self.calls = 1, 0

    def start(self) -> np.ndarray:
        """Return theta = 0."""
        return np.zeros((1 if self.k == 2 else self.k, self.source.n_features + 1))

    def point(self, theta: np.ndarray, hessian: bool = False) -> Point:
        """Return the point as blocks take it, under a new number."""
        self.calls += 1
        return Point(theta, self.constant, self.class_weight, hessian, self.calls, self.share)

    def value(self, point: Point) -> Value:
        """Return f and its derivatives."""
        sums = evaluate_all(self.source, point)
        theta, weight = point.theta, self.weight / self.share
        gradient = sums.gradient / weight
        gradient += self.l2 * theta
        gradient[:, self.free :] = 0
        penalty = 0.5 * float((self.l2 * theta**2).sum())
        return Value(sums.loss / weight + penalty, gradient, sums.hessian / weight if point.hessian else 0.0)

    def product(self, point: Point, v: np.ndarray) -> np.ndarray:
        """Return the Hessian of f times v."""
        out = self.source.total(hessian_product, Direction(point, v)).value
        out *= self.share / self.weight
        out += self.l2 * v
        out[:, self.free :] = 0
        return out


def newton_direction(objective: Objective, value: Value) -> np.ndarray:
    """Return d of (8) from the summed Hessian."""
    k, m = value.gradient.shape
    free = objective.free
    H = value.hessian.reshape(k, m, k, m)[:, :free, :, :free] + 0.0
    inner, l2 = H.reshape(k * free, k * free), objective.l2[:free]
    inner.reshape(-1)[:: k * free + 1].reshape(k, free)[:] += l2
    if k > 1 and not (l2 > 0).all():
        shift = np.where(l2 > 0, 0.0, np.einsum("kjkj->j", H) / k)
        H[:, np.arange(free), :, np.arange(free)] += (shift / k)[:, None, None]
    out = np.zeros((k, m))
    out[:, :free] = solve(inner, -value.gradient[:, :free].reshape(-1)).reshape(k, free)
    return out


def solve(H: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return H^{-1} b for symmetric H >= 0, the shortest solution on unit diagonal where it is singular."""
    scale = np.sqrt(np.maximum(H.diagonal(), 0))
    scale[scale == 0] = 1.0
    unit, right = H / scale[:, None], b / scale
    unit /= scale
    factor, fault = lapack.dpotrf(unit.T, lower=0, clean=0)
    if not fault and factor.diagonal().min() ** 2 > RANK * len(unit):
        return lapack.dpotrs(factor, right)[0] / scale
    values, vectors = scipy.linalg.eigh(unit)
    kept = values > RANK * len(unit) * values[-1]
    return vectors[:, kept] @ ((vectors[:, kept].T @ right) / values[kept]) / scale


def search(objective: Objective, theta: np.ndarray, before: Value, d: np.ndarray, hessian: bool) -> Any:
    """Return the first of theta + d, theta + d/2 ... where f falls enough, with its point and value; None if there is none."""
    slope = float((before.gradient * d).sum())
    noise = ROUNDING * max(abs(before.objective), 1.0)
    step = 1.0
    for _ in range(HALVINGS):
        point = objective.point(theta + step * d, hessian)
        with np.errstate(over="ignore", invalid="ignore"):
            value = objective.value(point)
        fall = before.objective - value.objective
        if np.isfinite(value.objective) and fall >= -ARMIJO * step * slope:
            return point, value
        if -step * slope <= noise:  # f cannot tell any more; the gradient can
            return (point, value) if np.abs(value.gradient).max() < np.abs(before.gradient).max() else None
        step /= 2
    return None


def iterate(
    objective: Objective, theta: np.ndarray, direction: Callable, tol: float, max_iter: int, hessian: bool, report: Any
) -> Any:
    """Repeat (8) with `direction(objective, point, value, norms)`."""
    point = objective.point(theta, hessian)
    value = objective.value(point)
    if theta.any() and value.objective > np.log(objective.k):  # a start worse than zero, where f is log K
        point = objective.point(np.zeros_like(theta), hessian)
        theta, value = point.theta, objective.value(point)
    history, norms = [value.objective], [float(np.abs(value.gradient).max())]
    n_iter, converged = (
        0,
        norms[-1] <= tol and not theta.any(),
    )  # a start from elsewhere takes a step: tol may be loose there
    while not converged and n_iter < max_iter:
        if hessian and not point.hessian:  # the last pass was expected to be the final one
            point = objective.point(theta, True)
            value = objective.value(point)
        d = direction(objective, point, value, norms)
        found = search(objective, theta, value, d, hessian and not final_expected(norms, tol))
        if found is None:
            converged = True  # no step lowers f: this is the optimum to rounding
            break
        point, value = found
        theta, n_iter = point.theta, n_iter + 1
        history.append(value.objective)
        norms.append(float(np.abs(value.gradient).max()))
        converged = norms[-1] <= tol
        if report is not None and report(n_iter, value.objective, theta):
            converged = True
    return NewtonMinimum(theta, n_iter, converged, history, norms[-1])


def final_expected(norms: list[float], tol: float) -> bool:
    """Return whether quadratic convergence should bring the next gradient below tol: then its pass needs no Hessian."""
    return len(norms) > 1 and norms[-1] < 0.1 * norms[-2] and norms[-1] * (norms[-1] / norms[-2]) <= tol


def newton_cholesky(
    objective: Objective, theta: np.ndarray, tol: float, max_iter: int, report: Any = None
) -> NewtonMinimum:
    """Minimise (7) with summed and factored Hessians."""
    return iterate(objective, theta, lambda o, _, v, __: newton_direction(o, v), tol, max_iter, True, report)


def newton_cg(objective: Objective, theta: np.ndarray, tol: float, max_iter: int, report: Any = None) -> NewtonMinimum:
    """Minimise (7) with conjugate gradients for the steps."""
    kept: list[Callable] = []

    def direction(objective: Any, point: Any, value: Any, norms: Any) -> Any:
        if not kept:
            kept.append(preconditioner(objective, point))
        left = max(min(LOOSE, np.sqrt(norms[-1] / norms[0])), 0.3 * tol / norms[-1])
        return conjugate_gradients(lambda v: objective.product(point, v), -value.gradient, kept[0], min(left, 0.5))

    return iterate(objective, theta, direction, tol, max_iter, False, report)


def conjugate_gradients(product: Callable, b: np.ndarray, precondition: Callable, left: float) -> np.ndarray:
    """Return x with H x = b up to the share `left` of b, in the norm of the preconditioner."""
    x, r = np.zeros_like(b), b.copy()
    z = precondition(r)
    direction, size = z, float(np.vdot(r, z))
    goal = left**2 * size
    for _ in range(MOST_PRODUCTS):
        if size <= goal:
            break
        bent = product(direction)
        curvature = float(np.vdot(direction, bent))
        if curvature <= 0:
            break
        rate = size / curvature
        x += rate * direction
        r -= rate * bent
        z = precondition(r)
        before, size = size, float(np.vdot(r, z))
        direction = z + (size / before) * direction
    return x if x.any() else precondition(b)


def row_axes(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the eigenvalues of F'F that are not zero, rising, and their vectors, by way of FF' where F has few rows."""
    values, vectors = np.linalg.eigh(rows @ rows.T)
    keep = values > len(values) * np.finfo(np.float64).eps * values[-1]
    return values[keep], rows.T @ (vectors[:, keep] / np.sqrt(values[keep]))


def preconditioner(objective: Objective, point: Point) -> Callable:
    """Return an approximate inverse of the Hessian as a function."""
    source = objective.source
    short = source.at_hand and 2 * (source.n_rows or 0) <= objective.free and objective.share == 1
    few = objective.free <= WIDE or (short and (source.n_rows or 0) <= WIDE)
    full = few and not source.sparse and not np.ptp(objective.l2[: source.n_features]) > 0
    found = source.total(moments, point._replace(hessian=full and not short))
    inner, rows, free = found.curvature / objective.weight, found.rows / objective.weight, objective.free
    a, V = np.linalg.eigh(inner)
    level = float(objective.l2[:free].max(initial=0.0))
    if not full:
        denominator = np.trace(inner) / len(inner) * rows[:free] + objective.l2[:free]
        inverse = np.zeros(len(rows))
        inverse[:free] = 1 / np.maximum(denominator, 1e-12 * denominator.max())
        return lambda g: g * inverse
    if short:
        b, U = row_axes(source.rows(weighted_rows, point)[:, :free] / np.sqrt(objective.weight))
    else:
        b, U = np.linalg.eigh(rows[:free, :free])
    least = 1e-10 * a[-1] * b[-1] + np.finfo(np.float64).tiny
    denominator = np.maximum(np.outer(a, b) + level, least)

    def apply(g: Any) -> Any:
        g, width = g[:, :free], g.shape[1]
        inside = g @ U
        out = V @ (V.T @ inside / denominator) @ U.T
        if short:  # across the rows there is the penalty alone
            out += (g - inside @ U.T) / max(level, least)
        return np.pad(out, ((0, 0), (0, width - free)))

    return apply
