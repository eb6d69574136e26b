r"""Temporal differences with linear values: the gradient that treats its own target as given.

    v(s) = w'phi(s),   delta = r + gamma v(s') - v(s)                                       v(s') = 0 at the end                (1)
    z <- gamma lambda z + phi(s),   w <- w + alpha delta z                                  prediction, TD(lambda)              (2)
    q(s, a) = w_a'phi(s),   delta = r + gamma q(s', a') - q(s, a),  the same step in w_a    control, SARSA(lambda)              (3)

alpha is the learning rate over the mean squared length of phi, so that a rate of one would remove the error of a state alone.
With lambda = 0, a fixed policy and falling rates w comes to rest where
    E phi(s) (phi(s) - gamma phi(s'))' w = E phi(s) r                                                                          (4)
"""

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from novum.base.domains import Domain, Instance, Real
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.optimize.schedule_base import Schedule
from novum.reinforcement.deep.environments import episode_seed
from novum.reinforcement.learning_curves import LearningCurve, plot_learning_curves
from novum.reinforcement.linear.features import StateFeatures
from novum.reinforcement.linear.learner import (
    SHARED,
    Array,
    LinearLearner,
    LinearTraining,
    chosen_by,
    number_of_actions,
)
from novum.reinforcement.mdp import MDP
from novum.reinforcement.policies import Policy
from novum.reinforcement.schedules import as_schedule
from novum.runtime.typing import Axes, Environment, Seed

__all__ = ["SemiGradientSARSA", "SemiGradientTD"]


class SemiGradientTD(LinearLearner):
    """The value of a policy as a linear function of features, by TD(lambda).

    Parameters
    ----------
    features : StateFeatures or None, default=None
        Left as they are: a copy learns the bounds of the environment. None: tiles, `StateFeatures()`.
    n_episodes : int, default=500
        Episodes of the training.
    max_steps : int, default=10000
        Steps after which an episode is cut; what would follow is still counted on.
    learning_rate : float or Schedule, default=0.1
        By episodes, relative to the length of the features.
    discount : float, default=0.99
        What a reward is worth a step later.
    trace_decay : float, default=0.0
        lambda of (2).
    random_state : int, Generator, RandomState, SeedSequence or None, default=None

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        w.
    features_ : StateFeatures
        Those of the environment.
    total_steps_ : int
        Steps that were learned from.
    environment_ : str
        Where it learned.

    Examples
    --------
    >>> from novum.optimize import Schedule
    >>> from novum.reinforcement import SemiGradientTD, StateFeatures
    >>> from novum.teaching.reinforcement.worlds import random_walk
    >>> line = StateFeatures("linear", low=[0], high=[6])
    >>> rate = Schedule("power", 0.2, 0.5)
    >>> values = SemiGradientTD(line, n_episodes=3000, learning_rate=rate, discount=1.0, random_state=0)
    >>> values.fit(random_walk()).predict([1, 3, 5]).round(1).tolist()
    [0.2, 0.5, 0.8]
    """

    _tags = ("model-free", "on-policy", "online", "approximate", "prediction")
    total_steps_: int

    def __init__(
        self,
        features: StateFeatures | None = None,
        *,
        n_episodes: int = 500,
        max_steps: int = 10_000,
        learning_rate: float | Schedule = 0.1,
        discount: float = 0.99,
        trace_decay: float = 0.0,
        random_state: Seed = None,
    ) -> None:
        self.features = features
        self.n_episodes = n_episodes
        self.max_steps = max_steps
        self.learning_rate = learning_rate
        self.discount = discount
        self.trace_decay = trace_decay
        self.random_state = random_state

    @fits
    def fit(
        self,
        environment: MDP | Environment | str | Callable[[], Any],
        *,
        policy: str | Policy | Callable[..., Any] = "random",
    ) -> Self:
        """Learn the value of a policy from episodes.

        Parameters
        ----------
        environment : str, gymnasium.Env or callable
            A name that Gymnasium knows, an environment, or a function that makes one.
        policy : "random", Policy or callable, default="random"
            A callable gets an observation and gives an action.
        """
        world, training = self._begin(environment, lambda world: 1)
        choose, weights, steps = chosen_by(policy, world, training.rng), training.coef[0], 0
        for episode in range(self.n_episodes):
            training.begin_episode()
            seen, _ = world.reset(seed=episode_seed(training.seed, 0, episode))
            active = training.active(seen)
            for _ in range(self.max_steps):
                seen, reward, ended, cut, _ = world.step(choose(seen))
                after = training.active(seen)
                later = 0.0 if ended else self.discount * float(weights[after[0]] @ after[1])
                delta = float(reward) + later - float(weights[active[0]] @ active[1])
                training.move(0, active, delta, episode)
                active = after
                steps += 1
                if ended or cut:
                    break
            self._check_finite(training)
        world.close()
        self._keep(training)
        self.total_steps_ = steps
        return self

    def predict(self, states: Any) -> Array:
        """Return the values of states, one a row (numbers of states for a finite space)."""
        check_is_fitted(self)
        found = [self.features_.active(state) for state in states]
        return np.array([float(self.coef_[0][where] @ values) for where, values in found])

    def act(self, observation: Any) -> Any:
        """Values of states choose no action."""
        raise AttributeError("SemiGradientTD learns values, not what to do; use SemiGradientSARSA.")

    def evaluate(self, environment: MDP | Environment | str | Callable[[], Any], *args: Any, **options: Any) -> Any:
        """Values of states play no episodes."""
        return self.act(environment)

    def plot(self, ax: Axes | None = None, *, window: int | None = None) -> Axes:
        """Values of states have no learning curve."""
        raise AttributeError("SemiGradientTD keeps no learning curve: draw what predict(states) returns.")


class SemiGradientSARSA(LinearLearner):
    """Control with action values that are linear in features, by SARSA(lambda).

    Parameters
    ----------
    features : StateFeatures or None, default=None
        Left as they are: a copy learns the bounds of the environment. None: tiles, `StateFeatures()`.
    n_episodes : int, default=500
        Episodes of the training.
    max_steps : int, default=10000
        Steps after which an episode is cut; what would follow is still counted on.
    learning_rate : float or Schedule, default=0.5
        By episodes, relative to the length of the features.
    discount : float, default=1.0
        What a reward is worth a step later.
    trace_decay : float, default=0.0
        lambda.
    exploration : float or Schedule, default=0.0
        The share of random actions by episode (epsilon). Values that begin at zero are optimistic where rewards are
        negative, and then none is needed.
    random_state : int, Generator, RandomState, SeedSequence or None, default=None

    Attributes
    ----------
    coef_ : ndarray of shape (n_actions, n_features)
        w of every action.
    features_ : StateFeatures
        Those of the environment.
    history_ : LearningCurve
        The episodes of the training.
    total_steps_ : int
        Steps that were learned from.
    environment_ : str
        Where it learned.

    Examples
    --------
    >>> from novum.reinforcement import SemiGradientSARSA, StateFeatures
    >>> agent = SemiGradientSARSA(StateFeatures("tiles"), n_episodes=60, random_state=0).fit("MountainCar-v0")
    >>> bool(agent.history_.returns[:5].mean() < agent.history_.returns[-5:].mean())
    True
    """

    _domains: dict[str, Domain] = {**SHARED, "exploration": Real(0, 1) | Instance(Schedule)}
    _tags = ("model-free", "on-policy", "online", "approximate", "control")
    history_: LearningCurve
    total_steps_: int

    def __init__(
        self,
        features: StateFeatures | None = None,
        *,
        n_episodes: int = 500,
        max_steps: int = 10_000,
        learning_rate: float | Schedule = 0.5,
        discount: float = 1.0,
        trace_decay: float = 0.0,
        exploration: float | Schedule = 0.0,
        random_state: Seed = None,
    ) -> None:
        self.features = features
        self.n_episodes = n_episodes
        self.max_steps = max_steps
        self.learning_rate = learning_rate
        self.discount = discount
        self.trace_decay = trace_decay
        self.exploration = exploration
        self.random_state = random_state

    def _choose(self, training: LinearTraining, values: Array, exploration: float) -> int:
        if not np.isfinite(values).all():
            raise self._unbounded()
        if exploration > 0 and training.rng.random() < exploration:
            return int(training.rng.integers(values.size))
        best = np.flatnonzero(values == values.max())
        return int(best[0] if best.size == 1 else training.rng.choice(best))

    @fits
    def fit(self, environment: MDP | Environment | str | Callable[[], Any]) -> Self:
        """Learn from episodes of an environment with a finite number of actions.

        Parameters
        ----------
        environment : str, gymnasium.Env or callable
            A name that Gymnasium knows, an environment, or a function that makes one.
        """
        world, training = self._begin(environment, number_of_actions)
        first, coef = int(getattr(world.action_space, "start", 0)), training.coef
        record, steps = [], 0
        for episode, exploration in enumerate(as_schedule(self.exploration).values(self.n_episodes)):
            training.begin_episode()
            seen, _ = world.reset(seed=episode_seed(training.seed, 0, episode))
            active = training.active(seen)
            values = coef[:, active[0]] @ active[1]
            action, total = self._choose(training, values, exploration), 0.0
            for length in range(1, self.max_steps + 1):
                seen, reward, ended, cut, _ = world.step(action + first)
                total += float(reward)
                after = training.active(seen)
                later = coef[:, after[0]] @ after[1]
                next_action = self._choose(training, later, exploration)
                target = float(reward) + (0.0 if ended else self.discount * float(later[next_action]))
                training.move(action, active, target - float(values[action]), episode)
                if ended or cut or length == self.max_steps:
                    break
                active, action = after, next_action
                values = coef[:, active[0]] @ active[1]
            steps += length
            record.append((steps, total, length))
            self._check_finite(training)
        world.close()
        self._keep(training)
        self._first, self.total_steps_ = first, steps
        columns = np.array(record)
        self.history_ = LearningCurve(columns[:, 0].astype(np.int64), columns[:, 1], columns[:, 2].astype(np.int64))
        return self

    def values(self, observation: Any) -> Array:
        """Return q(s, a) of every action."""
        check_is_fitted(self)
        where, phi = self.features_.active(observation)
        return np.asarray(self.coef_[:, where] @ phi)

    def predict(self, observation: Any) -> Any:
        """Return the best action for an observation, or an array of them for a batch, one observation a row."""
        check_is_fitted(self)
        single = 0 if self.features_.kind == "one-hot" else 1
        if np.ndim(observation) == single + 1:
            return np.array([self.predict(one) for one in observation], dtype=np.int64)
        return int(self.values(observation).argmax()) + self._first

    def act(self, observation: Any) -> Any:
        """Return the best action for an observation, as `predict`."""
        return self.predict(observation)

    def plot(self, ax: Axes | None = None, *, window: int | None = None) -> Axes:
        """Draw the learning curve: the mean return of the last episodes, 20 of them unless `window` says otherwise."""
        check_is_fitted(self)
        return plot_learning_curves({type(self).__name__: [self.history_]}, ax, window=window or 20)
