"""Variational hidden Markov model with Gaussian emissions; the posterior is in gaussian_posterior.py."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import ArrayLike, Choice, Domain, Null, Real
from novum.engines.gaussians.covariance import shape_of
from novum.exceptions import ParameterError
from novum.runtime.typing import Numbers, Seed
from novum.sequence.hmm.base import Letters
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.emissions.covariances import FORMS, repeated_covariance
from novum.sequence.hmm.emissions.gaussian import Gaussian
from novum.sequence.hmm.gaussian import GaussianHMM
from novum.sequence.hmm.starts.kmeans import clustered_rows, mean_and_covariance
from novum.sequence.hmm.variational.base import VARIATIONAL_DOMAINS, VariationalBase
from novum.sequence.hmm.variational.gaussian_posterior import GaussianPosterior

__all__ = ["VariationalGaussianHMM"]

START_SCALE = 1e-3  # of the prior, and added to the covariance of the start, as in hmmlearn


class VariationalGaussianHMM(VariationalBase, GaussianHMM):
    """Hidden Markov model with Gaussian emissions and posteriors for all its parameters; states that are not needed fade.

    Parameters
    ----------
    n_components : int, default=1
        States, at most.
    covariance_type : {"spherical", "diag", "full", "tied"}, default="full"
        A variance per state; a variance per state and feature; a matrix per state; one matrix for all states.
    startprob_prior, transmat_prior : float or None, default=None
        Parameters of the Dirichlet priors; None is 1/n_components.
    means_prior : array-like of shape (n_components, n_features) or None, default=None
        None is the mean of the rows.
    beta_prior : array-like of shape (n_components,) or None, default=None
        Weight of the prior of the means, in rows; None is 1.
    dof_prior : array-like of shape (n_components,), float for "tied", or None, default=None
        Degrees of freedom of the prior of the precisions; None is the number of features.
    scale_prior : array-like in the shape of the covariances, or None, default=None
        Scale of the prior of the precisions; None is 1e-3 on the diagonal.
    algorithm : {"viterbi", "map"}, default="viterbi"
        What `predict` and `decode` return: the most probable path, or the most probable state of every row.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
    max_iter : int, default=200
        Most passes; 0 keeps the start.
    tol : float, default=1e-6
        Stop when a pass raises the bound by less.
    verbose : bool or int, default=False
        Whether to log every pass, to the logger "novum".
    params, init_params : str, default="stmc"
        Parts that are learned, and parts that are started afresh: s startprob, t transmat, m means, c covariances. A part that
        is not started afresh begins at its attribute.
    implementation : {"log", "scaling"}, default="log"
        Accepted for hmmlearn's sake: both are scaled, and turn to logarithms where scaling loses a state.
    n_init : int, default=10
        Starts to try; the one with the largest bound after 20 passes goes on.
    n_jobs : int or None, default=None
        Threads over bundles of sequences.

    Attributes
    ----------
    startprob_prior_, startprob_posterior_, transmat_prior_, transmat_posterior_ : array
        Dirichlet parameters of the chain.
    means_prior_, means_posterior_ : array of shape (n_components, n_features)
    beta_prior_, beta_posterior_ : array of shape (n_components,)
    dof_prior_, dof_posterior_ : array of shape (n_components,), or a number if "tied"
    scale_prior_, scale_posterior_ : array
        In the shape of the covariances.
    startprob_, transmat_, means_, covars_ : array
        What all answers use: means of the posteriors, and scale over degrees of freedom.
    monitor_ : ConvergenceMonitor
        What every pass was reported to: its `history` and `iter`.
    converged_ : bool
    n_iter_ : int
    history_ : History
        The bound of the posteriors that entered every pass, which never falls, and the likelihood in it alone.
    log_likelihood_ : float
        Of the data of the fit under the parameters learned (above 100,000 rows: under those that entered the last pass).
    n_samples_ : int or None
        Rows of the fit.
    bic_one_state_ : float or None
        The Bayesian criterion of one state, for comparison.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    States come in the order of their first visit, so that fits can be compared; they keep their numbers where a part of the start
    was given (an attribute set, its letter left out of `init_params`), where states are known, and under a topology.

    Inside: the first start takes its means from the best of ten runs of k-means, every other one from a single run; each start
    gets 20 passes, and the one with the largest bound goes on to the end.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.sequence import VariationalGaussianHMM
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, 80), rng.normal(6, 1, 80)])
    >>> model = VariationalGaussianHMM(3, random_state=0).fit(X)
    >>> np.bincount(model.predict(X), minlength=3)
    array([80, 80,  0])
    """

    _letters = {}
    _estimates = {"c": "_covars_"}
    _parts = {
        "m": ("means_prior_", "means_posterior_", "beta_prior_", "beta_posterior_"),
        "c": ("dof_prior_", "dof_posterior_", "scale_prior_", "scale_posterior_"),
    }
    _domains: dict[str, Domain] = {
        **VARIATIONAL_DOMAINS,
        "covariance_type": Choice(*FORMS),
        "means_prior": ArrayLike() | Null(),
        "beta_prior": ArrayLike() | Null(),
        "dof_prior": ArrayLike() | Real(0, open="low") | Null(),
        "scale_prior": ArrayLike() | Null(),
        "params": Letters("stmc"),
        "init_params": Letters("stmc"),
    }
    means_prior_: np.ndarray
    means_posterior_: np.ndarray
    beta_prior_: np.ndarray
    beta_posterior_: np.ndarray
    dof_prior_: np.ndarray | float
    dof_posterior_: np.ndarray | float
    scale_prior_: np.ndarray
    scale_posterior_: np.ndarray

    def __init__(
        self,
        n_components: int = 1,
        covariance_type: Literal["spherical", "diag", "full", "tied"] = "full",
        startprob_prior: float | None = None,
        transmat_prior: float | None = None,
        means_prior: Any = None,
        beta_prior: Numbers | None = None,
        dof_prior: Any = None,
        scale_prior: Numbers | None = None,
        algorithm: str = "viterbi",
        random_state: Seed = None,
        max_iter: int = 200,
        tol: float = 1e-6,
        verbose: bool = False,
        params: str = "stmc",
        init_params: str = "stmc",
        implementation: Literal["log", "scaling"] = "log",
        *,
        n_init: int = 10,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.startprob_prior = startprob_prior
        self.transmat_prior = transmat_prior
        self.means_prior = means_prior
        self.beta_prior = beta_prior
        self.dof_prior = dof_prior
        self.scale_prior = scale_prior
        self.algorithm = algorithm
        self.random_state = random_state
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.params = params
        self.init_params = init_params
        self.implementation = implementation
        self.n_init = n_init
        self.n_jobs = n_jobs

    @property
    def means_(self) -> NDArray:
        """Means of the posterior."""
        if "means_posterior_" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__} has no means_ before fit.")
        return np.asarray(self.means_posterior_, np.float64)

    @means_.setter
    def means_(self, value: Any) -> None:
        self.means_posterior_ = np.asarray(value, np.float64)

    def _check(self) -> None:
        if self.covariance_type not in FORMS:
            raise ParameterError(
                f"{type(self).__name__}: covariance_type must be one of {FORMS}; got {self.covariance_type!r}."
            )
        super()._check()

    def _prepare(self, source: Any) -> None: ...

    def _start_emission(self, bundle: Bundle, rng: Any, letter: str, run: int) -> None:
        k, form = self.n_components, self.covariance_type
        rows = self._sample_rows(bundle)
        d = rows.shape[1]
        centers, which = clustered_rows(rows, k, rng, run)
        counts = np.maximum(np.bincount(which, minlength=k) * (len(bundle.X) / len(rows)), 1.0)
        if letter == "m":
            given = self.means_prior
            self.means_prior_ = np.tile(rows.mean(axis=0), (k, 1)) if given is None else np.asarray(given, np.float64)
            self.beta_prior_ = np.ones(k) if self.beta_prior is None else np.asarray(self.beta_prior, np.float64)
            self.means_posterior_, self.beta_posterior_ = centers, counts
            return
        tied = form == "tied"
        if self.dof_prior is None:
            self.dof_prior_ = float(d) if tied else np.full(k, float(d))
        else:
            self.dof_prior_ = self.dof_prior
        self.dof_posterior_ = float(counts.sum()) if tied else np.maximum(counts, d) * (d if form == "spherical" else 1)
        eye = START_SCALE * np.eye(d)
        self.scale_prior_ = (
            repeated_covariance(form, eye, k) if self.scale_prior is None else np.asarray(self.scale_prior, np.float64)
        )
        covars = repeated_covariance(form, mean_and_covariance(rows)[1] + eye, k)
        wide = GaussianPosterior(form, centers, counts, np.asarray(self.dof_posterior_), covars)
        self.scale_posterior_ = covars * (covars / wide.covariances())

    def _check_posteriors(self) -> None:
        super()._check_posteriors()
        owner, k, form = type(self).__name__, self.n_components, self.covariance_type
        d = self.n_features_in_
        shapes: dict[str, tuple[int, ...]] = dict.fromkeys(("means_prior_", "means_posterior_"), (k, d))
        for name, shape in shapes.items():
            values = np.asarray(getattr(self, name), np.float64)
            if values.shape != shape:
                raise ParameterError(f"{owner}: {name} must have shape {shape}; got {values.shape}.")
            setattr(self, name, values)
        degrees = () if form == "tied" else (k,)
        for part in ("prior_", "posterior_"):
            self._set_positive(f"beta_{part}", (k,))
            self._set_positive(f"dof_{part}", degrees)
            scale = np.asarray(getattr(self, f"scale_{part}"), np.float64)
            if scale.shape != shape_of(form, k, d):
                raise ParameterError(
                    f"{owner}: scale_{part} must have shape {shape_of(form, k, d)}, found {scale.shape}."
                )
            setattr(self, f"scale_{part}", scale)

    def _hyperparameters(self, part: str) -> GaussianPosterior:
        names = ("means", "beta", "dof", "scale")
        values = (np.asarray(getattr(self, f"{name}_{part}_"), np.float64) for name in names)
        return GaussianPosterior(self.covariance_type, *values)

    def _emission(self) -> Gaussian:
        return Gaussian(self.covariance_type, self.means_, np.asarray(self._covars_, np.float64))
