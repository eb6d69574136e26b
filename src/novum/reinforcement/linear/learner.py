"""What linear prediction and control share: features, learning rates, traces, and how a policy is given."""

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import Domain, Instance, Int, Null, RandomState, Real
from novum.exceptions import DataError, ParameterError
from novum.optimize.schedule_base import Schedule
from novum.reinforcement.agents import Agent, name_of
from novum.reinforcement.deep.environments import made_environment
from novum.reinforcement.gymnasium_tables import FINITE_ACTIONS
from novum.reinforcement.linear.features import StateFeatures
from novum.reinforcement.policies import Policy
from novum.reinforcement.schedules import as_schedule
from novum.runtime.random import seed_of

__all__ = ["SHARED", "Array", "LinearLearner", "LinearTraining", "chosen_by", "number_of_actions"]

Array = NDArray[np.float64]
SHARED: dict[str, Domain] = {
    "features": Instance(StateFeatures) | Null(),
    "n_episodes": Int(1),
    "max_steps": Int(1),
    "learning_rate": Real(0, open="low") | Instance(Schedule),
    "discount": Real(0, 1),
    "trace_decay": Real(0, 1),
    "random_state": RandomState(),
}


class LinearTraining:
    """A training on its training: weights, traces, the mean squared length of the features seen."""

    def __init__(self, learner: Any, world: Any, n_rows: int) -> None:
        self.features = copy(StateFeatures() if learner.features is None else learner.features)
        self.features.prepare(world.observation_space)
        self.environment = name_of(world)
        self.coef = np.zeros((n_rows, self.features.n_features))
        self.seed = seed_of(learner.random_state)
        self.rng = np.random.default_rng([self.seed, 1])
        self.rates = as_schedule(learner.learning_rate).values(learner.n_episodes)
        self.fade = learner.discount * learner.trace_decay if learner.trace_decay > 0 else None
        self.square, self.seen = 0.0, 0

    def active(self, state: Any) -> Any:
        """Return the features of a state, and count their length."""
        where, values = self.features.active(state)
        self.square += float(values @ values)
        self.seen += 1
        return where, values

    def begin_episode(self) -> None:
        """Forget the traces."""
        if self.fade is not None:
            self.trace = np.zeros_like(self.coef)

    def move(self, row: int, active: Any, delta: float, episode: int) -> None:
        """Take step (2) or (3) of `semi_gradient`; a trace is only kept where lambda is positive."""
        where, values = active
        rate = self.rates[episode] / (self.square / self.seen)
        if self.fade is None:
            self.coef[row][where] += rate * delta * values
        else:
            self.trace *= self.fade
            self.trace[row][where] += values
            self.coef += rate * delta * self.trace


class LinearLearner(Agent):
    """Base of learners with values that are linear in features."""

    _domains: dict[str, Domain] = SHARED
    learning_rate: float | Schedule
    coef_: Array
    features_: StateFeatures
    environment_: str

    def _begin(self, environment: Any, rows: Callable[[Any], int]) -> tuple[Any, LinearTraining]:
        world = made_environment(environment)
        return world, LinearTraining(self, world, rows(world))

    def _unbounded(self) -> DataError:
        return DataError(
            f"{type(self).__name__}(learning_rate={self.learning_rate}): the weights left all bounds; choose a smaller one."
        )

    def _check_finite(self, training: LinearTraining) -> None:
        if not np.isfinite(training.coef).all():
            raise self._unbounded()

    def _keep(self, training: LinearTraining) -> None:
        """Store what was learned."""
        self.coef_, self.features_, self.environment_ = training.coef, training.features, training.environment


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
