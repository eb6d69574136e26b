"""Hidden Markov models over symbols, learned by Baum-Welch; (14) and (15) are in emissions/categorical.py."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import ArrayLike, Domain, Int, Null, Real
from novum.base.validation import check_rows
from novum.exceptions import DataError
from novum.runtime.typing import Numbers, Seed
from novum.sequence.hmm.base import COMMON_DOMAINS, HiddenMarkovBase, Letters
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.emissions.categorical import Categorical
from novum.sequence.hmm.markov import check_distribution
from novum.sequence.hmm.priors import Shape
from novum.sequence.hmm.sequences import Sequences
from novum.sequence.hmm.symbols import check_symbols, largest_symbol, read_symbols, tensor_symbols

__all__ = ["CategoricalHMM"]


class CategoricalHMM(HiddenMarkovBase):
    """Hidden Markov model that emits symbols 0, 1, ...

    Parameters
    ----------
    n_components : int, default=1
        States.
    startprob_prior : float or array-like of shape (n_components,), default=1.0
        Parameters of the Dirichlet prior of `startprob_`; 1 is flat.
    transmat_prior : float or array-like of shape (n_components, n_components), default=1.0
        Parameters of the Dirichlet prior of every row of `transmat_`; above 1 keeps states alive.
    emissionprob_prior : float or array-like of shape (n_components, n_features), default=1.0
        Parameters of the Dirichlet prior of every row of `emissionprob_`.
    n_features : int or None, default=None
        Number of symbols; None is the largest seen, plus one.
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
    >>> from novum.sequence import CategoricalHMM
    >>> model = CategoricalHMM(2)
    >>> model.startprob_ = [0.6, 0.4]
    >>> model.transmat_ = [[0.7, 0.3], [0.4, 0.6]]
    >>> model.emissionprob_ = [[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]
    >>> log_prob, path = model.decode([[0], [1], [2]])
    >>> path, model.predict_proba([[0], [1], [2]])[:, 0].round(6)
    (array([0, 0, 1]), array([0.876516, 0.622933, 0.212128]))
    """

    emissionprob_: Any
    _letters = {"e": "emissionprob_"}
    _domains: dict[str, Domain] = {
        **COMMON_DOMAINS,
        "emissionprob_prior": Real(0) | ArrayLike(),
        "n_features": Int(1) | Null(),
        "params": Letters("ste"),
        "init_params": Letters("ste"),
    }

    def __init__(
        self,
        n_components: int = 1,
        startprob_prior: float | Numbers = 1.0,
        transmat_prior: float | Numbers = 1.0,
        *,
        emissionprob_prior: float | Numbers = 1.0,
        n_features: int | None = None,
        algorithm: str = "viterbi",
        random_state: Seed = None,
        max_iter: int = 200,
        tol: float = 1e-4,
        verbose: bool = False,
        params: str = "ste",
        init_params: str = "ste",
        implementation: Literal["log", "scaling"] = "log",
        n_init: int = 10,
        topology: Literal["full", "left-right", "banded"] = "full",
        sticky: float = 0.0,
        stationary: bool = False,
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
        self.topology = topology
        self.sticky = sticky
        self.stationary = stationary
        self.n_jobs = n_jobs

    def _check(self) -> None:
        super()._check()
        probs = np.atleast_2d(np.asarray(self.emissionprob_, np.float64))
        wanted = (self.n_components, probs.shape[1] if self.n_features is None else self.n_features)
        self.emissionprob_ = check_distribution(type(self).__name__, "emissionprob_", probs, wanted)

    def _check_and_set_n_features(self, X: Any) -> None:
        """Raise unless X holds symbols: hmmlearn's hook."""
        read_symbols(type(self).__name__, np.asarray(X), self.n_features)

    def _read(self, rows: Any, reset: bool) -> NDArray:
        if isinstance(rows, list | tuple):
            rows = np.asarray(rows)
        if isinstance(rows, np.ndarray) and rows.dtype.kind in "iub":
            check_rows(self, rows, reset=reset, accept_sparse=False)
            values = rows
        else:
            tiles = check_rows(self, rows, reset=reset, accept_sparse=False)
            values = tiles.tile(0, tiles.shape[0])
            columns = getattr(tiles, "columns", None)  # a frame of whole numbers
            if columns is not None and all(column.dtype.kind in "iub" for column in columns):
                values = values.astype(np.int64)
        return self._symbols(values, reset, strict=True)

    def _read_tensor(self, rows: Any, reset: bool) -> Any:
        whole = not rows.is_floating_point()
        found = tensor_symbols(type(self).__name__, super()._read_tensor(rows, reset), whole, self._symbol_limit(reset))
        if found.shape[1] != 1:
            raise self._too_wide(found.shape[1])
        return found

    def _convert(self, rows: NDArray) -> NDArray:
        return self._symbols(rows, False, strict=False)

    def _symbols(self, rows: NDArray, reset: bool, strict: bool) -> NDArray:
        """Return symbols; tiles of files and partitions hold whole numbers as floats, which are not `strict`."""
        owner = type(self).__name__
        if rows.shape[1] != 1:
            raise self._too_wide(rows.shape[1])
        if not strict and rows.dtype.kind == "f" and (rows == np.floor(rows)).all():
            rows = rows.astype(np.int64)
        return np.ascontiguousarray(read_symbols(owner, rows, self._symbol_limit(reset)))

    def _symbol_limit(self, reset: bool) -> int | None:
        """Return how many symbols there may be, None where the fit will count them."""
        if self.n_features is not None:
            return self.n_features
        fresh = reset and "e" in self.init_params
        return None if fresh or "emissionprob_" not in self.__dict__ else np.atleast_2d(self.emissionprob_).shape[1]

    def _too_wide(self, columns: int) -> DataError:
        return DataError(
            f"{type(self).__name__}: X must be one column of symbols; it has {columns}. Several columns: MultinomialHMM."
        )

    def _emission(self) -> Categorical:
        return Categorical(np.asarray(self.emissionprob_, np.float64))

    def _prior(self) -> Any:
        return self.emissionprob_prior

    def _prepare(self, source: Sequences) -> None:
        found = source.total(largest_symbol, None, max)
        count = max(int(found), -1) + 1 if self.n_features is None else self.n_features
        self._n_symbols = check_symbols(type(self).__name__, count, self._k)

    def _prior_shapes(self, d: int) -> dict[str, list[Shape]]:
        m = self.__dict__.get("_n_symbols") or self.n_features
        own = {} if m is None else {"emissionprob_prior": [(self._k, m), (m,)]}
        return {**super()._prior_shapes(d), **own}

    def _start_emission(self, bundle: Bundle, rng: Any, letter: str, run: int) -> None:
        count = self.__dict__.get("_n_symbols", self.n_features) or int(bundle.X.max(initial=0)) + 1
        probs = np.asarray(rng.uniform(size=(self.n_components, count)))
        self.emissionprob_ = probs / probs.sum(axis=1, keepdims=True)
