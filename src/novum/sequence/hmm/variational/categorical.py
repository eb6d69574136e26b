"""Variational hidden Markov model over symbols; the posterior is in symbol_posterior.py."""

from typing import Any, Literal

import numpy as np

from novum.base.domains import Domain, Int, Null, Real
from novum.exceptions import ParameterError
from novum.runtime.typing import Seed
from novum.sequence.hmm.base import Letters
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.categorical import CategoricalHMM
from novum.sequence.hmm.symbols import check_symbols, largest_symbol
from novum.sequence.hmm.variational.base import VARIATIONAL_DOMAINS, VariationalBase
from novum.sequence.hmm.variational.symbol_posterior import SymbolPosterior

__all__ = ["VariationalCategoricalHMM"]


class VariationalCategoricalHMM(VariationalBase, CategoricalHMM):
    """Hidden Markov model over symbols with posteriors for all its parameters; states that are not needed fade.

    Parameters
    ----------
    n_components : int, default=1
        States, at most.
    startprob_prior, transmat_prior : float or None, default=None
        Parameters of the Dirichlet priors; None is 1/n_components.
    emissionprob_prior : float or None, default=None
        Parameter of the Dirichlet prior of the symbols; None is one over their number.
    n_features : int or None, default=None
        Number of symbols; None is the largest seen, plus one.
    algorithm : {"viterbi", "map"}, default="viterbi"
        What `predict` and `decode` return: the most probable path, or the most probable state of every row.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
    max_iter : int, default=200
        Most passes; 0 keeps the start.
    tol : float, default=1e-6
        Stop when a pass raises the bound by less.
    verbose : bool or int, default=False
        Whether to log every pass, to the logger "novum".
    params, init_params : str, default="ste"
        Parts that are learned, and parts that are started afresh: s startprob, t transmat, e emissionprob. A part that is not
        started afresh begins at its attribute.
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
    emissionprob_prior_, emissionprob_posterior_ : array of shape (n_components, n_features)
    startprob_, transmat_, emissionprob_ : array
        Means of the posteriors, which all answers use.
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

    Inside: starts draw posteriors at random. Each gets 20 passes, and the one with the largest bound goes on to the end.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.sequence import VariationalCategoricalHMM
    >>> X = np.tile([0, 0, 0, 1, 1, 1], 20)
    >>> model = VariationalCategoricalHMM(2, random_state=0).fit(X)
    >>> model.emissionprob_.round(2)
    array([[0.99, 0.01],
           [0.01, 0.99]])
    """

    _estimates = {"e": "emissionprob_"}
    _parts = {"e": ("emissionprob_posterior_", "emissionprob_prior_")}
    _domains: dict[str, Domain] = {
        **VARIATIONAL_DOMAINS,
        "emissionprob_prior": Real(0, open="low") | Null(),
        "n_features": Int(1) | Null(),
        "params": Letters("ste"),
        "init_params": Letters("ste"),
    }
    emissionprob_prior_: np.ndarray
    emissionprob_posterior_: np.ndarray

    def __init__(
        self,
        n_components: int = 1,
        startprob_prior: float | None = None,
        transmat_prior: float | None = None,
        emissionprob_prior: Any = None,
        n_features: int | None = None,
        algorithm: str = "viterbi",
        random_state: Seed = None,
        max_iter: int = 200,
        tol: float = 1e-6,
        verbose: bool = False,
        params: str = "ste",
        init_params: str = "ste",
        implementation: Literal["log", "scaling"] = "log",
        *,
        n_init: int = 10,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.startprob_prior = startprob_prior
        self.transmat_prior = transmat_prior
        self.emissionprob_prior = emissionprob_prior
        self.n_features = n_features
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

    def _prepare(self, source: Any) -> None:
        found = int(source.total(largest_symbol, None, max))
        count = max(found, 0) + 1 if self.n_features is None else self.n_features
        self._n_symbols = check_symbols(type(self).__name__, count, self._k)

    def _start_emission(self, bundle: Bundle, rng: Any, letter: str, run: int) -> None:
        m = self.__dict__.get("_n_symbols", self.n_features) or int(bundle.X.max(initial=0)) + 1
        prior = 1 / m if self.emissionprob_prior is None else self.emissionprob_prior
        self.emissionprob_prior_ = np.full((self.n_components, m), prior)
        draws = rng.dirichlet(np.full(m, prior), size=self.n_components)
        self.emissionprob_posterior_ = np.maximum(draws * (len(bundle.X) / self.n_components), 1e-10)

    def _check_posteriors(self) -> None:
        super()._check_posteriors()
        shape = np.atleast_2d(np.asarray(self.emissionprob_posterior_)).shape
        count = self._n_symbols if self.n_features is None else self.n_features
        if self.n_features is None and len(shape) == 2 and shape[1] > count:
            count = shape[1]
        if shape != (self.n_components, count) or np.shape(self.emissionprob_prior_) != shape:
            raise ParameterError(
                f"{type(self).__name__}: emissionprob_prior_ and emissionprob_posterior_ must have shape"
                f" {(self.n_components, count)}; got {np.shape(self.emissionprob_prior_)} and {shape}."
            )
        self._set_positive("emissionprob_prior_", shape)
        self._set_positive("emissionprob_posterior_", shape)

    def _hyperparameters(self, part: str) -> SymbolPosterior:
        return SymbolPosterior(np.asarray(getattr(self, f"emissionprob_{part}_"), np.float64))
