r"""The conditions of Karush, Kuhn and Tucker, checked with numbers.

For minimize f(x) subject to g(x) = c, h(x) >= d:

    stationarity     grad f - sum lambda_i grad g_i - sum mu_j grad h_j = 0                       (1)
    feasibility      g(x) = c,   h(x) >= d                                                        (2)
    multipliers      mu >= 0                                                                      (3)
    complementarity  mu_j (h_j(x) - d_j) = 0: a constraint with room to spare has no price        (4)
    gap              f(x) - L(x, lambda, mu) = sum mu_j (h_j - d_j) + sum lambda_i (g_i - c_i)    (5)

(To maximize, the sign of mu in (1) turns.) Under (1)-(4) a convex problem is solved; (5) bounds how far f(x) is from
the minimum, because a convex L with zero gradient at x is least there: L(x) is the dual value

    q(lambda, mu) = min_x L(x, lambda, mu)  <=  f at any feasible point                           (6)
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear

from novum.exceptions import DataError, ParameterTypeError
from novum.optimize.newton_method import newton
from novum.optimize.problem import Problem
from novum.report.result import Result
from novum.runtime.checks import check_number, vector
from novum.runtime.typing import Numbers

__all__ = ["KKTReport", "check_kkt", "dual_value"]

Array = NDArray[Any]


@dataclass(frozen=True)
class KKTReport(Result):
    """How well a point and its multipliers meet (1)-(4); true where all hold to `tol`.

        stationarity   grad f - sum lambda_i grad g_i - sum mu_j grad h_j = 0    (1)
        feasibility   g(x) = c,   h(x) >= d    (2)
        multipliers   mu >= 0    (3)
        complementarity  mu_j (h_j(x) - d_j) = 0: a constraint with room to spare has no price    (4)

    Attributes
    ----------
    stationarity, equality_violation, inequality_violation, multiplier_violation, complementarity : float
        Largest violation of each condition.
    gap : float
        (5), as a distance: from above to minimize, from below to maximize.
    equality_multipliers, inequality_multipliers : ndarray
        As given, or estimated.
    active : ndarray of bool
        Inequalities that hold with equality.
    tol : float
    """

    stationarity: float
    equality_violation: float
    inequality_violation: float
    multiplier_violation: float
    complementarity: float
    gap: float
    equality_multipliers: Array
    inequality_multipliers: Array
    active: Array
    tol: float

    @property
    def failures(self) -> list[str]:
        """The conditions that do not hold."""
        names = (
            "stationarity",
            "equality_violation",
            "inequality_violation",
            "multiplier_violation",
            "complementarity",
        )
        return [name for name in names if not getattr(self, name) <= self.tol]

    def __bool__(self) -> bool:
        return not self.failures

    def __str__(self) -> str:
        lines = [
            f"stationarity          {self.stationarity:9.2e}",
            f"equality violation    {self.equality_violation:9.2e}",
            f"inequality violation  {self.inequality_violation:9.2e}",
            f"negative multiplier   {self.multiplier_violation:9.2e}",
            f"complementarity       {self.complementarity:9.2e}",
            f"gap                   {self.gap:9.2e}",
        ]
        verdict = f"KKT conditions hold to {self.tol:g}" if self else f"KKT conditions fail: {', '.join(self.failures)}"
        return "\n".join([verdict, *lines])


def estimate_multipliers(
    gradient: Array, equality_jacobian: Array, active_jacobian: Array, sign: float
) -> tuple[Array, Array]:
    """Return the lambda and mu >= 0 that come closest to (1) in least squares."""
    columns = np.concatenate([equality_jacobian, sign * active_jacobian]).T
    if columns.shape[1] == 0:
        return np.empty(0), np.empty(0)
    p = len(equality_jacobian)
    low = np.concatenate([np.full(p, -np.inf), np.zeros(columns.shape[1] - p)])
    found = lsq_linear(columns, gradient, bounds=(low, np.inf), method="bvls", tol=1e-14)
    return found.x[:p], found.x[p:]


def check_kkt(
    problem: Problem,
    x: Numbers,
    *,
    equality_multipliers: Numbers | None = None,
    inequality_multipliers: Numbers | None = None,
    tol: float = 1e-6,
) -> KKTReport:
    """Check the KKT conditions (1)-(4) at a candidate.

        stationarity   grad f - sum lambda_i grad g_i - sum mu_j grad h_j = 0    (1)
        feasibility   g(x) = c,   h(x) >= d    (2)
        multipliers   mu >= 0    (3)
        complementarity  mu_j (h_j(x) - d_j) = 0: a constraint with room to spare has no price    (4)

    Parameters
    ----------
    problem : Problem
    x : array-like of shape (d,)
    equality_multipliers, inequality_multipliers : array-like, optional
        Where both are left out, the best ones are estimated from the constraints active at x.
    tol : float

    Examples
    --------
    >>> from novum.optimize import Problem, check_kkt
    >>> nearest = Problem(lambda x: x @ x, gradient=lambda x: 2 * x, inequalities=[lambda x: x[0] + x[1] - 2])
    >>> report = check_kkt(nearest, [1.0, 1.0])
    >>> bool(report), report.inequality_multipliers.round(6)
    (True, array([2.]))
    >>> check_kkt(nearest, [2.0, 0.0]).failures
    ['stationarity']
    """
    if not isinstance(problem, Problem):
        raise ParameterTypeError(
            f"check_kkt(problem={problem!r}): problem must be a Problem(objective, inequalities=[...])."
        )
    x = vector("check_kkt", "x", x)
    tol = check_number("check_kkt", "tol", tol, 0)
    equality, inequality = problem.equality(x), problem.inequality(x)
    A, G = problem.equality_jacobian(x), problem.inequality_jacobian(x)
    gradient = problem.sign * problem.cost_gradient(x)
    active = inequality <= tol
    if equality_multipliers is None and inequality_multipliers is None:
        lam, some = estimate_multipliers(gradient, A, G[active], problem.sign)
        mu = np.zeros(inequality.size)
        mu[active] = some
    else:
        lam = _checked_multipliers("equality_multipliers", equality_multipliers, equality.size)
        mu = _checked_multipliers("inequality_multipliers", inequality_multipliers, inequality.size)
    residual = gradient - A.T @ lam - problem.sign * (G.T @ mu)
    return KKTReport(
        stationarity=float(np.abs(residual).max()),
        equality_violation=float(np.abs(equality).max(initial=0.0)),
        inequality_violation=float(-inequality.min(initial=0.0)),
        multiplier_violation=float(-mu.min(initial=0.0)),
        complementarity=float(np.abs(mu * inequality).max(initial=0.0)),
        gap=problem.sign * (problem.value(x) - problem.lagrangian(x, lam, mu)),
        equality_multipliers=lam,
        inequality_multipliers=mu,
        active=active,
        tol=tol,
    )


def _checked_multipliers(name: str, value: Any, size: int) -> Array:
    if value is None:
        if size:
            raise DataError(
                f"check_kkt: {name} is missing for {size} constraints; pass both kinds, or neither to estimate them."
            )
        return np.empty(0)
    return vector("check_kkt", name, value, size)


def dual_value(
    problem: Problem, start: Numbers, *, equality_multipliers: Numbers = (), inequality_multipliers: Numbers = ()
) -> float:
    """Return the dual function (6), by minimizing the Lagrangian from `start`: a bound where the problem is convex.

        q(lambda, mu) = min_x L(x, lambda, mu)  <=  f at any feasible point    (6)

    Examples
    --------
    >>> from novum.optimize import Problem, dual_value
    >>> nearest = Problem(lambda x: x @ x, inequalities=[lambda x: x[0] + x[1] - 2])
    >>> [round(dual_value(nearest, [0.0, 0.0], inequality_multipliers=[mu]), 6) for mu in (0, 1, 2, 3)]
    [0.0, 1.5, 2.0, 1.5]
    """
    mu = np.ravel(np.asarray(inequality_multipliers, dtype=np.float64))
    if mu.min(initial=0.0) < 0:
        raise DataError(
            f"dual_value: inequality_multipliers holds {mu.min():g}; the dual is defined for multipliers >= 0."
        )

    def lagrangian(point: Array) -> float:
        return problem.lagrangian(point, equality_multipliers, mu)

    return newton(Problem(lagrangian, maximize=problem.maximize), start, tol=1e-6).value
