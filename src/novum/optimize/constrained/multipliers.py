r"""Lagrange multipliers: stationary points under equality constraints, by Newton's method on both unknowns.

    L(x, lambda) = f(x) - sum_k lambda_k (g_k(x) - c_k)                                                         (1)
    grad f(x) = sum_k lambda_k grad g_k(x),    g(x) = c                                                         (2)
    [ H  -J' ] [dx     ]   [ -(grad f - J'lambda) ]
    [ J   0  ] [dlambda] = [ -(g - c)             ]     H = second derivatives of L in x, J = dg/dx             (3)

lambda_k is the change of the stationary value per unit of c_k. A stationary point need not be a minimum; the curvature
of L along the constraints, Z'HZ with J Z = 0, says which kind it is.                                           (4)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lstsq, null_space

from novum.exceptions import DataError, ParameterError
from novum.optimize.differences import numeric_jacobian
from novum.optimize.problem import Constraint, Problem, as_problem
from novum.optimize.result import Solution, conclude
from novum.runtime.checks import check_count, check_number, is_true, vector
from novum.runtime.typing import Numbers

__all__ = ["LagrangeSolution", "lagrange"]

Array = NDArray[Any]
HALVINGS = 40
FLAT = 1e-6  # relative: curvatures (4) below this are called zero, as differences cannot tell


@dataclass(frozen=True, repr=False)
class LagrangeSolution(Solution):
    """A stationary point of the Lagrangian (1).

        L(x, lambda) = f(x) - sum_k lambda_k (g_k(x) - c_k)    (1)

    Attributes
    ----------
    multipliers : ndarray of shape (m,)
    kind : str
        "minimum", "maximum", "saddle" or "undecided", by (4).
    """

    multipliers: Array = None  # type: ignore[assignment]
    kind: str = "undecided"

    def __repr__(self) -> str:
        prices = np.array2string(self.multipliers, precision=6, separator=", ")
        return f"{super().__repr__()}; {self.kind}, multipliers {prices}"


def _kind(hessian: Array, jacobian: Array) -> str:
    """Name the point by the signs of the curvatures (4)."""
    free = null_space(jacobian)
    if free.shape[1] == 0:
        return "undecided"
    curvature = np.linalg.eigvalsh(free.T @ hessian @ free)
    zero = FLAT * max(float(np.abs(hessian).max()), np.finfo(float).tiny)
    if curvature[0] > zero:
        return "minimum"
    if curvature[-1] < -zero:
        return "maximum"
    return "saddle" if curvature[0] < -zero and curvature[-1] > zero else "undecided"


def lagrange(
    objective: Callable[..., Any] | Problem | None,
    start: Numbers,
    constraints: Sequence[Constraint | Callable[..., Any]] | None = None,
    *,
    gradient: Callable[..., Any] | bool | None = None,
    tol: float = 1e-8,
    max_iter: int = 100,
    keep_path: bool = False,
) -> LagrangeSolution:
    """Find a stationary point of f under equality constraints (2) by Newton steps (3).

        grad f(x) = sum_k lambda_k grad g_k(x),   g(x) = c    (2)
        [ J   0  ] [dlambda] = [ -(g - c)   ]   H = second derivatives of L in x, J = dg/dx    (3)

    Parameters
    ----------
    objective : callable or Problem
        A Problem brings its own constraints.
    start : array-like of shape (d,)
    constraints : list of Constraint or callable
        A bare callable g means g(x) = 0.
    gradient : callable, True or None
    tol : float
        Largest violation of (2).
    max_iter : int
    keep_path : bool

    Examples
    --------
    >>> from novum.optimize import Constraint, lagrange
    >>> lagrange(lambda x: x[0] * x[1], [1.0, 2.0], [Constraint(lambda x: x[0] + x[1], bound=10)])
    LagrangeSolution: converged after ... iterations (...); value 25 at x = [5., 5.]; maximum, multipliers [5.]
    """
    owner = "lagrange"
    if not isinstance(objective, Problem):
        if not constraints:
            raise ParameterError(
                f"{owner}: no constraints; pass them as a list, or use newton for an unconstrained problem."
            )
        problem = Problem(objective, gradient=gradient, equalities=constraints)
    else:
        if constraints is not None:
            raise ParameterError(f"{owner}: the Problem holds its own constraints; leave `constraints` out.")
        problem = as_problem(owner, objective, gradient)
    if problem.inequalities or not problem.equalities:
        raise ParameterError(
            f"{owner}: the problem must have equalities and no inequalities; use solve for inequalities."
        )
    x = vector(owner, "start", start).copy()
    tol = check_number(owner, "tol", tol, 0)
    max_iter = check_count(owner, "max_iter", max_iter)

    def lagrangian_gradient(point: Array, lam: Array) -> Array:
        return problem.sign * problem.cost_gradient(point) - problem.equality_jacobian(point).T @ lam

    def residual(point: Array, lam: Array) -> Array:
        return np.concatenate([lagrangian_gradient(point, lam), problem.equality(point)])

    def curvature(point: Array, lam: Array) -> Array:
        if problem.hessian is not None and all(c.jacobian is not None for c in problem.equalities):
            bend = numeric_jacobian(lambda p: problem.equality_jacobian(p).T @ lam, point)
            hessian = problem.sign * problem.cost_hessian(point) - bend
        elif callable(problem.gradient) or is_true(problem.gradient):
            hessian = numeric_jacobian(lambda p: lagrangian_gradient(p, lam), point)
        else:
            hessian = Problem(lambda p: problem.lagrangian(p, lam)).cost_hessian(point)
        return (hessian + hessian.T) / 2

    jacobian, slope = problem.equality_jacobian(x), problem.sign * problem.cost_gradient(x)
    if not (np.isfinite(jacobian).all() and np.isfinite(slope).all()):
        raise DataError(f"{owner}: the gradient of the objective or of a constraint is not finite at the start {x}.")
    lam = lstsq(jacobian.T, slope)[0]
    current = residual(x, lam)
    norms, values, path = [float(np.abs(current).max())], [problem.value(x)], [x.copy()]
    d, stuck = x.size, False
    with np.errstate(over="ignore", invalid="ignore"):
        while norms[-1] > tol and len(norms) <= max_iter and np.isfinite(norms[-1]):
            jacobian = problem.equality_jacobian(x)
            system = np.block([[curvature(x, lam), -jacobian.T], [jacobian, np.zeros((len(jacobian), len(jacobian)))]])
            if not np.isfinite(system).all():
                stuck = True
                break
            move = lstsq(system, -current)[0]
            t, size = 1.0, float(np.linalg.norm(current))
            for _ in range(HALVINGS):
                trial = residual(x + t * move[:d], lam + t * move[d:])
                if np.linalg.norm(trial) < size:
                    break
                t /= 2
            else:
                stuck = True
                break
            x, lam, current = x + t * move[:d], lam + t * move[d:], trial
            norms.append(float(np.abs(current).max()))
            values.append(problem.value(x))
            path.append(x.copy())
    converged = norms[-1] <= tol
    reason = f"largest violation {norms[-1]:.2g} {'<=' if converged else '>'} tol {tol:g}"
    solution = LagrangeSolution(
        x=x,
        value=values[-1],
        gradient_norm=norms[-1],
        n_iter=len(norms) - 1,
        converged=converged,
        reason=reason + (", no step lowers it" if stuck else ""),
        history=np.array(values),
        gradient_norms=np.array(norms),
        path=np.array(path) if keep_path else None,
        multipliers=lam,
        kind=_kind(curvature(x, lam), problem.equality_jacobian(x)) if converged else "undecided",
    )
    return conclude(owner, solution, "try another start; redundant constraints also stop it")
