"""A policy in play: which round it is, the arms, the generator it draws from."""

from abc import ABC, abstractmethod
from inspect import signature
from numbers import Real as Number
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from novum.base.domains import check
from novum.base.estimator import Estimator
from novum.exceptions import DataError, ParameterError
from novum.runtime.checks import check_count, check_number, vector
from novum.runtime.random import seed_of
from novum.runtime.typing import Seed

__all__ = ["Compiled", "Playing", "best_of", "drawn"]

Array = NDArray[np.float64]


class Compiled(NamedTuple):
    """What the kernel needs of a policy: its number in novum::bandits::Player, its parameters, a factor of its schedule."""

    player: int
    parameters: tuple[float, ...] = (0.0, 0.0, 0.0)
    factor: float = 1.0


def best_of(values: Array, generator: np.random.Generator) -> int:
    """Return the place of the largest value, at random among equals."""
    best = np.flatnonzero(values == values.max())
    return int(best[0] if best.size == 1 else best[generator.integers(best.size)])


def drawn(p: Array, generator: np.random.Generator) -> int:
    """Return a place drawn with probabilities p."""
    return min(int(np.searchsorted(np.cumsum(p), generator.random(), side="right")), p.size - 1)


class Playing(Estimator, ABC):
    """What all policies share: `reset` begins a game, `select` gives an arm, `update` takes what it paid.

    Policies are estimators without `fit`: a clone has the parameters and no game, a model file holds both.
    """

    n_arms: int
    n_features: int
    horizon: int | None
    generator: np.random.Generator
    round = -1  # rounds whose rewards are known; negative before reset

    @property
    def _needs_bounded(self) -> bool:
        """Whether rewards outside [0, 1] have no meaning."""
        return False

    def _check_parameters(self) -> None:
        """Raise where a parameter is outside its domain."""
        check(self._domains, self.get_params(deep=False), type(self).__name__)

    def _schedule(self, t: Array) -> Array:
        """Return what changes with the round t, counted from one: a width, a share, a rate."""
        return np.zeros_like(t)

    @abstractmethod
    def _compiled(self, n_arms: int, horizon: int | None) -> Compiled: ...

    @abstractmethod
    def _begin(self) -> None: ...

    @abstractmethod
    def _choose(self, context: Array) -> int: ...

    @abstractmethod
    def _learn(self, arm: int, reward: float, context: Array) -> None: ...

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        """Return the parameters that are not the default, numbers as floats: `simulate` labels and seeds runs by this text."""
        shown = []
        for name, parameter in signature(type(self)).parameters.items():
            value = getattr(self, name)
            plain = float(value) if isinstance(value, Number) and not isinstance(value, bool) else value
            if repr(plain) != repr(parameter.default):
                shown.append(f"{name}={plain!r}")
        return f"{type(self).__name__}({', '.join(shown)})"

    def __sklearn_is_fitted__(self) -> bool:
        return self.round >= 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        tags.requires_fit = False
        return tags

    def reset(self, n_arms: int, *, n_features: int = 1, horizon: int | None = None, random_state: Seed = None) -> Self:
        """Begin a game: forget all rewards.

        Parameters
        ----------
        n_arms : int
        n_features : int, default=1
            Length of a context.
        horizon : int, default=None
            Number of rounds, where it is known.
        random_state : int, Generator, RandomState, SeedSequence or None, default=None

        Returns
        -------
        The policy.
        """
        self._check_parameters()
        name = f"{type(self).__name__}.reset"
        self.n_arms = check_count(name, "n_arms", n_arms)
        self.n_features = check_count(name, "n_features", n_features)
        self.horizon = None if horizon is None else check_count(name, "horizon", horizon)
        self.generator = (
            random_state
            if isinstance(random_state, np.random.Generator)
            else np.random.default_rng(seed_of(random_state))
        )
        self.round = 0
        self._begin()
        return self

    def _features(self, context: Any) -> Array:
        if self.round < 0:
            raise NotFittedError(f"This {type(self).__name__} is in no game yet: call reset(n_arms) first.")
        if context is None and self.n_features == 1:
            return np.ones(1)
        if context is None:
            raise DataError(f"{type(self).__name__}: this game has contexts of {self.n_features} features; pass one.")
        return vector(type(self).__name__, "context", context, self.n_features)

    def select(self, context: Any = None) -> int:
        """Return the arm to pull in this round, of which `context` holds the features where contexts are."""
        return self._choose(self._features(context))

    def update(self, arm: int, reward: float, context: Any = None) -> None:
        """Learn what an arm has paid; it need not be the arm that `select` gave."""
        name = type(self).__name__
        x = self._features(context)
        if check_count(f"{name}.update", "arm", arm, 0) >= self.n_arms:
            raise ParameterError(f"{name}.update(arm={arm!r}): there are {self.n_arms} arms, counted from 0.")
        low, high = (0.0, 1.0) if self._needs_bounded else (-np.inf, np.inf)
        paid = float(reward) if isinstance(reward, bool | np.bool_) else reward
        number = check_number(f"{name}.update", "reward", paid, low, high)
        before = {key: value.copy() for key, value in vars(self).items() if isinstance(value, np.ndarray)}
        with np.errstate(over="ignore", invalid="ignore"):
            self._learn(int(arm), number, x)
        if not all(np.isfinite(getattr(self, key)).all() for key in before):
            vars(self).update(before)
            raise DataError(
                f"{name}.update(reward={number:g}): what is known of arm {int(arm)} would leave all bounds; divide the rewards by "
                "a constant."
            )
        self.round += 1
