"""Where the fit of a hidden Markov model begins, from how many starts, and how many of its numbers are free."""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from novum.sequence.hmm import markov
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.recursions import Posterior
from novum.sequence.hmm.starts.time_order import shares_in_time
from novum.sequence.hmm.training import Model

__all__ = ["InitializationMixin", "free_numbers", "generator_of"]

logger = logging.getLogger("novum")
UNKNOWN_SHARE = 0.05  # of a row of unknown state in every state, where a start is made from known ones


def generator_of(random_state: Any) -> Any:
    """Return what draws: a Generator as it is, all else as hmmlearn and scikit-learn take it."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.SeedSequence):
        return np.random.default_rng(random_state)
    return check_random_state(random_state)


def free_numbers(allowed: NDArray | None, no_start: NDArray, no_move: NDArray) -> tuple[int, int]:
    """Return the free numbers of a start and of transitions, of which some are zero for good; a row sums to one."""
    moves = ~no_move if allowed is None else allowed & ~no_move
    starts = ~no_start if allowed is None else np.arange(len(no_start)) == 0
    return max(int(starts.sum()) - 1, 0), int(np.maximum(moves.sum(axis=1) - 1, 0).sum())


class InitializationMixin:
    """From attributes that were given, and draws for those that were not, to the model that a fit begins with."""

    _letters: dict[str, str]
    init_params: str
    n_init: int
    params: str
    random_state: Any
    stationary: bool
    topology: str

    if TYPE_CHECKING:  # of the model
        _chain: Callable[..., Any]
        _check: Callable[..., Any]
        _counts: Callable[..., Any]
        _emission: Callable[..., Any]
        _learned_emission: Callable[..., Any]
        _model: Callable[..., Any]
        _prior: Callable[..., Any]
        _sequences: Callable[..., Any]
        _start_emission: Callable[..., Any]

        @property
        def _k(self) -> int: ...

    def _chain_counts(self) -> dict[str, int]:
        """Return the free numbers of the chain: what a topology or a given start fixes at zero is not free."""
        k = self._k
        free = free_numbers(markov.allowed_transitions(self.topology, k), np.zeros(k, bool), np.zeros((k, k), bool))
        starts, moves = (self.__dict__.get(name, n) for name, n in zip(("_free_starts", "_free_moves"), free))
        return {"s": 0 if self.stationary else starts, "t": moves}

    def _n_parameters(self) -> int:
        """Return the free numbers of the parts that are learned."""
        return sum(count for letter, count in self._counts().items() if letter in self.params)

    def _needs_start(self, letter: str, attribute: str) -> bool:
        """Return whether a part is to be started afresh; hmmlearn's rule, and its words where a given part is lost."""
        if letter in self.init_params:
            if attribute in self.__dict__ and not getattr(self, "_learned", False):
                logger.warning(
                    "%s: even though the %r attribute is set, it will be overwritten during initialization because 'init_params'"
                    " contains %r",
                    type(self).__name__,
                    attribute,
                    letter,
                )
            return True
        return attribute not in self.__dict__

    def _init(self, X: Any, lengths: Any = None) -> None:
        """Set the parameters that a fit would start from: hmmlearn's hook."""
        source = self._sequences(X, lengths, None, None, None, reset=True)
        self._start(source.first(), generator_of(self.random_state), 0)

    def _start(self, bundle: Bundle, rng: Any, run: int) -> bool:
        """Set the parameters to begin with; returns whether all of them are new."""
        k = self._k
        fresh = []
        allowed = markov.allowed_transitions(self.topology, k)
        zeros = {"s": np.zeros(k, bool), "t": np.zeros((k, k), bool)}  # of a given start: they stay
        for letter, attribute in {"s": "startprob_", "t": "transmat_", **self._letters}.items():
            new = self._needs_start(letter, attribute)
            fresh.append(new)
            if not new:
                if letter in zeros and np.shape(getattr(self, attribute)) == zeros[letter].shape:
                    zeros[letter] = np.asarray(getattr(self, attribute), np.float64) == 0
                continue
            if letter == "s":
                self.startprob_ = rng.dirichlet(np.full(k, 1 / k))
                if allowed is not None:
                    self.startprob_ = np.eye(k)[0]
            elif letter == "t":
                trans = rng.dirichlet(np.full(k, 1 / k), size=k)
                if allowed is not None:
                    trans = allowed / allowed.sum(axis=1, keepdims=True)
                else:  # not sparse: a transition that begins near zero hardly comes back; every other start with states that last
                    trans = (trans + 1 / k) / 2 if run % 2 == 0 else (np.eye(k) + 1 / k) / 2
                self.transmat_ = trans
            else:
                self._start_emission(bundle, rng, letter, run)
        self._free_starts, self._free_moves = free_numbers(allowed, zeros["s"], zeros["t"])
        if self.stationary:
            self.startprob_ = markov.stationary_distribution(np.asarray(self.transmat_, np.float64))
        self._check()
        free = self._n_parameters()
        cells = int(np.prod(bundle.X.shape))
        if not run and cells < free:
            logger.warning(
                "%s: fitting a model with %d free scalar parameters with only %d data points will result in a degenerate"
                " solution.",
                type(self).__name__,
                free,
                cells,
            )
        if allowed is not None and set(self._letters) <= set(self.init_params) and bundle.states is None:
            bundle = bundle.in_memory()
            self._start_at(bundle, shares_in_time(bundle, self._emission().segment_features(bundle), k, rng, run))
        return all(fresh)

    def _n_starts(self) -> int:
        """Return how many starts differ: one where nothing is started afresh, or there is one state."""
        started = any(letter in self.init_params for letter in "st" + "".join(self._letters))
        missing = any(name not in self.__dict__ for name in self._start_names())
        return self.n_init if self._k > 1 and (started or missing) else 1

    def _start_at(self, bundle: Bundle, shares: NDArray) -> None:
        """Move the emissions of a start to what rows say that belong to states by `shares`."""
        model = Model(self._chain(), self._emission())
        posterior = Posterior(np.zeros(1), np.ascontiguousarray(shares), np.zeros((self._k, self._k)), None)
        emission = model.emission.maximized(model.emission.statistics(bundle, posterior), self._prior(), self.params)
        self.__dict__.update(self._learned_emission(emission))

    def _start_at_known(self, bundle: Bundle) -> None:
        """Move a start to where the known states are: their rows belong to them, all others to every state a little."""
        k, shares = self._k, self._known_shares(bundle)
        if shares is None:
            return
        if "t" in self.init_params and self.topology == "full":
            self.transmat_ = (np.eye(k) + np.full((k, k), 1 / k)) / 2
        if "s" in self.init_params and self.topology == "full":
            self.startprob_ = np.full(k, 1 / k)
        if not set(self._letters) <= set(self.init_params):
            return
        self._model()  # checks what was given
        self._start_at(bundle, shares)

    def _known_shares(self, bundle: Bundle) -> NDArray | None:
        """Return how much of every row belongs to every state, (n, k), where states are known; None if none is."""
        assert bundle.states is not None
        (rows,) = np.nonzero(bundle.states >= 0)
        if not len(rows):
            return None
        shares = np.full((len(bundle.X), self._k), UNKNOWN_SHARE)
        shares[rows] = np.eye(self._k)[bundle.states[rows]]
        return shares

    def _start_names(self) -> set[str]:
        return {"startprob_", "transmat_", *self._letters.values()}
