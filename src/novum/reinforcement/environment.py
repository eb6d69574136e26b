"""The face that a process shows to Gymnasium: `reset`, `step`, `render`, spaces; and episodes of a policy.

Gymnasium is an optional package (`pip install "novum[rl]"`). Where it is installed a process is a `gymnasium.Env`, so
wrappers, vector environments and other libraries take it; where it is not, the same methods work without its spaces.
"""

import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.runtime.typing import Seed

if TYPE_CHECKING:
    Env = object
else:
    try:
        from gymnasium import Env
    except ImportError:
        Env = object

__all__ = ["EnvironmentFace", "needs_gymnasium"]


def needs_gymnasium() -> Any:
    """Return the package Gymnasium, or say how to get it."""
    try:
        import gymnasium
    except ImportError as error:
        raise ImportError("this needs the package 'gymnasium': pip install 'novum[rl]'") from error
    return gymnasium


class EnvironmentFace(Env):
    """Gymnasium's methods over the arrays of a process; observations are the numbers of states."""

    metadata = {"render_modes": ["ansi"], "render_fps": 4}
    render_mode = None
    spec = None
    state: int | None = None
    model: Any
    discount: float
    initial: NDArray[np.float64]
    states: Any
    actions: Any
    name: str
    layout: Any

    @property
    def observation_space(self) -> Any:
        """Return the space of states."""
        return needs_gymnasium().spaces.Discrete(self.model.n_states)

    @property
    def action_space(self) -> Any:
        """Return the space of actions."""
        return needs_gymnasium().spaces.Discrete(self.model.n_actions)

    @property
    def P(self) -> "TransitionTable":
        """Return Gymnasium's table of transitions, {state: {action: [(probability, next state, reward, ended), ...]}}."""
        return TransitionTable(self)

    @property
    def initial_state_distrib(self) -> NDArray[np.float64]:
        """Return the probabilities of the first state, under Gymnasium's name."""
        return self.initial

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Draw the first state and return it with an empty table; `options={"state": name}` begins there."""
        if Env is object:
            if seed is not None or not hasattr(self, "_generator"):
                self._generator = np.random.default_rng(seed)
        else:
            super().reset(seed=seed)  # type: ignore[misc]
        if options and "state" in options:
            self.state = self.state_number(options["state"])  # type: ignore[attr-defined]
        else:
            self.state = drawn(self.initial, self._draw())
        return np.int64(self.state), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take an action: return the next state, the reward, whether the episode ended, False (nothing is cut), and a table."""
        if self.state is None or self.model.terminal[self.state]:
            raise ParameterError(f"{self.name}: the episode is over or has not begun; call reset() before step().")
        try:
            number = operator.index(action)
        except TypeError:
            raise ParameterError(
                f"{self.name}: step takes the number of an action, not {action!r}; action_number(name) gives it."
            ) from None
        following, reward, ended = transition(self.model, self.discount, self.state, number, self._draw(), self)
        self.state = following
        return np.int64(following), reward, ended, False, {}

    def render(self) -> Any:
        """Return the state as text; on a grid, the map with the state in brackets."""
        if self.layout is None or self.state is None:
            return f"state {None if self.state is None else self.states[self.state]!r}"
        lines = []
        for row in self.layout.cells:
            cells = ["#" if s < 0 else self.layout.marks[s] or "." for s in row]
            lines.append("".join(f"[{c}]" if s == self.state else f" {c} " for s, c in zip(row, cells)))
        return "\n".join(lines)

    def close(self) -> None:
        """Release nothing: there is nothing to release."""

    def rollout(self, policy: Any = None, *, start: Any = None, max_steps: int = 1000, random_state: Seed = 0) -> Any:
        """Return one `Episode` of a policy (uniform where none is given), cut after `max_steps`."""
        from novum.reinforcement.episodes import rollout

        return rollout(self, policy, start, max_steps, random_state)

    def simulate(
        self,
        policy: Any = None,
        *,
        n_episodes: int = 1000,
        start: Any = None,
        max_steps: int = 1000,
        level: float = 0.95,
        random_state: Seed = 0,
    ) -> Any:
        """Return the discounted returns of many episodes, compiled, with their mean and its interval (a `Returns`)."""
        from novum.reinforcement.episodes import simulated

        return simulated(self, policy, n_episodes, start, max_steps, level, random_state)

    def _draw(self) -> float:
        return float(self._generator.random() if Env is object else self.np_random.random())  # type: ignore[attr-defined]


def drawn(distribution: NDArray[np.float64], uniform: float) -> int:
    """Return the index that a uniform number stands for."""
    place = int(np.searchsorted(np.cumsum(distribution), uniform, side="right"))
    return min(place, int(np.flatnonzero(distribution)[-1]))


def transition(
    model: Any, discount: float, state: int, action: int, uniform: float, owner: Any
) -> tuple[int, float, bool]:
    """Return the next state, the reward paid and whether the episode ends, for an action and a uniform number."""
    first, last = model.first[state], model.first[state + 1]
    own = model.action[first:last]
    place = np.flatnonzero(own == action)
    if not len(place):
        known = [owner.actions[a] for a in own]
        raise ParameterError(
            f"{owner.name}: action {action!r} cannot be taken in state {owner.states[state]!r}; possible are {known}."
        )
    pair = first + int(place[0])
    begin, end = model.start[pair], model.start[pair + 1]
    entry = begin + drawn(model.probability[begin:end], uniform)
    following = int(model.next[entry])
    reward = float(model.reward[pair] if model.entry_reward is None else model.entry_reward[entry])
    if following < 0:
        return ~following, reward, True
    if model.terminal[following]:
        return following, reward + discount * float(model.reward[model.first[following]]), True
    return following, reward, False


class TransitionTable(Mapping):
    """A process as Gymnasium's nested table, made row by row when read."""

    def __init__(self, process: Any) -> None:
        self.process = process

    def __len__(self) -> int:
        return int(self.process.model.n_states)

    def __iter__(self) -> Any:
        return iter(range(len(self)))

    def __getitem__(self, state: int) -> dict[int, list[tuple[float, int, float, bool]]]:
        model, discount = self.process.model, self.process.discount
        if not 0 <= state < len(self):
            raise KeyError(state)
        if model.terminal[state]:
            return {a: [(1.0, int(state), 0.0, True)] for a in range(model.n_actions)}
        out = {}
        for pair in range(model.first[state], model.first[state + 1]):
            rows = []
            for entry in range(model.start[pair], model.start[pair + 1]):
                following = int(model.next[entry])
                target, ended = (~following, True) if following < 0 else (following, bool(model.terminal[following]))
                paid = float(model.reward[pair] if model.entry_reward is None else model.entry_reward[entry])
                if following >= 0 and ended:
                    paid += discount * float(model.reward[model.first[target]])
                rows.append((float(model.probability[entry]), target, paid, ended))
            out[int(model.action[pair])] = rows
        return out
