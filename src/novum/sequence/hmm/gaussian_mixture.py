r"""Hidden Markov models whose states emit mixtures of Gaussians.

    p(x | k) = sum_m W[k, m] N(x | mean[k, m], C[k, m])                                            (17)

The sums of (10) run over pairs of state and component with shares gamma_t(k) times the component's part of p(x_t | k); the
priors and the maximisation are hmmlearn's.
"""

from typing import Any, Literal

import numpy as np

from novum.base.domains import ArrayLike, Choice, Domain, Int, Null, Real
from novum.exceptions import ParameterError
from novum.runtime.typing import Numbers, Seed
from novum.sequence.hmm.base import COMMON_DOMAINS, HiddenMarkovBase, Letters
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.emissions import mixture as emissions
from novum.sequence.hmm.emissions.covariances import FORMS, covariance_floor
from novum.sequence.hmm.emissions.mixture import GaussianMixtures, MixturePrior
from novum.sequence.hmm.markov import check_distribution
from novum.sequence.hmm.priors import Shape
from novum.sequence.hmm.sequences import Sequences
from novum.sequence.hmm.starts.kmeans import clustered_rows, filled_rows, mean_and_covariance

__all__ = ["GMMHMM"]


class GMMHMM(HiddenMarkovBase):
    """Hidden Markov model with a mixture of Gaussians per state.

    Parameters
    ----------
    n_components : int, default=1
        States.
    n_mix : int, default=1
        Gaussians per state.
    min_covar : float or None, default=None
        Least variance of a feature (of matrices: least eigenvalue). None is a millionth of the feature's own variance.
    startprob_prior : float or array-like of shape (n_components,), default=1.0
        Parameters of the Dirichlet prior of `startprob_`; 1 is flat.
    transmat_prior : float or array-like of shape (n_components, n_components), default=1.0
        Parameters of the Dirichlet prior of every row of `transmat_`; above 1 keeps states alive.
    weights_prior : float or array-like, default=1.0
        Parameters of the Dirichlet prior of every row of `weights_`.
    means_prior, means_weight : float or array-like, default=0.0
        Mean and weight, in rows, of the normal prior of `means_`.
    covars_prior, covars_weight : float, array-like or None, default=None
        Prior of the covariances, as in hmmlearn: inverse Wishart (scale and degrees of freedom) for matrices, inverse Gamma (shape
        and scale) for variances. None is flat.
    algorithm : {"viterbi", "map"}, default="viterbi"
        What `predict` and `decode` return: the most probable path, or the most probable state of every row.
    covariance_type : {"spherical", "diag", "full", "tied"}, default="diag"
        A variance per Gaussian; a variance per Gaussian and feature; a matrix per Gaussian; a matrix per state.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
    max_iter : int, default=200
        Most passes; 0 keeps the start.
    tol : float, default=1e-4
        Stop when a pass gains less log-likelihood than this.
    verbose : bool or int, default=False
        Whether to log every pass, to the logger "novum".
    params, init_params : str, default="stmcw"
        Parts that are learned, and parts that are started afresh: s startprob, t transmat, m means, c covars, w weights. A part
        that is not started afresh begins at its attribute.
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
    weights_ : array of shape (n_components, n_mix)
    means_ : array of shape (n_components, n_mix, n_features)
    covars_ : array of shape (n_components, n_mix), (n_components, n_mix, n_features), (n_components, n_mix, n_features, n_features)
        or (n_components, n_features, n_features), by `covariance_type`.
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

    Inside: k-means parts the rows into states, and once more into the Gaussians of every state: the best of ten runs for the first
    start, a single run for every other. Each start gets 20 passes of Baum-Welch, and the best goes on to the end.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.sequence import GMMHMM
    >>> rng = np.random.default_rng(0)
    >>> low, high = rng.choice([-9.0, -7.0], 60), rng.choice([7.0, 9.0], 40)
    >>> X = np.concatenate([low, high]) + rng.normal(0, 0.3, 100)
    >>> model = GMMHMM(2, 2, random_state=0).fit(X)
    >>> np.sort(model.means_.ravel()).round(0), model.predict(X)[[0, 59, 60, 99]]
    (array([-9., -7.,  7.,  9.]), array([0, 0, 1, 1]))
    """

    weights_: Any
    means_: Any
    covars_: Any
    _letters = {"m": "means_", "c": "covars_", "w": "weights_"}
    _domains: dict[str, Domain] = {
        **COMMON_DOMAINS,
        "n_mix": Int(1),
        "covariance_type": Choice(*FORMS),
        "min_covar": Real(0, open="low") | Null(),
        "weights_prior": Real(0) | ArrayLike(),
        "means_prior": Real() | ArrayLike(),
        "means_weight": Real(0) | ArrayLike(),
        "covars_prior": Real() | ArrayLike() | Null(),
        "covars_weight": Real() | ArrayLike() | Null(),
        "params": Letters("stmcw"),
        "init_params": Letters("stmcw"),
    }

    def __init__(
        self,
        n_components: int = 1,
        n_mix: int = 1,
        min_covar: float | None = None,
        startprob_prior: Numbers = 1.0,
        transmat_prior: Numbers = 1.0,
        weights_prior: Numbers = 1.0,
        means_prior: Numbers = 0.0,
        means_weight: Numbers = 0.0,
        covars_prior: Numbers | None = None,
        covars_weight: Numbers | None = None,
        algorithm: str = "viterbi",
        covariance_type: str = "diag",
        random_state: Seed = None,
        max_iter: int = 200,
        tol: float = 1e-4,
        verbose: bool = False,
        params: str = "stmcw",
        init_params: str = "stmcw",
        implementation: Literal["log", "scaling"] = "log",
        *,
        n_init: int = 10,
        topology: Literal["full", "left-right", "banded"] = "full",
        sticky: float = 0.0,
        stationary: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_mix = n_mix
        self.min_covar = min_covar
        self.startprob_prior = startprob_prior
        self.transmat_prior = transmat_prior
        self.weights_prior = weights_prior
        self.means_prior = means_prior
        self.means_weight = means_weight
        self.covars_prior = covars_prior
        self.covars_weight = covars_weight
        self.algorithm = algorithm
        self.covariance_type = covariance_type
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
        return int(np.asarray(self.means_).shape[2])

    def _check(self) -> None:
        super()._check()
        owner, k, m = type(self).__name__, self.n_components, self.n_mix
        self.weights_ = check_distribution(owner, "weights_", self.weights_, (k, m))
        self.means_ = np.asarray(self.means_, np.float64)
        if self.means_.ndim != 3 or self.means_.shape[:2] != (k, m):
            raise ParameterError(
                f"{owner}: means_ must have shape (n_components, n_mix, n_features); got {self.means_.shape}."
            )
        self.covars_ = emissions.checked_covars(owner, self.covariance_type, self.covars_, k, m, self.means_.shape[2])

    def _emission(self) -> GaussianMixtures:
        values = (np.asarray(value, np.float64) for value in (self.weights_, self.means_, self.covars_))
        return GaussianMixtures(self.covariance_type, *values)

    def _prepare(self, source: Sequences) -> None:
        rows = filled_rows(type(self).__name__, self._sample_rows(source.first()))
        self._floor = covariance_floor(self.min_covar, rows.var(axis=0))

    def _start_emission(self, bundle: Bundle, rng: Any, letter: str, run: int) -> None:
        rows = filled_rows(type(self).__name__, self._sample_rows(bundle))
        k, m = self.n_components, self.n_mix
        if letter == "w":
            self.weights_ = np.full((k, m), 1 / m)
        elif letter == "m":
            centers, which = clustered_rows(rows, k, rng, run)
            own = [rows[which == state] if (which == state).any() else centers[[state]] for state in range(k)]
            self.means_ = np.stack([clustered_rows(part, m, rng, run)[0] for part in own])
        else:  # about the nearest mean: two Gaussians that begin as wide as all the data hardly part
            flat = np.asarray(self.means_, np.float64).reshape(k * m, -1)
            nearest = flat[((rows[:, None, :] - flat[None]) ** 2).sum(axis=2).argmin(axis=1)]
            floor = covariance_floor(self.min_covar, rows.var(axis=0))
            covariance = mean_and_covariance(rows - nearest)[1] + np.diag(np.maximum(floor, 1e-3 * rows.var(axis=0)))
            self.covars_ = emissions.repeated_covariance(self.covariance_type, covariance, k, m)

    def _prior_shapes(self, d: int) -> dict[str, list[Shape]]:
        k, m, form = self.n_components, self.n_mix, self.covariance_type
        pairs: list[Shape] = [(k, m), (m,)]
        covars = emissions.needed_shape(form, k, m, d)
        degrees: list[Shape] = [covars, (k, m, 1)] if form == "diag" else [(k,)] if form == "tied" else pairs
        return {
            **super()._prior_shapes(d),
            "weights_prior": pairs,
            "means_prior": [(k, m, d), (m, d), (d,)],
            "means_weight": pairs,
            "covars_prior": [covars, (d, d)] if form in ("full", "tied") else [covars],
            "covars_weight": degrees,
        }

    def _prior(self) -> MixturePrior:
        return emissions.prior_of(
            form=self.covariance_type,
            shape=(self.n_components, self.n_mix, self.n_features),
            weights=self.weights_prior,
            mean=self.means_prior,
            mean_weight=self.means_weight,
            covars=self.covars_prior,
            covars_weight=self.covars_weight,
            floor=self._floor,
        )
