r"""Proximal gradient with momentum (FISTA): minimize smooth(x) + kinked(x), the second through its proximal map.

    x_new = prox(y - t grad smooth(y), t),    prox(v, t) = argmin_u ||u - v||^2 / 2 + t kinked(u)            (1)
    y     = x_new + (theta - 1) / theta_new (x_new - x),    theta_new = (1 + sqrt(1 + 4 theta^2)) / 2        (2)
    t is halved until smooth(x_new) <= smooth(y) + grad'(x_new - y) + ||x_new - y||^2 / 2t                   (3)

The objective's error falls like 1 / k^2. Momentum restarts whenever it points uphill, (y - x_new)'(x_new - x) > 0,
which gives linear convergence where the problem is strongly convex around its solution. ||x_new - y|| / t is zero
exactly at a minimum: it is the measure that `tol` is compared with.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from novum.optimize.endless import ENDLESS, falls_endlessly
from novum.optimize.problem import Array, Problem, without_constraints
from novum.optimize.result import Solution, Trace, conclude
from novum.runtime.checks import check_count, check_number
from novum.runtime.typing import Numbers

__all__ = ["proximal_gradient"]

GROWTH = 1.25  # the step may recover a little in every iteration
ROUNDING = 1e-14


def proximal_gradient(
    smooth: Callable[..., Any] | Problem,
    start: Numbers,
    *,
    prox: Callable[[Array, float], Any],
    gradient: Callable[..., Any] | bool | None = None,
    kinked: Callable[[Array], float] | None = None,
    learning_rate: float = 1.0,
    tol: float = 1e-8,
    max_iter: int = 10_000,
    keep_path: bool = False,
) -> Solution:
    """Minimize smooth + kinked by accelerated proximal gradient steps (1)-(3).

        x_new = prox(y - t grad smooth(y), t),   prox(v, t) = argmin_u ||u - v||^2 / 2 + t kinked(u)    (1)
        y   = x_new + (theta - 1) / theta_new (x_new - x),   theta_new = (1 + sqrt(1 + 4 theta^2)) / 2    (2)
        t is halved until smooth(x_new) <= smooth(y) + grad'(x_new - y) + ||x_new - y||^2 / 2t    (3)

    Parameters
    ----------
    smooth : callable or Problem
    start : array-like of shape (d,)
    prox : callable
        (v, t) to the proximal map of the kinked part; projecting onto a convex set is one.
    gradient : callable, True or None
        Of the smooth part.
    kinked : callable, optional
        The kinked part itself, for the history and the value.
    learning_rate : float
        The first step tried.
    tol : float
        Stop where ||x_new - y|| / t is at most this.
    max_iter : int
    keep_path : bool

    Examples
    --------
    >>> import numpy as np
    >>> from novum.optimize import L1Penalty, proximal_gradient
    >>> lasso = L1Penalty(1.0)
    >>> proximal_gradient(lambda w: np.sum((w - [3, 0.5]) ** 2) / 2, [0.0, 0.0], gradient=lambda w: w - [3, 0.5],
    ...                   prox=lasso.prox, kinked=lasso.value).x
    array([2., 0.])
    """
    owner = "proximal_gradient"
    problem, x = without_constraints(owner, smooth, gradient, None, start)
    t = check_number(owner, "learning_rate", learning_rate, 0, open_low=True)
    tol = check_number(owner, "tol", tol, 0)
    max_iter = check_count(owner, "max_iter", max_iter)

    def rest(point: Array) -> float:
        return 0.0 if kinked is None else float(kinked(point))

    origin, trace = x.copy(), Trace(keep_path)
    trace.record(x, problem.cost(x) + rest(x), np.nan)
    y, theta = x, 1.0
    converged, reason = False, f"max_iter={max_iter} reached"
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(max_iter):
            cost, g = problem.cost_and_gradient(y)
            if not np.isfinite(cost):
                reason = f"diverged: the objective is no longer finite at step {k}"
                break
            while True:
                new = np.asarray(prox(y - t * g, t), dtype=np.float64)
                move = new - y
                length = float(move @ move)
                new_cost = problem.cost(new)
                slack = ROUNDING * max(abs(cost), abs(new_cost))
                if new_cost <= cost + float(g @ move) + length / (2 * t) + slack or length == 0 or t < ROUNDING:
                    break
                t /= 2
            norm = float(np.sqrt(length)) / t
            trace.record(new, new_cost + rest(new), norm)
            if norm <= tol:
                x, converged, reason = new, True, f"proximal gradient norm {norm:.2g} <= tol {tol:g}"
                break
            if float((y - new) @ (new - x)) > 0:
                theta, y = 1.0, new
            else:
                theta_new = (1 + np.sqrt(1 + 4 * theta * theta)) / 2
                y = new + (theta - 1) / theta_new * (new - x)
                theta = theta_new
            x = new
            t *= GROWTH
    if converged and falls_endlessly(lambda point: problem.cost(point) + rest(point), origin, x):
        converged, reason = False, ENDLESS
    solution = trace.solution(x, problem.sign, converged, reason)
    return conclude(owner, solution, "scale the variables, raise max_iter or loosen tol")
