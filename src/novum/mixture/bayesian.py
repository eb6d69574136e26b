r"""Gaussian mixtures by variational Bayes: components that are not needed lose their weight.

Every quantity of the model has a distribution: Dirichlet weights (or a Dirichlet process, truncated), normal-Wishart means and
precisions. The iterations alternate between responsibilities and that posterior and raise a lower bound of log p(X). The
pass over the data is that of `GaussianMixture`; the small solve is `variational` (11)-(15). Derivation:
docs/theory/mixtures.md.
"""

import warnings
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import clone

from novum.base.domains import ArrayLike, Choice, Domain, Null, Real
from novum.base.estimator import fits
from novum.distributions import Dirichlet, NormalInverseWishart
from novum.engines.gaussians import covariance as cov
from novum.engines.gaussians.density import Density
from novum.exceptions import NotConverged, ParameterError
from novum.fold.blocks import Source
from novum.mixture.base import COMMON_DOMAINS, GaussianBase
from novum.mixture.start import fold_moments
from novum.mixture.variational import (
    Posterior,
    Prior,
    constants,
    expected_weights,
    next_posterior,
    posterior_of,
    with_density,
)
from novum.runtime.typing import Numbers, Rows, RowWeights, Seed, Target
from novum.variational.coordinate_ascent import MeanField

__all__ = ["BayesianGaussianMixture"]


class BayesianGaussianMixture(GaussianBase):
    """Gaussian mixture by variational Bayes.

    Parameters
    ----------
    n_components : int, default=1
        The most components; those that the data do not need end with a weight near zero.
    covariance_type : {"full", "tied", "diag", "spherical", "tied_spherical"}, default="full"
        As in `GaussianMixture`.
    tol : float, default=1e-3
        Stop when the lower bound changes by less.
    reg_covar : float, default=1e-6
        Added to every variance.
    max_iter : int, default=100
    n_init : int, default=1
        Starts to try; the best is kept.
    init_params : {"kmeans", "k-means++", "random", "random_from_data"}, default="kmeans"
        How to start.
    trial_iter : int, default=None
        Passes that each of several starts is given before only the best goes on; None runs all to their ends.
    weight_concentration_prior_type : {"dirichlet_process", "dirichlet_distribution"}, default="dirichlet_process"
    weight_concentration_prior : float, default=None
        The smaller, the fewer components keep weight. None is 1 / n_components.
    mean_precision_prior : float, default=None
        Pseudo-observations of the prior mean. None is 1.
    mean_prior : array-like of shape (n_features,), default=None
        None is the mean of the data.
    degrees_of_freedom_prior : float, default=None
        None is n_features.
    covariance_prior : float or array-like, default=None
        Shape (n_features, n_features) for "full" and "tied", (n_features,) for "diag", a number for the others. None is the
        covariance of the data.
    random_state, warm_start, verbose, verbose_interval
        As in GaussianMixture.

    Attributes
    ----------
    weights_ : array of shape (n_components,)
        Expected weights.
    means_ : array of shape (n_components, n_features)
    covariances_, precisions_, precisions_cholesky_ : array
        In the shapes of `GaussianMixture`.
    weight_concentration_ : array of shape (n_components,), or a pair of them for a process
    mean_precision_ : array of shape (n_components,)
    degrees_of_freedom_ : array of shape (n_components,), a number for tied forms
    weight_concentration_prior_, mean_precision_prior_, mean_prior_, degrees_of_freedom_prior_, covariance_prior_
        The prior that was used.
    converged_ : bool
    n_iter_ : int
    lower_bound_, lower_bounds_ : float, list of float
        The bound (15) after the last pass, and every pass; constants are left out, as in scikit-learn.
    elbo_ : float
        `lower_bound_` with its constants. For "full" and reg_covar=0 it is a lower bound of log p(X), comparable between priors
        and numbers of components.
    history_ : History
        The bound after every pass.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.mixture import BayesianGaussianMixture
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(-4, 1, (200, 2)), rng.normal(4, 1, (200, 2))])
    >>> model = BayesianGaussianMixture(n_components=5, weight_concentration_prior=1e-3, max_iter=500, random_state=0).fit(X)
    >>> int((model.weights_ > 0.01).sum())
    2
    """

    _domains: dict[str, Domain] = {
        **COMMON_DOMAINS,
        "weight_concentration_prior_type": Choice("dirichlet_process", "dirichlet_distribution"),
        "weight_concentration_prior": Real(0, open="low") | Null(),
        "mean_precision_prior": Real(0, open="low") | Null(),
        "mean_prior": ArrayLike() | Null(),
        "degrees_of_freedom_prior": Real(0, open="low") | Null(),
        "covariance_prior": Real(0, open="low") | ArrayLike() | Null(),
    }
    weights_: np.ndarray
    means_: np.ndarray
    covariances_: np.ndarray
    precisions_: np.ndarray
    precisions_cholesky_: np.ndarray
    weight_concentration_: Any
    mean_precision_: np.ndarray
    degrees_of_freedom_: np.ndarray | float
    weight_concentration_prior_: float
    mean_precision_prior_: float
    mean_prior_: np.ndarray
    degrees_of_freedom_prior_: float
    covariance_prior_: np.ndarray
    elbo_: float

    def __init__(
        self,
        *,
        n_components: int = 1,
        covariance_type: Literal["full", "tied", "diag", "spherical", "tied_spherical"] = "full",
        tol: float = 1e-3,
        reg_covar: float = 1e-6,
        max_iter: int = 100,
        n_init: int = 1,
        init_params: Literal["kmeans", "k-means++", "random", "random_from_data"] = "kmeans",
        trial_iter: int | None = None,
        weight_concentration_prior_type: Literal["dirichlet_process", "dirichlet_distribution"] = "dirichlet_process",
        weight_concentration_prior: float | None = None,
        mean_precision_prior: float | None = None,
        mean_prior: Numbers | None = None,
        degrees_of_freedom_prior: float | None = None,
        covariance_prior: float | Numbers | None = None,
        random_state: Seed = None,
        warm_start: bool = False,
        verbose: int | bool = 0,
        verbose_interval: int = 10,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.trial_iter = trial_iter
        self.weight_concentration_prior_type = weight_concentration_prior_type
        self.weight_concentration_prior = weight_concentration_prior
        self.mean_precision_prior = mean_precision_prior
        self.mean_prior = mean_prior
        self.degrees_of_freedom_prior = degrees_of_freedom_prior
        self.covariance_prior = covariance_prior
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.verbose_interval = verbose_interval

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Find the posterior.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
            Cells may be missing (NaN).
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        self._fit(X, sample_weight)
        return self

    def _prepare(self, source: Source, filled: Source) -> tuple[Prior, float]:
        k, d = self.n_components, source.n_features
        weight, mean, scatter = fold_moments(filled)
        degrees = d if self.degrees_of_freedom_prior is None else self.degrees_of_freedom_prior
        if degrees <= d - 1:
            raise ParameterError(
                f"The parameter 'degrees_of_freedom_prior' should be greater than {d - 1}, but got {degrees:.3f}."
            )
        given = self.mean_prior
        prior = Prior(
            form=self.covariance_type,
            process=self.weight_concentration_prior_type == "dirichlet_process",
            concentration=1.0 / k
            if self.weight_concentration_prior is None
            else float(self.weight_concentration_prior),
            mean_precision=1.0 if self.mean_precision_prior is None else float(self.mean_precision_prior),
            mean=mean if given is None else cov.checked_array(given, (d,), "means"),
            degrees=degrees,
            covariance=self._covariance_prior(scatter / max(weight - 1, 1.0), d),
            reg=float(self.reg_covar),
            center=mean,
            dtype=source.dtype,
        )
        return prior, weight

    def _covariance_prior(self, found: Any, d: int) -> Any:
        """Return C_0: what was given after its checks, or the covariance of the data in the form requested."""
        form = self.covariance_type
        if self.covariance_prior is None:
            diagonal = np.diagonal(found).copy()
            return {"full": found, "tied": found, "diag": diagonal}.get(form, np.asarray(diagonal.mean()))
        shape = {"full": (d, d), "tied": (d, d), "diag": (d,)}.get(form, ())
        given = cov.checked_array(self.covariance_prior, shape, f"{form} covariance_prior")
        cov.check_positive(form, given, "covariance_prior")
        return given

    def _begin(self, context: Any, sums: Any, shift: Any) -> Any:
        return posterior_of(context[0], sums, shift)

    def _solve(self, context: Any, params: Any, sums: Any) -> Any:
        return next_posterior(context[0], params, sums)

    def _resume(self, context: Any) -> Any:
        return self._posterior(context[0])

    def _posterior(self, prior: Prior) -> Posterior:
        """Return the fitted posterior."""
        values = (
            self.weight_concentration_,
            self.mean_precision_,
            self.means_,
            self.degrees_of_freedom_,
            self.covariances_,
            self.precisions_cholesky_,
        )
        return with_density(prior, *(np.asarray(value, np.float64) for value in values))

    def _attributes(self, context: Any, params: Any, dtype: Any) -> Any:
        prior, weight = context
        concentration = params.concentration.astype(dtype)
        return {
            "weights_": expected_weights(prior.process, params.concentration).astype(dtype),
            "weight_concentration_": tuple(concentration) if prior.process else concentration,
            "mean_precision_": params.mean_precision.astype(dtype),
            "means_": params.means.astype(dtype),
            "degrees_of_freedom_": params.degrees.astype(dtype) if params.degrees.ndim else float(params.degrees),
            "covariances_": params.covariances.astype(dtype),
            "precisions_cholesky_": params.factor.astype(dtype),
            "precisions_": cov.precision(prior.form, params.factor).astype(dtype),
            "weight_concentration_prior_": prior.concentration,
            "mean_precision_prior_": prior.mean_precision,
            "mean_prior_": prior.mean,
            "degrees_of_freedom_prior_": prior.degrees,
            "covariance_prior_": prior.covariance,
            "_constants": constants(prior, len(params.means), weight),
        }

    def _learn(self, best: Any, attributes: Any) -> None:
        super()._learn(best, attributes)
        self.elbo_ = self.lower_bound_ + self.__dict__.pop("_constants")

    def _mean_field(self, X: Rows, y: Target, tol: float, max_iter: int) -> MeanField:
        """Return the factorised posterior that `novum.variational.mean_field` needs, as distributions."""
        if self.covariance_type != "full" or self.weight_concentration_prior_type != "dirichlet_distribution":
            raise ParameterError(
                f"mean_field(BayesianGaussianMixture(covariance_type={self.covariance_type!r}, weight_concentration_prior_type="
                f"{self.weight_concentration_prior_type!r})): its posterior is a product of a Dirichlet and normal-Wisharts for "
                "covariance_type='full' and weight_concentration_prior_type='dirichlet_distribution' only."
            )
        fitted = clone(self).set_params(reg_covar=0.0, tol=tol, max_iter=max_iter)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConverged)  # mean_field has a warning of its own
            fitted.fit(X)
        scales = fitted.covariances_ * fitted.degrees_of_freedom_[:, None, None]
        posteriors = zip(fitted.means_, fitted.mean_precision_, fitted.degrees_of_freedom_, scales)
        factors: dict[str, Any] = {"weights": Dirichlet(fitted.weight_concentration_)} if self.n_components > 1 else {}
        factors |= {f"component {k}": NormalInverseWishart(*q) for k, q in enumerate(posteriors)}
        bounds = np.asarray(fitted.lower_bounds_, np.float64) + (fitted.elbo_ - fitted.lower_bound_)
        return MeanField(factors, bounds, bool(fitted.converged_), int(fitted.n_iter_))

    def _query(self) -> Density:
        """Return the Gaussians of (14), which score rows and share them out as in scikit-learn."""
        prior = Prior(
            form=self.covariance_type,
            process=self.weight_concentration_prior_type == "dirichlet_process",
            concentration=self.weight_concentration_prior_,
            mean_precision=self.mean_precision_prior_,
            mean=np.asarray(self.mean_prior_, np.float64),
            degrees=self.degrees_of_freedom_prior_,
            covariance=self.covariance_prior_,
            reg=0.0,
            center=self._centers(),
            dtype=self.means_.dtype,
        )
        return self._posterior(prior).density
