"""Markov chains of any order as an estimator."""

from bisect import bisect_right
from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum.base.domains import Bool, Domain, Int, Null, Real
from novum.base.estimator import Estimator, fits
from novum.exceptions import DataError, DataWarning, ParameterError
from novum.runtime.checks import check_count, probability_table
from novum.runtime.message_text import first_few
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import HasShape, Label, Numbers, Rows, RowWeights, Seed, Target
from novum.runtime.warn import warn
from novum.sequence.chains.checks import compare_orders, homogeneity
from novum.sequence.chains.counts import (
    advanced,
    count_parameters,
    counts_of,
    probabilities,
    reduced_matrix,
    sequence_log_probability,
    windows,
)
from novum.sequence.chains.domains import Labels, Table
from novum.sequence.chains.queries import ChainQueries
from novum.sequence.chains.results import HomogeneityCheck, OrderComparison
from novum.sequence.chains.summary import describe
from novum.sequence.chains.symbols import coded, label_array, read_sequences, sequence_weights, states_of
from novum.sequence.chains.tables import drawn_states, read_table

__all__ = ["MarkovChain"]

Array = NDArray[Any]
MOST_REDUCED = 4096  # contexts of a chain that is written out as one of order one: 128 MiB


class MarkovChain(ChainQueries, Estimator):
    """A sequence of states in which the next depends on the last `order` ones.

        T[c, k] = p(x[t] = k | context c) = (n[c, k] + smoothing) / (n[c] + smoothing K)

    Give `transition`, or learn it by `fit`. Questions about structure (`classes`, `stationary`, `is_ergodic`, `mixing_time`,
    `hitting_times`, ...) are about the chain of order one over contexts, `reduce()`; of order one that is the chain itself.

    Parameters
    ----------
    order : int, default=1
        0: states are independent.
    transition : array-like of shape (K ** order, K) or (K,) * (order + 1), or frame, default=None
        T; a row for every context, the first state of it slowest. Rows sum to one. A frame names the states.
    states : collection, default=None
        Labels, in the order of the tables; None: 0 to K - 1, or the sorted labels that `fit` sees.
    initial : array-like of shape (K ** order,), default=None
        Distribution of the first context. None: the stationary distribution, or learned by `fit`.
    smoothing : float, default=0
        Added to every count (1: Laplace's rule).
    homogeneous : bool, default=True
        False: a table of its own for every place; sequences then have one length.

    Attributes
    ----------
    states_ : list
    transition_ : array of shape (K ** order, K), with a leading axis of places if not homogeneous
    initial_ : array of shape (K ** order,)
    counts_ : array of the shape of `transition_`
        Weighted numbers of transitions seen.
    n_parameters_ : int
        Free numbers.

    Examples
    --------
    >>> from novum.sequence import MarkovChain
    >>> chain = MarkovChain().fit("AABABBBA")
    >>> chain.counts_
    array([[1., 2.],
           [2., 2.]])
    >>> chain.stationary().round(3), chain.is_ergodic()
    (array([0.429, 0.571]), True: one closed class, period 1: every start tends to the stationary distribution)
    >>> weather = MarkovChain(transition=[[0.9, 0.1], [0.5, 0.5]], states=["sun", "rain"])
    >>> weather.forecast(["rain"], 3).round(3)
    array([[0.5 , 0.5 ],
           [0.7 , 0.3 ],
           [0.78, 0.22]])
    >>> weather.hitting_times("rain"), weather.return_times()
    (array([10.,  0.]), array([1.2, 6. ]))
    """

    _domains: dict[str, Domain] = {
        "order": Int(0),
        "transition": Table() | Null(),
        "states": Labels() | Null(),
        "initial": Table() | Null(),
        "smoothing": Real(0),
        "homogeneous": Bool(),
    }
    states_: list[Any]
    transition_: np.ndarray
    initial_: np.ndarray
    counts_: np.ndarray
    n_parameters_: int

    def __init__(
        self,
        order: int = 1,
        *,
        transition: Numbers | HasShape | None = None,
        states: Iterable[Any] | None = None,
        initial: Numbers | None = None,
        smoothing: float = 0.0,
        homogeneous: bool = True,
    ) -> None:
        self.order = order
        self.transition = transition
        self.states = states
        self.initial = initial
        self.smoothing = smoothing
        self.homogeneous = homogeneous

    @fits
    def fit(
        self, X: Rows, y: Target = None, sample_weight: RowWeights = None, *, lengths: Numbers | None = None
    ) -> "MarkovChain":
        """Learn the tables from counts.

        Parameters
        ----------
        X : sequence of states, or several sequences
            A str, a list or an array of labels is one; a list of lists or arrays, or the rows of a matrix, are several.
        y : ignored
        sample_weight : array-like of shape (n_sequences,), default=None
        lengths : array-like of int, default=None
            X is several sequences one after the other.

        Returns
        -------
        self
        """
        owner = "MarkovChain.fit"
        sequences = read_sequences(owner, X, lengths)
        weights = sequence_weights(owner, sample_weight, len(sequences))
        kept = [(s, w) for s, w in zip(sequences, weights) if w > 0]
        states = list(self.states) if self.states is not None else states_of(owner, [s for s, _ in kept])
        codes = coded(owner, [s for s, _ in kept], states)
        used = np.array([w for _, w in kept])
        counts = counts_of(owner, codes, used, len(states), self.order, self.homogeneous)
        if not counts.transitions.any() and self.smoothing == 0:
            raise DataError(f"{owner}: no sequence is longer than order={self.order}: there is no transition to count.")
        transition, empty = probabilities(counts.transitions, float(self.smoothing))
        if empty.any():
            unseen = [self._context(int(c), states) for c in np.flatnonzero(empty.all(axis=0))[:5]]
            warn(
                f"MarkovChain: {int(empty.sum())} context(s) are never followed by a state ({first_few(unseen)}, ...): their "
                "rows are uniform. Give smoothing > 0 or a lower order.",
                DataWarning,
            )
        self.states_ = states
        self.counts_ = counts.transitions[0] if self.homogeneous else counts.transitions
        self.transition_ = transition[0] if self.homogeneous else transition
        self.initial_ = probabilities(counts.first, float(self.smoothing))[0]
        self.n_parameters_ = sum(count_parameters(len(states), self.order, len(transition)))
        return self

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return describe(self) if "counts_" in vars(self) else super().__repr__(N_CHAR_MAX)

    def _context(self, number: int, states: list[Any]) -> Any:
        """Return the states of a context: one label for order one, a tuple otherwise."""
        k, found = len(states), []
        for _ in range(self.order):
            number, place = divmod(number, k)
            found.append(states[place])
        return found[0] if self.order == 1 else tuple(reversed(found))

    def _known(self, method: str) -> tuple[list[Any], Array, Array | None]:
        """Return states, tables (places, K^M, K) and the distribution of the first context as learned or as given."""
        owner = f"MarkovChain.{method}" if method else "MarkovChain"
        if "transition_" in vars(self):
            T = self.transition_
            return self.states_, T if T.ndim == 3 else T[None], self.initial_
        if self.transition is None:
            raise ParameterError(f"{owner}: transition is not known; give transition= or learn it by fit.")
        T, states = read_table(owner, self.transition, self.states, self.order, self.homogeneous)
        initial = self.initial
        if initial is not None:
            initial = probability_table(owner, "initial", np.asarray(initial).ravel())
            if initial.shape != T.shape[1:2]:
                raise DataError(
                    f"{owner}: initial has {len(initial)} entries; it must have {T.shape[1]}, one per context."
                )
        return states, T, initial

    def _start(self, method: str) -> Array:
        """Return the distribution of the first context."""
        _, T, initial = self._known(method)
        if initial is not None:
            return initial
        if self.order == 0:
            return np.ones(1)
        if len(T) > 1:
            raise ParameterError(
                f"MarkovChain.{method}: the distribution of the first context is not known; give initial=."
            )
        return self.stationary()

    def _matrix(self) -> scipy.sparse.csr_array:
        states, T, _ = self._known("")  # many questions come here: no method is named
        if len(T) > 1:
            raise ParameterError(
                "MarkovChain: a chain that is not homogeneous has no structure of its own; look at a place."
            )
        return reduced_matrix(T[0], len(states))

    def _nodes(self) -> list[Any]:
        states, T, _ = self._known("")
        return states if self.order <= 1 else [self._context(c, states) for c in range(T.shape[1])]

    def reduce(self) -> "MarkovChain":
        """Return the chain of order one over contexts: tuples of `order` states, which follow each other if they overlap."""
        matrix, nodes = self._matrix(), self._nodes()
        if len(nodes) > MOST_REDUCED:
            raise ParameterError(
                f"MarkovChain.reduce: {len(nodes)} contexts are too many to write out; at most {MOST_REDUCED}."
            )
        initial = self._known("reduce")[2] if self.order else None
        return MarkovChain(transition=matrix.toarray(), states=nodes, initial=initial)

    def score(self, X: Rows, y: Target = None, sample_weight: RowWeights = None, *, lengths: Target = None) -> float:
        """Return the log-likelihood of the sequences, added up with their weights."""
        owner = "MarkovChain.score"
        states, T, _ = self._known("score")
        sequences = read_sequences(owner, X, lengths)
        weights = sequence_weights(owner, sample_weight, len(sequences))
        initial = self._start("score")
        total = 0.0
        for codes, weight in zip(coded(owner, sequences, states), weights):
            if len(T) > 1 and len(codes) - self.order > len(T):
                raise DataError(
                    f"{owner}: a sequence of {len(codes)} states, but tables for {len(T) + self.order} places only."
                )
            part = T[: max(len(codes) - self.order, 1)] if len(T) > 1 else T
            total += weight * sequence_log_probability(codes, part, initial, len(states), self.order) if weight else 0.0
        return total

    def forecast(self, X: Rows, steps: int = 1) -> Array:
        """Return the distributions of the next states after a sequence, (steps, K)."""
        owner = "MarkovChain.forecast"
        steps = check_count(owner, "steps", steps)
        states, T, _ = self._known("forecast")
        if len(T) > 1:
            raise ParameterError(f"{owner}: a chain that is not homogeneous says nothing of places it has not seen.")
        sequences = read_sequences(owner, X)
        codes = coded(owner, sequences[-1:], states)[0]
        if len(sequences) > 1 or len(codes) < self.order:
            raise DataError(f"{owner}: give one sequence of at least order={self.order} states.")
        distribution = np.zeros(T.shape[1])
        distribution[windows(codes[len(codes) - self.order :], len(states), self.order)[-1]] = 1
        found = np.empty((steps, len(states)))
        for h in range(steps):
            found[h] = distribution @ T[0]
            distribution = advanced(distribution, T[0], len(states))
        return found

    def marginal(self, n: int, start: Label | Numbers | None = None) -> Array:
        """Return the distribution after n steps, q_n = q_0 T^n, over contexts; `start` is q_0, by default the first context's."""
        owner = "MarkovChain.marginal"
        n = check_count(owner, "n", n, 0)
        if start is None:
            distribution = self._start("marginal") if self.order else self._known("marginal")[1][0, 0]
        else:
            distribution = probability_table(owner, "start", start)
        matrix = self._matrix()
        if distribution.shape != (matrix.shape[0],):
            raise DataError(
                f"{owner}: start has shape {distribution.shape}; it must have shape ({matrix.shape[0]},), one per context."
            )
        if n > 64 and matrix.shape[0] <= MOST_REDUCED:
            return distribution @ np.linalg.matrix_power(matrix.toarray(), n)
        for _ in range(n):
            distribution = distribution @ matrix
        return distribution

    def sample(
        self, n_samples: int = 1, n_sequences: int | None = None, *, start: Any = None, random_state: Seed = None
    ) -> NDArray:
        """Return drawn states, (n_samples,), or (n_sequences, n_samples); `start` holds the first `order` states if given."""
        owner = "MarkovChain.sample"
        n_samples = check_count(owner, "n_samples", n_samples)
        many = 1 if n_sequences is None else check_count(owner, "n_sequences", n_sequences)
        states, T, _ = self._known("sample")
        k, M = len(states), self.order
        if len(T) > 1 and n_samples - M > len(T):
            raise DataError(f"{owner}(n_samples={n_samples}): the tables end after {len(T) + M} places.")
        uniform = Stream(seed_of(random_state)).uniform("chain", 0, many, n_samples + 1)
        if start is None:
            total = np.cumsum(self._start("sample"))
            first = [min(bisect_right(total.tolist(), u * total[-1]), len(total) - 1) for u in uniform[:, -1].tolist()]
        else:
            given = coded(owner, [list(start)] if not isinstance(start, str) or M > 1 else [[start]], states)[0]
            if len(given) != M:
                raise DataError(f"{owner}: start has {len(given)} states; it must have order={M}.")
            first = [int(windows(given, k, M)[0])] * many
        out = drawn_states(T, first, uniform[:, M:n_samples], n_samples, M)
        found = label_array(states, out)
        return found[0] if n_sequences is None else found

    def compare_orders(self, X: Rows, *, most: int | None = None, lengths: Target = None) -> OrderComparison:
        """Return how well orders 0 to `most` (order + 1) explain the sequences: likelihood-ratio tests, AIC, BIC."""
        owner = "MarkovChain.compare_orders"
        sequences = read_sequences(owner, X, lengths)
        states = list(self.states) if self.states is not None else states_of(owner, sequences)
        top = self.order + 1 if most is None else check_count(owner, "most", most)
        return compare_orders(owner, coded(owner, sequences, states), np.ones(len(sequences)), len(states), top)

    def check_homogeneity(self, X: Rows, *, parts: int = 2, lengths: Target = None) -> HomogeneityCheck:
        """Return a test of whether the transitions are the same in every part of the sequences."""
        owner = "MarkovChain.check_homogeneity"
        sequences = read_sequences(owner, X, lengths)
        states = list(self.states) if self.states is not None else states_of(owner, sequences)
        parts = check_count(owner, "parts", parts, 2)
        return homogeneity(
            owner, coded(owner, sequences, states), np.ones(len(sequences)), len(states), self.order, parts
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = tags.input_tags.categorical = True
        return tags
