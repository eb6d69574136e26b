r"""Gradient descent with a fixed step, a schedule, or backtracking, and with momentum.

    v <- momentum v - a(k) grad f(x),    x <- x + v          until ||grad f(x)|| <= tol               (1)

Without momentum, on f with an L-Lipschitz gradient every step a < 2 / L lowers f, and a = 1 / L gives
f(x_k) - f* <= L ||x_0 - x*||^2 / 2k; larger steps oscillate and diverge. Proofs: docs/theory/optimization.md.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from novum.exceptions import ParameterError
from novum.optimize.endless import ENDLESS, falls_endlessly
from novum.optimize.line_search import backtracking
from novum.optimize.problem import Problem, without_constraints
from novum.optimize.result import Solution, Trace, conclude
from novum.optimize.schedule_base import Schedule
from novum.optimize.schedules import as_schedule
from novum.runtime.checks import check_count, check_number
from novum.runtime.typing import Numbers

__all__ = ["gradient_descent"]

GROWTH = 2.0  # backtracking starts from twice the last accepted step, so that it can recover from a narrow place


def gradient_descent(
    objective: Callable[..., Any] | Problem | None,
    start: Numbers,
    *,
    gradient: Callable[..., Any] | bool | None = None,
    learning_rate: float | Schedule | Callable[[int], float] | Literal["backtracking"] = "backtracking",
    momentum: float = 0.0,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    keep_path: bool = False,
) -> Solution:
    """Minimize by gradient descent (1).

        v <- momentum v - a(k) grad f(x),   x <- x + v   until ||grad f(x)|| <= tol    (1)

    Parameters
    ----------
    objective : callable, Problem or None
        None where only the gradient is known; then `learning_rate` must be a number or a schedule.
    start : array-like of shape (d,)
    gradient : callable, True or None
        True: `objective` returns (value, gradient). None: central differences.
    learning_rate : float, Schedule, function of k, or "backtracking"
    momentum : float in [0, 1)
    tol : float
        Stop where the Euclidean norm of the gradient is at most this.
    max_iter : int
    keep_path : bool
        Keep every point in `Solution.path`.

    Examples
    --------
    >>> from novum.optimize import gradient_descent
    >>> gradient_descent(lambda t: (t - 1) ** 2, 4.0, gradient=lambda t: 2 * (t - 1), learning_rate=0.1)
    Solution: converged after 70 iterations (gradient norm 9.9e-07 <= tol 1e-06); value 2.43692e-13 at x = [1.]
    """
    owner = "gradient_descent"
    problem, x = without_constraints(owner, objective, gradient, None, start)
    momentum = check_number(owner, "momentum", momentum, 0, 1, open_high=True)
    tol = check_number(owner, "tol", tol, 0)
    max_iter = check_count(owner, "max_iter", max_iter)
    searching = isinstance(learning_rate, str)
    if searching and learning_rate != "backtracking":
        raise ParameterError(
            f"{owner}(learning_rate={learning_rate!r}): learning_rate must be a positive number, a Schedule or 'backtracking'."
        )
    if searching and (problem.objective is None or momentum):
        raise ParameterError(
            f"{owner}(learning_rate='backtracking'): backtracking needs an objective and momentum=0; "
            "pass learning_rate as a number or a Schedule."
        )
    schedule = None if searching else as_schedule(owner, "learning_rate", learning_rate)

    origin, velocity = x.copy(), np.zeros_like(x)
    accepted = 1.0
    trace = Trace(keep_path)
    converged, reason = False, f"max_iter={max_iter} reached"
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(max_iter + 1):
            cost, g = problem.cost_and_gradient(x)
            norm = float(np.linalg.norm(g))
            trace.record(x, cost, norm)
            if not np.isfinite(norm):
                reason = f"diverged: the gradient is no longer finite at step {k}"
                break
            if norm <= tol:
                converged, reason = True, f"gradient norm {norm:.2g} <= tol {tol:g}"
                break
            if k == max_iter:
                reason += f" with gradient norm {norm:.2g} > tol {tol:g}"
                break
            if schedule is None:
                found = backtracking(problem, x, cost, -norm * norm, -g, GROWTH * accepted)
                if found is None:
                    reason = f"no step lowers the objective further; gradient norm {norm:.2g} > tol {tol:g}"
                    break
                accepted = found[0]
                velocity = -accepted * g
            else:
                velocity = momentum * velocity - schedule(k) * g
            x = x + velocity
    if converged and problem.objective is not None and falls_endlessly(problem.cost, origin, x):
        converged, reason = False, ENDLESS
    solution = trace.solution(x, problem.sign, converged, reason)
    return conclude(owner, solution, "lower the learning rate, raise max_iter or loosen tol")
