r"""Huber regression with the scale of the noise estimated beside the coefficients.

    minimise over b, a and s > 0:   sum_i w_i (s + s H((y_i - a - b'x_i)/s)) + alpha |b|^2                                  (1)
    H(z) = z^2 where |z| <= e, else 2 e |z| - e^2

(1) is convex in all of them together: s H(r/s) is the perspective of a convex function. Newton's method uses, with r the residuals
and "in" the rows with |r| <= e s,

    d/db  = -2/s X_in'(w r) - 2 e X_out'(w sign r) + 2 alpha b,     d/ds = sum w - sum_in w r^2/s^2 - e^2 sum_out w         (2)
    Hessian of (b, a, s):  2/s Z_in' W Z_in with Z = [x, 1, r/s], and 2 alpha I for b                                       (3)

The scale is in units of the target. Under normal noise s tends to .681 standard deviations where e = 1.35, so that residuals are
cut at .920 of them and 88.9 % of the efficiency of least squares is kept; the 95 % that are told of 1.35 belong to a known scale,
and e = 1.596 keeps them with this one.
"""

from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from novum.base.callbacks import reporting
from novum.base.domains import Bool, Domain, Int, Real
from novum.base.estimator import Estimator, fits
from novum.base.parameters import stores
from novum.exceptions import NotConverged
from novum.fold.blocks import Block, Source
from novum.linear_model.frame import Frame, check_outward, frame_of
from novum.linear_model.generalized.fit import TargetUnit, deviation, newton_step
from novum.linear_model.least_squares.evidence_maximum import one_target
from novum.linear_model.robust.quantile import predict_block
from novum.linear_model.robust.quantile import solve as least_deviations
from novum.runtime import arrays
from novum.runtime.typing import Rows, RowWeights, Target
from novum.runtime.warn import warn

__all__ = ["HuberRegressor"]

SMALLEST = 1e-9  # of the scale, as a share of the spread of the target: below it (3) has no digits left for the penalty
LARGEST = 1e200  # penalty of a column in the frame: its coefficient is zero to any number of digits
SUFFICIENT, KEPT = 1e-4, 0.5  # of the way to a scale of zero, which a step may go: the coefficients must follow
LEAST_DAMPING, TRIALS = 1e-8, 30
IDLE, PATIENCE = (
    1e-6,
    10,
)  # share of the loss that a step must win, and steps without: kinks where the scale has vanished
FLAT = 1e-12  # damping where (3) is flat: (1) is linear along residuals and scale that shrink together
VANISHING = 1e-6  # of the spread of the target: a scale below it has gone to zero


class Point(NamedTuple):
    theta: np.ndarray  # coefficients, intercept, scale
    epsilon: float
    target: TargetUnit


class Sums(NamedTuple):
    loss: float
    gradient: np.ndarray
    hessian: np.ndarray
    scale: np.ndarray  # the diagonal that (3) would have were all rows in: what damping is measured by


class Spread(NamedTuple):
    weight: float
    total: float
    square: float


def residual_rows(point: Point, block: Block) -> tuple[Any, np.ndarray, np.ndarray]:
    """Return the rows of a block, their residuals and weights."""
    theta = point.theta
    X: Any = block.X if arrays.is_sparse(block.X) else np.asarray(arrays.to_numpy(block.X), dtype=np.float64)
    y = np.asarray(arrays.to_numpy(block.y), dtype=np.float64).ravel()
    w = np.ones(len(y)) if block.weight is None else np.asarray(arrays.to_numpy(block.weight))
    p = X.shape[1]
    return X, point.target.target(y) - np.asarray(X @ theta[:p]).ravel() - theta[p], w


def spread(target: TargetUnit, block: Block) -> Spread:
    """Return the moments of the targets in a frame."""
    y = target.target(np.asarray(arrays.to_numpy(block.y), dtype=np.float64).ravel())
    w = np.ones(len(y)) if block.weight is None else np.asarray(arrays.to_numpy(block.weight))
    return Spread(float(w.sum()), float(w @ y), float(w @ y**2))


def sums(point: Point, block: Block) -> Sums:
    """Return (1) to (3) over a block, without the penalty."""
    theta, e, _ = point
    X, r, w = residual_rows(point, block)
    p, s = X.shape[1], float(theta[-1])
    inside = np.abs(r) <= e * s
    z = np.where(inside, r / s, 0.0)
    out = w * ~inside
    loss = float(s * w.sum() + s * (w @ z**2) + out @ (2 * e * np.abs(r) - s * e**2))
    pull = 2 * w * z + 2 * e * out * np.sign(r)
    gradient = np.concatenate([-np.asarray(X.T @ pull).ravel(), [-pull.sum()], [w.sum() - w @ z**2 - e**2 * out.sum()]])
    c = np.where(inside, 2 * w / s, 0.0)
    hessian = np.empty((p + 2, p + 2))
    weighed = X.multiply(c[:, None]).tocsr() if arrays.is_sparse(X) else X * c[:, None]
    inner = X.T @ weighed
    hessian[:p, :p] = inner.toarray() if arrays.is_sparse(inner) else inner
    hessian[p, :p] = hessian[:p, p] = np.asarray(weighed.sum(axis=0)).ravel()
    hessian[-1, :p] = hessian[:p, -1] = np.asarray(weighed.T @ z).ravel()
    hessian[p, p], hessian[-1, -1] = c.sum(), c @ z**2
    hessian[p, -1] = hessian[-1, p] = c @ z
    squares = X.multiply(X) if arrays.is_sparse(X) else X**2
    scale = 2 / s * np.concatenate([np.asarray(squares.T @ w).ravel(), [w.sum(), w.sum()]])
    return Sums(loss, gradient, hessian, scale)


class Problem(NamedTuple):
    """(1) over all rows, in a frame of columns and target."""

    source: Source
    target: TargetUnit
    epsilon: float
    alpha: np.ndarray  # of every column
    intercept: bool

    def at(self, theta: np.ndarray) -> Sums:
        """Return value, gradient and Hessian with the penalty."""
        found = self.source.total(sums, Point(theta, self.epsilon, self.target))
        p = self.source.n_features
        b = theta[:p]
        gradient, hessian = found.gradient.copy(), found.hessian.copy()
        gradient[:p] += 2 * self.alpha * b
        hessian[range(p), range(p)] += 2 * self.alpha
        if not self.intercept:
            gradient[p] = 0.0
            hessian[p] = hessian[:, p] = 0.0
            hessian[p, p] = 1.0
        return Sums(found.loss + float(self.alpha * b @ b), gradient, hessian, found.scale)


def minimize(
    problem: Problem, theta: np.ndarray, floor: float, max_iter: int, tol: float, report: Any
) -> tuple[np.ndarray, int, bool]:
    """Return the minimum of (1), the steps, and whether it was reached: by Newton's method, damped where a step would go up."""
    now, damping, steps, idle = problem.at(theta), 0.0, 0, 0
    while steps < max_iter:
        still = theta[-1] <= 2 * floor and now.gradient[-1] > 0
        if np.abs(now.gradient[: -1 if still else None]).max() <= tol:
            return theta, steps, True
        for _ in range(TRIALS):
            damped = now.hessian + max(damping, FLAT) * np.diag(now.scale)
            step, length = newton_step(damped, now.gradient), 1.0
            if (
                theta[-1] + step[-1] < floor and theta[-1] <= 2 * floor
            ):  # the scale has vanished: only the coefficients move
                step = np.append(newton_step(damped[:-1, :-1], now.gradient[:-1]), 0.0)
            elif step[-1] < KEPT * (floor - theta[-1]):
                length = KEPT * (floor - theta[-1]) / step[-1]
            then = problem.at(theta + length * step)
            slope = length * float(step @ now.gradient)
            if slope < 0 and then.loss <= now.loss + SUFFICIENT * slope + 8 * np.finfo(float).eps * abs(now.loss):
                break
            damping = max(10 * damping, LEAST_DAMPING)
        else:
            return theta, steps, True  # nothing that numbers can tell goes down: at a kink, or at a scale of zero
        moved = length * step
        idle = idle + 1 if still and now.loss - then.loss <= IDLE * abs(now.loss) else 0
        theta, now, steps = theta + moved, then, steps + 1
        damping = damping / 100 if damping > LEAST_DAMPING else 0.0
        if (
            report(steps, now.loss)
            or idle == PATIENCE
            or np.abs(moved).max() <= 4 * np.finfo(float).eps * np.abs(theta).max()
        ):
            return theta, steps, True
    return theta, steps, bool(np.abs(now.gradient).max() <= tol)


class HuberRegressor(RegressorMixin, Estimator):
    """Linear regression that counts large residuals by their size, not their square, (1).

    Parameters
    ----------
    epsilon : float, default=1.35
        Residuals beyond so many scales count linearly; at least 1.
    max_iter : int, default=100
    alpha : float, default=0.0001
        Weight of the squared coefficients.
    warm_start : bool, default=False
        Begin at the coefficients of the last fit.
    fit_intercept : bool, default=True
    tol : float, default=1e-5
        Largest gradient at which to stop.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
    intercept_ : float
    scale_ : float
        s of eq. (1), in units of y.
    n_iter_ : int
    outliers_ : array of bool of shape (n_samples,)
        Rows with residuals beyond epsilon scales, for data in memory.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.linear_model import HuberRegressor, LinearRegression
    >>> x = np.arange(20.0)[:, None]
    >>> y = 2 * x[:, 0] + 1 + 0.1 * np.sin(7 * x[:, 0])
    >>> y[-1] = 500  # a slip of the pen
    >>> HuberRegressor().fit(x, y).coef_.round(2), LinearRegression().fit(x, y).coef_.round(2)
    (array([2.]), array([8.58]))
    """

    _domains: dict[str, Domain] = {
        "epsilon": Real(1),
        "max_iter": Int(0),
        "alpha": Real(0),
        "warm_start": Bool(),
        "fit_intercept": Bool(),
        "tol": Real(0),
    }
    _reports_passes = True
    coef_: np.ndarray
    intercept_: float
    scale_: float

    @stores
    def __init__(
        self, *, epsilon: float = 1.35, max_iter: int = 100, alpha: float = 0.0001, warm_start: bool = False,
        fit_intercept: bool = True, tol: float = 1e-05
    ) -> None: ...  # fmt: skip

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Fit the model.

        [rows or a sparse matrix, target, weights]
        """
        source = one_target(self._source(X, y, sample_weight, target="numeric"), self)
        frame = frame_of(source, "HuberRegressor", self.fit_intercept, intercept=self.fit_intercept)
        rows, p = source if frame is None else frame.source(source), source.n_features
        target, size = self._target(source)
        theta = np.zeros(p + 2)
        theta[-1] = size
        if self.warm_start and hasattr(self, "coef_") and len(self.coef_) == p:
            theta = self._last(frame, target)
        alpha = np.full(p, float(self.alpha)) * target.unit
        alpha = alpha if frame is None else np.minimum(alpha / frame.unit / frame.unit, LARGEST)
        problem = Problem(rows, target, float(self.epsilon), alpha, bool(self.fit_intercept))
        with reporting(self, self.max_iter, X=X, y=y, sample_weight=sample_weight) as report:
            theta, steps, done = minimize(problem, theta, SMALLEST * size, self.max_iter, self.tol, report)
            if source.at_hand and theta[-1] < VANISHING * size:
                theta = at_scale_zero(problem, theta)
        if not done:
            warn(
                f"HuberRegressor: the gradient is not below tol={self.tol:g} after max_iter={self.max_iter} steps; raise max_iter,"
                f" or scale X.", NotConverged,
            )  # fmt: skip
        line = target.outward(theta[:-1])
        line = line if frame is None else frame.outward(line)
        check_outward("HuberRegressor", source, line[:-1])
        self.coef_ = line[:p].astype(source.dtype)
        self.intercept_ = float(line[p]) if self.fit_intercept else 0.0
        self.scale_, self.n_iter_ = float(theta[-1]) * target.unit, steps
        self.__dict__.pop("outliers_", None)
        if source.at_hand:
            self.outliers_ = rows.rows(far_rows, Point(theta, float(self.epsilon), target))
        return self

    def _target(self, source: Source) -> tuple[TargetUnit, float]:
        """Return the frame of the target, and its standard deviation there."""
        own = source.without_features()
        first = own.total(spread, TargetUnit(1.0, 0.0, False))
        middle = first.total / first.weight if self.fit_intercept else 0.0
        size = own.total(deviation, middle).size / first.weight
        exponent = int(np.rint(np.log2(size))) if 0 < size < np.inf else 0
        target = TargetUnit(float(np.ldexp(1.0, exponent)), middle, False)
        found = own.total(spread, target)
        mean = found.total / found.weight
        return target, float(np.sqrt(max(found.square / found.weight - mean**2, 0.0))) or 1.0

    def _last(self, frame: Frame | None, target: TargetUnit) -> np.ndarray:
        """Return the last fit, in the frame."""
        theta = np.append(self.coef_, self.intercept_).astype(np.float64)
        theta = theta if frame is None else frame.inward(theta)
        return np.append(target.inward(theta), self.scale_ / target.unit)

    def predict(self, X: Rows) -> Any:
        """Return the prediction for every row.

        [rows or a sparse matrix] -> array of shape (n_samples,)
        """
        check_is_fitted(self)
        return self._rows(X, predict_block, (self.coef_, float(self.intercept_)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def at_scale_zero(problem: Problem, theta: np.ndarray) -> np.ndarray:
    """Return the better of a point and of least absolute deviations, which (1) becomes as the scale vanishes."""
    held: Any = problem.source.in_memory()
    X = np.asarray(arrays.to_numpy(arrays.dense(held.array())), dtype=np.float64)
    y = problem.target.target(np.asarray(arrays.to_numpy(held.y), dtype=np.float64).ravel())
    w = np.ones(len(y)) if held.weight is None else np.asarray(arrays.to_numpy(held.weight), dtype=np.float64)
    coef, intercept, _, _ = least_deviations(X[w > 0], y[w > 0], w[w > 0], 0.5, 0.0, problem.intercept)
    other = np.concatenate([coef, [intercept, theta[-1]]])
    return other if problem.at(other).loss < problem.at(theta).loss else theta


def far_rows(point: Point, block: Block) -> np.ndarray:
    """Return which rows lie beyond epsilon scales."""
    _, r, _ = residual_rows(point, block)
    return np.abs(r) > point.epsilon * point.theta[-1]
