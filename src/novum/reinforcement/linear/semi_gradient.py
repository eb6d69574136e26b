r"""Temporal differences with linear values: the gradient that treats its own target as given.

    v(s) = w'phi(s),   delta = r + gamma v(s') - v(s)                                       v(s') = 0 at the end                (1)
    z <- gamma lambda z + phi(s),   w <- w + alpha delta z                                  prediction, TD(lambda)              (2)
    q(s, a) = w_a'phi(s),   delta = r + gamma q(s', a') - q(s, a),  the same step in w_a    control, SARSA(lambda)              (3)

alpha is `step` over the mean squared length of phi, so that a step of one would remove the error of a state alone. With lambda
= 0, a
fixed policy and falling steps w comes to rest where E phi(s) (phi(s) - gamma phi(s'))' w = E phi(s) r                           (4)
"""

from collections.abc import Callable
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from novum.base.domains import Domain, Instance, Int, RandomState, Real, check
from novum.base.parameters import Parameters, stores
from novum.exceptions import DataError, ParameterError
from novum.reinforcement.deep.environments import episode_seed, made_environment
from novum.reinforcement.gymnasium_tables import FINITE_ACTIONS
from novum.reinforcement.learning_curves import LearningCurve
from novum.reinforcement.linear.features import StateFeatures
from novum.reinforcement.policies import Policy
from novum.runtime.checks import check_count
from novum.runtime.random import seed_of

__all__ = ["SemiGradientSARSA", "SemiGradientTD"]

Array = NDArray[np.float64]
SHARED: dict[str, Domain] = {
    "features": Instance(StateFeatures),
    "step": Real(0, open="low"),
    "step_decay": Real(0),
    "discount": Real(0, 1),
    "trace_decay": Real(0, 1),
    "max_length": Int(1),
    "random_state": RandomState(),
}


class LinearLearner(Parameters):
    """What prediction and control share: features, steps, episodes."""

    _domains: ClassVar[dict[str, Domain]] = SHARED
    features: StateFeatures
    step: float
    step_decay: float
    discount: float
    trace_decay: float
    max_length: int
    random_state: Any

    def _open(self, environment: Any, n_episodes: Any, rows: Callable[[Any], int]) -> tuple[Any, int]:
        name = type(self).__name__
        check(self._domains, {key: getattr(self, key) for key in self._domains}, name)
        n = check_count(f"{name}.fit", "n_episodes", n_episodes)
        world = made_environment(environment)
        self.features_ = copy(self.features).prepare(world.observation_space)
        self.coef_ = np.zeros((rows(world), self.features_.n_features))
        self.seed_ = seed_of(self.random_state)
        self.rng = np.random.default_rng([self.seed_, 1])
        self._square, self._seen = 0.0, 0
        return world, n

    def _active(self, state: Any) -> Any:
        where, values = self.features_.active(state)
        self._square += float(values @ values)
        self._seen += 1
        return where, values

    def _rate(self, episode: int) -> float:
        """Return alpha."""
        return self.step / (1 + episode) ** self.step_decay / (self._square / self._seen)

    def _move(self, row: int, active: Any, delta: float, rate: float) -> None:
        """Take step (2) or (3); the trace is only kept where lambda is positive."""
        where, values = active
        if self.trace_decay == 0:
            self.coef_[row][where] += rate * delta * values
        else:
            self._trace *= self.discount * self.trace_decay
            self._trace[row][where] += values
            self.coef_ += rate * delta * self._trace

    def _begin_episode(self) -> None:
        if self.trace_decay > 0:
            self._trace = np.zeros_like(self.coef_)

    def _unbounded(self) -> DataError:
        return DataError(
            f"{type(self).__name__}(step={self.step:g}): the weights left all bounds; choose a smaller step."
        )

    def _check_finite(self) -> None:
        if not np.isfinite(self.coef_).all():
            raise self._unbounded()

    def _check_fitted(self) -> None:
        if not hasattr(self, "coef_"):
            raise NotFittedError(f"This {type(self).__name__} has not learned yet: call fit first.")


class SemiGradientTD(LinearLearner):
    """The value of a policy as a linear function of features, by TD(lambda).

    Parameters
    ----------
    features : StateFeatures
        Left as they are: a copy learns the bounds of the environment.
    step : float, default=0.1
        Size of a step, relative to the length of the features.
    step_decay : float, default=0.0
        The step of episode k is step (1 + k)^-step_decay; above one half and up to one it satisfies Robbins and Monro.
    discount : float, default=0.99
    trace_decay : float, default=0.0
        lambda of (2).
    max_length : int, default=10000
        Steps after which an episode is cut.
    random_state : int, Generator, RandomState, SeedSequence or None, default=None

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        w.
    features_ : StateFeatures
        Those of the environment.

    Examples
    --------
    >>> from novum.reinforcement import MDP, SemiGradientTD, StateFeatures
    >>> walk = MDP([[[0, 1, 0], [0, 0, 1], [0, 0, 1]]], [0, 1, 0], discount=1.0, terminal=[2])  # doctest: +SKIP
    """

    @stores
    def __init__(
        self, features: StateFeatures, *, step: float = 0.1, step_decay: float = 0.0, discount: float = 0.99,
        trace_decay: float = 0.0, max_length: int = 10_000, random_state: Any = None
    ) -> None: ...  # fmt: skip

    @np.errstate(over="ignore", invalid="ignore")  # weights that leave all bounds are refused in words
    def fit(self, environment: Any, policy: Any = "random", n_episodes: int = 500) -> Self:
        """Learn the value of a policy from episodes.

        Parameters
        ----------
        environment : str, gymnasium.Env or callable
            A name that Gymnasium knows, an environment, or a function that makes one.
        policy : "random", Policy or callable, default="random"
            A callable gets an observation and gives an action.
        n_episodes : int, default=500
        """
        world, n = self._open(environment, n_episodes, lambda world: 1)
        choose = chosen_by(policy, world, self.rng)
        for episode in range(n):
            self._begin_episode()
            seen, _ = world.reset(seed=episode_seed(self.seed_, 0, episode))
            active = self._active(seen)
            for _ in range(self.max_length):
                seen, reward, ended, cut, _ = world.step(choose(seen))
                after = self._active(seen)
                later = 0.0 if ended else self.discount * float(self.coef_[0][after[0]] @ after[1])
                delta = float(reward) + later - float(self.coef_[0][active[0]] @ active[1])
                self._move(0, active, delta, self._rate(episode))
                active = after
                if ended or cut:
                    break
            self._check_finite()
        world.close()
        return self

    def predict(self, states: Any) -> Array:
        """Return the values of states, one a row (numbers of states for a finite space)."""
        self._check_fitted()
        found = [self.features_.active(state) for state in states]
        return np.array([float(self.coef_[0][where] @ values) for where, values in found])


class SemiGradientSARSA(LinearLearner):
    """Control with action values that are linear in features, by SARSA(lambda).

    Parameters
    ----------
    features : StateFeatures
        Left as they are: a copy learns the bounds of the environment.
    step : float, default=0.5
        Size of a step, relative to the length of the features.
    step_decay : float, default=0.0
        The step of episode k is step (1 + k)^-step_decay.
    discount : float, default=1.0
    trace_decay : float, default=0.0
        lambda.
    epsilon : float, default=0.0
        Chance of a random action. Values that begin at zero are optimistic where rewards are negative, and then none is needed.
    max_length : int, default=10000
        Steps after which an episode is cut.
    random_state : int, Generator, RandomState, SeedSequence or None, default=None

    Attributes
    ----------
    coef_ : ndarray of shape (n_actions, n_features)
    features_ : StateFeatures
        Those of the environment.
    history_ : LearningCurve

    Examples
    --------
    >>> from novum.reinforcement import SemiGradientSARSA, StateFeatures
    >>> agent = SemiGradientSARSA(StateFeatures("tiles"), random_state=0).fit("MountainCar-v0", 60)
    >>> bool(agent.history_.returns[:5].mean() < agent.history_.returns[-5:].mean())
    True
    """

    _domains: ClassVar[dict[str, Domain]] = {**SHARED, "epsilon": Real(0, 1)}
    epsilon: float

    @stores
    def __init__(
        self, features: StateFeatures, *, step: float = 0.5, step_decay: float = 0.0, discount: float = 1.0,
        trace_decay: float = 0.0, epsilon: float = 0.0, max_length: int = 10_000, random_state: Any = None
    ) -> None: ...  # fmt: skip

    def _choose(self, values: Array) -> int:
        if not np.isfinite(values).all():
            raise self._unbounded()
        if self.epsilon > 0 and self.rng.random() < self.epsilon:
            return int(self.rng.integers(values.size))
        best = np.flatnonzero(values == values.max())
        return int(best[0] if best.size == 1 else self.rng.choice(best))

    @np.errstate(over="ignore", invalid="ignore")
    def fit(self, environment: Any, n_episodes: int = 500) -> Self:
        """Learn from episodes of an environment with a finite number of actions."""
        world, n = self._open(environment, n_episodes, number_of_actions)
        self._first = int(getattr(world.action_space, "start", 0))
        record, steps = [], 0
        for episode in range(n):
            self._begin_episode()
            seen, _ = world.reset(seed=episode_seed(self.seed_, 0, episode))
            active = self._active(seen)
            values = self.coef_[:, active[0]] @ active[1]
            action, total = self._choose(values), 0.0
            for length in range(1, self.max_length + 1):
                seen, reward, ended, cut, _ = world.step(action + self._first)
                total += float(reward)
                after = self._active(seen)
                later = self.coef_[:, after[0]] @ after[1]
                next_action = self._choose(later)
                target = float(reward) + (0.0 if ended else self.discount * float(later[next_action]))
                self._move(action, active, target - float(values[action]), self._rate(episode))
                if ended or cut or length == self.max_length:
                    break
                active, action = after, next_action
                values = self.coef_[:, active[0]] @ active[1]
            steps += length
            record.append((steps, total, length))
            self._check_finite()
        world.close()
        columns = np.array(record)
        self.history_ = LearningCurve(columns[:, 0].astype(np.int64), columns[:, 1], columns[:, 2].astype(np.int64))
        return self

    def values(self, observation: Any) -> Array:
        """Return q(s, a) of every action."""
        self._check_fitted()
        where, phi = self.features_.active(observation)
        return np.asarray(self.coef_[:, where] @ phi)

    def predict(self, observation: Any) -> Any:
        """Return the best action for an observation, or an array of them for a batch, one observation a row."""
        self._check_fitted()
        single = 0 if self.features_.kind == "one-hot" else 1
        if np.ndim(observation) == single + 1:
            return np.array([self.predict(one) for one in observation], dtype=np.int64)
        return int(self.values(observation).argmax()) + self._first


def number_of_actions(world: Any) -> int:
    """Return how many actions an environment has; those that have no number are refused."""
    if not hasattr(world.action_space, "n"):
        raise ParameterError(
            f"SemiGradientSARSA: actions must be finite in number (a Discrete space), not {world.action_space}. {FINITE_ACTIONS}"
        )
    return int(world.action_space.n)


def chosen_by(policy: Any, world: Any, rng: np.random.Generator) -> Callable[[Any], Any]:
    """Return the function from an observation to an action that a policy stands for."""
    if isinstance(policy, Policy):
        table = np.cumsum(policy.probabilities, axis=1)
        return lambda seen: min(int(np.searchsorted(table[int(seen)], rng.random(), side="right")), table.shape[1] - 1)
    if callable(policy):
        return policy
    if policy == "random":
        start, n = int(getattr(world.action_space, "start", 0)), int(world.action_space.n)
        return lambda seen: start + int(rng.integers(n))
    raise DataError(f"SemiGradientTD.fit(policy={policy!r}): give 'random', a Policy, or a function of an observation.")
