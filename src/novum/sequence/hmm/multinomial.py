"""Hidden Markov models over rows of counts, learned by Baum-Welch; (14) and (15) are in emissions/multinomial.py."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import ArrayLike, Domain, Int, Null, Real
from novum.exceptions import DataError
from novum.runtime.typing import Numbers, Seed
from novum.sequence.hmm.base import COMMON_DOMAINS, HiddenMarkovBase, Letters
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.emissions.multinomial import Multinomial
from novum.sequence.hmm.markov import check_distribution
from novum.sequence.hmm.priors import Shape

__all__ = ["MultinomialHMM"]


class MultinomialHMM(HiddenMarkovBase):
    """Hidden Markov model that emits rows of counts.

    Parameters
    ----------
    n_components : int, default=1
        States.
    n_trials : int, array-like of int or None, default=None
        Sum of every row; None takes what the rows sum to. Sampling needs one number.
    startprob_prior : float or array-like of shape (n_components,), default=1.0
        Parameters of the Dirichlet prior of `startprob_`; 1 is flat.
    transmat_prior : float or array-like of shape (n_components, n_components), default=1.0
        Parameters of the Dirichlet prior of every row of `transmat_`; above 1 keeps states alive.
    algorithm : {"viterbi", "map"}, default="viterbi"
        What `predict` and `decode` return: the most probable path, or the most probable state of every row.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
    max_iter : int, default=200
        Most passes; 0 keeps the start.
    tol : float, default=1e-4
        Stop when a pass gains less log-likelihood than this.
    verbose : bool or int, default=False
        Whether to log every pass, to the logger "novum".
    params, init_params : str, default="ste"
        Parts that are learned, and parts that are started afresh: s startprob, t transmat, e emissionprob. A part that is not
        started afresh begins at its attribute.
    implementation : {"log", "scaling"}, default="log"
        Accepted for hmmlearn's sake: both are scaled, and turn to logarithms where scaling loses a state.
    emissionprob_prior : float or array-like of shape (n_components, n_features), default=1.0
        Parameters of the Dirichlet prior of every row of `emissionprob_`.
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
    emissionprob_ : array of shape (n_components, n_features)
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

    Inside: starts draw probabilities at random. Each gets 20 passes of Baum-Welch, and the best goes on to the end.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.sequence import MultinomialHMM
    >>> X = np.array([[5, 0], [4, 1], [5, 0], [0, 5], [1, 4], [0, 5]])
    >>> MultinomialHMM(2, random_state=0).fit(X).predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    emissionprob_: Any
    _letters = {"e": "emissionprob_"}
    _domains: dict[str, Domain] = {
        **COMMON_DOMAINS,
        "n_trials": Int(1) | ArrayLike() | Null(),
        "emissionprob_prior": Real(0) | ArrayLike(),
        "params": Letters("ste"),
        "init_params": Letters("ste"),
    }

    def __init__(
        self,
        n_components: int = 1,
        n_trials: Numbers | None = None,
        startprob_prior: Numbers = 1.0,
        transmat_prior: Numbers = 1.0,
        algorithm: str = "viterbi",
        random_state: Seed = None,
        max_iter: int = 200,
        tol: float = 1e-4,
        verbose: bool = False,
        params: str = "ste",
        init_params: str = "ste",
        implementation: str = "log",
        *,
        emissionprob_prior: Numbers = 1.0,
        n_init: int = 10,
        topology: str = "full",
        sticky: float = 0.0,
        stationary: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_trials = n_trials
        self.startprob_prior = startprob_prior
        self.transmat_prior = transmat_prior
        self.algorithm = algorithm
        self.random_state = random_state
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.params = params
        self.init_params = init_params
        self.implementation = implementation
        self.emissionprob_prior = emissionprob_prior
        self.n_init = n_init
        self.topology = topology
        self.sticky = sticky
        self.stationary = stationary
        self.n_jobs = n_jobs

    @property
    def n_features(self) -> int:
        """Number of cells of a row of counts."""
        return int(np.atleast_2d(self.emissionprob_).shape[1])

    def _check(self) -> None:
        super()._check()
        probs = np.atleast_2d(np.asarray(self.emissionprob_, np.float64))
        self.emissionprob_ = check_distribution(
            type(self).__name__, "emissionprob_", probs, (self.n_components, probs.shape[1])
        )

    def _check_and_set_n_features(self, X: Any) -> None:
        """Raise unless X holds rows of counts: hmmlearn's hook."""
        values = np.asarray(X)
        if values.dtype.kind not in "iub":
            raise DataError(
                f"{type(self).__name__}: Symbol counts should be nonnegative integers; X holds {values.dtype}."
            )
        self._convert(values.astype(np.float64))

    def _convert(self, rows: NDArray) -> NDArray:
        owner = type(self).__name__
        whole = np.isnan(rows) | ((rows >= 0) & (rows == np.floor(rows)))
        if not whole.all():
            raise DataError(f"{owner}: Symbol counts should be nonnegative integers; X holds {rows[~whole][0]:g}.")
        if self.n_trials is not None:
            sums = rows.sum(axis=1)
            given = np.asarray(self.n_trials)
            if given.ndim and given.shape != sums.shape:
                raise DataError(f"{owner}: n_trials has {given.size} values for {len(sums)} rows.")
            if not (np.isnan(sums) | (sums == given)).all():
                raise DataError(
                    f"{owner}: Total count for each sample should add up to the number of trials, n_trials={self.n_trials!r:.60}."
                )
        if "emissionprob_" in self.__dict__ and "e" not in self.init_params and rows.shape[1] != self.n_features:
            raise DataError(f"{owner}: rows have {rows.shape[1]} counts, emissionprob_ has {self.n_features} columns.")
        return rows

    def _emission(self) -> Multinomial:
        return Multinomial(np.asarray(self.emissionprob_, np.float64), self.n_trials)

    def _prior(self) -> Any:
        return self.emissionprob_prior

    def _prior_shapes(self, d: int) -> dict[str, list[Shape]]:
        return {**super()._prior_shapes(d), "emissionprob_prior": [(self._k, d), (d,)]}

    def _start_emission(self, bundle: Bundle, rng: Any, letter: str, run: int) -> None:
        probs = np.asarray(rng.uniform(size=(self.n_components, bundle.X.shape[1])))
        self.emissionprob_ = probs / probs.sum(axis=1, keepdims=True)
