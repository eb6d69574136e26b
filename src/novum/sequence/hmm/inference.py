"""What a hidden Markov model answers: likelihoods, posteriors, paths, draws, criteria; hmmlearn's names and order of arguments."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from novum.base.fitted import check_is_fitted
from novum.base.plots import axes_last
from novum.exceptions import DataError, ParameterError
from novum.runtime import arrays
from novum.runtime.typing import Axes, Rows, Seed, Target
from novum.sequence.hmm import markov, recursions
from novum.sequence.hmm.bundles import Bundle, as_columns
from novum.sequence.hmm.forecasting import OnlineFilter, StateForecast, forecast_from
from novum.sequence.hmm.plots import draw_bands, draw_posteriors, draw_trellis
from novum.sequence.hmm.recursions import with_known_states
from novum.sequence.hmm.sequences import FileSequences, MemorySequences, bundle_of
from novum.sequence.hmm.training import LogLikelihood, score_bundle
from novum.sequence.hmm.trellis import Trellis, trellis_of
from novum.sequence.labels import dated, index_of

__all__ = ["InferenceMixin"]


def in_given_order(values: Any, order: NDArray | None) -> Any:
    """Return one value per row in the order in which the rows were passed."""
    if order is None:
        return values
    if arrays.is_tensor(values):
        out = values.new_empty(values.shape)
        out[arrays.like(values, order, "int64")] = values
        return out
    out = np.empty_like(values)
    out[order] = values
    return out


def largest(shares: Any) -> Any:
    """Return the largest share of every row."""
    return shares.amax(dim=1) if arrays.is_tensor(shares) else shares.max(axis=1)


class InferenceMixin:
    """Answers of a fitted model, or of one whose attributes were set."""

    algorithm: str
    random_state: Any
    transmat_: Any

    if TYPE_CHECKING:  # of the model
        _chain: Callable[..., Any]
        _check_width: Callable[..., Any]
        _emission: Callable[..., Any]
        _model: Callable[..., Any]
        _n_parameters: Callable[..., Any]
        _sequences: Callable[..., Any]

    def _open(self, X: Any, lengths: Any, groups: Any, states: Any = None) -> tuple[Any, Any]:
        """Return the model and the checked sequences."""
        check_is_fitted(self, "startprob_")
        model, source = self._model(), self._sequences(X, lengths, groups, states, None)
        self._check_width(source.n_features)
        return model, source

    def _each_row(self, X: Any, lengths: Any, groups: Any, states: Any, function: Callable[[Any, Bundle], Any]) -> Any:
        """Return `function(model, bundle)` of all bundles in the order of the rows; of a scan an iterator over bundles."""
        model, source = self._open(X, lengths, groups, states)
        if isinstance(source, FileSequences):
            return (function(model, bundle_of(block, source.convert)) for block in source.blocks())
        if not isinstance(source, MemorySequences):
            raise DataError(
                f"{type(self).__name__} takes rows in memory or in files; pass a Dask collection one partition at a time"
                " (map_partitions)."
            )
        parts = list(source.map(lambda bundle: function(model, bundle)))
        rows = parts[0] if len(parts) == 1 else arrays.stack_rows(parts)
        return in_given_order(rows, source.order)

    def score(self, X: Rows, lengths: Target = None, *, groups: Target = None, states: Any = None) -> float:
        """Return the log-likelihood of all sequences together; minus infinity if one is impossible.

        `lengths`, `groups` and `states` are as in `fit`.
        """
        model, source = self._open(X, lengths, groups, states)
        return LogLikelihood(source.total(score_bundle, model).log_likelihood)

    def score_samples(self, X: Rows, lengths: Any = None, *, groups: Any = None, states: Any = None) -> Any:
        """Return log p(row | the rows before it in its sequence) of every row, (n_samples,); together they are `score`.

        `lengths`, `groups` and `states` are as in `fit`; of a scan an iterator over bundles.
        """

        def one(model: Any, bundle: Bundle) -> NDArray:
            densities = with_known_states(model.emission.densities(bundle), bundle.states)
            return recursions.row_log_likelihoods(model.chain, densities, bundle.offsets, type(self).__name__)

        return self._each_row(X, lengths, groups, states, one)

    def predict_proba(self, X: Rows, lengths: Target = None, *, groups: Target = None, states: Any = None) -> Any:
        """Return the probability of every state at every row given its whole sequence, (n_samples, n_components)."""

        def one(model: Any, bundle: Bundle) -> NDArray:
            densities = with_known_states(model.emission.densities(bundle), bundle.states)
            return recursions.smooth(
                model.chain, densities, bundle.offsets, owner=type(self).__name__, first_row=bundle.start, sums=False
            ).shares

        return self._each_row(X, lengths, groups, states, one)

    def filter(self, X: Rows, lengths: Target = None, *, groups: Target = None) -> Any:
        """Return the probability of every state at every row given the rows up to it, (n_samples, n_components)."""

        def one(model: Any, bundle: Bundle) -> NDArray:
            densities = model.emission.densities(bundle)
            return recursions.filter_states(model.chain, densities, bundle.offsets, type(self).__name__)[1]

        return self._each_row(X, lengths, groups, None, one)

    def trellis(self, X: Rows) -> Trellis:
        """Return what forward, backward and Viterbi hold at every row and state of one sequence, to look at.

        Examples
        --------
        >>> from novum.sequence import CategoricalHMM
        >>> model = CategoricalHMM(2)
        >>> model.startprob_, model.transmat_ = [0.6, 0.4], [[0.7, 0.3], [0.4, 0.6]]
        >>> model.emissionprob_ = [[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]
        >>> found = model.trellis([[0], [1], [2]])
        >>> found.log_delta.round(3).tolist()
        [[-1.204, -3.219], [-2.477, -3.612], [-5.136, -4.192]]
        >>> found.pointers[1:].tolist(), found.path.tolist()
        ([[0, 0], [0, 0]], [0, 0, 1])
        """
        model, source = self._open(X, None, None)
        if not isinstance(source, MemorySequences) or arrays.is_tensor(X):
            raise DataError(f"{type(self).__name__}.trellis takes one sequence in memory, as an array.")
        (found,) = source.map(lambda bundle: trellis_of(model.chain, model.emission.densities(bundle).rows()))
        return found

    def decode(
        self, X: Rows, lengths: Target = None, algorithm: str | None = None, *, groups: Target = None
    ) -> tuple[float, NDArray]:
        """Return the states that explain the rows, and how probable they are.

        Parameters
        ----------
        X, lengths, groups
            As in `fit`.
        algorithm : {"viterbi", "map"}, default=None
            "viterbi" is the most probable path, "map" the most probable state of every row; None is the constructor's choice.

        Returns
        -------
        log_prob : float
            log p(x, path) of "viterbi"; of "map" the sum of the largest posteriors, as in hmmlearn.
        states : array of shape (n_samples,)
        """
        algorithm = self.algorithm if algorithm is None else algorithm
        if algorithm not in ("viterbi", "map"):
            raise ParameterError(
                f"{type(self).__name__}.decode: algorithm must be 'viterbi' or 'map'; got {algorithm!r}."
            )
        if algorithm == "map":
            shares = self.predict_proba(X, lengths, groups=groups)
            return LogLikelihood(largest(shares).sum()), arrays.argmax(shares)
        model, source = self._open(X, lengths, groups)
        if not isinstance(source, MemorySequences):
            raise DataError(f"{type(self).__name__}.decode takes rows in memory; predict takes a scan.")
        owner = type(self).__name__
        found = list(
            source.map(
                lambda bundle: recursions.decode(model.chain, model.emission.densities(bundle), bundle.offsets, owner)
            )
        )
        path = found[0][1] if len(found) == 1 else arrays.stack_rows([part[1] for part in found])
        total = sum(float(part[0].sum()) for part in found)
        return LogLikelihood(total), in_given_order(path, source.order)

    def predict(self, X: Rows, lengths: Target = None, *, groups: Target = None) -> Any:
        """Return the state of every row by the constructor's `algorithm`, (n_samples,)."""

        def one(model: Any, bundle: Bundle) -> NDArray:
            densities, owner = model.emission.densities(bundle), type(self).__name__
            if self.algorithm == "map":
                found = recursions.smooth(model.chain, densities, bundle.offsets, owner=owner, sums=False)
                return arrays.argmax(found.shares)
            return recursions.decode(model.chain, densities, bundle.offsets, owner)[1]

        return self._each_row(X, lengths, groups, None, one)

    def best_paths(self, X: Rows, n_paths: int = 2) -> tuple[NDArray, NDArray]:
        """Return the most probable paths of one sequence, best first; paths of equal probability come by their states.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            One sequence.
        n_paths : int, default=2

        Returns
        -------
        log_prob : array of shape (n_found,)
            log p(x, path); fewer than `n_paths` where fewer are possible.
        paths : array of shape (n_found, n_samples)
        """
        if isinstance(n_paths, bool) or not isinstance(n_paths, int | np.integer) or n_paths < 1:
            raise ParameterError(
                f"{type(self).__name__}.best_paths: n_paths must be an int of one or more; got {n_paths!r}."
            )
        model, source = self._open(X, None, None)
        return recursions.best_paths(model.chain, model.emission.densities(source.first()), int(n_paths))

    def sample(
        self, n_samples: int = 1, random_state: Seed = None, currstate: int | None = None
    ) -> tuple[NDArray, NDArray]:
        """Draw a sequence.

        Parameters
        ----------
        n_samples : int, default=1
            Rows.
        random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
            None is the constructor's.
        currstate : int, default=None
            The state of the first row; None draws it from `startprob_`.

        Returns
        -------
        X : array of shape (n_samples, n_features)
        states : array of shape (n_samples,)
        """
        from novum.sequence.hmm.starts.initialization import generator_of

        check_is_fitted(self, "startprob_")
        if isinstance(n_samples, bool) or not isinstance(n_samples, int | np.integer) or n_samples < 1:
            raise ParameterError(
                f"{type(self).__name__}.sample: n_samples must be an int of one or more; got {n_samples!r}."
            )
        model = self._model()
        rng = generator_of(self.random_state if random_state is None else random_state)
        states = draw_path(model.chain, int(n_samples), rng, currstate)
        return model.emission.draw(states, rng), states

    def forecast(self, X: Rows, steps: int = 1) -> StateForecast:
        """Return the distribution of the states and rows that follow one sequence.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            One sequence.
        steps : int, default=1

        Returns
        -------
        StateForecast
            `states`, `mean` and `std` of every step, a table and a picture. Of symbols the mean is their probabilities.
        """
        if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or steps < 1:
            raise ParameterError(f"{type(self).__name__}.forecast: steps must be an int of one or more; got {steps!r}.")
        X, past = dated(X)
        past = index_of(X) if past is None else past
        distribution = self.filter(X)[-1]
        emission = self._emission()
        names = emission.row_names() or self._feature_names()
        mean, variance = emission.moments()
        return forecast_from(distribution, self._chain().trans, int(steps), mean, variance, names, past)

    def _feature_names(self) -> list[str] | None:
        return list(self.feature_names_in_) if hasattr(self, "feature_names_in_") else None

    def online(self) -> OnlineFilter:
        """Return a filter for a sequence that is still going on: `update` takes one row at a time."""
        check_is_fitted(self, "startprob_")
        return OnlineFilter(self, self._model())

    @axes_last
    def plot(self, X: Rows | None = None, y: Target = None, *, ax: Axes | None = None) -> Any:
        """Draw the sequence X with a band in the color of the most probable state behind every stretch; y is not used."""
        if X is None:
            raise DataError(f"{type(self).__name__}.plot: give X, the sequence to draw.")
        path = self.predict(X)
        rows, at = np.asarray(as_columns(X), np.float64), getattr(X, "index", None)
        at = np.asarray(at) if at is not None and not callable(at) and np.asarray(at).dtype.kind in "iufM" else None
        names = self._feature_names()
        names = names if names and len(names) == rows.shape[1] else [f"x{j}" for j in range(rows.shape[1])]
        means = self._emission().moments()[0]
        return draw_bands(rows, path, means if means.shape[1] == rows.shape[1] else None, at, names, ax)

    def plot_posteriors(self, X: Rows, ax: Axes | None = None) -> Any:
        """Draw the probability of every state at every step of one sequence as a heat map; returns the axes."""
        return draw_posteriors(self.predict_proba(X), ax)

    def plot_trellis(self, X: Rows, ax: Axes | None = None) -> Any:
        """Draw the trellis of one short sequence: posteriors as nodes, transitions as lines, the most probable path thick."""
        path = self.decode(X, algorithm="viterbi")[1]
        return draw_trellis(self._chain().trans, self.predict_proba(X), path, ax)

    def get_stationary_distribution(self) -> NDArray:
        """Return the stationary distribution of the states."""
        check_is_fitted(self, "transmat_")
        return markov.stationary_distribution(np.asarray(self.transmat_, np.float64))

    def aic(self, X: Rows, lengths: Target = None, *, groups: Target = None) -> float:
        """Return Akaike's criterion, -2 log-likelihood + 2 parameters: the lower the better."""
        return -2 * float(self.score(X, lengths, groups=groups)) + 2 * self._n_parameters()

    def bic(self, X: Rows, lengths: Target = None, *, groups: Target = None) -> float:
        """Return the Bayesian criterion, -2 log-likelihood + parameters log(rows): the lower the better."""
        model, source = self._open(X, lengths, groups)
        found = source.total(score_bundle, model)
        return -2 * found.log_likelihood + self._n_parameters() * float(np.log(found.rows))


def draw_path(chain: Any, n: int, rng: Any, first: int | None) -> NDArray:
    """Return states of a chain; a uniform number per step, whatever the states."""
    cumulated = np.cumsum(chain.trans, axis=1)
    cumulated /= cumulated[:, -1:]
    draws = np.asarray(rng.uniform(size=n))
    states = np.empty(n, np.int64)
    if first is None:
        start = np.cumsum(chain.start)
        states[0] = int(np.searchsorted(start / start[-1], draws[0], side="right"))
    else:
        states[0] = first
    rows, k = cumulated.tolist(), len(cumulated)
    from bisect import bisect_right

    state = int(states[0])
    for t in range(1, n):
        state = min(bisect_right(rows[state], draws[t]), k - 1)
        states[t] = state
    return states
