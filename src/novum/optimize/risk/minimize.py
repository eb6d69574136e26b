r"""Learning as one call: representation, evaluation, optimization.

    (w, b) = argmin  sum_n omega[n] l(t[n], x[n] . w + b) + penalty(w)                                        (1)

    loss smooth, penalty smooth   "newton" up to NEWTON_SIZE parameters, else "lbfgs" ("gradient" to compare)
    loss smooth, penalty kinked   "proximal"
    loss piecewise linear         "qp" up to QP_ROWS lines: exact, by the programme                              (2)
                                      min sum_n omega[n] s[n] + penalty(w),  s[n] >= slope[p,n] f[n] + offset[p,n]
    anything else                 "subgradient"

A loss that is not convex has local minima; the answer is one of them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.losses import Loss
from novum.optimize.descent import gradient_descent
from novum.optimize.newton_method import newton
from novum.optimize.proximal import proximal_gradient
from novum.optimize.quadratic.solver import solve_qp
from novum.optimize.quasi_newton import lbfgs
from novum.optimize.result import Solution
from novum.optimize.risk.objective import RegularizedRisk, is_sparse
from novum.optimize.risk.penalties import Penalty
from novum.optimize.schedule_base import Schedule
from novum.optimize.schedules import InverseSqrtSchedule, InverseTimeSchedule
from novum.optimize.subgradients import subgradient_descent
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.runtime.checks import check_choice, check_count, check_number, vector
from novum.runtime.typing import Numbers, Rows, RowWeights

__all__ = ["RiskMinimum", "minimize_risk"]

NEWTON_SIZE = 100  # parameters up to which the Hessian is cheaper than the extra passes of L-BFGS
QP_ROWS = 1200  # constraints up to which the dense programme takes about a second
SOLVERS = ("auto", "newton", "lbfgs", "gradient", "proximal", "subgradient", "qp")


@dataclass(frozen=True, repr=False)
class RiskMinimum(Result):
    """The minimizer of (1).

        (w, b) = argmin  sum_n omega[n] l(t[n], x[n] . w + b) + penalty(w)    (1)

    Attributes
    ----------
    coef : ndarray of shape (d,) or (d, k)
    intercept : float or ndarray of shape (k,)
    value, risk, penalty : float
        The objective and its two parts.
    solver : str
    solution : Solution or QPSolution
        What the driver returned: history, iterations, why it stopped.
    """

    coef: NDArray[Any]
    intercept: Any
    value: float
    risk: float
    penalty: float
    solver: str
    solution: Any

    def __repr__(self) -> str:
        state = "converged" if self.solution.converged else "not converged"
        return (
            f"RiskMinimum: {state} by {self.solver} after {counted(self.solution.n_iter, 'iteration')}; "
            f"value {num(self.value):.6g} = risk {num(self.risk):.6g} + penalty {num(self.penalty):.6g}"
        )


def choose_solver(risk: RegularizedRisk) -> str:
    """Return the first solver of the table that fits."""
    if risk.loss.differentiable:
        if not risk.penalty.smooth:
            return "proximal"
        small = risk.n_outputs is None and risk.size <= NEWTON_SIZE and np.isfinite(risk.loss.smoothness)
        return "newton" if small else "lbfgs"
    lines = risk.loss.pieces(risk.target) if risk.n_outputs is None else None
    return "qp" if lines is not None and lines.slopes.size <= QP_ROWS else "subgradient"


def refuse(risk: RegularizedRisk, solver: str) -> None:
    """Raise where a solver does not fit the loss or the penalty."""
    loss = type(risk.loss).__name__
    if solver in ("newton", "lbfgs", "gradient") and not (risk.loss.differentiable and risk.penalty.smooth):
        what = loss if not risk.loss.differentiable else type(risk.penalty).__name__
        raise ParameterError(
            f"minimize_risk(solver={solver!r}): {what} has kinks; use 'auto', 'proximal', 'qp' or 'subgradient'."
        )
    if solver == "newton" and risk.n_outputs is not None:
        raise ParameterError("minimize_risk(solver='newton'): only for one output; use 'lbfgs'.")
    if solver == "proximal" and not risk.loss.differentiable:
        raise ParameterError(
            f"minimize_risk(solver='proximal'): {loss} has kinks of its own; use 'qp' or 'subgradient'."
        )
    if solver == "qp" and (risk.n_outputs is not None or risk.loss.pieces(risk.target) is None):
        raise ParameterError(f"minimize_risk(solver='qp'): {loss} is not piecewise linear in one output; use 'auto'.")


def subgradient_schedule(risk: RegularizedRisk) -> Schedule:
    """Return steps 1 / (lambda (k + k0)) under an L2 penalty, else 1 / sqrt(k), at the scale of the rows."""
    X = risk.X
    squares = np.asarray(X.multiply(X).sum(axis=1)).ravel() if is_sparse(X) else np.einsum("ij,ij->i", X, X)
    scale = float(risk.row_weight @ squares) + 1.0  # the intercept's column of ones
    if risk.penalty.l2 > 0:
        return InverseTimeSchedule(1 / risk.penalty.l2, offset=max(1.0, scale / risk.penalty.l2))
    return InverseSqrtSchedule(1 / np.sqrt(scale))


def piecewise_linear_programme(risk: RegularizedRisk, tol: float, max_iter: int) -> tuple[NDArray[Any], Any]:
    """Return parameters and solution of (2); the unknowns are w, b, s and, for an L1 penalty, bounds a >= |w|."""
    X = risk.X.toarray() if is_sparse(risk.X) else risk.X
    present = risk.row_weight > 0
    X, omega = X[present], risk.row_weight[present]
    lines = risk.loss.pieces(risk.target[present])
    assert lines is not None  # `refuse` has looked
    n, d = X.shape
    inputs = np.hstack([X, np.ones((n, 1))]) if risk.fit_intercept else X
    p = inputs.shape[1]
    extra = d if risk.penalty.l1 > 0 else 0
    size = p + n + extra
    curvature = np.zeros((size, size))
    curvature[np.arange(d), np.arange(d)] = risk.penalty.l2
    cost = np.concatenate([np.zeros(p), omega, np.full(extra, risk.penalty.l1)])
    lower = np.full(size, -np.inf)
    blocks, limits = [], []
    for slope, offset in zip(lines.slopes, lines.offsets):
        if not slope.any():  # a constant line bounds s directly
            lower[p : p + n] = np.maximum(lower[p : p + n], offset)
            continue
        blocks.append(np.hstack([slope[:, None] * inputs, -np.eye(n), np.zeros((n, extra))]))
        limits.append(-offset)
    if extra:
        eye, gap = np.eye(d), np.zeros((d, p - d + n))
        blocks += [np.hstack([eye, gap, -eye]), np.hstack([-eye, gap, -eye])]
        limits += [np.zeros(d), np.zeros(d)]
    found = solve_qp(
        curvature,
        cost,
        A_ub=np.concatenate(blocks),
        b_ub=np.concatenate(limits),
        lower=lower,
        tol=tol,
        max_iter=max_iter,
    )
    return found.x[:p], found


def minimize_risk(
    X: Rows,
    target: Numbers,
    loss: Loss,
    penalty: Penalty | None = None,
    *,
    sample_weight: RowWeights = None,
    fit_intercept: bool = True,
    solver: str = "auto",
    start: Numbers | None = None,
    tol: float = 1e-8,
    max_iter: int = 10_000,
) -> RiskMinimum:
    """Fit a linear model by minimizing its regularized risk (1), with any loss and penalty.

        (w, b) = argmin  sum_n omega[n] l(t[n], x[n] . w + b) + penalty(w)    (1)

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        For another representation, hand in its features.
    target : array-like of shape (n,) or (n, k)
    loss : Loss
    penalty : Penalty, optional
        L2Penalty, L1Penalty or ElasticNetPenalty; its strength should come from held-out rows: the training risk always
        prefers none.
    sample_weight : array-like of shape (n,), optional
    fit_intercept : bool
    solver : {"auto", "newton", "lbfgs", "gradient", "proximal", "subgradient", "qp"}
    start : array-like, optional
        Parameters to start from (w, then b); zero by default.
    tol : float
    max_iter : int

    Examples
    --------
    >>> from novum.losses import HingeLoss, LogisticLoss
    >>> from novum.optimize import L2Penalty, minimize_risk
    >>> X, t = [[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1]
    >>> best = minimize_risk(X, t, HingeLoss(), L2Penalty(0.01))
    >>> best.coef.round(6), round(best.intercept, 6), best.solver
    (array([1.]), -2.0, 'qp')
    """
    owner = "minimize_risk"
    check_choice(owner, "solver", solver, SOLVERS)
    tol = check_number(owner, "tol", tol, 0, open_low=True)
    max_iter = check_count(owner, "max_iter", max_iter)
    risk = RegularizedRisk(X, target, loss, penalty, sample_weight=sample_weight, fit_intercept=fit_intercept)
    first = np.zeros(risk.size) if start is None else vector(owner, "start", start, risk.size)
    chosen = choose_solver(risk) if solver == "auto" else solver
    refuse(risk, chosen)
    solution: Any
    if chosen == "qp":
        parameters, solution = piecewise_linear_programme(risk, min(tol, 1e-10), min(max_iter, 200))
    else:
        solution = descend(risk, first, chosen, tol, max_iter)
        parameters = solution.x
    coef, intercept = risk.unpack(parameters)
    with np.errstate(over="ignore"):
        data, price = risk.data_risk(parameters), risk.penalty.value(coef)
    return RiskMinimum(coef, intercept, data + price, data, price, chosen, solution)


def descend(risk: RegularizedRisk, first: NDArray[Any], solver: str, tol: float, max_iter: int) -> Solution:
    """Hand the risk to a driver."""
    if solver == "newton":
        return newton(risk.value_and_gradient, first, gradient=True, hessian=risk.hessian, tol=tol, max_iter=max_iter)
    if solver == "lbfgs":
        return lbfgs(risk.value_and_gradient, first, gradient=True, tol=tol, max_iter=max_iter)
    if solver == "gradient":
        return gradient_descent(risk.value_and_gradient, first, gradient=True, tol=tol, max_iter=max_iter)
    if solver == "proximal":
        return proximal_gradient(
            risk.data_risk_and_gradient,
            first,
            gradient=True,
            prox=risk.prox,
            kinked=lambda parameters: risk.penalty.value(risk.unpack(parameters).coef),
            tol=tol,
            max_iter=max_iter,
        )
    step = subgradient_schedule(risk)
    return subgradient_descent(
        risk.value_and_gradient, first, subgradient=True, learning_rate=step, tol=tol, max_iter=max_iter
    )
