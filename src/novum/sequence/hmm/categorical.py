r"""Hidden Markov models over symbols and rows of counts, learned by Baum-Welch.

    B[k, x] = (alpha - 1 + sum of w gamma over the steps with symbol x) / ...                      (15)

for symbols; for rows of counts the sums of w gamma x take the place of the number of steps: docs/theory/hidden_markov_models.md.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import ArrayLike, Domain, Int, Null, Real
from novum.base.parameters import stores
from novum.base.validation import check_rows
from novum.exceptions import DataError, ParameterError
from novum.sequence.hmm.base import COMMON_DOMAINS, HiddenMarkovBase, Letters
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.emissions.discrete import Categorical, Counts, Symbols, dirichlet_log, draw_symbols, row_ratios
from novum.sequence.hmm.markov import check_distribution
from novum.sequence.hmm.priors import Shape
from novum.sequence.hmm.sequences import Sequences

__all__ = ["CategoricalHMM", "MultinomialHMM", "read_symbols"]

SHOWN_SYMBOLS = 8  # in the repr
MOST_CELLS = 2**26  # of emissionprob_: half a GiB


def read_symbols(owner: str, values: NDArray, n_features: int | None) -> NDArray:
    """Return symbols as a column of int64, -1 where missing, after hmmlearn's checks."""
    if values.dtype.kind == "f":
        missing = np.isnan(values)
        if not missing.any():
            raise DataError(
                f"{owner}: Symbols should be integers; X holds {values.dtype}. Use X.astype(int), or codes of labels."
            )
        if (values[~missing] != np.floor(values[~missing])).any() or np.abs(values[~missing]).max(initial=0) > 2**53:
            raise DataError(f"{owner}: Symbols should be integers, and NaN where one is missing.")
        symbols = np.where(missing, -1, values).astype(np.int64)
        lowest = symbols[~missing].min(initial=0)
    elif values.dtype.kind in "iub":
        symbols = values.astype(np.int64, copy=False)
        lowest = symbols.min(initial=0)
    else:
        raise DataError(f"{owner}: Symbols should be integers; X holds {values.dtype}.")
    if lowest < 0:
        raise DataError(f"{owner}: Symbols should be nonnegative; the least is {lowest}. A missing symbol is NaN.")
    if n_features is not None and symbols.max(initial=-1) >= n_features:
        raise DataError(
            f"{owner}: Largest symbol is {symbols.max()} but the model only emits symbols up to {n_features - 1}. Raise n_features."
        )
    return symbols


def check_symbols(owner: str, n_symbols: int, n_states: int) -> int:
    """Return the number of symbols if a table with a column for each can be held."""
    if n_symbols * n_states > MOST_CELLS:
        raise DataError(
            f"{owner}: symbols up to {n_symbols - 1} need a column of emissionprob_ each, "
            f"{n_symbols * n_states * 8 / 2**30:.1f} GiB for {n_states} states. "
            "Number the symbols that occur 0, 1, ...: np.unique(X, return_inverse=True)[1]."
        )
    return n_symbols


class CategoricalHMM(HiddenMarkovBase):
    """Hidden Markov model that emits symbols 0, 1, ...

    Parameters
    ----------
    n_components : int, default=1
        States.
    [chain priors]
    emissionprob_prior : float or array-like of shape (n_components, n_features), default=1.0
        Parameters of the Dirichlet prior of every row of `emissionprob_`.
    n_features : int or None, default=None
        Number of symbols; None is the largest seen, plus one.
    [learning]
    params, init_params : str, default="ste"
        Parts that are learned, and parts that are started afresh: s startprob, t transmat, e emissionprob.
    [implementation]
    [ours]

    Attributes
    ----------
    [chain attributes]
    emissionprob_ : array of shape (n_components, n_features)
    [learned]

    [order of states]

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

    @stores
    def __init__(
        self, n_components: int = 1, startprob_prior: Any = 1.0, transmat_prior: Any = 1.0, *,
        emissionprob_prior: Any = 1.0, n_features: int | None = None, algorithm: str = "viterbi",
        random_state: Any = None, n_iter: int = 200, tol: float = 1e-4, verbose: bool = False, params: str = "ste",
        init_params: str = "ste", implementation: str = "log", n_init: int = 10, topology: str = "full",
        sticky: float = 0.0, stationary: bool = False, n_jobs: int | None = None
    ) -> None: ...  # fmt: skip

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

    def _convert(self, rows: NDArray) -> NDArray:
        return self._symbols(rows, False, strict=False)

    def _symbols(self, rows: NDArray, reset: bool, strict: bool) -> NDArray:
        """Return symbols; tiles of files and partitions hold whole numbers as floats, which are not `strict`."""
        owner = type(self).__name__
        if rows.shape[1] != 1:
            raise DataError(
                f"{owner}: X must be one column of symbols; it has {rows.shape[1]}. Several columns: MultinomialHMM."
            )
        if not strict and rows.dtype.kind == "f" and (rows == np.floor(rows)).all():
            rows = rows.astype(np.int64)
        fresh = reset and "e" in self.init_params
        limit = None if fresh or "emissionprob_" not in self.__dict__ else np.atleast_2d(self.emissionprob_).shape[1]
        return np.ascontiguousarray(read_symbols(owner, rows, limit if self.n_features is None else self.n_features))

    def _emission(self) -> Categorical:
        with np.errstate(divide="ignore"):
            return Categorical(np.log(np.asarray(self.emissionprob_, np.float64)))

    def _prepare(self, source: Sequences) -> None:
        found = source.total(largest_symbol, None, max)
        count = max(int(found), -1) + 1 if self.n_features is None else self.n_features
        self._n_symbols = check_symbols(type(self).__name__, count, self._k)

    def _prior_shapes(self, d: int) -> dict[str, list[Shape]]:
        m = self.__dict__.get("_n_symbols") or self.n_features
        own = {} if m is None else {"emissionprob_prior": [(self._k, m), (m,)]}
        return {**super()._prior_shapes(d), **own}

    def _segment_features(self, bundle: Bundle) -> NDArray:
        symbols = np.asarray(bundle.X[:, 0], np.int64)
        return np.eye(int(symbols.max(initial=0)) + 1)[np.maximum(symbols, 0)] * (symbols >= 0)[:, None]

    def _start_emission(self, bundle: Bundle, rng: Any, letter: str, run: int) -> None:
        count = self.__dict__.get("_n_symbols", self.n_features) or int(bundle.X.max(initial=0)) + 1
        probs = np.asarray(rng.uniform(size=(self.n_components, count)))
        self.emissionprob_ = probs / probs.sum(axis=1, keepdims=True)

    def _maximize_emission(self, emission: Categorical, sums: Symbols) -> Categorical:
        if "e" not in self.params:
            return emission
        probs = row_ratios(sums.counts, self.emissionprob_prior, np.exp(emission.log_probs))
        with np.errstate(divide="ignore"):
            return Categorical(np.log(probs))

    def _emission_log_prior(self, emission: Categorical) -> float:
        return dirichlet_log(np.exp(emission.log_probs), self.emissionprob_prior)

    def _learned_emission(self, emission: Categorical, order: NDArray | None) -> dict[str, Any]:
        probs = np.exp(emission.log_probs)
        return {"emissionprob_": probs if order is None else probs[order]}

    def _counts(self) -> dict[str, int]:
        k, m = np.atleast_2d(self.emissionprob_).shape
        return {**self._chain_counts(), "e": k * (m - 1)}

    def _one_state_bic(self, source: Sequences) -> float | None:
        bundle = source.first()
        weight = bundle.row_weight()
        seen = bundle.X[:, 0] >= 0
        m = np.asarray(self.emissionprob_).shape[1]
        counts = np.bincount(bundle.X[seen, 0], None if weight is None else weight[seen], minlength=m)
        counts = counts[counts > 0]
        total = float((counts * np.log(counts / counts.sum())).sum())
        return -2 * total + (m - 1) * float(np.log(len(bundle.X)))

    def _state_moments(self) -> tuple[NDArray, NDArray]:
        probs = np.asarray(self.emissionprob_, np.float64)
        return probs, probs * (1 - probs)

    def _row_names(self) -> list[str] | None:
        return [f"p({x})" for x in range(np.asarray(self.emissionprob_).shape[1])]

    def _draw_rows(self, emission: Categorical, states: NDArray, rng: Any) -> NDArray:
        return draw_symbols(np.asarray(self.emissionprob_, np.float64), states, rng)[:, None]

    def _state_columns(self) -> dict[str, list[str]]:
        shown = min(self.emissionprob_.shape[1], SHOWN_SYMBOLS)
        return {f"p({x})": [f"{p:.3f}" for p in self.emissionprob_[:, x]] for x in range(shown)}


def largest_symbol(_: None, bundle: Bundle) -> int:
    """Return the largest symbol of one bundle."""
    return int(bundle.X.max(initial=-1))


class MultinomialHMM(HiddenMarkovBase):
    """Hidden Markov model that emits rows of counts.

    Parameters
    ----------
    n_components : int, default=1
        States.
    n_trials : int, array-like of int or None, default=None
        Sum of every row; None takes what the rows sum to. Sampling needs one number.
    [chain priors]
    [learning]
    params, init_params : str, default="ste"
        Parts that are learned, and parts that are started afresh: s startprob, t transmat, e emissionprob.
    [implementation]
    emissionprob_prior : float or array-like of shape (n_components, n_features), default=1.0
        Parameters of the Dirichlet prior of every row of `emissionprob_`.
    [ours]

    Attributes
    ----------
    [chain attributes]
    emissionprob_ : array of shape (n_components, n_features)
    [learned]

    [order of states]

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

    @stores
    def __init__(
        self, n_components: int = 1, n_trials: Any = None, startprob_prior: Any = 1.0, transmat_prior: Any = 1.0,
        algorithm: str = "viterbi", random_state: Any = None, n_iter: int = 200, tol: float = 1e-4,
        verbose: bool = False, params: str = "ste", init_params: str = "ste", implementation: str = "log", *,
        emissionprob_prior: Any = 1.0, n_init: int = 10, topology: str = "full", sticky: float = 0.0,
        stationary: bool = False, n_jobs: int | None = None
    ) -> None: ...  # fmt: skip

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

    def _emission(self) -> Counts:
        return Counts(np.asarray(self.emissionprob_, np.float64))

    def _prior_shapes(self, d: int) -> dict[str, list[Shape]]:
        return {**super()._prior_shapes(d), "emissionprob_prior": [(self._k, d), (d,)]}

    def _start_emission(self, bundle: Bundle, rng: Any, letter: str, run: int) -> None:
        probs = np.asarray(rng.uniform(size=(self.n_components, bundle.X.shape[1])))
        self.emissionprob_ = probs / probs.sum(axis=1, keepdims=True)

    def _maximize_emission(self, emission: Counts, sums: Any) -> Counts:
        return (
            Counts(row_ratios(sums.seen, self.emissionprob_prior, emission.probs)) if "e" in self.params else emission
        )

    def _emission_log_prior(self, emission: Counts) -> float:
        return dirichlet_log(emission.probs, self.emissionprob_prior)

    def _learned_emission(self, emission: Counts, order: NDArray | None) -> dict[str, Any]:
        return {"emissionprob_": emission.probs if order is None else emission.probs[order]}

    def _counts(self) -> dict[str, int]:
        k, m = self.n_components, self.n_features
        return {**self._chain_counts(), "e": k * (m - 1)}

    def _state_moments(self) -> tuple[NDArray, NDArray]:
        trials = 1.0 if self.n_trials is None else float(np.mean(self.n_trials))
        probs = np.asarray(self.emissionprob_, np.float64)
        return trials * probs, trials * probs * (1 - probs)

    def _draw_rows(self, emission: Counts, states: NDArray, rng: Any) -> NDArray:
        trials = np.unique(np.asarray([] if self.n_trials is None else self.n_trials))
        if len(trials) != 1:
            raise ParameterError(
                f"{type(self).__name__}: For sampling, a single n_trials must be given; it is {self.n_trials!r:.60}."
            )
        return np.stack([rng.multinomial(int(trials[0]), emission.probs[state]) for state in states])

    def _state_columns(self) -> dict[str, list[str]]:
        shown = min(self.n_features, SHOWN_SYMBOLS)
        return {f"p({x})": [f"{p:.3f}" for p in self.emissionprob_[:, x]] for x in range(shown)}
