"""Several copies of a Gymnasium environment, stepped together, whose place can be written down and found again.

Every episode begins with `reset(seed=...)`, the seed a function of (seed, copy, episode). What an environment is in the middle
of an episode then follows from that seed and the actions since: a checkpoint holds those, and `restore` plays them again.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError, ParameterTypeError
from novum.reinforcement.deep.observations import described_space, encoder_of
from novum.reinforcement.environment import needs_gymnasium
from novum.reinforcement.gymnasium_tables import FINITE_ACTIONS, copied_environment, made_of_class, refuse_vectors

__all__ = ["Environments", "Step", "episode_seed", "made_environment"]


class Step(NamedTuple):
    """What a step of all copies gave; `final` are the observations before those that ended began anew."""

    observations: NDArray[np.float32]
    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    final: NDArray[np.float32]


def episode_seed(seed: int, copy: int, episode: int) -> int:
    """Return the seed of an episode of a copy."""
    return int(np.random.SeedSequence([seed, copy, episode]).generate_state(1)[0])


def made_environment(environment: Any) -> Any:
    """Return a new environment: from a name, a function that makes one, or a copy of one."""
    gymnasium = needs_gymnasium()
    if isinstance(environment, type):
        return made_of_class(environment)
    if isinstance(environment, str):
        try:
            return gymnasium.make(environment, disable_env_checker=True)
        except gymnasium.error.Error as error:
            raise ParameterError(f"environment={environment!r}: Gymnasium cannot make it: {error}") from error
    if hasattr(environment, "step") and hasattr(environment, "reset"):
        refuse_vectors(environment)
        return copied_environment(environment)
    if callable(environment):
        return environment()
    raise ParameterTypeError(
        f"environment={environment!r}: give the name of a Gymnasium environment, an environment, or a function that makes one."
    )


class Environments:
    """`count` copies with their observations as rows; episodes are cut after `max_steps` steps."""

    def __init__(self, environment: Any, count: int, seed: int, max_steps: int) -> None:
        gymnasium = needs_gymnasium()
        self.copies = [made_environment(environment) for _ in range(count)]
        self.seed, self.max_steps, first = seed, max_steps, self.copies[0]
        if not isinstance(first.action_space, gymnasium.spaces.Discrete):
            raise ParameterTypeError(
                f"environment={environment!r}: its actions are {first.action_space}; these agents choose among a finite number "
                f"of them (a Discrete space). {FINITE_ACTIONS}"
            )
        self.first_action = int(first.action_space.start)
        self.n_actions = int(first.action_space.n)
        self.observation = described_space(first.observation_space)
        self.n_features, self.encode = encoder_of(self.observation)
        self.episodes = [0] * count
        self.actions: list[list[int]] = [[] for _ in range(count)]
        self.returns = np.zeros(count)
        self.finished: list[
            tuple[float, int]
        ] = []  # return and length of episodes that ended since they were last taken
        self.observations = np.stack([self.begin(k) for k in range(count)])

    def begin(self, k: int) -> NDArray[np.float32]:
        """Begin the next episode of a copy; return what is seen."""
        seen, _ = self.copies[k].reset(seed=episode_seed(self.seed, k, self.episodes[k]))
        self.actions[k] = []
        self.returns[k] = 0.0
        return self.encode(seen)

    def step(self, actions: Any) -> Step:
        """Let every copy take its action, or wait where that is negative; those whose episode ends begin anew."""
        n = len(self.copies)
        after, final = np.empty_like(self.observations), None
        rewards, terminated, truncated = np.empty(n), np.zeros(n, bool), np.zeros(n, bool)
        for k, action in enumerate(actions):
            chosen = int(action)
            if chosen < 0:
                after[k], rewards[k] = self.observations[k], 0.0
                continue
            seen, reward, terminated[k], truncated[k], _ = self.copies[k].step(chosen + self.first_action)
            rewards[k] = reward
            self.actions[k].append(chosen)
            self.returns[k] += reward
            after[k] = self.encode(seen)
            truncated[k] |= len(self.actions[k]) >= self.max_steps and not terminated[k]
            if terminated[k] or truncated[k]:
                final = after.copy() if final is None else final
                final[k] = after[k]
                self.finished.append((float(self.returns[k]), len(self.actions[k])))
                self.episodes[k] += 1
                after[k] = self.begin(k)
            elif final is not None:
                final[k] = after[k]
        if not np.isfinite(rewards).all():
            raise DataError("an environment gave a reward that is not finite; mend the environment.")
        self.observations = after
        return Step(after, rewards, terminated, truncated, after if final is None else final)

    def take_finished(self) -> list[tuple[float, int]]:
        """Return the episodes that ended since the last call."""
        taken, self.finished = self.finished, []
        return taken

    def state(self) -> dict[str, Any]:
        """Return what a checkpoint must hold."""
        flat = np.array([a for actions in self.actions for a in actions], dtype=np.int64)
        return {
            "episodes": np.array(self.episodes),
            "n_actions": np.array([len(actions) for actions in self.actions]),
            "actions": flat,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go to where a checkpoint was made, by playing its actions again."""
        self.episodes = state["episodes"].tolist()
        parts = np.split(state["actions"], np.cumsum(state["n_actions"])[:-1])
        for k, actions in enumerate(parts):
            seen = self.begin(k)
            for action in actions.tolist():
                raw, reward, *_ = self.copies[k].step(action + self.first_action)
                self.returns[k] += reward
                self.actions[k].append(action)
                seen = self.encode(raw)
            self.observations[k] = seen

    def close(self) -> None:
        """Close all copies."""
        for copy in self.copies:
            copy.close()
