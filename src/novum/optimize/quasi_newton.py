r"""L-BFGS: Newton's method with a curvature learnt from the last few gradients.

    x <- x - t B_k grad f(x),    B_k built from the last `memory` pairs (s, y) = (x_new - x, g_new - g)          (1)

The iteration is SciPy's L-BFGS-B; this driver gives it novum's arguments, stopping rule, history and warnings.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import minimize

from novum.exceptions import ParameterError
from novum.optimize.endless import ENDLESS, falls_endlessly
from novum.optimize.problem import Array, Problem, without_constraints
from novum.optimize.result import Solution, Trace, conclude
from novum.runtime.checks import check_count, check_number
from novum.runtime.typing import Numbers

__all__ = ["lbfgs"]


def lbfgs(
    objective: Callable[..., Any] | Problem | None,
    start: Numbers,
    *,
    gradient: Callable[..., Any] | bool | None = None,
    memory: int = 10,
    tol: float = 1e-6,
    max_iter: int = 1000,
    keep_path: bool = False,
) -> Solution:
    """Minimize a smooth function of many variables by L-BFGS (1).

        x <- x - t B_k grad f(x),   B_k built from the last `memory` pairs (s, y) = (x_new - x, g_new - g)    (1)

    Parameters
    ----------
    objective : callable or Problem
    start : array-like of shape (d,)
    gradient : callable, True or None
        True: `objective` returns (value, gradient). None: central differences.
    memory : int
        Pairs kept.
    tol : float
        Stop where no component of the gradient exceeds this.
    max_iter : int
    keep_path : bool

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.optimize import rosen, rosen_der
    >>> from novum.optimize import lbfgs
    >>> lbfgs(rosen, np.zeros(5), gradient=rosen_der).x.round(5)
    array([1., 1., 1., 1., 1.])
    """
    owner = "lbfgs"
    problem, x = without_constraints(owner, objective, gradient, None, start)
    origin = x.copy()
    if problem.objective is None:
        raise ParameterError(f"{owner}: an objective is needed by its line search; gradient_descent can do without.")
    tol = check_number(owner, "tol", tol, 0)
    trace = Trace(keep_path)
    latest: dict[bytes, tuple[float, float]] = {}

    def both(point: Array) -> tuple[float, Array]:
        cost, g = problem.cost_and_gradient(point)
        latest[point.tobytes()] = (cost, float(np.abs(g).max()))
        return cost, g

    def record(point: Array) -> None:
        # The accepted point is among those evaluated since the last acceptance: no second evaluation.
        cost, norm = latest.get(point.tobytes()) or (problem.cost(point), np.nan)
        latest.clear()
        trace.record(point, cost, norm)

    cost, g = problem.cost_and_gradient(x)
    trace.record(x, cost, float(np.abs(g).max()))
    options: Any = {
        "maxcor": check_count(owner, "memory", memory),
        "maxiter": check_count(owner, "max_iter", max_iter),
        "maxfun": 20 * max_iter,
        "gtol": tol,
        "ftol": 0.0,
    }
    with np.errstate(over="ignore", invalid="ignore"):
        search: Any = minimize
        found = search(both, x, jac=True, method="L-BFGS-B", callback=record, options=options)
        cost, slope = problem.cost_and_gradient(found.x)  # SciPy may return the value of a point it then gave up
    size = float(np.abs(slope).max())
    # A line search that finds no decrease at working precision ends the iteration; the gradient says what that means.
    rounding = np.sqrt(np.finfo(float).eps) * max(1.0, abs(cost))
    reach = size * max(1.0, float(np.abs(found.x).max()))  # what a step as long as x itself would still gain
    converged = size <= tol or (found.status == 2 and reach <= rounding)
    reason = f"largest gradient component {size:.2g} {'<=' if size <= tol else '>'} tol {tol:g}"
    if size > tol:
        reason += (
            ", no further decrease at working precision" if converged else f"; {str(found.message).lower().strip('. ')}"
        )
    if (converged or found.status == 2) and falls_endlessly(problem.cost, origin, found.x):
        converged, reason = False, ENDLESS
    solution = trace.solution(found.x, problem.sign, converged, reason)
    return conclude(owner, replace(solution, gradient_norm=size), "scale the variables, raise max_iter or loosen tol")
