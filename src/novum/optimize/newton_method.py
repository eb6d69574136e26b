r"""Newton's method: minimize by second derivatives, or find a root.

    minimize    H(x) d = -grad f(x),   x <- x + t d,   t = 1 or by backtracking                  (1)
    decrement   -grad f^T d / 2, the decrease that the quadratic model promises                   (2)
    root        J(x) d = -F(x),        x <- x + t d,   t = 1, halved while ||F|| grows             (3)

Where H is not positive definite, tau I is added with the first tau = 1e-3, 1e-2, ... (times the size of H) that makes
it so: d is then a direction of descent. Pure steps (`line_search=False`) take H as it is and may overshoot or climb.
Near the solution errors square with every step: docs/theory/optimization.md.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from novum.exceptions import DataError
from novum.optimize.differences import numeric_jacobian
from novum.optimize.endless import ENDLESS, falls_endlessly
from novum.optimize.line_search import backtracking
from novum.optimize.problem import Array, Problem, without_constraints
from novum.optimize.result import Solution, Trace, conclude
from novum.runtime.checks import check_count, check_number, vector
from novum.runtime.typing import Numbers

__all__ = ["newton", "newton_root"]

FIRST_SHIFT = 1e-3  # of the largest entry of H; each further shift is ten times the last
ROUNDING = 4 * float(np.finfo(np.float64).eps)
HALVINGS = 40


def descent_direction(hessian: Array, gradient: Array) -> Array:
    """Return d of (1), with H shifted until it is positive definite."""
    shift, size = 0.0, max(float(np.abs(hessian).max()), np.finfo(float).tiny)
    while True:
        try:
            return -cho_solve(cho_factor(hessian + shift * np.eye(len(hessian))), gradient)
        except LinAlgError:
            shift = FIRST_SHIFT * size if shift == 0 else 10 * shift
            if not np.isfinite(shift):  # second derivatives at the end of floating point: downhill will do
                return -gradient / size


def pure_direction(hessian: Array, gradient: Array) -> Array:
    """Return d of (1) as it stands."""
    try:
        return -np.linalg.solve(hessian, gradient)
    except np.linalg.LinAlgError as error:
        raise DataError(
            "newton: the matrix of second derivatives is singular; "
            "use line_search=True, which shifts it, or another start."
        ) from error


def newton(
    objective: Callable[..., Any] | Problem | None,
    start: Numbers,
    *,
    gradient: Callable[..., Any] | bool | None = None,
    hessian: Callable[[Any], Any] | None = None,
    line_search: bool = True,
    tol: float = 1e-8,
    max_iter: int = 100,
    keep_path: bool = False,
) -> Solution:
    """Minimize by Newton's method (1).

        minimize   H(x) d = -grad f(x),   x <- x + t d,   t = 1 or by backtracking    (1)

    Parameters
    ----------
    objective : callable or Problem
    start : array-like of shape (d,)
    gradient : callable, True or None
        True: `objective` returns (value, gradient). None: central differences.
    hessian : callable, optional
        None: central differences of the gradient.
    line_search : bool
        Shift and backtrack so that every step descends; False takes pure Newton steps.
    tol : float
        Stop where the Euclidean norm of the gradient is at most this, or the decrement (2) is below rounding.
    max_iter : int
    keep_path : bool

    Examples
    --------
    >>> from novum.optimize import newton
    >>> newton(lambda x: x[0] ** 2 + 8 * x[1] ** 2, [4.0, 1.0], gradient=lambda x: [2 * x[0], 16 * x[1]],
    ...        hessian=lambda x: [[2, 0], [0, 16]]).n_iter
    1
    """
    owner = "newton"
    problem, x = without_constraints(owner, objective, gradient, hessian, start)
    tol = check_number(owner, "tol", tol, 0)
    max_iter = check_count(owner, "max_iter", max_iter)
    origin, searching = x.copy(), line_search and problem.objective is not None
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
            curvature = problem.cost_hessian(x)
            if not np.isfinite(curvature).all():
                reason = f"the matrix of second derivatives is not finite at step {k}"
                break
            direction = descent_direction(curvature, g) if line_search else pure_direction(curvature, g)
            t = 1.0
            if searching:
                slope = float(g @ direction)
                found = backtracking(problem, x, cost, slope, direction, 1.0)
                if found is None:
                    converged = -slope / 2 <= ROUNDING * max(abs(cost), 1.0) * x.size
                    reason = (
                        f"decrement {-slope / 2:.2g} is {'below rounding' if converged else 'not achieved by any step'}"
                    )
                    break
                t = found[0]
            x = x + t * direction
    if converged and problem.objective is not None and falls_endlessly(problem.cost, origin, x):
        converged, reason = False, ENDLESS
    solution = trace.solution(x, problem.sign, converged, reason)
    return conclude(owner, solution, "use line_search=True, another start, or raise max_iter")


def newton_root(
    function: Callable[[Any], Any],
    start: Numbers,
    *,
    derivative: Callable[[Any], Any] | None = None,
    damping: bool = True,
    tol: float = 1e-12,
    max_iter: int = 100,
    keep_path: bool = False,
) -> Solution:
    """Find a root of `function` by Newton-Raphson (3); `value` of the result is ||F||.

        root   J(x) d = -F(x),   x <- x + t d,   t = 1, halved while ||F|| grows    (3)

    Parameters
    ----------
    function : callable
        x of shape (d,) to F(x) of shape (d,), or numbers to numbers.
    start : float or array-like of shape (d,)
    derivative : callable, optional
        The Jacobian, shape (d, d); None: central differences.
    damping : bool
        Halve a step that makes ||F|| larger.
    tol : float
        Stop where the step is at most tol (1 + ||x||).
    max_iter : int
    keep_path : bool

    Examples
    --------
    >>> from novum.optimize import newton_root
    >>> newton_root(lambda t: t**2 - 2, 1.0, derivative=lambda t: 2 * t, keep_path=True).path[:5, 0].round(8).tolist()
    [1.0, 1.5, 1.41666667, 1.41421569, 1.41421356]
    """
    owner = "newton_root"
    x = vector(owner, "start", start).copy()
    tol = check_number(owner, "tol", tol, 0)
    max_iter = check_count(owner, "max_iter", max_iter)

    def residual(point: Array) -> Array:
        values = np.ravel(np.asarray(function(point), dtype=np.float64))
        if values.size != x.size:
            raise DataError(
                f"{owner}: function returned {values.size} values for {x.size} unknowns; they must be as many."
            )
        return values

    current = residual(x)
    size = float(np.linalg.norm(current))
    trace = Trace(keep_path)
    trace.record(x, size, size)
    converged, reason = size == 0, "the start is a root"
    for k in range(max_iter):
        if converged:
            break
        jacobian = numeric_jacobian(residual, x) if derivative is None else np.asarray(derivative(x), dtype=np.float64)
        if jacobian.size != x.size**2:
            raise DataError(f"{owner}: derivative returned shape {jacobian.shape}; it must be ({x.size}, {x.size}).")
        try:
            move = -np.linalg.solve(jacobian.reshape(x.size, x.size), current)
        except np.linalg.LinAlgError:
            reason = f"the derivative is singular at step {k}"
            break
        length = float(np.linalg.norm(move))  # of the whole step: one that was halved is short without being close
        with np.errstate(over="ignore", invalid="ignore"):
            trial = residual(x + move)
            for _ in range(HALVINGS if damping else 0):
                if np.linalg.norm(trial) <= size:
                    break
                move = move / 2
                trial = residual(x + move)
        x, current = x + move, trial
        size = float(np.linalg.norm(current))
        trace.record(x, size, size)
        limit = tol * (1 + float(np.linalg.norm(x)))
        converged = size == 0 or (length <= limit and np.isfinite(size))
        reason = (
            f"step {length:.2g} {'<=' if length <= limit else '>'} tol (1 + |x|) = {limit:.2g}, residual {size:.2g}"
        )
        if not np.isfinite(size):
            reason = f"diverged: the function is no longer finite at step {k}"
            break
    return conclude(
        owner, trace.solution(x, 1.0, converged, reason), "try another start, damping=True or more iterations"
    )
