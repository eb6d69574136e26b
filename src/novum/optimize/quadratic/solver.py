r"""Convex quadratic programmes, solved and certified.

    minimize x'Qx / 2 + c'x   subject to   A_eq x = b_eq,   A_ub x <= b_ub,   lower <= x <= upper               (1)
    Qx + c - A_eq' lambda + A_ub' mu - mu_lower + mu_upper = 0,   all mu >= 0                                    (2)
    dual value  -x'Qx / 2 + b_eq' lambda - b_ub' mu + lower' mu_lower - upper' mu_upper  <=  any primal value     (3)

lambda[i] is the change of the minimum per unit of b_eq[i], -mu[j] that per unit of b_ub[j]. A problem without a
solution raises, with the proof attached: multipliers y and mu, mu_lower, mu_upper >= 0 under which the constraints
contradict themselves,

    A_eq'y + A_ub'mu - mu_lower + mu_upper = 0,   b_eq'y + b_ub'mu - lower'mu_lower + upper'mu_upper < 0         (4)

or a direction that keeps feasibility and lowers the objective without end.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, eigh, qr

from novum.exceptions import DataError, ParameterError
from novum.optimize.quadratic.certificates import UNBOUNDED, InfeasibleProblem, UnboundedProblem, prove_infeasible
from novum.optimize.quadratic.equilibrate import equilibrate
from novum.optimize.quadratic.interior_point import Rows, interior_point
from novum.optimize.quadratic.polish import polish, solve_equalities
from novum.optimize.result import conclude
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.runtime.checks import check_count, check_number, float_array, vector
from novum.runtime.typing import Numbers

__all__ = ["QPSolution", "solve_qp"]

Array = NDArray[Any]
CONVEX = 1e-9  # eigenvalues above minus this share of the largest entry are rounding, not curvature
CONTRADICTION = 1e-8  # relative difference of right-hand sides that cannot be rounding
RANK = 1e-10  # relative size below which a row of A_eq depends on the others


@dataclass(frozen=True, repr=False)
class QPSolution(Result):
    """The solution of (1) with its multipliers (2) and the proof of how good it is.

        minimize x'Qx / 2 + c'x   subject to   A_eq x = b_eq,   A_ub x <= b_ub,   lower <= x <= upper    (1)
        Qx + c - A_eq' lambda + A_ub' mu - mu_lower + mu_upper = 0,   all mu >= 0    (2)

    Attributes
    ----------
    x : ndarray of shape (d,)
    value, dual_value, gap : float
        The objective, the bound (3) and their difference.
    equality, inequality, lower, upper : ndarray
        Multipliers lambda, mu, mu_lower, mu_upper; zero where there is no such constraint.
    stationarity, infeasibility, complementarity : float
        Largest violation of (2), of the constraints, and largest product of multiplier and slack.
    n_iter : int
    converged : bool
    reason : str
    history : ndarray
        Mean product of multiplier and slack in every iteration.
    """

    x: Array
    value: float
    dual_value: float
    gap: float
    equality: Array
    inequality: Array
    lower: Array
    upper: Array
    stationarity: float
    infeasibility: float
    complementarity: float
    n_iter: int
    converged: bool
    reason: str
    history: Array

    def __repr__(self) -> str:
        state = "converged" if self.converged else "not converged"
        return (
            f"QPSolution: {state} after {counted(self.n_iter, 'iteration')}; value {num(self.value):.6g}, gap {num(self.gap):.1g}, "
            f"stationarity {num(self.stationarity):.1g}, infeasibility {num(self.infeasibility):.1g}"
        )


def _matrix(name: str, value: Any, limit_name: str, limit: Any, d: int) -> tuple[Array, Array]:
    if (value is None) != (limit is None):
        raise ParameterError(f"solve_qp: {name} and {limit_name} come together; pass both or neither.")
    if value is None:
        return np.empty((0, d)), np.empty(0)
    matrix = np.atleast_2d(float_array("solve_qp", name, value).astype(np.float64, copy=False))
    if matrix.ndim != 2 or matrix.shape[1] != d or not np.all(np.isfinite(matrix)):
        raise DataError(f"solve_qp: {name} has shape {matrix.shape}; it must be finite and of shape (m, {d}).")
    return matrix, vector("solve_qp", limit_name, limit, len(matrix))


def _bound(name: str, value: Any, d: int, default: float) -> Array:
    bound = (
        np.full(d, default) if value is None else float_array("solve_qp", name, value).astype(np.float64, copy=False)
    )
    if bound.ndim > 1 or bound.size not in (1, d) or np.isnan(bound).any() or (bound == -default).any():
        raise DataError(
            f"solve_qp: {name} must be one number or {d}, without NaN, {default:g} where there is no bound."
        )
    return np.broadcast_to(bound, d)


def check_convex(Q: Array) -> None:
    """Raise where Q has a direction of negative curvature."""
    size = float(np.abs(Q).max(initial=0.0))
    if size == 0:
        return
    try:
        cho_factor(Q + CONVEX * size * np.eye(len(Q)), check_finite=False)
    except LinAlgError:
        values, vectors = eigh(Q, subset_by_index=[0, 0])
        if values[0] < -CONVEX * size:
            shown = np.array2string(vectors[:, 0], precision=3, separator=", ", threshold=8)
            raise ParameterError(
                f"solve_qp(Q): not convex: eigenvalue {num(values[0]):.3g} in direction {shown}; "
                "Q must be positive semidefinite (a sign error, or a kernel that is none?)."
            ) from None


def independent_rows(A: Array, b: Array) -> tuple[Array, bool]:
    """Return the indices of rows of A that the others do not imply, and whether the implied rows agree with them."""
    if not len(A):
        return np.empty(0, dtype=np.intp), True
    _, R, order = qr(A.T, mode="economic", pivoting=True)
    diagonal = np.abs(np.diagonal(R))
    kept = np.sort(order[: int(np.sum(diagonal > RANK * max(diagonal[0], np.finfo(float).tiny)))])
    dropped = np.setdiff1d(np.arange(len(A)), kept)
    if not dropped.size:
        return kept, True
    combination = np.linalg.lstsq(A[kept].T, A[dropped].T, rcond=None)[0] if kept.size else np.empty((0, dropped.size))
    miss = np.abs(b[dropped] - combination.T @ b[kept]).max()
    return kept, bool(miss <= CONTRADICTION * (1 + np.abs(b).max()))


def solve_qp(
    Q: Numbers,
    c: Numbers,
    *,
    A_eq: Numbers | None = None,
    b_eq: Numbers | None = None,
    A_ub: Numbers | None = None,
    b_ub: Numbers | None = None,
    lower: float | Numbers | None = None,
    upper: float | Numbers | None = None,
    tol: float = 1e-10,
    max_iter: int = 100,
) -> QPSolution:
    """Solve the convex quadratic programme (1) by a primal-dual interior-point method.

        minimize x'Qx / 2 + c'x   subject to   A_eq x = b_eq,   A_ub x <= b_ub,   lower <= x <= upper    (1)

    Parameters
    ----------
    Q : array-like of shape (d, d)
        Positive semidefinite; zeros make a linear programme.
    c : array-like of shape (d,)
    A_eq, b_eq, A_ub, b_ub : array-like, optional
    lower, upper : float or array-like of shape (d,), optional
        Bounds, infinite where there is none. They cost no more than the factor of Q, so box duals are cheap.
    tol : float
        Relative residuals and gap.
    max_iter : int

    Raises
    ------
    InfeasibleProblem, UnboundedProblem
        With the proof in `certificate`.

    Examples
    --------
    >>> from novum.optimize import solve_qp
    >>> best = solve_qp([[2, 0], [0, 2]], [-2, -5], A_ub=[[1, 2]], b_ub=[3], lower=0)
    >>> best.x.round(6), best.inequality.round(6)
    (array([0.4, 1.3]), array([1.2]))
    """
    c = vector("solve_qp", "c", c)
    d = c.size
    Q = float_array("solve_qp", "Q", Q).astype(np.float64, copy=False)
    if Q.shape != (d, d) or not np.all(np.isfinite(Q)):
        raise DataError(
            f"solve_qp: Q has shape {Q.shape}; it must be finite and of shape ({d}, {d}), as c has {d} entries."
        )
    if np.abs(Q - Q.T).max() > 1e-8 * (1 + np.abs(Q).max()):
        raise DataError("solve_qp: Q is not symmetric; pass (Q + Q.T) / 2, which has the same quadratic form.")
    A, b = _matrix("A_eq", A_eq, "b_eq", b_eq, d)
    G, h = _matrix("A_ub", A_ub, "b_ub", b_ub, d)
    low, high = _bound("lower", lower, d, -np.inf), _bound("upper", upper, d, np.inf)
    tol = check_number("solve_qp", "tol", tol, 0, 1, open_low=True)
    max_iter = check_count("solve_qp", "max_iter", max_iter)
    if np.any(low > high):
        i = int(np.argmax(low > high))
        raise InfeasibleProblem(
            f"solve_qp: lower[{i}]={low[i]:g} exceeds upper[{i}]={high[i]:g}; no x lies between.", {"variable": i}
        )
    check_convex(Q)

    fixed = np.flatnonzero(low == high)
    A_all, b_all = np.concatenate([A, np.eye(d)[fixed]]), np.concatenate([b, low[fixed]])
    kept, consistent = independent_rows(A_all, b_all)
    if not consistent:
        raise InfeasibleProblem(
            "solve_qp: the equalities (A_eq, equal bounds) contradict each other; .certificate holds the proof.",
            prove_infeasible(A, b, G, h, low, high) or {},
        )
    has_low = np.flatnonzero(np.isfinite(low) & (low < high))
    has_high = np.flatnonzero(np.isfinite(high) & (low < high))

    size = max(float(np.abs(Q).max()), float(np.abs(c).max()), np.finfo(float).tiny)
    scale = equilibrate(Q / size, A_all[kept], G)
    D, Q_scaled, c_scaled = scale.column, Q * scale.column * scale.column[:, None], c * scale.column
    size = max(float(np.abs(Q_scaled).max()), float(np.abs(c_scaled).max()), np.finfo(float).tiny)
    rows = Rows(
        G * scale.inequality[:, None] * D,
        has_low,
        has_high,
        np.concatenate([h * scale.inequality, -(low / D)[has_low], (high / D)[has_high]]),
    )
    scaled = (Q_scaled / size, c_scaled / size, A_all[kept] * scale.equality[:, None] * D, b_all[kept] * scale.equality)
    if rows.limit.size:
        found = interior_point(*scaled, rows, tol=tol, max_iter=max_iter)
        found = polish(*scaled, rows, found)
    else:
        found = solve_equalities(*scaled)
    found = found._replace(x=D * found.x)
    if found.status != "optimal":
        proof = prove_infeasible(A, b, G, h, low, high)
        if proof is not None:
            raise InfeasibleProblem("solve_qp: no x meets all constraints; .certificate holds the proof.", proof)
        if found.status == "unbounded":
            raise UnboundedProblem(UNBOUNDED, {"direction": found.x})

    y_all = np.zeros(len(A_all))
    y_all[kept] = found.y * size * scale.equality
    m = len(G)
    mu = found.z[:m] * size * scale.inequality
    mu_low, mu_high = np.zeros(d), np.zeros(d)
    mu_low[has_low] = found.z[m : m + has_low.size] * size / D[has_low]
    mu_high[has_high] = found.z[m + has_low.size :] * size / D[has_high]
    # A fixed variable's equality is a pair of bounds: its multiplier goes to the side that holds.
    pulled = y_all[len(A) :]
    mu_low[fixed], mu_high[fixed] = np.maximum(-pulled, 0), np.maximum(pulled, 0)
    return conclude(
        "solve_qp",
        _report(
            Q,
            c=c,
            A=A,
            b=b,
            G=G,
            h=h,
            low=low,
            high=high,
            found=found,
            lam=-y_all[: len(A)],
            mu=mu,
            mu_low=mu_low,
            mu_high=mu_high,
        ),
        "scale the data",
    )


def _report(
    Q: Any,
    c: Any,
    A: Any,
    b: Any,
    G: Any,
    h: Any,
    low: Any,
    high: Any,
    found: Any,
    lam: Any,
    mu: Any,
    mu_low: Any,
    mu_high: Any,
) -> QPSolution:
    """Measure (2), (3) and the constraints at the solution, in the caller's own units."""
    x = np.clip(found.x, low, high)
    Qx = Q @ x
    slacks = np.concatenate([h - G @ x, (x - low)[mu_low > 0], (high - x)[mu_high > 0]])
    multipliers = np.concatenate([mu, mu_low[mu_low > 0], mu_high[mu_high > 0]])
    value = float(x @ Qx / 2 + c @ x)
    dual = float(
        -x @ Qx / 2 + b @ lam - h @ mu + low[mu_low > 0] @ mu_low[mu_low > 0] - high[mu_high > 0] @ mu_high[mu_high > 0]
    )
    violations = np.concatenate([np.abs(A @ x - b), np.maximum(G @ x - h, 0)])
    optimal = found.status == "optimal"
    return QPSolution(
        x=x,
        value=value,
        dual_value=dual,
        gap=value - dual,
        equality=lam,
        inequality=mu,
        lower=mu_low,
        upper=mu_high,
        stationarity=float(np.abs(Qx + c - A.T @ lam + G.T @ mu - mu_low + mu_high).max()),
        infeasibility=float(violations.max(initial=0.0)),
        complementarity=float(np.abs(multipliers * slacks).max(initial=0.0)),
        n_iter=found.n_iter,
        converged=optimal,
        reason="all residuals within tol" if optimal else "the residuals no longer fall",
        history=np.array(found.history),
    )
