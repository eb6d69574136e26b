r"""Experience that is learned from more than once: a ring of transitions, and returns over several steps.

    R = sum_{i<k} gamma^i r_{t+i},   bootstrap = gamma^k, or 0 where the episode has ended                                   (1)
k is n, or less at the end of an episode.
"""

from collections import deque
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.reinforcement.deep.environments import Step

__all__ = ["Batch", "ReplayBuffer"]


class Batch(NamedTuple):
    """Transitions: what was seen, the action, (1), what was seen k steps later, what its value counts."""

    seen: NDArray[np.float32]
    actions: NDArray[np.int64]
    returns: NDArray[np.float32]
    after: NDArray[np.float32]
    bootstrap: NDArray[np.float32]


class ReplayBuffer:
    """The last `capacity` transitions of several copies of an environment.

    Parameters
    ----------
    capacity : int
    n_features, n_envs : int
    n_steps : int
        n of (1).
    discount : float
    """

    def __init__(self, capacity: int, n_features: int, n_envs: int, n_steps: int, discount: float) -> None:
        self.data = Batch(
            np.empty((capacity, n_features), np.float32),
            np.empty(capacity, np.int64),
            np.empty(capacity, np.float32),
            np.empty((capacity, n_features), np.float32),
            np.empty(capacity, np.float32),
        )
        self.capacity, self.n_steps, self.discount = capacity, n_steps, discount
        self.size = self.place = 0
        self.waiting: list[deque[tuple[NDArray[np.float32], int, float]]] = [deque() for _ in range(n_envs)]

    def __len__(self) -> int:
        return self.size

    def add(self, seen: NDArray[np.float32], actions: NDArray[Any], step: Step) -> None:
        """Take in one step of all copies."""
        for k, line in enumerate(self.waiting):
            line.append((seen[k], int(actions[k]), float(step.rewards[k])))
            ended = bool(step.terminated[k])
            over = ended or bool(step.truncated[k])
            while line and (over or len(line) >= self.n_steps):
                self.keep(line, step.final[k], 0.0 if ended else self.discount ** len(line))
                line.popleft()

    def keep(self, line: Any, after: NDArray[np.float32], bootstrap: float) -> None:
        """Write the transition that begins the line, (1)."""
        seen, action, _ = line[0]
        total = 0.0
        for _, _, reward in reversed(line):
            total = reward + self.discount * total
        data, k = self.data, self.place
        data.seen[k], data.actions[k], data.returns[k], data.after[k], data.bootstrap[k] = (
            seen,
            action,
            total,
            after,
            bootstrap,
        )
        self.place = (self.place + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> Batch:
        """Return transitions drawn with equal probabilities, with replacement."""
        rows = rng.integers(self.size, size=size)
        data = self.data
        return Batch(data.seen[rows], data.actions[rows], data.returns[rows], data.after[rows], data.bootstrap[rows])

    def columns(self) -> dict[str, Any]:
        """Return the arrays by their names."""
        return self.data._asdict()

    def state(self) -> dict[str, Any]:
        """Return what a checkpoint must hold."""
        columns = {f"replay.{name}": column[: self.size] for name, column in self.columns().items()}
        flat = [item for line in self.waiting for item in line]
        seen = np.array([item[0] for item in flat], np.float32).reshape(len(flat), self.data.seen.shape[1])
        return columns | {
            "replay.place": np.array(self.place),
            "waiting.seen": seen,
            "waiting.numbers": np.array([item[1:] for item in flat], float).reshape(-1, 2),
            "waiting.lengths": np.array([len(line) for line in self.waiting]),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over what a checkpoint holds."""
        self.size, self.place = len(state["replay.actions"]), int(state["replay.place"])
        for name, column in self.columns().items():
            column[: self.size] = state[f"replay.{name}"]
        pairs = iter(zip(state["waiting.seen"], state["waiting.numbers"]))
        for line, length in zip(self.waiting, state["waiting.lengths"].tolist()):
            line.extend(
                (seen, int(numbers[0]), float(numbers[1])) for seen, numbers in (next(pairs) for _ in range(length))
            )
