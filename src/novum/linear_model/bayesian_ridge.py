"""Bayesian ridge regression: the penalty and the noise are learned by maximising the evidence.

    y = a + w'x + noise,   noise ~ N(0, 1/alpha),   w ~ N(0, 1/lambda I)

The intercept is not penalised. The formulas, (1) to (6), are those of novum.linear_model.least_squares.evidence_maximum and
_predictive.
"""

from typing import Any, Self

import numpy as np

from novum.base.callbacks import reporting
from novum.base.domains import Domain, Null, Real
from novum.base.estimator import fits
from novum.base.history import History
from novum.linear_model.evidence_regression import EvidenceRegression
from novum.linear_model.least_squares.evidence_maximum import (
    Gammas,
    maximize,
    one_target,
    posterior,
    rescaled,
    spectrum,
    target_variance,
    unit_of,
)
from novum.linear_model.least_squares.predictive import Predictive
from novum.runtime.typing import Rows, RowWeights, Target
from novum.variational.regression import RegressionData, RegressionPrior, regression_mean_field

__all__ = ["BayesianRidge"]


class BayesianRidge(EvidenceRegression):
    """Bayesian ridge regression.

    Parameters
    ----------
    max_iter : int, default=300
    tol : float, default=1e-3
        Stop when the coefficients together move by less than this.
    alpha_1, alpha_2 : float, default=1e-6
        Shape and rate of the Gamma prior of the precision of the noise. Where the target, or the columns together, have a standard
        deviation beyond 128 or below 1/128, priors and `tol` refer to data divided by it: scikit-learn's fit of
        targets of 1e6 is a constant.
    lambda_1, lambda_2 : float, default=1e-6
        Shape and rate of the Gamma prior of the precision of the weights.
    alpha_init, lambda_init : float, default=None
        Where the precisions begin; None: one over the variance of y, and 1.
    compute_score : bool, default=False
        Whether to keep the log evidence of every iteration in `scores_`.
    fit_intercept : bool, default=True
    copy_X : bool, default=True
        For scikit-learn's sake: X is neither copied nor changed.
    verbose : bool, default=False
        For scikit-learn's sake: progress is shown by callbacks.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
        Mean of the posterior.
    intercept_ : float
    alpha_, lambda_ : float
        Precision of the noise, and of the weights.
    sigma_ : array of shape (n_features, n_features)
        Covariance of the posterior.
    scores_ : array of shape (n_iter + 1,)
        Log evidence with the log priors, if requested.
    history_ : History
        The same, always.
    n_iter_ : int
    X_offset_, X_scale_ : array of shape (n_features,)
        Mean of the columns, and ones.

    Examples
    --------
    >>> from novum.linear_model import BayesianRidge
    >>> model = BayesianRidge().fit([[0.0], [1.0], [2.0], [3.0]], [0.1, 0.9, 2.1, 2.9])
    >>> mean, std = model.predict([[1.5]], return_std=True)
    >>> mean.round(3), std.round(2)
    (array([1.5]), array([0.1]))
    """

    _domains: dict[str, Domain] = {
        **EvidenceRegression._domains,
        "tol": Real(0, open="low"),
        "alpha_init": Real(0) | Null(),
        "lambda_init": Real(0) | Null(),
    }
    lambda_: float

    def __init__(
        self,
        *,
        max_iter: int = 300,
        tol: float = 1.0e-3,
        alpha_1: float = 1.0e-6,
        alpha_2: float = 1.0e-6,
        lambda_1: float = 1.0e-6,
        lambda_2: float = 1.0e-6,
        alpha_init: float | None = None,
        lambda_init: float | None = None,
        compute_score: bool = False,
        fit_intercept: bool = True,
        copy_X: bool = True,
        verbose: bool | int = False,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.alpha_1 = alpha_1
        self.alpha_2 = alpha_2
        self.lambda_1 = lambda_1
        self.lambda_2 = lambda_2
        self.alpha_init = alpha_init
        self.lambda_init = lambda_init
        self.compute_score = compute_score
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.verbose = verbose

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        source = one_target(self._source(X, y, sample_weight, target="numeric"), self)
        data = spectrum(source, self.fit_intercept)
        variance = target_variance(source, data.solution, self.fit_intercept)
        eps = float(np.finfo(np.float64).eps)
        t = float(unit_of(np.sqrt(variance)))
        u = float(unit_of(np.sqrt(data.eigenvalues.sum() / data.weight / source.n_features)))
        alpha = 1 / (variance / t**2 + eps) if self.alpha_init is None else float(self.alpha_init) * t**2
        lambda_ = 1.0 if self.lambda_init is None else float(self.lambda_init) * (t / u) ** 2
        gammas = Gammas(self.alpha_1, self.alpha_2, self.lambda_1, self.lambda_2)
        inner, dtype, mean = rescaled(data, t, u), source.dtype, data.solution.mean

        def attributes(precisions: tuple[float, float]) -> dict[str, Any]:
            noise, size = precisions[0] / t**2, precisions[1] * (u / t) ** 2
            coef = data.vectors.T @ (posterior(inner, *precisions).weights * (t / u))
            seen = 1 / (size + noise * data.eigenvalues) - 1 / size
            return {
                "coef_": coef.astype(dtype),
                "intercept_": dtype.type(mean[-1] - mean[:-1] @ coef) if self.fit_intercept else 0.0,
                "alpha_": dtype.type(noise),
                "lambda_": dtype.type(size),
                "sigma_": ((data.vectors.T * seen) @ data.vectors + np.eye(len(coef)) / size).astype(dtype),
                "X_offset_": mean[:-1].astype(dtype),
                "X_scale_": np.ones(len(coef), dtype),
            }

        options: dict[str, Any] = {"X": X, "y": y, "sample_weight": sample_weight}
        with reporting(self, self.max_iter, attributes=attributes, **options) as report:
            stopping: dict[str, Any] = {"max_iter": self.max_iter, "tol": self.tol}
            unit = data.weight * np.log(t)  # scores are those of the targets in their own unit
            found = maximize(inner, alpha, lambda_, gammas, unit=unit, report=report, **stopping)
        vars(self).update(attributes((found.alpha, found.lambda_)), n_iter_=found.n_iter)
        self.history_ = History(found.scores, name="log evidence")
        self.scores_ = np.array(found.scores if self.compute_score else [])
        return self

    def _mean_field(self, X: Rows, y: Target, tol: float, max_iter: int) -> Any:
        """Return the factorised posterior of this model that `novum.variational.mean_field` needs."""
        source = one_target(self._source(X, y, target="numeric"), self)
        data = spectrum(source, self.fit_intercept)
        mass = data.weight - 1 if self.fit_intercept else data.weight
        scale = -0.5 * float(np.log(data.weight)) if self.fit_intercept else 0.0
        seen = RegressionData(data.eigenvalues, data.vectors, data.best, data.rss, mass, scale, data.n_features)
        prior = RegressionPrior(self.alpha_1, self.alpha_2, self.lambda_1, self.lambda_2)
        variance = target_variance(source, data.solution, self.fit_intercept) or 1.0
        noise = 1 / variance if self.alpha_init is None else float(self.alpha_init)
        size = 1.0 if self.lambda_init is None else float(self.lambda_init)
        return regression_mean_field(seen, prior, noise, size, tol, max_iter)

    def _predictive(self) -> Predictive:
        """Return the parameters of (6)."""
        values, vectors = np.linalg.eigh(self.sigma_.astype(np.float64))
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        offset = self.X_offset_.astype(np.float64)
        coef, noise = self.coef_.astype(np.float64), 1 / float(self.alpha_)
        return Predictive(coef, float(self.intercept_), root, offset, noise, np.zeros(root.shape[1]))
