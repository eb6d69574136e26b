"""Where experience comes from: a process that is known, or a Gymnasium environment.

Both have the same interface for a learner: states are numbers, several runs go on side by side, and the random numbers that
choose actions are functions of (seed, run, step). A known process draws its transitions from the same numbers that the
compiled loops use (cpp/include/novum/decisions/world.h), so that the two make the same curves; Gymnasium's environments
draw from their own generators, seeded.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.exceptions import ParameterError
from novum.reinforcement.environment import needs_gymnasium
from novum.reinforcement.gymnasium_tables import (
    FINITE_ACTIONS,
    copied_environment,
    countable,
    is_rewritten,
    made_environment,
    observation_key,
)
from novum.reinforcement.mdp import MDP
from novum.runtime.random import Stream

__all__ = ["STARTS", "STEPS", "KnownRuns", "VectorRuns", "compiled_world", "policy_sums", "summed", "tabular_process"]

STEPS, STARTS = "episode steps", "first states"
AHEAD = 256  # steps whose random numbers are made at a time
ABOVE = 2.0  # a bound that no uniform number reaches


def summed(probability: NDArray[np.float64], start: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return probabilities added up within rows; from the last positive one on no uniform number reaches the sum."""
    total = np.cumsum(probability)
    before = np.concatenate([[0.0], total])[start[:-1]]
    lengths = np.diff(start)
    out = total - np.repeat(before, lengths)
    place = np.arange(len(probability))
    positive = np.where(probability > 0, place, -1)
    filled = np.flatnonzero(lengths)
    last = np.full(len(lengths), -1)
    if len(filled):
        last[filled] = np.maximum.reduceat(positive, start[filled])
    out[place >= np.repeat(last, lengths)] = ABOVE
    return out


def policy_sums(mdp: Any, table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a policy as sums by state, for drawing; rows of terminal states are never looked at."""
    n, m = table.shape
    return summed(table.ravel(), np.arange(0, n * m + 1, m)).reshape(n, m)


def compiled_world(mdp: Any, discount: float) -> Any:
    """Return the compiled world of a process; paid rewards include what a terminal state is worth a step later."""
    model = mdp.model
    entry = np.repeat(model.reward, np.diff(model.start)) if model.entry_reward is None else model.entry_reward
    inside = np.maximum(model.next, 0)
    ends = (model.next >= 0) & model.terminal[inside]
    gain = entry + np.where(ends, discount * model.reward[model.first[inside]], 0.0)
    return _core.decisions.episodes.World(
        m=model.n_actions,
        first=model.first,
        action=model.action,
        start=model.start,
        next=model.next,
        bound=summed(model.probability, model.start),
        gain=gain,
        terminal=model.terminal.astype(np.uint8),
        begin=summed(mdp.initial, np.array([0, mdp.n_states])),
        discount=float(discount),
    )


def tabular_process(environment: Any, discount: float | None, default: float) -> tuple[MDP | None, Any, float]:
    """Return (process or None, environment, discount) of whatever an agent is given to learn from.

    A Gymnasium environment with a table becomes a process, and so learns in compiled loops, unless a wrapper changes it.
    """
    if isinstance(environment, MDP):
        return environment, environment, environment.discount if discount is None else float(discount)
    made = made_environment(environment)
    inner, rewritten = made.unwrapped, is_rewritten(made)
    worth = default if discount is None else float(discount)
    if isinstance(inner, MDP) and not rewritten:
        return inner, inner, inner.discount if discount is None else worth
    if getattr(inner, "P", None) is not None and not rewritten:
        return MDP.from_gymnasium(made, discount=worth), made, worth
    if not hasattr(made.action_space, "n"):
        raise ParameterError(
            f"{type(inner).__name__}: its actions, {made.action_space}, are no finite set. {FINITE_ACTIONS}"
        )
    if not countable(made.observation_space):
        raise ParameterError(
            f"{type(inner).__name__}: its observations, {made.observation_space}, are no finite set, so no table holds "
            f"them; learn it "
            "with DQN, REINFORCE or ActorCritic, or cut observations into cells by a wrapper."
        )
    return None, made, worth


class StepDraws:
    """The random numbers of steps, made some steps ahead."""

    def __init__(self, seed: int) -> None:
        self.stream = Stream(seed)
        self.blocks: dict[int, tuple[int, NDArray[np.float64]]] = {}

    def uniform(self, run: int, t: int, column: int) -> float:
        """Return a random number of a step."""
        begin, block = self.blocks.get(run, (-1, np.empty((0, 3))))
        if not begin <= t < begin + len(block):
            begin = t - t % AHEAD
            block = self.stream.uniform(STEPS, run, range(begin, begin + AHEAD), 3)
            self.blocks[run] = (begin, block)
        return float(block[t - begin, column])


class KnownRuns(StepDraws):
    """Runs in a known process, step by step in Python."""

    def __init__(self, mdp: MDP, discount: float, seed: int, n_runs: int, any_start: bool = False) -> None:
        self.model, self.discount, self.any_start = mdp.model, discount, any_start
        super().__init__(seed)
        self.n_runs, self.n_actions = n_runs, mdp.n_actions
        self.possible = mdp.possible
        self.bound = summed(mdp.model.probability, mdp.model.start)
        self.first = summed(mdp.initial, np.array([0, mdp.n_states]))
        self.open = np.flatnonzero(~mdp.model.terminal)
        self.pair = np.full((mdp.n_states, mdp.n_actions), -1)
        states = np.repeat(np.arange(mdp.n_states), np.diff(mdp.model.first))
        real = mdp.model.action >= 0
        self.pair[states[real], mdp.model.action[real]] = np.flatnonzero(real)
        self.names = list(mdp.states)

    def can(self, state: int) -> NDArray[np.bool_]:
        """Return which actions there are."""
        return self.possible[state]

    def begin(self, run: int, episode: int) -> tuple[int, bool]:
        """Return the first state of an episode, and whether it is over at once."""
        u = float(self.stream.uniform(STARTS, run, range(episode, episode + 1))[0])
        if self.any_start:
            return int(self.open[min(len(self.open) - 1, int(u * len(self.open)))]), False
        state = int(np.argmax(u < self.first))
        return state, bool(self.model.terminal[state])

    def step(self, states: list[int], actions: list[int], times: list[int]) -> list[tuple[int, float, bool, bool]]:
        """Return (next state, reward, ended, cut) of every run; runs that rest have action -1."""
        return [
            self._one(run, s, a, t) if a >= 0 else (s, 0.0, True, False)
            for run, (s, a, t) in enumerate(zip(states, actions, times))
        ]

    def _one(self, run: int, state: int, action: int, t: int) -> tuple[int, float, bool, bool]:
        model, pair = self.model, self.pair[state, action]
        begin, end = model.start[pair], model.start[pair + 1]
        entry = begin + int(np.argmax(self.uniform(run, t, 0) < self.bound[begin:end]))
        following = int(model.next[entry])
        reward = float(model.reward[pair] if model.entry_reward is None else model.entry_reward[entry])
        if following < 0:
            return ~following, reward, True, False
        if model.terminal[following]:
            return following, reward + self.discount * float(model.reward[model.first[following]]), True, False
        return following, reward, False, False


class VectorRuns(StepDraws):
    """Runs in copies of a Gymnasium environment that are stepped together; observations are numbered as they come."""

    def __init__(self, environment: Any, seed: int, n_runs: int) -> None:
        gymnasium = needs_gymnasium()
        vector = gymnasium.vector

        def copy(k: int) -> Any:
            return (lambda: environment) if k == 0 else (lambda: copied_environment(environment))

        self.vector = vector.SyncVectorEnv(
            [copy(k) for k in range(n_runs)], autoreset_mode=vector.AutoresetMode.DISABLED
        )
        super().__init__(seed)
        self.n_runs, self.seed = n_runs, seed
        self.space = environment.action_space
        self.n_actions, self.offset = int(self.space.n), int(getattr(self.space, "start", 0))
        self.numbers: dict[Any, int] = {}
        self.all = np.ones(self.n_actions, bool)
        self.fresh = np.ones(n_runs, bool)
        self.observations: Any = None

    @property
    def names(self) -> list[Any]:
        """Return the observations in the order of their numbers."""
        return list(self.numbers)

    def can(self, state: int) -> NDArray[np.bool_]:
        """Return which actions there are: all."""
        return self.all

    def number(self, observations: Any, run: int) -> int:
        """Return the number of the observation of a run."""
        one = tuple(part[run] for part in observations) if isinstance(observations, tuple) else observations[run]
        return self.numbers.setdefault(observation_key(one), len(self.numbers))

    def begin(self, run: int, episode: int) -> tuple[int, bool]:
        """Return the first state of an episode."""
        if self.fresh.all():
            seeds = [int((self.seed + k) % 2**31) for k in range(self.n_runs)]
            self.observations, _ = self.vector.reset(seed=seeds)
        elif not self.fresh[run]:
            mask = np.arange(self.n_runs) == run
            self.observations, _ = self.vector.reset(options={"reset_mask": mask})
        self.fresh[run] = False
        return self.number(self.observations, run), False

    def step(self, states: list[int], actions: list[int], times: list[int]) -> list[tuple[int, float, bool, bool]]:
        """Return (next state, reward, ended, cut) of every run; all of them must be alive."""
        taken = np.array([max(a, 0) + self.offset for a in actions])
        self.observations, rewards, ended, cut, _ = self.vector.step(taken)
        return [
            (self.number(self.observations, run), float(rewards[run]), bool(ended[run]), bool(cut[run]))
            for run in range(self.n_runs)
        ]
