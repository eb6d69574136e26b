"""What agents with networks share: training with a record, trials, checkpoints that resume to the same curve.

A checkpoint is a NumPy archive without pickle: weights, moments of the optimiser, generator, environments (see `environments`),
replay, parameters as JSON. A run that is resumed goes on exactly as if it had not stopped, on the same machine and device.
"""

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from novum.base.domains import Choice, Domain, Int, RandomState, Real, check
from novum.base.parameters import Parameters
from novum.exceptions import FileFormatError, ParameterError
from novum.reinforcement.deep.environments import Environments
from novum.reinforcement.deep.networks import Networks
from novum.reinforcement.learning_curves import LearningCurve
from novum.runtime.checks import check_count, is_true
from novum.runtime.devices import chosen_device, needs_torch, torch_threads
from novum.runtime.random import seed_of
from novum.runtime.writing import replace_file

__all__ = ["Agent", "drawn_actions"]

FORMAT = 1
SHARED: dict[str, Domain] = {
    "learning_rate": Real(0, open="low"),
    "discount": Real(0, 1),
    "n_envs": Int(1),
    "device": Choice("auto", "cpu", "cuda"),
    "random_state": RandomState(),
}


def drawn_actions(logits: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return an action for every row of logits, by Gumbel's maximum."""
    return np.asarray((logits + rng.gumbel(size=logits.shape)).argmax(axis=1))


class Agent(Parameters):
    """An agent that learns in Gymnasium environments with a finite number of actions."""

    _domains: ClassVar[dict[str, Domain]] = SHARED
    networks_: Networks
    rng: np.random.Generator
    learning_rate: Any
    discount: Any
    n_envs: int
    device: str
    random_state: Any

    # What an agent adds: its networks and memory, one turn of experience and learning, the values that choose an action.
    def _build(self, n_features: int, n_actions: int) -> None:
        raise NotImplementedError

    def _turn(self) -> None:
        raise NotImplementedError

    def _scores(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        raise NotImplementedError

    def _state(self) -> dict[str, Any]:
        raise NotImplementedError

    def _restore(self, state: dict[str, Any]) -> None:
        raise NotImplementedError

    @property
    def progress(self) -> float:
        """The share of the training that is done."""
        return self.n_steps_ / self.n_steps_planned_

    def _rate(self, value: float, schedule: str) -> float:
        return value * (1 - self.progress) if schedule == "linear" else value

    def _begin(self, environment: Any, n_steps: int, seed: int) -> None:
        check(self._domains, self.get_params(), type(self).__name__)
        self._environments = Environments(environment, self.n_envs, seed)
        self.n_features_, self.n_actions_ = self._environments.n_features, self._environments.n_actions
        self.rng = np.random.default_rng(np.random.SeedSequence([seed, 1]))
        self.seed_, self.n_steps_, self.n_steps_planned_ = seed, 0, n_steps
        self._record: list[tuple[int, float, int]] = []
        self._device = chosen_device(type(self).__name__, self.device)
        self._build(self.n_features_, self.n_actions_)

    def fit(
        self, environment: Any, n_steps: int = 50_000, *, checkpoint: str | os.PathLike | None = None,
        checkpoint_every: int | None = None, callback: Callable[["Agent"], Any] | None = None
    ) -> Self:  # fmt: skip
        """Learn from `n_steps` steps of an environment.

        Parameters
        ----------
        environment : str, gymnasium.Env or callable
            A name that Gymnasium knows, an environment (copied where several are needed), or a function that makes one.
        n_steps : int, default=50000
            Steps of all copies together.
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
        n = check_count(f"{type(self).__name__}.fit", "n_steps", n_steps)
        every = None if checkpoint_every is None else check_count("fit", "checkpoint_every", checkpoint_every)
        needs_torch(type(self).__name__)
        with torch_threads(1):
            self._begin(environment, n, seed_of(self.random_state))
            self._go(checkpoint, every, callback)
        return self

    def _go(self, checkpoint: Any, every: int | None, callback: Any) -> None:
        mark = self.n_steps_
        try:
            while self.n_steps_ < self.n_steps_planned_:
                self._turn()
                if checkpoint is not None and every is not None and self.n_steps_ - mark >= every:
                    self.save(str(checkpoint).replace("{step}", str(self.n_steps_)))
                    mark = self.n_steps_
                if callback is not None and is_true(callback(self)):
                    break
        finally:
            self._environments.close()
        if checkpoint is not None:
            self.save(str(checkpoint).replace("{step}", str(self.n_steps_)))

    def _advance(self, n: int) -> None:
        """Count steps, and note the episodes that ended in them."""
        self.n_steps_ += n
        self._record += [(self.n_steps_, value, length) for value, length in self._environments.take_finished()]

    @property
    def history_(self) -> LearningCurve:
        """The episodes of the training."""
        self._check_fitted()
        columns = np.array(self._record, dtype=float).reshape(-1, 3)
        return LearningCurve(columns[:, 0].astype(np.int64), columns[:, 1], columns[:, 2].astype(np.int64))

    def _check_fitted(self) -> None:
        if not hasattr(self, "networks_"):
            raise NotFittedError(f"This {type(self).__name__} has not learned yet: call fit(environment) first.")

    def predict(self, observation: Any) -> Any:
        """Return the best action for an observation of the environment, or an array of them for a batch, one a row."""
        self._check_fitted()
        rows, many = self._environments.encode_rows(observation, type(self).__name__)
        best = self._scores(rows).argmax(axis=1) + self._environments.first_action
        return best if many else int(best[0])

    def evaluate(self, environment: Any, n_episodes: int = 100, *, random_state: Any = 0) -> NDArray[np.float64]:
        """Return what episodes without exploration bring, several played side by side."""
        self._check_fitted()
        n = check_count(f"{type(self).__name__}.evaluate", "n_episodes", n_episodes)
        copies = Environments(environment, min(n, 20), seed_of(random_state))
        if (copies.n_features, copies.n_actions) != (self.n_features_, self.n_actions_):
            raise ParameterError(
                f"{type(self).__name__}.evaluate: the agent knows {self.n_features_} features and {self.n_actions_} actions, "
                f"the environment has {copies.n_features} and {copies.n_actions}."
            )
        found: dict[tuple[int, int], float] = {}
        share = [
            len(range(k, n, len(copies.copies))) for k in range(len(copies.copies))
        ]  # so that quick failures count no more
        running = np.zeros(len(copies.copies))
        while len(found) < n:
            before = list(copies.episodes)
            step = copies.step(self._scores(copies.observations).argmax(axis=1))
            running += step.rewards
            for k in np.flatnonzero(step.terminated | step.truncated):
                if before[k] < share[k]:
                    found[int(k), before[k]] = float(running[k])
                running[k] = 0.0
        copies.close()
        return np.array([found[key] for key in sorted(found)])

    def save(self, path: str | os.PathLike) -> Path:
        """Write a checkpoint: the agent and all it needs to go on."""
        self._check_fitted()
        about: dict[str, Any] = {"format": FORMAT, "class": type(self).__name__, "parameters": self.get_params()}
        about |= {"seed": self.seed_, "planned": self.n_steps_planned_, "rng": self.rng.bit_generator.state}
        if not isinstance(self.random_state, int | type(None)):
            about["parameters"]["random_state"] = None
        arrays = {f"environments.{k}": v for k, v in self._environments.state().items()}
        arrays |= {"record": np.array(self._record, dtype=float).reshape(-1, 3), "n_steps": np.array(self.n_steps_)}
        arrays |= {"shape": np.array([self.n_features_, self.n_actions_]), "about": np.array(json.dumps(about))}
        arrays |= {f"agent.{k}": v for k, v in self._state().items()}
        target = Path(path)
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        replace_file(target, buffer.getbuffer())
        return target

    @classmethod
    def load(cls, path: str | os.PathLike, environment: Any) -> Self:
        """Return the agent of a checkpoint, at the place of the environment where it was made."""
        try:
            with np.load(path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            about = json.loads(str(arrays["about"]))
            fits = about["format"] == FORMAT and about["class"] == cls.__name__
        except (ValueError, KeyError, OSError, EOFError) as error:
            if isinstance(error, FileNotFoundError):
                raise
            raise FileFormatError(f"{path}: no checkpoint of an agent: {error}") from error
        if not fits:
            raise FileFormatError(f"{path}: a checkpoint of {about.get('class')}, not of {cls.__name__}.")
        parameters = {k: tuple(v) if isinstance(v, list) else v for k, v in about["parameters"].items()}
        agent = cls(**parameters)
        agent._begin(environment, int(about["planned"]), int(about["seed"]))
        if arrays["shape"].tolist() != [agent.n_features_, agent.n_actions_]:
            raise ParameterError(f"{path}: the agent learned in another environment; shapes differ.")
        agent._environments.restore(part_of(arrays, "environments."))
        agent.rng.bit_generator.state = about["rng"]
        agent.n_steps_ = int(arrays["n_steps"])
        agent._record = [(int(a), float(b), int(c)) for a, b, c in arrays["record"]]
        agent._restore(part_of(arrays, "agent."))
        return agent

    def resume(self, *, checkpoint: Any = None, checkpoint_every: int | None = None, callback: Any = None) -> Self:
        """Go on with a training that was loaded or ended early, to the number of steps it was planned for."""
        self._check_fitted()
        with torch_threads(1):
            self._go(checkpoint, checkpoint_every, callback)
        return self


def part_of(arrays: dict[str, Any], prefix: str) -> dict[str, Any]:
    """Return the entries whose names begin so, without the beginning."""
    return {name[len(prefix) :]: value for name, value in arrays.items() if name.startswith(prefix)}
