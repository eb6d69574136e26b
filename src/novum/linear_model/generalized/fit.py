r"""Fit a generalised linear model by Newton's method on sums over blocks of rows.

    f(b) = sum_i w_i l(y_i, h(x_i'b)) / W + alpha/2 |b|^2   (the intercept is not penalised)                                (5)
    gradient  X'(w s)/W + alpha b,    Hessian  X' diag(w c) X/W + alpha I,   s and c the slopes and curvatures of (3)       (6)

A step is halved until f falls by Armijo's rule; a Hessian without full rank is solved in the range it has. With more columns than
`MOST_COLUMNS` the Hessian is not formed and L-BFGS works on the gradients. Columns stand in their frame (novum.linear_model.frame);
targets are divided by their size t, a power of two, which turns (5) into t^(2-q) times the same problem:

    log link:  a -> a - log t, alpha -> alpha t^(q-2),     identity:  b -> b/t, a -> a/t, alpha -> alpha t^q                (6a)

so that a largest gradient of `tol` means the same in all units.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from novum.fold.blocks import Block, Source
from novum.linear_model.generalized.family import Family
from novum.runtime import arrays

__all__ = ["Found", "Mass", "TargetUnit", "minimize", "target_unit", "targets_in_range"]

MOST_COLUMNS = 1500
SUFFICIENT, HALVINGS, STALLED = 1e-4, 40, 0.5
Array = NDArray[np.float64]


class Point(NamedTuple):
    family: Family
    theta: Array  # (p + 1,), the intercept last
    order: int  # 0: loss, 1: gradient too, 2: Hessian too
    target: "TargetUnit"


class Sums(NamedTuple):
    loss: float
    gradient: Array
    hessian: Array


class Mass(NamedTuple):
    weight: float
    target: float  # weighted sum of y
    size: float  # and of |y|
    outside: float  # rows that the law does not know


def target_mass(family: Family, block: Block) -> Mass:
    """Return the weight of a block and the sum of its targets."""
    y = np.asarray(arrays.to_numpy(block.y), dtype=np.float64).ravel()
    w = np.ones(len(y)) if block.weight is None else np.asarray(arrays.to_numpy(block.weight))
    return Mass(float(w.sum()), float(w @ y), float(w @ np.abs(y)), 0.0 if family.accepts(y[w > 0]) else 1.0)


class Deviation(NamedTuple):
    size: float


class TargetUnit(NamedTuple):
    """(6a), and for a normal law the middle that the intercept takes up."""

    unit: float  # t
    middle: float
    log: bool

    def target(self, y: Any) -> Any:
        """Return the targets in the frame."""
        return (y - self.middle) / self.unit

    def inward(self, theta: Array) -> Array:
        """Return coefficients and intercept in the frame."""
        if self.log:
            return np.append(theta[:-1], theta[-1] - np.log(self.unit))
        return np.append(theta[:-1], theta[-1] - self.middle) / self.unit

    def outward(self, theta: Array) -> Array:
        """Return coefficients and intercept in the user's units."""
        if self.log:
            return np.append(theta[:-1], theta[-1] + np.log(self.unit))
        return np.append(theta[:-1] * self.unit, theta[-1] * self.unit + self.middle)

    def penalty(self, family: Family, alpha: float) -> float:
        """Return alpha of (6a)."""
        with np.errstate(over="ignore"):
            return alpha * float(np.float64(self.unit) ** (family.power - (2 if self.log else 0))) if alpha else 0.0


def deviation(middle: float, block: Block) -> Deviation:
    """Return the weighted sum of |y - middle| of a block."""
    y = np.asarray(arrays.to_numpy(block.y), dtype=np.float64).ravel()
    w = np.ones(len(y)) if block.weight is None else np.asarray(arrays.to_numpy(block.weight))
    return Deviation(float(w @ np.abs(y - middle)))


def target_unit(family: Family, source: Source, mass: Mass, intercept: bool) -> TargetUnit:
    """Return the frame of the targets: their mean size, and under a normal law with an intercept their mean for zero."""
    size, middle = mass.size / mass.weight, 0.0
    if family.power == 0 and family.link == "identity" and intercept:
        middle = mass.target / mass.weight
        size = source.without_features().total(deviation, middle).size / mass.weight
    exponent = int(np.rint(np.log2(size))) if 0 < size < np.inf else 0
    return TargetUnit(float(np.ldexp(1.0, exponent)), middle, family.link == "log")


def targets_in_range(family: Family, source: Source) -> Mass:
    """Return the sums of the targets of all rows."""
    return source.total(target_mass, family)


def sums(point: Point, block: Block) -> Sums:
    """Return the sums of (5) and (6) over a block, without the penalty."""
    X: Any = block.X if arrays.is_sparse(block.X) else np.asarray(arrays.to_numpy(block.X), dtype=np.float64)
    y = np.asarray(arrays.to_numpy(block.y), dtype=np.float64).ravel()
    w = np.ones(len(y)) if block.weight is None else np.asarray(arrays.to_numpy(block.weight))
    p = X.shape[1]
    eta = np.asarray(X @ point.theta[:p]).ravel() + point.theta[p]
    rows = point.family.rows(point.target.target(y), eta)
    used = w > 0
    loss = float((w[used] * rows.loss[used]).sum())
    if point.order == 0 or not np.isfinite(loss):
        return Sums(loss, np.zeros(p + 1), np.zeros((p + 1, p + 1) if point.order == 2 else (0, 0)))
    s, c = np.where(used, w * rows.slope, 0.0), np.where(used, w * rows.curvature, 0.0)
    gradient = np.append(np.asarray(X.T @ s).ravel(), s.sum())
    if point.order == 1:
        return Sums(loss, gradient, np.zeros((0, 0)))
    weighed = X.multiply(c[:, None]).tocsr() if arrays.is_sparse(X) else X * c[:, None]
    inner = X.T @ weighed
    edge = np.asarray(weighed.sum(axis=0)).ravel()
    hessian = np.empty((p + 1, p + 1))
    hessian[:p, :p] = inner.toarray() if arrays.is_sparse(inner) else inner
    hessian[p, :p] = hessian[:p, p] = edge
    hessian[p, p] = c.sum()
    return Sums(loss, gradient, hessian)


class Found(NamedTuple):
    theta: Array
    objective: float
    n_iter: int
    converged: bool


class Objective:
    """(5) and (6) over all rows."""

    def __init__(
        self, family: Family, source: Source, target: TargetUnit, alpha: float | Array, weight: float, intercept: bool
    ) -> None:
        self.family, self.source, self.target, self.alpha, self.weight = family, source, target, alpha, weight
        self.free = np.append(np.ones(source.n_features, dtype=bool), intercept)

    def at(self, theta: Array, order: int) -> Sums:
        """Return value, gradient and Hessian, the columns of an intercept that is not fitted left at zero."""
        found = self.source.total(sums, Point(self.family, theta, order, self.target))
        pull = np.append(self.alpha * theta[:-1], 0.0)
        loss = found.loss / self.weight + 0.5 * float(pull @ theta)
        gradient = np.where(self.free, found.gradient / self.weight + pull, 0.0)
        hessian = found.hessian / self.weight
        if order == 2:
            k = len(theta) - 1
            hessian[range(k), range(k)] += self.alpha
            if not self.free[-1]:
                hessian[-1] = hessian[:, -1] = 0.0
                hessian[-1, -1] = 1.0
        return Sums(loss, gradient, hessian)


def newton_step(hessian: Array, gradient: Array) -> Array:
    """Return the solution of H d = -g, the shortest one where H has no inverse."""
    scale = np.sqrt(np.maximum(np.diag(hessian), np.finfo(float).tiny))
    unit = hessian / np.outer(scale, scale)
    try:
        return -scipy.linalg.cho_solve(scipy.linalg.cho_factor(unit), gradient / scale) / scale
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(
            hessian
        )  # not of unit columns: steps in the span of the rows end at the shortest solution
        used = values > len(values) * np.finfo(float).eps * values[-1]
        along = vectors[:, used]
        return -(along @ ((along.T @ gradient) / values[used]))


def minimize(
    family: Family, source: Source, theta: Array, *, target: TargetUnit, alpha: float | Array, weight: float, intercept: bool,
    max_iter: int, tol: float, report: Any
) -> Found:  # fmt: skip
    """Return the minimum of (5), found to a largest gradient of `tol`."""
    objective = Objective(family, source, target, alpha, weight, intercept)
    if len(theta) > MOST_COLUMNS:
        return by_gradients(objective, theta, max_iter, tol)
    now = objective.at(theta, 2)
    for n_iter in range(max_iter):
        if np.abs(now.gradient).max() <= tol:
            return Found(theta, now.loss, n_iter, True)
        step = newton_step(now.hessian, now.gradient)
        slope = float(step @ now.gradient)
        if slope >= 0:  # rounding has the last word
            return Found(theta, now.loss, n_iter, True)
        length = 1.0
        for _ in range(HALVINGS):
            then = objective.at(theta + length * step, 2)
            if then.loss <= now.loss + SUFFICIENT * length * slope + 4 * np.finfo(float).eps * abs(now.loss):
                break
            length /= 2
        else:
            return Found(theta, now.loss, n_iter, True)  # no step of any length goes down any more
        if (
            -slope <= np.finfo(float).eps * abs(now.loss)
            and np.abs(then.gradient).max() > STALLED * np.abs(now.gradient).max()
        ):
            return Found(theta, now.loss, n_iter, True)  # neither the loss nor the gradient shows a gain
        theta, now = theta + length * step, then
        if report(n_iter + 1, now.loss):
            return Found(theta, now.loss, n_iter + 1, True)
    return Found(theta, now.loss, max_iter, bool(np.abs(now.gradient).max() <= tol))


def by_gradients(objective: Objective, theta: Array, max_iter: int, tol: float) -> Found:
    """Return the minimum by L-BFGS."""
    from scipy.optimize import minimize as scipy_minimize

    def value(t: Array) -> tuple[float, Array]:
        found = objective.at(t, 1)
        return found.loss, found.gradient

    options = {"maxiter": max_iter, "gtol": tol, "ftol": 64 * np.finfo(float).eps, "maxls": 50}
    found = scipy_minimize(value, theta, jac=True, method="L-BFGS-B", options=options)
    return Found(found.x, float(found.fun), int(found.nit), bool(found.success))
