"""What agents with networks share: training with a record, trials, checkpoints that resume to the same curve.

A fitted agent holds the arrays of the networks that act and the description of what they see, so that `novum.save` writes it
and it acts by NumPy alone. What only a training needs (PyTorch's networks, the optimizer, the environments, the generator)
is a `Training`, which belongs to the agent in this process and is in no model file; a checkpoint holds it
(`deep.checkpoints`).
"""

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import Choice, Domain, Instance, Int, RandomState, Real
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError, ParameterError
from novum.optimize.schedule_base import Schedule
from novum.reinforcement.agents import Agent, name_of
from novum.reinforcement.deep.environments import Environments
from novum.reinforcement.deep.networks import Networks, dense_outputs
from novum.reinforcement.deep.observations import encoded_rows
from novum.reinforcement.episodes import Returns, mean_of
from novum.reinforcement.learning_curves import LearningCurve
from novum.reinforcement.schedules import as_schedule
from novum.report.axes import drawing_axes
from novum.runtime.checks import check_count, check_level, is_true
from novum.runtime.devices import chosen_device, needs_torch, torch_threads
from novum.runtime.random import seed_of

__all__ = ["RATE", "SHARED", "NetworkAgent", "Training", "drawn_actions"]

RATE = Real(0, open="low") | Instance(Schedule)
SHARED: dict[str, Domain] = {
    "total_steps": Int(1),
    "max_steps": Int(1),
    "learning_rate": RATE,
    "discount": Real(0, 1),
    "n_envs": Int(1),
    "device": Choice("auto", "cpu", "cuda"),
    "random_state": RandomState(),
}
TOGETHER = 20  # environments that an evaluation plays side by side


class Training(SimpleNamespace):
    """What a training needs beyond what was learned; an agent adds its optimizer and memory."""

    environments: Environments
    networks: Networks
    rng: np.random.Generator
    device: Any
    record: list[tuple[int, float, int]]
    runs: bool


trainings: WeakKeyDictionary[Any, Training] = WeakKeyDictionary()


def drawn_actions(logits: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return an action for every row of logits, by Gumbel's maximum."""
    return np.asarray((logits + rng.gumbel(size=logits.shape)).argmax(axis=1))


class NetworkAgent(Agent):
    """An agent that learns in Gymnasium environments with a finite number of actions."""

    _domains: dict[str, Domain] = SHARED
    _needs_torch = True
    _fits_need_single_blas = False
    _activation = "tanh"
    total_steps: int
    max_steps: int
    n_envs: int
    device: str
    random_state: Any
    weights_: dict[str, NDArray[np.float32]]
    observation_: dict[str, Any]
    n_features_: int
    n_actions_: int
    first_action_: int
    seed_: int
    total_steps_: int
    environment_: str

    # What an agent adds: its networks and memory, one turn of experience and learning.
    def _build(self, training: Training) -> None:
        raise NotImplementedError

    def _turn(self, training: Training) -> None:
        raise NotImplementedError

    def _state(self, training: Training) -> dict[str, Any]:
        raise NotImplementedError

    def _restore(self, training: Training, state: dict[str, Any]) -> None:
        raise NotImplementedError

    def _acting(self, training: Training) -> Networks:
        """Return the networks whose first one chooses actions."""
        return training.networks

    @property
    def progress(self) -> float:
        """The share of the training that is done."""
        return self.total_steps_ / self.total_steps

    def _scheduled(self, value: Any) -> float:
        """Return a number, or a schedule at this place of the training; a linear one is at its end when all steps are done."""
        return float(as_schedule(value).at(self.total_steps_ + 1.0, self.total_steps + 1))

    def _begin(self, environment: Any, seed: int) -> Training:
        """Return a new training, and note what the environment looks like."""
        environments = Environments(environment, self.n_envs, seed, self.max_steps)
        self.observation_, self.first_action_ = environments.observation, environments.first_action
        self.n_features_, self.n_actions_ = environments.n_features, environments.n_actions
        self.seed_, self.total_steps_, self.environment_ = seed, 0, name_of(environments.copies[0])
        training = Training(
            environments=environments,
            rng=np.random.default_rng(np.random.SeedSequence([seed, 1])),
            device=chosen_device(type(self).__name__, self.device),
            record=[],
            runs=True,
        )
        self._build(training)
        return training

    @fits
    def fit(
        self,
        environment: Any,
        *,
        checkpoint: str | os.PathLike | None = None,
        checkpoint_every: int | None = None,
        callback: Callable[[Any], Any] | None = None,
    ) -> Self:
        """Learn from `total_steps` steps of an environment.

        Parameters
        ----------
        environment : str, gymnasium.Env or callable
            A name that Gymnasium knows, an environment (copied where several are needed), or a function that makes one.
        checkpoint : path, default=None
            Where the state of the training is written; "{step}" in it becomes the number of steps.
        checkpoint_every : int, default=None
            Steps between checkpoints; None: at the end only.
        callback : callable, default=None
            Called with the agent after every turn; the training ends where it returns True.

        Returns
        -------
        The agent, with `history_`.
        """
        every = None if checkpoint_every is None else check_count("fit", "checkpoint_every", checkpoint_every)
        needs_torch(type(self).__name__)
        before = trainings.get(self)
        try:
            with torch_threads(1):
                trainings[self] = training = self._begin(environment, seed_of(self.random_state))
                self._train(training, checkpoint, every, callback)
        except BaseException:  # what was learned before stays, and can be resumed
            trainings.pop(self, None)
            if before is not None:
                trainings[self] = before
            raise
        return self

    def _train(self, training: Training, checkpoint: Any, every: int | None, callback: Any) -> None:
        mark, training.runs = self.total_steps_, True
        try:
            while self.total_steps_ < self.total_steps:
                self._turn(training)
                if checkpoint is not None and every is not None and self.total_steps_ - mark >= every:
                    self.save_checkpoint(str(checkpoint).replace("{step}", str(self.total_steps_)))
                    mark = self.total_steps_
                if callback is not None and is_true(callback(self)):
                    break
        finally:
            training.environments.close()
        self._keep(training)
        if checkpoint is not None:
            self.save_checkpoint(str(checkpoint).replace("{step}", str(self.total_steps_)))

    def _keep(self, training: Training) -> None:
        """Store what was learned."""
        self.weights_, training.runs = self._acting(training).weights(), False
        self._record = np.array(training.record, dtype=float).reshape(-1, 3)

    def _advance(self, training: Training, n: int) -> None:
        """Count steps, and note the episodes that ended in them."""
        self.total_steps_ += n
        finished = training.environments.take_finished()
        training.record += [(self.total_steps_, value, length) for value, length in finished]

    @property
    def history_(self) -> LearningCurve:
        """The episodes of the training."""
        training = trainings.get(self)
        if training is None or not training.runs:
            check_is_fitted(self)
            columns = self._record
        else:
            columns = np.array(training.record, dtype=float).reshape(-1, 3)
        return LearningCurve(columns[:, 0].astype(np.int64), columns[:, 1], columns[:, 2].astype(np.int64))

    def _outputs(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return what the networks that act make of rows, (count, rows, outputs)."""
        training = trainings.get(self)
        if training is not None and training.runs:
            return self._acting(training).outputs(observations)
        check_is_fitted(self)
        return dense_outputs(list(self.weights_.values()), self._activation, observations)

    def _scores(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the numbers whose largest is the action, (rows, n_actions)."""
        return np.asarray(self._outputs(observations)[0])

    def predict(self, observation: Any) -> Any:
        """Return the best action for an observation of the environment, or an array of them for a batch, one a row."""
        check_is_fitted(self)
        rows, many = encoded_rows(self.observation_, observation, type(self).__name__)
        best = self._scores(rows).argmax(axis=1) + self.first_action_
        return best if many else int(best[0])

    def act(self, observation: Any) -> Any:
        """Return the best action for an observation, as `predict`."""
        return self.predict(observation)

    def evaluate(
        self,
        environment: Any,
        n_episodes: int = 100,
        *,
        max_steps: int | None = None,
        level: float = 0.95,
        random_state: Any = 0,
    ) -> Returns:
        """Return the rewards of new episodes without exploration, added up, with their mean and its interval.

        Several episodes are played side by side; `max_steps=None` cuts them where the training does.
        """
        check_is_fitted(self)
        owner = f"{type(self).__name__}.evaluate"
        n = check_count(owner, "n_episodes", n_episodes)
        most = self.max_steps if max_steps is None else check_count(owner, "max_steps", max_steps)
        check_level(owner, level)
        copies = Environments(environment, min(n, TOGETHER), seed_of(random_state), most)
        if (copies.n_features, copies.n_actions) != (self.n_features_, self.n_actions_):
            raise ParameterError(
                f"{owner}: the agent knows {self.n_features_} features and {self.n_actions_} actions, "
                f"the environment has {copies.n_features} and {copies.n_actions}."
            )
        count = len(copies.copies)
        share = [len(range(k, n, count)) for k in range(count)]  # so that quick failures count no more
        found: dict[tuple[int, int], tuple[float, int]] = {}
        running, lengths = np.zeros(count), np.zeros(count, np.int32)
        while len(found) < n:
            before = list(copies.episodes)
            step = copies.step(self._scores(copies.observations).argmax(axis=1))
            running += step.rewards
            lengths += 1
            for k in np.flatnonzero(step.terminated | step.truncated):
                if before[k] < share[k]:
                    found[int(k), before[k]] = float(running[k]), int(lengths[k])
                running[k], lengths[k] = 0.0, 0
        copies.close()
        totals = np.array([found[key][0] for key in sorted(found)])
        return mean_of(totals.copy(), totals, np.array([found[key][1] for key in sorted(found)], np.int32), level)

    def plot(self, ax: Any = None, *, window: int | None = None) -> Any:
        """Draw the learning curve: the mean return of the last episodes, 20 of them unless `window` says otherwise."""
        from novum.reinforcement.learning_curves import plot_learning_curves

        return plot_learning_curves({type(self).__name__: [self.history_]}, drawing_axes(ax), window=window or 20)

    def save_checkpoint(self, path: str | os.PathLike) -> Path:
        """Write a checkpoint: the agent and all that its training needs to go on. To keep what it learned: `novum.save`."""
        from novum.reinforcement.deep.checkpoints import write_checkpoint

        return write_checkpoint(self, self._open_training("save_checkpoint"), path)

    @classmethod
    def from_checkpoint(cls, path: str | os.PathLike, environment: Any) -> Self:
        """Return the agent of a checkpoint, at the place of the environment where it was made."""
        from novum.reinforcement.deep.checkpoints import read_checkpoint

        agent = cls()
        trainings[agent] = training = read_checkpoint(agent, path, environment)
        agent._keep(training)
        return agent

    @fits
    def resume(self, *, checkpoint: Any = None, checkpoint_every: int | None = None, callback: Any = None) -> Self:
        """Go on with a training that was loaded or ended early, until `total_steps` are done."""
        training = self._open_training("resume")
        with torch_threads(1):
            self._train(training, checkpoint, checkpoint_every, callback)
        return self

    def _open_training(self, method: str) -> Training:
        if self not in trainings:
            check_is_fitted(self)
            raise DataError(
                f"{type(self).__name__}.{method}: a model file holds what was learned, not the training; it goes on from a "
                f"checkpoint, {type(self).__name__}.from_checkpoint(path, environment)."
            )
        return trainings[self]
