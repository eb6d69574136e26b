r"""Quantile regression: the line below which a share q of the targets lies.

    minimise  sum_i w_i rho(y_i - a - b'x_i) / W + alpha |b|_1,     rho(r) = r (q - [r < 0])                                (1)

A linear programme. Its dual has one number per row,

    maximise  y'd   subject to  X'd = 0,  sum d = 0,  w_i (q - 1) <= d_i <= w_i q                                           (2)

and the penalty adds a row e_j with target 0 and bounds -+ alpha W for every coefficient. Mehrotra's predictor and corrector follow
the central path of (2): each step solves one weighted least squares problem of p + 1 unknowns, whatever the number of rows (Portnoy
and Koenker 1997). The end of the path is rounded to the vertex it points to: p + 1 rows that the line meets exactly.
"""

from typing import Any, Literal, NamedTuple, Self

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from novum.base.domains import Bool, Choice, Domain, Instance, Null, Real
from novum.base.estimator import fits
from novum.exceptions import NotConverged
from novum.linear_model.frame import FAR, check_outward
from novum.linear_model.least_squares.evidence_maximum import one_target
from novum.linear_model.robust.line import RobustLine
from novum.runtime import arrays
from novum.runtime.typing import Rows, RowWeights, Target
from novum.runtime.warn import warn

__all__ = ["QuantileRegressor", "solve"]

Array = NDArray[np.float64]
SHORTEN, MOST_STEPS = 0.99995, 200
DEPENDENT = 1e-13  # added to a unit diagonal, so that columns that depend on each other share their coefficient
MET = 1e-9  # residual of a row that the line meets, relative to the targets
ROUNDING = 4 * np.finfo(np.float64).eps  # relative range of a column that is constant but for rounding
LARGEST = 1e12  # penalty in units of the loss beyond which a coefficient is zero for certain
GAP = 1e-13  # of primal and dual, relative to their size, at which the path ends
SOLVERS = ("highs", "highs-ds", "highs-ipm", "interior-point", "revised simplex")


class Path(NamedTuple):
    coef: Array
    met: NDArray[np.bool_]  # rows whose dual number is farther from its bounds than their residual is from zero
    gap: float
    n_iter: int


def weighted_solve(Z: Array, scale: Array, right: Array) -> Array:
    """Return the solution of Z' diag(scale) Z t = right."""
    H = (Z * scale[:, None]).T @ Z
    unit = np.sqrt(np.maximum(np.diag(H), 1e-300))
    H = H / np.outer(unit, unit)
    H.flat[:: len(H) + 1] += DEPENDENT
    return scipy.linalg.cho_solve(scipy.linalg.cho_factor(H), right / unit) / unit


def longest(value: Array, step: Array) -> float:
    """Return how far values may go along a step and stay positive, at most 1."""
    down = step < 0
    return float(min(1.0, SHORTEN * np.min(-value[down] / step[down]))) if down.any() else 1.0


class PathPoint(NamedTuple):
    """Where the path stands: x, s, their multipliers, and what is missing of the equations."""

    Z: Array
    x: Array
    s: Array
    z: Array
    v: Array
    rest: Array  # of Z'x
    residual: Array  # of v - z


def met_rows(at: PathPoint) -> NDArray[np.bool_]:
    """Return the rows that the line meets at the end of the path."""
    size = max(float((at.z + at.v).max()), 1e-300)
    return np.asarray((at.z + at.v) / size < np.minimum(at.x, at.s) / (at.x + at.s))


def direction(at: PathPoint, aim_x: Array, aim_s: Array) -> tuple[Array, Array, Array, Array]:
    """Return the step (t, x, z, v) that solves the equations to first order, with products z x and v s changed by the aims."""
    theta = 1.0 / (at.z / at.x + at.v / at.s)
    known = aim_s / at.s - aim_x / at.x - at.residual
    dt = weighted_solve(at.Z, theta, -at.rest - at.Z.T @ (theta * known))
    dx = -theta * (known + at.Z @ dt)
    return dt, dx, (aim_x - at.z * dx) / at.x, (aim_s + at.v * dx) / at.s


def central_path(Z: Array, y: Array, low: Array, high: Array) -> Path:
    """Return the coefficients t of  min over t  of  sum max(high r, low r),  r = y - Z t,  with the gap that is left.

    With x = d - low and s = high - d, both >= 0 and with multipliers z and v:  Z'x = -Z'low,  v - z = r,  z x = v s = 0.
    """
    u = high - low
    b = -(Z.T @ low)
    x = -low + 0.0  # d = 0 is feasible
    x = np.clip(x, 1e-3 * u, (1 - 1e-3) * u)
    s = u - x
    t: Array = np.asarray(np.linalg.lstsq(Z, y, rcond=None)[0], dtype=np.float64)
    r = y - Z @ t
    size = max(float(np.abs(r).mean()), 1e-300)
    v = np.maximum(r, 0) + 0.1 * size
    z = v - r  # dual feasible: v - z = r
    scale_of = float(np.abs(y) @ u) + 1e-300
    gap = np.inf
    for n_iter in range(MOST_STEPS):
        rest = b - Z.T @ x
        gap = float(z @ x + v @ s)
        place = PathPoint(Z, x, s, z, v, rest, y - Z @ t - (v - z))
        if gap <= GAP * scale_of and np.abs(rest).max() <= 1e-9 * (np.abs(b).max() + np.abs(Z).max()):
            return Path(t, met_rows(place), gap / scale_of, n_iter)
        dt, dx, dz, dv = direction(place, -z * x, -v * s)
        primal = min(longest(x, dx), longest(s, -dx))
        dual = min(longest(z, dz), longest(v, dv))
        after = float((z + dual * dz) @ (x + primal * dx) + (v + dual * dv) @ (s - primal * dx))
        mu = (after / gap) ** 3 * gap / (2 * len(x))
        dt, dx, dz, dv = direction(place, mu - z * x - dx * dz, mu - v * s + dx * dv)
        primal = min(longest(x, dx), longest(s, -dx))
        dual = min(longest(z, dz), longest(v, dv))
        x, s = x + primal * dx, s - primal * dx
        t, z, v = t + dual * dt, z + dual * dz, v + dual * dv
    return Path(t, met_rows(place), gap / scale_of, MOST_STEPS)


def vertex(Z: Array, y: Array, low: Array, high: Array, t: Array, met: NDArray[np.bool_]) -> Array:
    """Return a vertex of the face of optima that t lies on: coefficients that meet as many independent rows as there are unknowns.

    Along a direction that keeps the residuals of the rows already met at zero the loss is flat; it is followed to the next row.
    """

    def loss_at(point: Array) -> float:
        r = y - Z @ point
        return float(np.maximum(high * r, low * r).sum())

    scale = max(float(np.abs(y).max(initial=0.0)), 1e-300)
    rank, moved = np.linalg.matrix_rank(Z), t
    for _ in range(Z.shape[1]):
        Q, R, _ = (
            scipy.linalg.qr(Z[met].T, pivoting=True) if met.any() else (np.eye(Z.shape[1]), np.zeros((0, 0)), None)
        )
        size = np.abs(np.diag(R))
        known = int((size > 1e-10 * size.max(initial=0.0)).sum())
        if known >= rank:
            break
        along = Q[:, known:]
        change = Z @ along
        k = int(np.argmax(np.abs(change).max(axis=0)))
        r, speed = y - Z @ moved, change[:, k]
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = np.where(~met & (np.abs(speed) > 1e-12), r / speed, np.inf)
        if not np.isfinite(reach).any():
            break
        ways = [reach[reach > 0].min(initial=np.inf), -(-reach[reach < 0]).min(initial=np.inf)]
        steps = [step for step in ways if np.isfinite(step)]
        moved = min((moved + step * along[:, k] for step in steps), key=loss_at)
        met = met | (np.abs(y - Z @ moved) <= MET * scale)
    exact = scipy.linalg.lstsq(Z[met], y[met])[0] if met.any() else moved
    return exact if loss_at(exact) <= loss_at(t) * (1 + 1e-12) + 1e-300 else t


class QuantileRegressor(RobustLine):
    """Linear model of a quantile of the target, (1).

    Parameters
    ----------
    quantile : float, default=0.5
        q, strictly between 0 and 1.
    alpha : float, default=1.0
        Weight of the sum of absolute coefficients.
    fit_intercept : bool, default=True
    solver : {"highs", "highs-ds", "highs-ipm", "interior-point", "revised simplex"}, default="highs"
        Names of scikit-learn; all follow the central path, the optimum is the same.
    solver_options : dict, default=None
        Kept for scikit-learn's sake.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
    intercept_ : float
    n_iter_ : int
        Steps along the path.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.linear_model import QuantileRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0, 10, size=(400, 1))
    >>> y = X[:, 0] * (1 + rng.uniform(size=400))
    >>> model = QuantileRegressor(quantile=0.8, alpha=0).fit(X, y)
    >>> round(float((y <= model.predict(X)).mean()), 2)
    0.8
    """

    _domains: dict[str, Domain] = {
        "quantile": Real(0, 1, open="both"),
        "alpha": Real(0),
        "fit_intercept": Bool(),
        "solver": Choice(*SOLVERS),
        "solver_options": Null() | Instance(dict),
    }
    coef_: np.ndarray
    intercept_: float
    n_iter_: int

    def __init__(
        self,
        *,
        quantile: float = 0.5,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        solver: Literal["highs", "highs-ds", "highs-ipm", "interior-point", "revised simplex"] = "highs",
        solver_options: dict | None = None,
    ) -> None:
        self.quantile = quantile
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.solver_options = solver_options

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        source = one_target(self._source(X, y, sample_weight, target="numeric"), self)
        held: Any = source.in_memory("QuantileRegressor follows a central path through all rows at once")
        found = np.asarray(arrays.to_numpy(arrays.dense(held.array())), dtype=np.float64)
        values = np.asarray(arrays.to_numpy(held.y), dtype=np.float64).ravel()
        w = np.ones(len(values)) if held.weight is None else np.asarray(arrays.to_numpy(held.weight), dtype=np.float64)
        used = w > 0
        coef, intercept, steps, gap = solve(
            found[used], values[used], w[used], float(self.quantile), float(self.alpha), bool(self.fit_intercept)
        )
        if gap > 1e-6:
            warn(
                f"QuantileRegressor: a share of {gap:.1e} of the objective is not settled after {MOST_STEPS} steps; scale X.",
                NotConverged,
            )
        check_outward("QuantileRegressor", source, coef)
        self.coef_, self.intercept_, self.n_iter_ = coef.astype(source.dtype), intercept, steps
        return self


def solve(X: Array, y: Array, w: Array, q: float, alpha: float, intercept: bool) -> tuple[Array, float, int, float]:
    """Return coefficients, intercept, steps and the gap left, of (1); columns and target centred, in units of their scale."""
    p = X.shape[1]
    middle = float(np.median(y)) if intercept else 0.0
    scale = float(np.abs(y - middle).mean()) or 1.0
    center = X[0] + (X - X[0]).mean(axis=0) if intercept and len(X) else np.zeros(p)
    near = np.abs(center) <= FAR * np.abs(X - center).max(axis=0, initial=0.0)
    center[near] = 0.0  # they lose nothing as they are
    Z = X - center
    largest = np.abs(Z).max(axis=0, initial=0.0)
    largest[largest <= ROUNDING * np.abs(center)] = 0.0  # a column that does not vary beyond rounding
    Z[:, largest == 0] = 0.0
    Z /= np.where(largest > 0, largest, 1.0)  # squares of any column can be added up
    unit = np.sqrt((Z**2).mean(axis=0)) if len(X) else np.ones(p)
    unit[unit == 0] = 1.0
    Z /= unit
    unit = unit * np.where(largest > 0, largest, 1.0)
    Z = np.column_stack([Z, np.ones(len(X))]) if intercept else Z
    target = (y - middle) / scale
    if not target.any():
        return np.zeros(p), middle, 0, 0.0
    low, high = w * (q - 1), w * q
    if alpha > 0:
        ends = np.minimum(alpha / unit, LARGEST) * w.sum()
        extra = np.zeros((p, Z.shape[1]))
        extra[:, :p] = np.eye(p)
        Z, target = np.vstack([Z, extra]), np.append(target, np.zeros(p))
        low, high = np.append(low, -ends), np.append(high, ends)
    path = central_path(Z, target, low, high)
    t = vertex(Z, target, low, high, path.coef, path.met)
    if alpha > 0:  # a coefficient whose own row is met is zero
        t[:p][np.abs(t[:p]) <= 1e-11] = 0.0  # in units of the scale: rounding
    t = t * scale
    coef = t[:p] / unit
    return coef, float(t[p] + middle - center @ coef) if intercept else 0.0, path.n_iter, path.gap
