r"""Huber regression with the scale of the noise estimated beside the coefficients.

    minimise over b, a and s > 0:   sum_i w_i (s + s H((y_i - a - b'x_i)/s)) + alpha |b|^2                                  (1)
    H(z) = z^2 where |z| <= e, else 2 e |z| - e^2

The loss, its derivatives and why (1) is convex: novum.linear_model.newton.losses.huber. The scale is in units of the target.
Under normal noise s tends to .681 standard deviations where e = 1.35, so that residuals are cut at .920 of them and 88.9 % of the
efficiency of least squares is kept; the 95 % often given for 1.35 belong to a known scale, and e = 1.596 keeps them with this
one.
"""

from typing import Any, NamedTuple, Self

import numpy as np

from novum.base.callbacks import reporting
from novum.base.domains import Bool, Domain, Int, Real
from novum.base.estimator import fits
from novum.exceptions import NotConverged
from novum.fold.blocks import Block, Source
from novum.linear_model.frame import Frame, check_outward, frame_of
from novum.linear_model.least_squares.evidence_maximum import one_target
from novum.linear_model.newton.block_rows import line_of, target_and_weight
from novum.linear_model.newton.losses.huber import Huber
from novum.linear_model.newton.losses.loss import Array
from novum.linear_model.newton.minimum import damped_newton
from novum.linear_model.newton.objective import Objective
from novum.linear_model.newton.target_unit import TargetUnit, deviation_unit
from novum.linear_model.robust.line import RobustLine
from novum.linear_model.robust.quantile import solve as least_deviations
from novum.runtime import arrays
from novum.runtime.typing import Rows, RowWeights, Target
from novum.runtime.warn import warn

__all__ = ["HuberRegressor"]

SMALLEST = (
    1e-9  # of the scale, as a share of the target's deviation: below it the Hessian has no digits left for the penalty
)
LARGEST = 1e200  # penalty of a column in the frame: its coefficient is zero to any number of digits
VANISHING = 1e-6  # of the standard deviation of the target: a scale below it has gone to zero


class Moments(NamedTuple):
    weight: float
    total: float
    square: float


def target_moments(unit: TargetUnit, block: Block) -> Moments:
    """Return the sums of the targets of a block in a frame, and of their squares."""
    y, w = target_and_weight(block)
    y = unit.target(y)
    return Moments(float(w.sum()), float(w @ y), float(w @ y**2))


class HuberRegressor(RobustLine):
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
    n_iter_: int
    outliers_: np.ndarray

    def __init__(
        self,
        *,
        epsilon: float = 1.35,
        max_iter: int = 100,
        alpha: float = 0.0001,
        warm_start: bool = False,
        fit_intercept: bool = True,
        tol: float = 1e-05,
    ) -> None:
        self.epsilon = epsilon
        self.max_iter = max_iter
        self.alpha = alpha
        self.warm_start = warm_start
        self.fit_intercept = fit_intercept
        self.tol = tol

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        source = one_target(self._source(X, y, sample_weight, target="numeric"), self)
        frame = frame_of(source, "HuberRegressor", self.fit_intercept, intercept=self.fit_intercept)
        rows, p = source if frame is None else frame.source(source), source.n_features
        unit, size = self._target(source)
        theta = np.zeros(p + 2)
        theta[-1] = size
        if self.warm_start and hasattr(self, "coef_") and len(self.coef_) == p:
            theta = self._last(frame, unit)
        alpha = np.full(p, float(self.alpha)) * unit.unit
        alpha = alpha if frame is None else np.minimum(alpha / frame.unit / frame.unit, LARGEST)
        loss = Huber(float(self.epsilon))
        objective = Objective(loss, rows, unit, penalty=2 * alpha, mass=1.0, intercept=bool(self.fit_intercept))
        options: dict[str, Any] = {"X": X, "y": y, "sample_weight": sample_weight, "objective_of": "leaving"}

        def attributes(theta: Array) -> dict[str, Any]:
            line = unit.outward(theta[:-1])
            line = line if frame is None else frame.outward(line)
            intercept = float(line[p]) if self.fit_intercept else 0.0
            scale = float(theta[-1]) * unit.unit
            return {"coef_": line[:p].astype(source.dtype), "intercept_": intercept, "scale_": scale}

        with reporting(self, self.max_iter, attributes=attributes, **options) as report:
            found = damped_newton(
                objective, theta, floor=SMALLEST * size, max_iter=self.max_iter, tol=self.tol, report=report
            )
            theta = found.theta
            if source.at_hand and theta[-1] < VANISHING * size:
                theta = at_scale_zero(objective, theta)
        if not found.converged:
            warn(
                f"HuberRegressor: the gradient is not below tol={self.tol:g} after max_iter={self.max_iter} steps; raise max_iter,"
                f" or scale X.",
                NotConverged,
            )
        fitted = attributes(theta)
        check_outward("HuberRegressor", source, fitted["coef_"])
        vars(self).update(fitted, n_iter_=found.n_iter)
        self.__dict__.pop("outliers_", None)
        if source.at_hand:
            self.outliers_ = rows.rows(far_rows, Far(theta, float(self.epsilon), unit))
        return self

    def _target(self, source: Source) -> tuple[TargetUnit, float]:
        """Return the frame of the target, and its standard deviation there."""
        own = source.without_features()
        first = own.total(target_moments, TargetUnit(1.0, 0.0, False))
        unit = deviation_unit(source, first.total / first.weight if self.fit_intercept else 0.0, first.weight)
        found = own.total(target_moments, unit)
        mean = found.total / found.weight
        return unit, float(np.sqrt(max(found.square / found.weight - mean**2, 0.0))) or 1.0

    def _last(self, frame: Frame | None, unit: TargetUnit) -> np.ndarray:
        """Return the last fit, in the frame."""
        theta = np.append(self.coef_, self.intercept_).astype(np.float64)
        theta = theta if frame is None else frame.inward(theta)
        return np.append(unit.inward(theta), self.scale_ / unit.unit)


def at_scale_zero(objective: Objective, theta: Array) -> Array:
    """Return the better of a point and of least absolute deviations, which (1) becomes as the scale vanishes."""
    held: Any = objective.source.in_memory()
    X = np.asarray(arrays.to_numpy(arrays.dense(held.array())), dtype=np.float64)
    y = objective.unit.target(np.asarray(arrays.to_numpy(held.y), dtype=np.float64).ravel())
    w = np.ones(len(y)) if held.weight is None else np.asarray(arrays.to_numpy(held.weight), dtype=np.float64)
    coef, intercept, _, _ = least_deviations(X[w > 0], y[w > 0], w[w > 0], 0.5, 0.0, objective.intercept)
    other = np.concatenate([coef, [intercept, theta[-1]]])
    return other if objective.at(other, 0).loss < objective.at(theta, 0).loss else theta


class Far(NamedTuple):
    theta: Array
    epsilon: float
    unit: TargetUnit


def far_rows(far: Far, block: Block) -> np.ndarray:
    """Return which rows lie beyond epsilon scales."""
    X: Any = block.X if arrays.is_sparse(block.X) else np.asarray(arrays.to_numpy(block.X), dtype=np.float64)
    y, _ = target_and_weight(block)
    return np.abs(far.unit.target(y) - line_of(X, far.theta)) > far.epsilon * far.theta[-1]
