"""Solve a problem by what it has: Newton or L-BFGS without constraints, sequential quadratic programming with them.

The quadratic programmes are SciPy's (SLSQP). The answer comes with its KKT report, and the report, not the solver, says
whether it is one. A convex quadratic programme is better handed to `solve_qp`, equalities alone to `lagrange`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from novum.exceptions import ParameterTypeError
from novum.optimize.constrained.kkt import KKTReport, check_kkt
from novum.optimize.endless import ENDLESS, falls_endlessly
from novum.optimize.newton_method import newton
from novum.optimize.problem import Problem
from novum.optimize.quasi_newton import lbfgs
from novum.optimize.result import Solution, conclude
from novum.runtime.checks import check_count, check_number, vector
from novum.runtime.typing import Numbers

__all__ = ["ConstrainedSolution", "solve"]


@dataclass(frozen=True, repr=False)
class ConstrainedSolution(Solution):
    """A solution under constraints.

    Attributes
    ----------
    kkt : KKTReport
        The conditions at x, with estimated multipliers.
    """

    kkt: KKTReport = None  # type: ignore[assignment]


def solve(problem: Problem, start: Numbers, *, tol: float = 1e-6, max_iter: int = 1000) -> Solution:
    """Minimize or maximize a problem from a start, under its constraints.

    Parameters
    ----------
    problem : Problem
    start : array-like of shape (d,)
        Need not be feasible.
    tol : float
        On the gradient, or on the KKT conditions.
    max_iter : int

    Returns
    -------
    Solution, or ConstrainedSolution where there are constraints

    Examples
    --------
    >>> from novum.optimize import Problem, solve
    >>> disk = Problem(lambda x: x[0] + x[1], inequalities=[lambda x: 2 - x @ x], maximize=True)
    >>> best = solve(disk, [0.0, 0.5])
    >>> best.x.round(5), best.kkt.inequality_multipliers.round(5)
    (array([1., 1.]), array([0.5]))
    """
    if not isinstance(problem, Problem):
        raise ParameterTypeError(
            f"solve(problem={problem!r}): problem must be a Problem; wrap the function in Problem(...)."
        )
    x = vector("solve", "start", start)
    tol = check_number("solve", "tol", tol, 0, open_low=True)
    max_iter = check_count("solve", "max_iter", max_iter)
    if not problem.equalities and not problem.inequalities:
        driver = newton if problem.hessian is not None else lbfgs
        return driver(problem, x, tol=tol, max_iter=max_iter)
    constraints = [{"type": "eq", "fun": c.value, "jac": c.derivative} for c in problem.equalities]
    constraints += [{"type": "ineq", "fun": c.value, "jac": c.derivative} for c in problem.inequalities]
    history = [problem.value(x)]
    with np.errstate(over="ignore", invalid="ignore"):
        search: Any = minimize
        found = search(
            problem.cost_and_gradient,
            x,
            jac=True,
            method="SLSQP",
            constraints=constraints,
            callback=lambda point: history.append(problem.value(point)),
            options={"maxiter": max_iter, "ftol": min(1e-12, tol * tol)},
        )
    report = check_kkt(problem, found.x, tol=tol)
    reason = f"KKT conditions hold to {tol:g}" if report else f"KKT conditions fail: {', '.join(report.failures)}"
    converged = bool(report)
    if converged and falls_endlessly(
        lambda point: problem.cost(point) if problem.is_feasible(point, tol) else np.inf, x, found.x
    ):
        converged, reason = False, ENDLESS
    solution = ConstrainedSolution(
        x=found.x,
        value=problem.value(found.x),
        gradient_norm=report.stationarity,
        n_iter=int(found.nit),
        converged=converged,
        reason=reason,
        history=np.array(history),
        kkt=report,
    )
    return conclude("solve", solution, "try another start or a larger tol; the constraints may contradict each other")
