r"""An optimization problem: objective, derivatives, constraints.

    minimize f(x)   subject to   g_i(x) = c_i,   h_j(x) >= d_j                                    (1)
    L(x, lambda, mu) = f(x) - sum_i lambda_i (g_i(x) - c_i) - sum_j mu_j (h_j(x) - d_j)           (2)
    sup over mu >= 0, lambda of L = f(x) where x is feasible, infinite elsewhere                  (3)

To maximize, the sign of the last sum in (2) turns, so that mu >= 0 always. A derivative that is not given is taken by
central differences. Drivers see the problem as a minimization: `cost` is f or -f.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError, ParameterTypeError
from novum.optimize.differences import numeric_hessian, numeric_jacobian
from novum.runtime.checks import is_false, is_true, vector
from novum.runtime.typing import Numbers

__all__ = ["Array", "Constraint", "Problem", "as_problem"]

Array = NDArray[Any]


def _scalar(owner: str, value: Any) -> float:
    array = np.asarray(value, dtype=np.float64)
    if array.size != 1:
        raise DataError(f"{owner}: the objective returned shape {array.shape}; it must return one number.")
    return float(array.reshape(-1)[0])


@dataclass(frozen=True)
class Constraint:
    """One or several conditions on function(x): equal to `bound`, or at least `bound`; the problem says which.

    Parameters
    ----------
    function : callable
        x to a number or a vector.
    bound : float or array-like
    jacobian : callable, optional
        x to the derivatives, shape (d,) or (m, d).
    """

    function: Callable[[Any], Any]
    bound: Any = 0.0
    jacobian: Callable[[Any], Any] | None = None

    def value(self, x: Array) -> Array:
        """Return function(x) - bound, shape (m,)."""
        return np.atleast_1d(
            np.asarray(self.function(x), dtype=np.float64) - np.asarray(self.bound, dtype=np.float64)
        ).ravel()

    def derivative(self, x: Array) -> Array:
        """Return the Jacobian, shape (m, d)."""
        if self.jacobian is None:
            return numeric_jacobian(self.function, x)
        return np.asarray(self.jacobian(x), dtype=np.float64).reshape(-1, x.size)


class Problem:
    """The problem (1), or the same with a maximum.

        minimize f(x)   subject to   g_i(x) = c_i,   h_j(x) >= d_j    (1)

    Parameters
    ----------
    objective : callable or None
        x (ndarray of shape (d,)) to a number. None: only the gradient is known.
    gradient : callable, True or None
        x to an ndarray of shape (d,). True: `objective` returns the pair (value, gradient).
    hessian : callable, optional
        x to an ndarray of shape (d, d).
    equalities, inequalities : list of Constraint or callable
        A bare callable g means g(x) = 0, or h(x) >= 0.
    maximize : bool

    Examples
    --------
    >>> from novum.optimize import Constraint, Problem
    >>> area = Problem(lambda x: x[0] * x[1], equalities=[Constraint(lambda x: x[0] + x[1], bound=10)], maximize=True)
    >>> area.is_feasible([4, 6]), area.minimax([4, 6]), area.minimax([4, 7])
    (True, 24.0, -inf)
    """

    def __init__(
        self,
        objective: Callable[[Any], Any] | None,
        *,
        gradient: Callable[[Any], Any] | bool | None = None,
        hessian: Callable[[Any], Any] | None = None,
        equalities: "Sequence[Constraint | Callable[..., Any]]" = (),
        inequalities: "Sequence[Constraint | Callable[..., Any]]" = (),
        maximize: bool = False,
    ) -> None:
        if objective is None and not callable(gradient):
            raise ParameterError("Problem(objective=None): with no objective a gradient function is needed.")
        if objective is not None and not callable(objective):
            raise ParameterTypeError(f"Problem(objective={objective!r}): objective must be a function of x.")
        self.objective = objective
        self.gradient = None if is_false(gradient) else gradient
        self.hessian = hessian
        self.equalities = [c if isinstance(c, Constraint) else Constraint(c) for c in equalities]
        self.inequalities = [c if isinstance(c, Constraint) else Constraint(c) for c in inequalities]
        self.maximize = maximize
        self.sign = -1.0 if maximize else 1.0
        self._last: tuple[Array, tuple[Any, Any]] | None = None

    def value(self, x: Numbers) -> float:
        """Return f(x); NaN where only the gradient is known."""
        if self.objective is None:
            return np.nan
        x = np.asarray(x, dtype=np.float64)
        return _scalar("Problem.value", self._both(x)[0] if is_true(self.gradient) else self.objective(x))

    def _both(self, x: Array) -> tuple[Any, Any]:
        """Return value and gradient of a fused objective; the last point is kept, as a line search needs it twice."""
        if self._last is None or not np.array_equal(self._last[0], x):
            assert self.objective is not None
            self._last = (x.copy(), self.objective(x))
        return self._last[1]

    def cost(self, x: Array) -> float:
        """Return what is minimized: f, or -f where f is maximized."""
        return self.sign * self.value(x)

    def cost_and_gradient(self, x: Array) -> tuple[float, Array]:
        """Return the cost and its gradient."""
        if is_true(self.gradient):
            value, gradient = self._both(x)
            value = _scalar("Problem.value", value)
        else:
            value = self.value(x)
            gradient = self.gradient(x) if callable(self.gradient) else numeric_jacobian(self.value, x)
        gradient = np.asarray(gradient, dtype=np.float64)
        if gradient.size != x.size:
            raise DataError(
                f"Problem.gradient: returned shape {gradient.shape} at a point of shape {x.shape}; they must be equal."
            )
        return self.sign * value, self.sign * gradient.reshape(x.shape)

    def cost_gradient(self, x: Array) -> Array:
        """Return the gradient of the cost."""
        if callable(self.gradient):
            return self.sign * np.asarray(self.gradient(x), dtype=np.float64).reshape(x.shape)
        return self.cost_and_gradient(x)[1]

    def cost_hessian(self, x: Array) -> Array:
        """Return the second derivatives of the cost, shape (d, d)."""
        if self.hessian is not None:
            hessian = np.asarray(self.hessian(x), dtype=np.float64)
            if hessian.size != x.size**2:
                raise DataError(f"Problem.hessian: returned shape {hessian.shape}; it must be ({x.size}, {x.size}).")
            return self.sign * hessian.reshape(x.size, x.size)
        if self.gradient is None:
            return numeric_hessian(self.cost, x)
        slope = numeric_jacobian(self.cost_gradient, x)
        return (slope + slope.T) / 2

    def equality(self, x: Numbers) -> Array:
        """Return g(x) - c of all equalities, shape (m,)."""
        x = np.asarray(x, dtype=np.float64)
        return np.concatenate([c.value(x) for c in self.equalities]) if self.equalities else np.empty(0)

    def inequality(self, x: Numbers) -> Array:
        """Return h(x) - d of all inequalities, shape (m,); feasible where >= 0."""
        x = np.asarray(x, dtype=np.float64)
        return np.concatenate([c.value(x) for c in self.inequalities]) if self.inequalities else np.empty(0)

    def equality_jacobian(self, x: Array) -> Array:
        """Return the derivatives of the equalities, shape (m, d)."""
        return np.concatenate([c.derivative(x) for c in self.equalities]) if self.equalities else np.empty((0, x.size))

    def inequality_jacobian(self, x: Array) -> Array:
        """Return the derivatives of the inequalities, shape (m, d)."""
        return (
            np.concatenate([c.derivative(x) for c in self.inequalities]) if self.inequalities else np.empty((0, x.size))
        )

    def is_feasible(self, x: Numbers, tol: float = 1e-8) -> bool:
        """Return whether x meets every constraint to within `tol`."""
        return bool(np.all(np.abs(self.equality(x)) <= tol) and np.all(self.inequality(x) >= -tol))

    def lagrangian(self, x: Numbers, equality_multipliers: Numbers = (), inequality_multipliers: Numbers = ()) -> float:
        """Return L of (2).

        L(x, lambda, mu) = f(x) - sum_i lambda_i (g_i(x) - c_i) - sum_j mu_j (h_j(x) - d_j)    (2)
        """
        equality, inequality = self.equality(x), self.inequality(x)
        for name, given, expected in (
            ("equality_multipliers", np.size(equality_multipliers), equality.size),
            ("inequality_multipliers", np.size(inequality_multipliers), inequality.size),
        ):
            if given != expected:
                raise DataError(f"Problem.lagrangian: {given} {name} for {expected} constraints; pass one for each.")
        slack = float(np.ravel(inequality_multipliers) @ inequality) if inequality.size else 0.0
        return (
            self.value(x)
            - (float(np.ravel(equality_multipliers) @ equality) if equality.size else 0.0)
            - self.sign * slack
        )

    def minimax(self, x: Numbers, tol: float = 1e-8) -> float:
        """Return (3): the value where x is feasible, else the worst value there is.

        sup over mu >= 0, lambda of L = f(x) where x is feasible, infinite elsewhere    (3)
        """
        return self.value(x) if self.is_feasible(x, tol) else self.sign * np.inf


def as_problem(owner: str, objective: Any, gradient: Any = None, hessian: Any = None) -> Problem:
    """Return the problem that a driver was handed, whole or in parts."""
    if not isinstance(objective, Problem):
        return Problem(objective, gradient=gradient, hessian=hessian)
    if gradient is not None or hessian is not None:
        raise ParameterError(
            f"{owner}: the Problem holds its own derivatives; pass gradient and hessian to Problem(...)."
        )
    return objective


def without_constraints(owner: str, objective: Any, gradient: Any, hessian: Any, start: Any) -> tuple[Problem, Array]:
    """Return problem and start for a driver that knows no constraints."""
    problem = as_problem(owner, objective, gradient, hessian)
    if problem.equalities or problem.inequalities:
        raise ParameterError(f"{owner}: the problem has constraints, which this driver ignores; use solve or lagrange.")
    return problem, vector(owner, "start", start).copy()
