"""Hidden Markov models of counts with a Poisson distribution per state and feature; (14) and (16) are in emissions/poisson.py."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import ArrayLike, Domain, Real
from novum.exceptions import DataError, ParameterError
from novum.runtime.typing import Numbers, Seed
from novum.sequence.hmm.base import COMMON_DOMAINS, HiddenMarkovBase, Letters
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.emissions.poisson import LEAST_RATE, Poisson, PoissonPrior
from novum.sequence.hmm.priors import Shape

__all__ = ["PoissonHMM"]


class PoissonHMM(HiddenMarkovBase):
    """Hidden Markov model that emits Poisson counts.

    Parameters
    ----------
    n_components : int, default=1
        States.
    startprob_prior : float or array-like of shape (n_components,), default=1.0
        Parameters of the Dirichlet prior of `startprob_`; 1 is flat.
    transmat_prior : float or array-like of shape (n_components, n_components), default=1.0
        Parameters of the Dirichlet prior of every row of `transmat_`; above 1 keeps states alive.
    lambdas_prior, lambdas_weight : float or array-like, default=0.0
        Counts, and rows in which they were seen, that the Gamma prior of `lambdas_` adds to every state.
    algorithm : {"viterbi", "map"}, default="viterbi"
        What `predict` and `decode` return: the most probable path, or the most probable state of every row.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
    max_iter : int, default=200
        Most passes; 0 keeps the start.
    tol : float, default=1e-4
        Stop when a pass gains less log-likelihood than this.
    verbose : bool or int, default=False
        Whether to log every pass, to the logger "novum".
    params, init_params : str, default="stl"
        Parts that are learned, and parts that are started afresh: s startprob, t transmat, l lambdas. A part that is not
        started afresh begins at its attribute.
    implementation : {"log", "scaling"}, default="log"
        Accepted for hmmlearn's sake: both are scaled, and turn to logarithms where scaling loses a state.
    n_init : int, default=10
        Starts to try; the best after 20 passes goes on. One where nothing is started afresh.
    topology : {"full", "left-right", "banded"}, default="full"
        Transitions that are allowed: all; to the state itself and later ones; to itself and the next. The last two start in
        state 0, with states that are stretches of time.
    sticky : float, default=0.0
        Visits from every state to itself that are added to the prior: states last longer.
    stationary : bool, default=False
        Whether sequences start in the distribution that the transitions leave as it is, in place of a start of their own.
    n_jobs : int or None, default=None
        Threads over bundles of sequences.

    Attributes
    ----------
    startprob_ : array of shape (n_components,)
    transmat_ : array of shape (n_components, n_components)
        From row to column.
    lambdas_ : array of shape (n_components, n_features)
        Rates.
    monitor_ : ConvergenceMonitor
        What every pass was reported to: its `history` and `iter`.
    converged_ : bool
    n_iter_ : int
    history_ : History
        Log-likelihood plus log-prior of the parameters that entered every pass, which never falls, and the log-likelihood alone.
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

    Inside: starts draw rates around the mean of X. Each gets 20 passes of Baum-Welch, and the best goes on to the end.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.sequence import PoissonHMM
    >>> X = np.array([1, 0, 2, 1, 1, 9, 11, 8, 10, 12])
    >>> PoissonHMM(2, random_state=0).fit(X).lambdas_.ravel().round(2)
    array([ 1., 10.])
    """

    lambdas_: Any
    _letters = {"l": "lambdas_"}
    _domains: dict[str, Domain] = {
        **COMMON_DOMAINS,
        "lambdas_prior": Real(0) | ArrayLike(),
        "lambdas_weight": Real(0) | ArrayLike(),
        "params": Letters("stl"),
        "init_params": Letters("stl"),
    }

    def __init__(
        self,
        n_components: int = 1,
        startprob_prior: Numbers = 1.0,
        transmat_prior: Numbers = 1.0,
        lambdas_prior: Numbers = 0.0,
        lambdas_weight: Numbers = 0.0,
        algorithm: str = "viterbi",
        random_state: Seed = None,
        max_iter: int = 200,
        tol: float = 1e-4,
        verbose: bool = False,
        params: str = "stl",
        init_params: str = "stl",
        implementation: Literal["log", "scaling"] = "log",
        *,
        n_init: int = 10,
        topology: Literal["full", "left-right", "banded"] = "full",
        sticky: float = 0.0,
        stationary: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.startprob_prior = startprob_prior
        self.transmat_prior = transmat_prior
        self.lambdas_prior = lambdas_prior
        self.lambdas_weight = lambdas_weight
        self.algorithm = algorithm
        self.random_state = random_state
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.params = params
        self.init_params = init_params
        self.implementation = implementation
        self.n_init = n_init
        self.topology = topology
        self.sticky = sticky
        self.stationary = stationary
        self.n_jobs = n_jobs

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(np.atleast_2d(self.lambdas_).shape[1])

    def _check(self) -> None:
        super()._check()
        owner = type(self).__name__
        self.lambdas_ = np.atleast_2d(np.asarray(self.lambdas_, np.float64))
        if len(self.lambdas_) != self.n_components or self.lambdas_.shape[1] == 0:
            raise ParameterError(
                f"{owner}: lambdas_ must have shape (n_components, n_features); got {self.lambdas_.shape}."
            )
        if not np.isfinite(self.lambdas_).all() or (self.lambdas_ < 0).any():
            raise ParameterError(f"{owner}: lambdas_ must be finite and not negative.")

    def _convert(self, rows: NDArray) -> NDArray:
        good = np.isnan(rows) | ((rows >= 0) & (rows == np.floor(rows)))
        if not good.all():
            raise DataError(
                f"{type(self).__name__}: X must hold counts, whole numbers of zero or more; it holds {rows[~good][0]:g}."
            )
        return rows

    def _emission(self) -> Poisson:
        return Poisson(np.asarray(self.lambdas_, np.float64))

    def _start_emission(self, bundle: Bundle, rng: Any, letter: str, run: int) -> None:
        mean, variance = float(np.nanmean(bundle.X)), float(np.nanvar(bundle.X))
        mean, variance = max(mean, 1e-3), max(variance, 1e-6)
        size = (self.n_components, bundle.X.shape[1])
        self.lambdas_ = np.maximum(rng.gamma(shape=mean**2 / variance, scale=variance / mean, size=size), LEAST_RATE)

    def _prior_shapes(self, d: int) -> dict[str, list[Shape]]:
        own = [(self.n_components,), (self.n_components, d)]
        return {**super()._prior_shapes(d), "lambdas_prior": own, "lambdas_weight": own}

    def _prior(self) -> PoissonPrior:
        values = (np.asarray(value, np.float64) for value in (self.lambdas_prior, self.lambdas_weight))
        a, b = (value[:, None] if value.ndim == 1 else value for value in values)
        return PoissonPrior(a, b)
