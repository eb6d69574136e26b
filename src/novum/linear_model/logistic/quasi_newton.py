r"""Logistic regression on fewer rows than columns: L-BFGS in the space of the rows while it is quick, then Newton's method.

    theta <- theta - t B gradient,   B from the last ten pairs of steps and changes of the gradient            (18)
    coef = beta Q,   Q = L^{-1} X,   L L' = X X':   scores = beta L',   |coef| = |beta|                          (19)

There the scores fit the classes with room to spare, the loss falls by about e with every step of Newton's method, and the
products of columns that precondition it cost more than all passes of (18). A minimum under an L2 penalty lies in the space of the
rows; Q has orthonormal rows, so that (18) takes the same steps in beta as in coef, with n columns in place of p. Where STEPS do
not suffice, Newton's method goes on from where they end; the rule that stops the iteration, on the gradient in theta, is the same.
"""

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, solve_triangular
from scipy.optimize import minimize

from novum.fold.homes.memory import ArrayTiles, MemorySource
from novum.linear_model.logistic.newton import ROUNDING, NewtonMinimum, Objective, newton_cg
from novum.runtime import arrays
from novum.runtime.blas import single_blas

__all__ = ["quasi_newton", "quick_for"]

ROWS = 1024  # most rows; beyond, a pass costs more than the steps that Newton's method saves
LOOSE = 1e-6  # least tolerance: below, Newton's last steps are the quicker ones
STEPS = 50  # after which Newton's method is the better choice
PAIRS = 10  # scikit-learn's number
ROWS_PER_OUTPUT = 80  # rows per column of scores up to which X X' costs less than it saves in a dozen passes
NEAR = 0.5  # root mean square of the gradient, as a share of tol, from which on its largest component is looked at
INDEPENDENT = 1e-10  # least squared pivot of L, relative to the largest: below, rows repeat each other


class RowSpace:
    """(19) of an objective; without L (no penalty common to all columns, many or repeated rows) theta stands for itself."""

    def __init__(self, objective: Objective) -> None:
        self.inner = objective
        self.factor: Any = None
        self.rows: Any = None
        source: Any = objective.source
        if (
            not objective.l2[0] > 0
            or np.ptp(objective.l2[:-1]) > 0
            or source.n_rows > ROWS_PER_OUTPUT * (1 if objective.k == 2 else objective.k)
        ):
            return
        rows = (
            source.tiles.X.astype(np.float64) if source.sparse else arrays.double(source.tiles.tile(0, source.n_rows))
        )
        with np.errstate(over="ignore", invalid="ignore"):
            product = rows @ rows.T
        try:
            L = np.tril(cho_factor(product.toarray() if source.sparse else product, lower=True)[0])
        except (np.linalg.LinAlgError, ValueError):  # dependent, or so long that their squares overflow
            return
        if np.diag(L).min() ** 2 <= INDEPENDENT * np.diag(L).max() ** 2:
            return
        self.rows, self.factor = rows, L
        inside = MemorySource(ArrayTiles(L), source.y, source.weight, source.n_jobs)
        l2 = np.append(np.full(len(L), objective.l2[0]), objective.l2[-1])
        o = objective
        self.inner = Objective(inside, o.k, o.constant, o.class_weight, o.weight, l2)

    def shrink(self, theta: np.ndarray) -> np.ndarray:
        """Return beta of the part of theta within the rows."""
        if self.factor is None:
            return theta
        scores = np.asarray(self.rows @ theta[:, :-1].T)
        return np.column_stack([solve_triangular(self.factor, scores, lower=True).T, theta[:, -1]])

    def expand(self, beta: np.ndarray) -> np.ndarray:
        """Return theta, or the gradient in theta, of beta."""
        if self.factor is None:
            return beta
        inner = solve_triangular(self.factor, beta[:, :-1].T, lower=True, trans="T", check_finite=False)
        return np.column_stack([np.asarray((self.rows.T @ inner).T), beta[:, -1]])


def quick_for(source: Any, tol: float) -> bool:
    """Return whether the data are of the kind that (18) is quick for."""
    inside = isinstance(source, MemorySource)
    return inside and 0 < source.n_rows <= min(ROWS, source.n_features // 2) and tol >= LOOSE


def quasi_newton(
    objective: Objective, theta: np.ndarray, tol: float, max_iter: int, report: Any = None
) -> NewtonMinimum:
    """Minimise (7) by (18), and by Newton's method where that takes too many steps."""
    with single_blas():
        space = RowSpace(objective)
        start = space.shrink(theta)
    tried: dict[bytes, Any] = {}  # what was evaluated since the last step: its end is among them
    history: list[float] = []
    end, norm, stopped = start, np.inf, False

    def value_at(flat: np.ndarray) -> tuple[float, np.ndarray]:
        value = space.inner.value(space.inner.point(flat.reshape(start.shape))._replace(keep=0))
        tried[flat.tobytes()] = value
        if not history:
            arrive(flat)
        return value.objective, value.gradient.ravel()

    def arrive(flat: np.ndarray) -> None:
        nonlocal end, norm
        value = tried[flat.tobytes()]
        tried.clear()
        history.append(value.objective)
        end, norm = flat.reshape(start.shape).copy(), float(np.linalg.norm(value.gradient))
        if norm <= NEAR * tol * np.sqrt(
            theta.size
        ):  # else the largest component in theta is above tol, or soon will be below
            norm = float(np.abs(space.expand(value.gradient)).max())

    def accept(flat: np.ndarray) -> None:
        nonlocal stopped
        arrive(flat)
        there = end
        if report is not None and report(len(history) - 1, history[-1], lambda: space.expand(there)):
            stopped = True
        if stopped or norm <= tol:
            raise StopIteration

    options: Any = {"maxiter": min(STEPS, max_iter), "maxcor": PAIRS, "maxls": STEPS, "gtol": 0.0, "ftol": ROUNDING}
    search: Any = minimize
    if max_iter:
        with np.errstate(over="ignore", invalid="ignore"):
            search(value_at, start.ravel(), jac=True, method="L-BFGS-B", callback=accept, options=options)
    else:
        value_at(start.ravel())
    found, n_iter = space.expand(end), len(history) - 1
    if norm <= tol or stopped or n_iter >= max_iter:
        return NewtonMinimum(found, n_iter, norm <= tol or stopped, history, norm)
    rest = newton_cg(objective, found, tol, max_iter - n_iter, report and (lambda i, f, t: report(n_iter + i, f, t)))
    return NewtonMinimum(rest.theta, n_iter + rest.n_iter, rest.converged, history + rest.history[1:], rest.norm)
