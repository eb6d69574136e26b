r"""Hidden Markov models with Gaussian emissions, learned by Baum-Welch.

    p(x, z) = pi(z_1) prod_t A(z_{t-1}, z_t) prod_t N(x_t | mean[z_t], C[z_t])                     (1)

The maximisation is (7) for the chain and (11), (12) for the emissions: docs/theory/hidden_markov_models.md.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import ArrayLike, Choice, Domain, Null, Real
from novum.engines.gaussians.covariance import dense, shape_of
from novum.exceptions import DataWarning, ParameterError
from novum.runtime import arrays
from novum.runtime.typing import Numbers, Seed
from novum.runtime.warn import warn
from novum.sequence.hmm.base import COMMON_DOMAINS, HiddenMarkovBase, Letters
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.emissions.covariances import FORMS, checked_covars, covariance_floor, repeated_covariance
from novum.sequence.hmm.emissions.gaussian import Gaussian, GaussianPrior
from novum.sequence.hmm.priors import Shape
from novum.sequence.hmm.sequences import Sequences
from novum.sequence.hmm.starts.kmeans import clustered_rows, column_moments, filled_rows, mean_and_covariance

__all__ = ["GaussianHMM"]

DEFAULT_PRIOR = 0.01  # covars_prior, hmmlearn's
PRIOR_SHARE = 0.1  # of a column's variance that the default prior may add to that of a state


class GaussianHMM(HiddenMarkovBase):
    """Hidden Markov model with a Gaussian per state.

    `fit` makes `n_init` starts from clusters of the rows (the best of ten runs of k-means for the first start, one run for every
    other), gives each twenty passes of expectation-maximization, and goes on with the best until a pass gains less than `tol`.

    Parameters
    ----------
    n_components : int, default=1
        States.
    covariance_type : {"spherical", "diag", "full", "tied"}, default="diag"
        A variance per state; a variance per state and feature; a matrix per state; one matrix for all states.
    min_covar : float or None, default=None
        Least variance of a feature (of matrices: least eigenvalue). None is a millionth of the feature's own variance.
    startprob_prior : float or array-like of shape (n_components,), default=1.0
        Parameters of the Dirichlet prior of `startprob_`; 1 is flat.
    transmat_prior : float or array-like of shape (n_components, n_components), default=1.0
        Parameters of the Dirichlet prior of every row of `transmat_`; above 1 keeps states alive.
    means_prior, means_weight : float or array-like, default=0
        Mean and weight, in rows, of the normal prior of `means_`.
    covars_prior : float or array-like, default=1e-2
        Added to every sum of squares; in the shape of `covars_` if not a number.
    covars_weight : float, default=1
        Weight of the prior of the covariances, in rows; what exceeds 1 (matrices: the number of features) counts.
    algorithm : {"viterbi", "map"}, default="viterbi"
        What `predict` and `decode` return: the most probable path, or the most probable state of every row.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
    max_iter : int, default=200
        Most passes; 0 keeps the start.
    tol : float, default=1e-4
        Stop when a pass gains less log-likelihood than this.
    verbose : bool or int, default=False
        Whether to log every pass, to the logger "novum".
    params, init_params : str, default="stmc"
        Parts that are learned, and parts that are started afresh: s startprob, t transmat, m means, c covars. A part that is not
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
    means_ : array of shape (n_components, n_features)
    covars_ : array of shape (n_components, n_features, n_features)
        Can be set in the shape of its form: (n_components,), (n_components, n_features), (n_components, n_features, n_features),
        (n_features, n_features).
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

    Inside: the first start takes its means from the best of ten runs of k-means, every other one from a single run; each start
    gets 20 passes of Baum-Welch, and the best goes on to the end.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.sequence import GaussianHMM
    >>> X = np.concatenate([np.random.default_rng(0).normal(0, 1, 60), np.random.default_rng(1).normal(4, 1, 40)])
    >>> model = GaussianHMM(2, random_state=0).fit(X)
    >>> model.means_.ravel().round(1), model.predict(X)[[0, 59, 60, 99]]
    (array([0.1, 4. ]), array([0, 0, 1, 1]))
    """

    means_: Any
    _letters = {"m": "means_", "c": "_covars_"}
    _domains: dict[str, Domain] = {
        **COMMON_DOMAINS,
        "covariance_type": Choice(*FORMS),
        "min_covar": Real(0, open="low") | Null(),
        "means_prior": Real() | ArrayLike(),
        "means_weight": Real(0) | ArrayLike(),
        "covars_prior": Real(0) | ArrayLike(),
        "covars_weight": Real(0),
        "params": Letters("stmc"),
        "init_params": Letters("stmc"),
    }

    def __init__(
        self,
        n_components: int = 1,
        covariance_type: Literal["spherical", "diag", "full", "tied"] = "diag",
        min_covar: float | None = None,
        startprob_prior: float | Numbers = 1.0,
        transmat_prior: float | Numbers = 1.0,
        means_prior: float | Numbers = 0,
        means_weight: float | Numbers = 0,
        covars_prior: float | Numbers = 1e-2,
        covars_weight: float = 1,
        algorithm: str = "viterbi",
        random_state: Seed = None,
        max_iter: int = 200,
        tol: float = 1e-4,
        verbose: bool = False,
        params: str = "stmc",
        init_params: str = "stmc",
        implementation: Literal["log", "scaling"] = "log",
        *,
        n_init: int = 10,
        topology: Literal["full", "left-right", "banded"] = "full",
        sticky: float = 0.0,
        stationary: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.min_covar = min_covar
        self.startprob_prior = startprob_prior
        self.transmat_prior = transmat_prior
        self.means_prior = means_prior
        self.means_weight = means_weight
        self.covars_prior = covars_prior
        self.covars_weight = covars_weight
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
    def covars_(self) -> NDArray:
        """A covariance matrix per state."""
        covars = self._covars_
        known = getattr(self, "means_", None)
        d = np.shape(known)[1] if known is not None else covars.shape[-1] if covars.ndim > 1 else 1
        return dense(self.covariance_type, covars, self.n_components, d)

    @covars_.setter
    def covars_(self, covars: Any) -> None:
        self._covars_ = checked_covars(type(self).__name__, self.covariance_type, covars, self.n_components)

    @property
    def n_features(self) -> int:
        """Number of features, as in hmmlearn; `means_` decide, so setting it changes nothing."""
        return int(np.asarray(self.means_).shape[1])

    @n_features.setter
    def n_features(self, value: int) -> None: ...

    def _check(self) -> None:
        super()._check()
        owner, k = type(self).__name__, self.n_components
        self.means_ = np.asarray(self.means_, np.float64)
        if self.means_.ndim != 2 or len(self.means_) != k:
            raise ParameterError(
                f"{owner}: means_ must have shape (n_components, n_features); got {self.means_.shape}."
            )
        self._covars_ = checked_covars(owner, self.covariance_type, self._covars_, k, self.means_.shape[1])

    def _emission(self) -> Gaussian:
        return Gaussian(
            self.covariance_type, np.asarray(self.means_, np.float64), np.asarray(self._covars_, np.float64)
        )

    def _prepare(self, source: Sequences) -> None:
        rows = filled_rows(type(self).__name__, self._sample_rows(source.first()))
        variance = column_moments(rows)[1]
        self._floor = covariance_floor(self.min_covar, variance)
        self._warn_of_units(variance, (source.n_rows or len(rows)) / self.n_components)

    def _warn_of_units(self, variance: NDArray, rows: float) -> None:
        """Warn where the default prior, a number without units, outweighs what the rows of a state say of its variance."""
        given = np.ndim(self.covars_prior) or self.covars_prior != DEFAULT_PRIOR or "c" not in self.params
        added = DEFAULT_PRIOR / rows
        (small,) = np.nonzero((variance > 0) & (added > PRIOR_SHARE * variance))
        if given or not len(small):
            return
        warn(
            f"{type(self).__name__}: covars_prior={DEFAULT_PRIOR} adds about {added:.2g} to the variance of every state, but "
            f"column {int(small[0])} of X has a variance of {variance[small[0]]:.2g}: the states will be wider than the data. "
            "Give X in larger units (StandardScaler), or covars_prior=0.",
            DataWarning,
        )

    def _describe_fit(self, source: Sequences, best: Any) -> None:
        super()._describe_fit(source, best)
        prior = self.get_params(deep=False).get("covars_prior")
        if prior is None or np.ndim(prior) or "c" not in self.params or source.n_rows is None:
            return
        # no rows lie so far apart: what is left of the prior was divided by less than one row
        rows = filled_rows(type(self).__name__, source.first().X)
        reach = np.ptp(rows, axis=0) if isinstance(rows, np.ndarray) else arrays.to_numpy(rows.amax(0) - rows.amin(0))
        wide = self._emission().moments()[1] > reach**2 + prior
        empty = np.flatnonzero(wide.any(axis=1))
        if len(empty):
            names = f"state {empty[0]} has" if len(empty) == 1 else f"states {', '.join(map(str, empty))} have"
            warn(
                f"{type(self).__name__}: {names} less than one row: means_ and covars_ there say nothing of X. Use fewer states, "
                "n_init=10, or a prior that keeps states alive (transmat_prior above 1).",
                DataWarning,
            )

    def _start_emission(self, bundle: Bundle, rng: Any, letter: str, run: int) -> None:
        rows = filled_rows(type(self).__name__, self._sample_rows(bundle))
        rows = rows if isinstance(rows, np.ndarray) else arrays.to_numpy(rows)
        k = self.n_components
        if letter == "m":
            self.means_ = clustered_rows(rows, k, rng, run)[0]
        else:
            covariance = mean_and_covariance(rows)[1]
            floor = covariance_floor(self.min_covar, rows.var(axis=0))
            self._covars_ = repeated_covariance(self.covariance_type, covariance + np.diag(floor), k)

    def _prior_shapes(self, d: int) -> dict[str, list[Shape]]:
        k = self.n_components
        own = [(k,), (d,), (k, d)]
        covars = shape_of(self.covariance_type, k, d)
        return {
            **super()._prior_shapes(d),
            "means_prior": own,
            "means_weight": [(k,), (k, d)],
            "covars_prior": [covars],
        }

    def _prior(self) -> GaussianPrior:
        covars = np.asarray(self.covars_prior, np.float64)
        mean, weight = (np.asarray(value, np.float64) for value in (self.means_prior, self.means_weight))
        if weight.ndim == 1:
            weight = weight[:, None]
        if mean.ndim == 1 and mean.shape == (self.n_components,) and self.means_.shape[1] != self.n_components:
            mean = mean[:, None]
        return GaussianPrior(mean, weight, covars, float(self.covars_weight), self._floor)
