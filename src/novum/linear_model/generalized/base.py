"""What generalised linear models share: the fit by Newton's method in a frame, the mean, the explained deviance, inference."""

from typing import Any, Self

import numpy as np

from novum.base.callbacks import reporting
from novum.base.domains import Bool, Choice, Domain, Int, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import RegressorMixin
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.fold.blocks import Block, Source
from novum.linear_model.frame import Frame, check_outward, frame_of, names_of
from novum.linear_model.generalized.inference import GeneralizedInference, infer_generalized
from novum.linear_model.generalized.score import explained_deviance
from novum.linear_model.generalized.separation import endless_direction
from novum.linear_model.generalized.targets import Mass, targets_in_range
from novum.linear_model.least_squares.evidence_maximum import one_target
from novum.linear_model.newton.losses.tweedie import Tweedie
from novum.linear_model.newton.minimum import MOST_COLUMNS, newton
from novum.linear_model.newton.objective import Objective
from novum.linear_model.newton.target_unit import TargetUnit, target_unit
from novum.runtime import arrays
from novum.runtime.typing import Rows, RowWeights, Target
from novum.runtime.warn import warn

__all__ = ["SHARED", "GeneralizedLinearModel"]

SHARED: dict[str, Domain] = {
    "alpha": Real(0),
    "fit_intercept": Bool(),
    "solver": Choice("lbfgs", "newton-cholesky"),
    "max_iter": Int(1),
    "tol": Real(0, open="low"),
    "warm_start": Bool(),
    "verbose": Int(0) | Bool(),
}
LARGEST = 1e200  # penalty of a column in the frame: its coefficient is zero to any number of digits
VISIBLE = 1e-6  # of the largest part of a direction: what is not rounding
FINEST = 1e-11  # Newton's last step costs nothing: the gradient is brought to this where tol requires less


def mean_block(params: tuple[Tweedie, np.ndarray, float], block: Block) -> Any:
    """Return the mean of every row."""
    family, coef, intercept = params
    eta = block.X @ arrays.like(block.X, coef) + intercept
    return arrays.exp(eta) if family.link == "log" else eta


class GeneralizedLinearModel(RegressorMixin, Estimator):
    """Base of Poisson, gamma and Tweedie regression: a subclass says its `_family`."""

    _reports_passes = True
    coef_: np.ndarray
    intercept_: float
    n_iter_: int
    separation_: np.ndarray | None
    alpha: float
    fit_intercept: bool
    max_iter: int
    tol: float
    warm_start: bool

    def _family(self) -> Tweedie:
        raise NotImplementedError

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
        family, owner = self._family(), type(self).__name__
        mass = targets_in_range(family, source)
        if mass.outside:
            raise DataError(
                f"Some value(s) of y are out of the valid range of the loss: {owner} takes targets of {family.range_text()}."
            )
        frame = frame_of(source, owner, self.fit_intercept, intercept=self.fit_intercept)
        rows = source if frame is None else frame.source(source)
        unit = target_unit(
            family,
            source,
            mean=mass.target / mass.weight,
            size=mass.size / mass.weight,
            weight=mass.weight,
            intercept=self.fit_intercept,
        )
        alpha = unit.penalty(family.power, float(self.alpha))
        objective = Objective(
            family,
            rows,
            unit,
            penalty=alpha if frame is None else np.minimum(alpha / frame.unit / frame.unit, LARGEST),
            mass=mass.weight,
            intercept=self.fit_intercept,
        )
        options: dict[str, Any] = {"X": X, "y": y, "sample_weight": sample_weight, "objective_of": "leaving"}

        def attributes(theta: np.ndarray) -> dict[str, Any]:
            framed = unit.outward(theta)
            if not self.fit_intercept:
                framed[-1] = 0.0
            line = framed if frame is None else frame.outward(framed)
            fitted = {
                "coef_": line[:-1].astype(source.dtype),
                "intercept_": float(line[-1]) if self.fit_intercept else 0.0,
            }
            return {**fitted, "_frame": frame, "_theta": framed}

        with reporting(self, self.max_iter, attributes=attributes, **options) as report:
            found = newton(
                objective,
                self._start(family, mass, frame, unit),
                max_iter=self.max_iter,
                tol=min(self.tol, FINEST) if self.max_iter >= 20 else self.tol,
                report=report,
            )
        if not np.isfinite(found.objective):
            raise DataError(f"{owner}: the loss overflows at its first values; scale X and y.")
        endless = None
        if not self.alpha and source.n_features <= MOST_COLUMNS:
            endless = endless_direction(family, rows, found.theta, self.fit_intercept, 0.0)
        self._say_endless(endless if frame is None or endless is None else frame.outward(endless), source)
        if not found.converged and endless is None:
            warn(
                f"{owner}: the gradient is not below tol={self.tol:g} after max_iter={self.max_iter} steps; raise max_iter, or"
                f" scale X.",
                NotConverged,
            )
        fitted = attributes(found.theta)
        check_outward(owner, source, fitted["coef_"])
        vars(self).update(fitted, n_iter_=max(found.n_iter, 1))
        return self

    def _say_endless(self, direction: np.ndarray | None, source: Source) -> None:
        """Keep the direction along which means vanish, and warn of it."""
        self.separation_ = None if direction is None else direction / np.linalg.norm(direction)
        if direction is None:
            return
        size = np.abs(direction[:-1])
        shown = np.argsort(-size)[: max(1, int((size > VISIBLE * size.max(initial=0.0)).sum()))]
        warn(
            f"{type(self).__name__}: the target is zero in all rows that {names_of(source, shown)}"
            f" {'singles' if len(shown) == 1 else 'single'} out, so the likelihood has no finite maximum: it rises while their mean"
            f" goes to zero (direction: separation_), and coef_ is where the iteration stopped. Penalise, e.g. alpha=1e-3, drop or"
            f" merge those columns, or leave the rows out.",
            NotConverged,
        )

    def _start(self, family: Tweedie, mass: Mass, frame: Frame | None, unit: TargetUnit) -> np.ndarray:
        """Return where the iteration begins, in the frame: the mean, or the last fit."""
        theta, mean = np.zeros(self.n_features_in_ + 1), mass.target / mass.weight
        if self.fit_intercept and family.link == "identity":
            theta[-1] = mean
        elif self.fit_intercept:
            theta[-1] = np.log(mean) if mean > 0 else np.log(unit.unit)
        if self.warm_start and hasattr(self, "coef_") and len(self.coef_) == len(theta) - 1:
            theta = np.append(self.coef_, self.intercept_).astype(np.float64)
            theta = theta if frame is None else frame.inward(theta)
        return unit.inward(theta)

    def predict(self, X: Rows) -> Any:
        """Return the expected target of every row.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        check_is_fitted(self)
        return self._rows(X, mean_block, (self._family(), self.coef_, float(self.intercept_)))

    def score(self, X: Rows, y: Target, sample_weight: RowWeights = None) -> float:
        """Return D^2, the share of the deviance that the model explains: 1 at best, 0 for the mean alone.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        check_is_fitted(self)
        return explained_deviance(type(self).__name__, self._family(), self.predict(X), y, sample_weight)

    def inference(
        self,
        X: Rows | None = None,
        y: Target = None,
        sample_weight: RowWeights = None,
        *,
        covariance: str = "auto",
        level: float = 0.95,
        weights: str = "frequency",
        groups: Any = None,
    ) -> GeneralizedInference:
        """Return coefficients with standard errors, z, p and intervals; for fits without a penalty (alpha=0).

        Parameters
        ----------
        X, y, sample_weight
            The training data, which are needed.
        covariance : {"auto", "classical", "HC0", "HC1", "cluster", "CR1"}, default="auto"
            "classical", which "auto" is here, trusts the distribution, with the dispersion estimated from Pearson's residuals
            (Poisson: one); "HC0", the sandwich, trusts the mean only, and holds for counts of any variance, "HC1" is it times
            n / (n - k); "cluster" also lets the rows of one cluster depend on each other (CR2 with the degrees of freedom of Bell
            and McCaffrey), "CR1" does so as statsmodels and Stata do.
        level : float, default=0.95
            Of the intervals.
        weights : {"frequency", "precision"}, default="frequency"
            Whether a weight is the number of times that the row was seen, as in every fit, or divides its variance, phi mu^q / w,
            as the exposure of a rate does (statsmodels: freq_weights and var_weights).
        groups : array-like of shape (n_samples,), default=None
            The cluster of every row, for covariance="cluster" or "CR1".
        """
        check_is_fitted(self)
        if X is None or y is None:
            raise ParameterError(f"{type(self).__name__}.inference needs the training data: inference(X, y).")
        probe = type(self)(**self.get_params(deep=False))
        source = probe._source(X, y, sample_weight, target="numeric")
        return infer_generalized(self, source, covariance=covariance, level=level, weights=weights, groups=groups)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.positive_only = self._family().power > 0
        return tags
