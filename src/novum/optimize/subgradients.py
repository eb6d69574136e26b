r"""Subgradients: slopes of lines that touch a convex function from below, and descent along them.

    v is a subgradient of f at x0   iff   f(x) - f(x0) >= v^T (x - x0) for all x                       (1)
    in one dimension they fill the interval [f'(x0-), f'(x0+)] of one-sided derivatives                (2)
    x <- x - a(k) v(k),   the best point so far is kept; f(x_k) may rise between                        (3)

With steps that fall to zero but add up to infinity, the best value tends to the minimum; with 1 / sqrt(k) steps its
distance shrinks like 1 / sqrt(k), and with 1 / (lambda k) on a lambda-strongly convex f like log(k) / k. A subgradient
does not shrink near the minimum, so there is no gradient to stop on: the driver stops when the best value stalls.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import DataError
from novum.optimize.endless import ENDLESS, falls_endlessly
from novum.optimize.problem import Problem, without_constraints
from novum.optimize.result import Solution, Trace, conclude
from novum.optimize.schedule_base import Schedule
from novum.optimize.schedules import InverseSqrtSchedule, as_schedule
from novum.report.numbers import counted, num
from novum.report.result import result
from novum.runtime.checks import check_count, check_number, float_array, vector
from novum.runtime.typing import Numbers

__all__ = ["Subdifferential", "is_subgradient", "subdifferential", "subgradient_descent"]

ONE_SIDED = 1e-6  # step of (2), relative to max(1, |x0|)


@result
class Subdifferential(NamedTuple):
    """The interval (2); a point where the function is smooth.

    in one dimension they fill the interval [f'(x0-), f'(x0+)] of one-sided derivatives    (2)
    """

    low: float
    high: float

    def contains(self, slope: float, tol: float = 1e-6) -> bool:
        """Return whether `slope` is a subgradient, to within `tol`."""
        return self.low - tol <= slope <= self.high + tol


def is_subgradient(
    function: Callable[[Any], Any], at: Numbers, slope: Numbers, points: Numbers, *, tol: float = 1e-9
) -> bool:
    """Check (1) on sample points: False proves that `slope` is no subgradient, True only fails to refute it.

        v is a subgradient of f at x0   iff   f(x) - f(x0) >= v^T (x - x0) for all x    (1)

    Parameters
    ----------
    function : callable
        x of shape (d,) to a number.
    at, slope : array-like of shape (d,)
    points : array-like of shape (n, d), or (n,) in one dimension
    tol : float
        Slack for rounding.

    Examples
    --------
    >>> from novum.optimize import is_subgradient
    >>> [is_subgradient(lambda x: abs(x[0]), 0.0, v, [-2.0, -1.0, 1.0, 2.0]) for v in (-1.0, 0.3, 1.0, 1.2)]
    [True, True, True, False]
    """
    owner = "is_subgradient"
    at = vector(owner, "at", at)
    slope = vector(owner, "slope", slope, at.size)
    points = float_array(owner, "points", points).astype(np.float64, copy=False)
    points = points[:, None] if points.ndim == 1 and at.size == 1 else np.atleast_2d(points)
    if points.ndim != 2 or points.shape[1] != at.size:
        raise DataError(f"{owner}: points has shape {points.shape}; it must be (n, {at.size}).")
    base = float(np.ravel(function(at))[0])
    rise = np.array([float(np.ravel(function(point))[0]) for point in points]) - base
    return bool(np.all(rise - (points - at) @ slope >= -tol))


def subdifferential(function: Callable[[float], Any], at: float) -> Subdifferential:
    """Return (2) of a convex function of one variable, by extrapolated one-sided differences (about 8 digits).

        in one dimension they fill the interval [f'(x0-), f'(x0+)] of one-sided derivatives    (2)

    Examples
    --------
    >>> from novum.optimize import subdifferential
    >>> low, high = subdifferential(lambda m: max(0.0, 1 - m), 1.0)
    >>> round(low, 6), round(abs(high), 6)
    (-1.0, 0.0)
    """
    at = check_number("subdifferential", "at", at)
    h = ONE_SIDED * max(1.0, abs(at))
    base = float(np.ravel(function(at))[0])

    def side(direction: float) -> float:
        whole, half = ((at + direction * h / part) - at for part in (1, 2))  # what the addition really moved
        slopes = [(float(np.ravel(function(at + step))[0]) - base) / step for step in (whole, half)]
        return 2 * slopes[1] - slopes[0]  # the curvature's part of the error cancels

    low, high = side(-1.0), side(1.0)
    return Subdifferential(min(low, high), max(low, high))


def subgradient_descent(
    objective: Callable[..., Any] | Problem | None,
    start: Numbers,
    *,
    subgradient: Callable[..., Any] | bool | None = None,
    learning_rate: float | Schedule | Callable[[int], float] | None = None,
    tol: float | None = 1e-6,
    patience: int = 200,
    max_iter: int = 10_000,
    keep_path: bool = False,
) -> Solution:
    """Minimize a convex function with kinks by (3); returns the best point seen.

        x <- x - a(k) v(k),   the best point so far is kept; f(x_k) may rise between    (3)

    Parameters
    ----------
    objective : callable or Problem
    start : array-like of shape (d,)
    subgradient : callable, True or None
        Any element of the subdifferential. True: `objective` returns (value, subgradient).
    learning_rate : float, Schedule or function of k
        Default: 1 / sqrt(k + 1).
    tol : float or None
        Stop when the best value fell by at most tol (1 + |value|) over `patience` steps, or the subgradient is zero.
        None: make exactly `max_iter` steps.
    patience, max_iter : int
    keep_path : bool

    Returns
    -------
    Solution
        `history` holds f at every point visited; `value` is the least of them.

    Examples
    --------
    >>> from novum.optimize import InverseTimeSchedule, subgradient_descent
    >>> result = subgradient_descent(lambda x: abs(x[0] - 2), 0.0, subgradient=lambda x: np.sign(x - 2),
    ...                              learning_rate=InverseTimeSchedule(1.0), tol=None, max_iter=500)
    >>> result.value < 0.01
    True
    """
    owner = "subgradient_descent"
    problem, x = without_constraints(owner, objective, subgradient, None, start)
    if problem.objective is None:
        raise DataError(f"{owner}: an objective is needed, because the best point is kept and steps may go up.")
    tol = None if tol is None else check_number(owner, "tol", tol, 0)
    patience = check_count(owner, "patience", patience)
    max_iter = check_count(owner, "max_iter", max_iter)
    schedule = InverseSqrtSchedule() if learning_rate is None else as_schedule(owner, "learning_rate", learning_rate)
    origin, trace = x.copy(), Trace(keep_path)
    best_x, best, last_drop, mark = x, np.inf, 0, np.inf
    converged, reason = tol is None, f"made the {counted(max_iter, 'step')} requested"
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(max_iter + 1):
            cost, v = problem.cost_and_gradient(x)
            norm = float(np.linalg.norm(v))
            trace.record(x, cost, norm)
            if not (np.isfinite(cost) and np.isfinite(norm)):
                converged, reason = False, f"diverged: the objective is no longer finite at step {k}"
                break
            if cost < best:
                best, best_x = cost, x
            if tol is not None and best < mark - tol * (1 + abs(best)):
                mark, last_drop = best, k
            if norm == 0:
                converged, reason = True, "zero is a subgradient: this is a minimum"
                break
            if tol is not None and k - last_drop >= patience:
                converged, reason = (
                    True,
                    f"the best value fell by less than {num(tol * (1 + abs(best))):.2g} in {counted(patience, 'step')}",
                )
                break
            if k == max_iter:
                reason = (
                    reason if tol is None else f"max_iter={max_iter} reached while the best value was still falling"
                )
                break
            x = x - schedule(k) * v
    if converged and falls_endlessly(problem.cost, origin, best_x):
        converged, reason = False, ENDLESS
    solution = trace.solution(best_x, problem.sign, converged, reason)
    return conclude(
        owner, replace(solution, value=problem.sign * best), "use smaller or faster falling steps, or raise max_iter"
    )
