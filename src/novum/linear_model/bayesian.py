r"""Bayesian linear regression with any Gaussian prior of the weights and a given (or learned) precision of the noise.

With phi(x) = (1, x) or x, T = sum w phi phi', u = sum w phi t, W the sum of the weights:

    prior  w ~ N(m_0, S_0),   t | x, w ~ N(w'phi(x), 1/beta)
    posterior  S_N^-1 = S_0^-1 + beta T,   m_N = S_N (S_0^-1 m_0 + beta u)                                      (1)
    predictive  t | x ~ N(m_N'phi(x), 1/beta + phi(x)'S_N phi(x))                                               (2)
    log evidence = W/2 log(beta/2pi) + 1/2 log|S_0^-1| - 1/2 log|S_N^-1|
                   - beta/2 sum w (t - m_N'phi)^2 - 1/2 (m_N - m_0)'S_0^-1 (m_N - m_0)                          (3)
    equivalent kernel  k(x, x_n) = beta phi(x)'S_N phi(x_n),   E[t | x] = sum_n w_n k(x, x_n) t_n  (m_0 = 0)    (4)

The data enter by (T, u, sum w t^2, W) alone, so portions add up: `partial_fit` equals one `fit`. With the prior N(0, 1/alpha I)
both precisions can be set where (3) is largest (type-II maximum likelihood), by MacKay's fixed point:

    gamma = sum_j beta e_j / (alpha + beta e_j),   alpha <- gamma / |m_N|^2,   beta <- (W - gamma) / sse        (5)

with e the eigenvalues of T. Derivation: docs/theory/bayesian_regression.md.
"""

from typing import Any, NamedTuple, Self

import numpy as np
import scipy.linalg

from novum.base.domains import ArrayLike, Bool, Domain, Int, Null, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.history import History
from novum.base.sklearn_base import RegressorMixin
from novum.distributions import MultivariateNormal
from novum.engines.moments.second import central_moments
from novum.exceptions import NotConverged, ParameterError
from novum.fold.blocks import Block
from novum.linear_model.least_squares.evidence_maximum import one_target
from novum.linear_model.least_squares.predictive import GaussianPredictions, Predictive
from novum.linear_model.weight_posterior import DataMoments, Prior, best_precisions, merge_moments, posterior, sums_of
from novum.runtime import arrays
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Numbers, Rows, RowWeights, Seed, Target
from novum.runtime.warn import warn

__all__ = ["BayesianLinearRegression"]


class KernelRows(NamedTuple):
    factor: np.ndarray
    beta: float
    rows: np.ndarray  # (n, m): phi of the training rows
    intercept: bool


def kernel_block(params: KernelRows, block: Block) -> Any:
    """Return (4) between the rows of a block and the given ones."""
    X = arrays.to_numpy(block.X).astype(np.float64)
    phi = np.column_stack([np.ones(len(X)), X]) if params.intercept else X
    return params.beta * phi @ scipy.linalg.cho_solve((params.factor, False), params.rows.T)


class BayesianLinearRegression(GaussianPredictions, RegressorMixin, Estimator):
    """Linear regression with a Gaussian prior of the weights.

    Parameters
    ----------
    alpha : float, default=1.0
        Precision of the isotropic prior N(0, 1/alpha I); not looked at where `prior_covariance` is given.
    beta : float, default=1.0
        Precision of the noise.
    prior_mean : array-like of shape (n_weights,), default=None
        m_0, the intercept first where there is one; None: zero.
    prior_covariance : array-like of shape (n_weights, n_weights), default=None
        S_0; None: isotropic.
    fit_intercept : bool, default=True
        Whether phi(x) begins with a one; its weight has a prior like the others.
    optimize : bool, default=False
        Set alpha and beta where the evidence is largest, beginning from those given; for the isotropic prior about zero.
    max_iter : int, default=300
    tol : float, default=1e-6
        Stop when a step changes neither precision by more than this share.

    Attributes
    ----------
    mean_ : array of shape (n_weights,)
        m_N, the intercept first.
    covariance_ : array of shape (n_weights, n_weights)
        S_N.
    coef_ : array of shape (n_features,)
    intercept_ : float
    alpha_, beta_ : float
    log_evidence_ : float
        Log probability of the targets, weights integrated out.
    history_ : History
        Log evidence on the way, where the precisions were learned.
    n_iter_ : int

    Examples
    --------
    >>> from novum.linear_model import BayesianLinearRegression
    >>> model = BayesianLinearRegression(alpha=2.0, beta=25.0).fit([[0.0], [1.0], [2.0]], [-0.3, 0.2, 0.7])
    >>> model.mean_.round(6)
    array([-0.263601,  0.470631])
    >>> mean, std = model.predict([[1.5]], return_std=True)
    >>> mean.round(6), (std**2).round(6)
    (array([0.442345]), array([0.058115]))
    >>> round(model.log_evidence_, 6)
    -1.715664
    """

    _squares_columns = True
    _domains: dict[str, Domain] = {
        "alpha": Real(0, open="low"),
        "beta": Real(0, open="low"),
        "prior_mean": ArrayLike() | Null(),
        "prior_covariance": ArrayLike() | Null(),
        "fit_intercept": Bool(),
        "optimize": Bool(),
        "max_iter": Int(1),
        "tol": Real(0),
    }
    mean_: np.ndarray
    covariance_: np.ndarray
    alpha_: float
    beta_: float
    log_evidence_: float
    history_: History
    n_iter_: int

    def __init__(
        self,
        alpha: float = 1.0,
        beta: float = 1.0,
        *,
        prior_mean: Numbers | None = None,
        prior_covariance: Numbers | None = None,
        fit_intercept: bool = True,
        optimize: bool = False,
        max_iter: int = 300,
        tol: float = 1e-6,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.prior_mean = prior_mean
        self.prior_covariance = prior_covariance
        self.fit_intercept = fit_intercept
        self.optimize = optimize
        self.max_iter = max_iter
        self.tol = tol

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Learn the posterior.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        source = one_target(self._source(X, y, sample_weight, target="numeric"), self)
        return self._learn(sums_of(central_moments(source, True)), source.dtype)

    @fits
    def partial_fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Learn from one more portion: the posterior so far is the prior of what comes; parameters as in `fit`."""
        first = not hasattr(self, "_weight")
        source = one_target(self._source(X, y, sample_weight, target="numeric", reset=first), self)
        sums = sums_of(central_moments(source, True))
        if not first:
            sums = merge_moments(DataMoments(self._weight, self._mean, self._inner), sums)
        return self._learn(sums, source.dtype)

    def _prior(self, m: int, alpha: float) -> Prior:
        """Return the prior after its checks."""
        mean = np.zeros(m) if self.prior_mean is None else np.asarray(self.prior_mean, dtype=np.float64)
        if mean.shape != (m,) or not np.isfinite(mean).all():
            raise ParameterError(
                f"BayesianLinearRegression(prior_mean=...) has the shape {mean.shape}; give {m} finite numbers, the intercept first"
                " where there is one."
            )
        if self.prior_covariance is None:
            return Prior(mean, alpha * np.eye(m))
        covariance = np.asarray(self.prior_covariance, dtype=np.float64)
        if covariance.shape != (m, m) or not np.allclose(covariance, covariance.T):
            raise ParameterError(
                f"BayesianLinearRegression(prior_covariance=...) is {covariance.shape}; give a symmetric {m} x {m} matrix."
            )
        try:
            factor = scipy.linalg.cho_factor(covariance)
        except np.linalg.LinAlgError as error:
            raise ParameterError(
                "BayesianLinearRegression(prior_covariance=...) is not positive definite; give every weight some variance."
            ) from error
        return Prior(mean, scipy.linalg.cho_solve(factor, np.eye(m)))

    def _learn(self, sums: DataMoments, dtype: np.dtype) -> Self:
        """Turn moments into fitted attributes."""
        m = len(sums.mean) - 1 + int(self.fit_intercept)
        alpha, beta, converged = float(self.alpha), float(self.beta), True
        history: list[float] = []
        if self.optimize:
            if self.prior_mean is not None or self.prior_covariance is not None:
                raise ParameterError(
                    "BayesianLinearRegression(optimize=True) learns the precision of N(0, 1/alpha I); leave prior_mean and"
                    " prior_covariance out."
                )
            alpha, beta, history, converged = best_precisions(
                sums, alpha, beta, self.fit_intercept, self.max_iter, self.tol
            )
        if not converged:
            warn(
                f"BayesianLinearRegression: the precisions still change after max_iter={self.max_iter} steps; raise it or tol.",
                NotConverged,
            )
        found = posterior(sums, self._prior(m, alpha), beta, self.fit_intercept)
        inverse = scipy.linalg.solve_triangular(found.factor, np.eye(m))
        self._weight, self._mean, self._inner, self._factor = sums.weight, sums.mean, sums.inner, found.factor
        self.mean_, self.covariance_ = found.mean, inverse @ inverse.T
        self.coef_ = (found.mean[1:] if self.fit_intercept else found.mean).astype(dtype)
        self.intercept_ = dtype.type(found.mean[0]) if self.fit_intercept else 0.0
        self.alpha_, self.beta_, self.log_evidence_ = alpha, beta, found.log_evidence
        self.history_, self.n_iter_ = History([*history, found.log_evidence], name="log evidence"), max(1, len(history))
        return self

    @property
    def posterior_(self) -> MultivariateNormal:
        """The posterior of the weights, the intercept first."""
        check_is_fitted(self)
        return MultivariateNormal(self.mean_, self.covariance_)

    def sample_weights(self, n_samples: int = 1, random_state: Seed = None) -> Any:
        """Return weights drawn from the posterior, shape (n_samples, n_weights), the intercept first."""
        check_is_fitted(self)
        drawn = Stream(seed_of(random_state)).normal("posterior weights", 0, n_samples, len(self.mean_))
        return self.mean_ + scipy.linalg.solve_triangular(self._factor, drawn.T).T

    def _predictive(self) -> Predictive:
        """Return the parameters of (2)."""
        root = scipy.linalg.solve_triangular(self._factor, np.eye(len(self.mean_)))  # S_N = root root'
        first = int(self.fit_intercept)
        extra = root[0] if first else np.zeros(len(root))
        coef = self.mean_[first:]
        return Predictive(
            coef, float(self.mean_[0]) if first else 0.0, root[first:], np.zeros(len(coef)), 1 / self.beta_, extra
        )

    def equivalent_kernel(self, X: Rows, rows: Numbers) -> Any:
        """Return (4): how much the target of each of `rows` (training rows, or any) weighs in the prediction at each row of X.

            equivalent kernel  k(x, x_n) = beta phi(x)'S_N phi(x_n),   E[t | x] = sum_n w_n k(x, x_n) t_n  (m_0 = 0)    (4)

        Divided by beta_ it is the covariance of the regression function between the two.
        """
        check_is_fitted(self)
        given = self._rows(rows, lambda _, block: arrays.to_numpy(block.X).astype(np.float64))
        phi = np.column_stack([np.ones(len(given)), given]) if self.fit_intercept else given
        return self._rows(X, kernel_block, KernelRows(self._factor, self.beta_, phi, self.fit_intercept))
