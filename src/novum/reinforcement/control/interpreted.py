"""The loops of cpp/include/novum/decisions/control.h in Python, for environments that are no tables.

One `Learner` per run holds a table that grows as states are met; the environments of all runs are stepped together. On a
known process it makes the curves of the compiled loops, to rounding.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Learner", "Rules", "learn_together"]

FAINT = 1e-6  # a trace below this is forgotten
MEMORY = 8  # outcomes of a pair that Dyna remembers


class Rules(NamedTuple):
    """How action values are learned; the fields of `Control` in control.h."""

    method: str  # sarsa, expected, q or double
    trace_decay: float
    replacing: bool
    target_epsilon: float
    planning: int
    softmax: bool
    discount: float
    exploration: NDArray[np.float64]
    episode_rate: NDArray[np.float64] | None
    visit_rate: NDArray[np.float64] | None


class Learner:
    """One run: a table of action values, its visits, traces and memory."""

    def __init__(self, source: Any, run: int, rules: Rules, initial: float) -> None:
        self.source, self.run, self.rules, self.initial = source, run, rules, initial
        self.q: dict[int, NDArray[np.float64]] = {}
        self.second: dict[int, NDArray[np.float64]] = {}
        self.visits: dict[tuple[int, int], int] = {}
        self.trace: dict[tuple[int, int], float] = {}
        self.memory: dict[tuple[int, int], list[tuple[int, float, bool]]] = {}
        self.explore, self.rate = 0.0, 0.0

    def row(self, state: int, table: dict[int, NDArray[np.float64]] | None = None) -> NDArray[np.float64]:
        """Return the action values of a state, -inf where an action cannot be taken; a new state begins with the first guess."""
        rows = self.q if table is None else table
        if state not in rows:
            rows[state] = np.where(self.source.can(state), self.initial, -np.inf)
        return rows[state]

    def values(self, state: int) -> NDArray[np.float64]:
        """Return what the agent believes: the table, or the mean of two."""
        if self.rules.method != "double":
            return self.row(state)
        return 0.5 * (self.row(state) + self.row(state, self.second))

    def probabilities(self, state: int, exploration: float) -> NDArray[np.float64]:
        """Return the epsilon-greedy or softmax probabilities of actions, ties shared."""
        value = self.values(state)
        can = np.isfinite(value)
        top = value[can].max()
        if self.rules.softmax and exploration is self.explore:
            power = np.where(can, np.exp((value - top) / self.explore), 0.0)
            return power / power.sum()
        best = value == top
        return exploration * can / can.sum() + (1 - exploration) * best / best.sum()

    def act(self, state: int, t: int) -> int:
        """Return the action of a step."""
        u = self.source.uniform(self.run, t, 1)
        value = self.values(state)
        can = np.flatnonzero(np.isfinite(value))
        if self.rules.softmax:
            sums = np.cumsum(self.probabilities(state, self.explore))
            return int(min(np.searchsorted(sums, u * sums[-1], side="right"), can[-1]))
        if u < self.explore:
            return int(can[min(len(can) - 1, int(u / self.explore * len(can)))])
        best = np.flatnonzero(value == value[can].max())
        return int(best[min(len(best) - 1, int((u - self.explore) / (1 - self.explore) * len(best)))])

    def target(self, state: int, following: int) -> float:
        """Return the worth of the next state by the method."""
        rules = self.rules
        value = self.values(state)
        if rules.method == "sarsa":
            if rules.target_epsilon < 0:
                return float(value[following])
            ratio = (
                self.probabilities(state, rules.target_epsilon)[following]
                / self.probabilities(state, self.explore)[following]
            )
            return float(value[following] * ratio)
        if rules.method == "expected":
            epsilon = self.explore if rules.target_epsilon < 0 else rules.target_epsilon
            probability = self.probabilities(state, epsilon)
            return float(probability[probability > 0] @ value[probability > 0])
        return float(value.max())

    def learning_rate(self, cell: tuple[int, int], count: bool = True) -> float:
        """Return the learning rate of a pair, one visit later if `count`."""
        if count:
            self.visits[cell] = self.visits.get(cell, 0) + 1
        rates = self.rules.visit_rate
        return self.rate if rates is None else float(rates[min(len(rates), self.visits[cell]) - 1])

    def update(self, s: int, a: int, reward: float, state: int, ended: bool, following: int, t: int) -> None:
        """Learn from one step."""
        rules = self.rules
        alpha = self.learning_rate((s, a))
        if rules.method == "double":
            one, two = (self.q, self.second) if self.source.uniform(self.run, t, 2) < 0.5 else (self.second, self.q)
            next_value = 0.0 if ended else float(self.row(state, two)[int(self.row(state, one).argmax())])
            row = self.row(s, one)
            row[a] += alpha * (reward + rules.discount * next_value - row[a])
            return
        row = self.row(s)
        delta = reward + rules.discount * (0.0 if ended else self.target(state, following)) - row[a]
        if rules.trace_decay <= 0:
            row[a] += alpha * delta
        else:
            self.trace[s, a] = 1.0 if rules.replacing else self.trace.get((s, a), 0.0) + 1.0
            cut = rules.method == "q" and following >= 0 and self.values(state)[following] < self.values(state).max()
            decay = 0.0 if cut else rules.discount * rules.trace_decay
            for cell, strength in list(self.trace.items()):
                self.q[cell[0]][cell[1]] += alpha * delta * strength
                self.trace[cell] = strength * decay
                if self.trace[cell] < FAINT:
                    del self.trace[cell]
        if rules.planning:
            self.dream(s, a, reward, state, ended, t)

    def dream(self, s: int, a: int, reward: float, state: int, ended: bool, t: int) -> None:
        """Remember a step and learn again from remembered ones (Dyna)."""
        rules = self.rules
        held = self.memory.setdefault((s, a), [])
        seen = self.visits[s, a] - 1
        if len(held) < MEMORY:
            held.append((state, reward, ended))
        else:
            held[seen % MEMORY] = (state, reward, ended)
        cells = list(self.memory)
        draws = self.source.stream.uniform("episode steps", self.run, range(t, t + 1), 4 + 2 * rules.planning)[0, 4:]
        for u, w in draws.reshape(-1, 2):
            cell = cells[min(len(cells) - 1, int(u * len(cells)))]
            outcomes = self.memory[cell]
            next_state, gain, over = outcomes[min(len(outcomes) - 1, int(w * len(outcomes)))]
            worth = 0.0
            if not over and rules.method == "expected":
                worth = self.target(next_state, -1)
            elif not over:
                worth = float(self.values(next_state).max())
            row = self.row(cell[0])
            row[cell[1]] += self.learning_rate(cell, count=False) * (gain + rules.discount * worth - row[cell[1]])


class Record(NamedTuple):
    """What became of the episodes."""

    totals: NDArray[np.float64]  # (runs, n_episodes)
    lengths: NDArray[np.int32]
    steps: int


def learn_together(source: Any, learners: list[Learner], n_episodes: int, most: int, report: Any = None) -> Record:
    """Simulate the episodes of every run, all environments stepped at once."""
    count = len(learners)
    totals, lengths = np.zeros((count, n_episodes)), np.zeros((count, n_episodes), np.int32)
    number, times, actions = [-1] * count, [0] * count, [-1] * count
    states = [0] * count
    steps = 0
    early = learners[0].rules.method == "sarsa" or learners[0].rules.trace_decay > 0

    def begin(run: int) -> None:
        actions[run] = -1
        while number[run] < n_episodes:
            number[run] += 1
            if number[run] == n_episodes:
                source.begin(run, n_episodes)  # it rests, but its environment is stepped with the others
                return
            rules, learner = learners[run].rules, learners[run]
            learner.explore = float(rules.exploration[number[run]])
            learner.rate = 0.0 if rules.episode_rate is None else float(rules.episode_rate[number[run]])
            learner.trace.clear()
            states[run], over = source.begin(run, number[run])
            if not over:
                actions[run] = learner.act(states[run], times[run])
                return

    for run in range(count):
        begin(run)
    while any(one < n_episodes for one in number):
        outcomes = source.step(states, actions, times)
        for run, (following, reward, ended, cut) in enumerate(outcomes):
            if number[run] >= n_episodes:
                if ended or cut:
                    source.begin(run, n_episodes)
                continue
            learner, e = learners[run], number[run]
            totals[run, e] += reward
            lengths[run, e] += 1
            steps += 1
            next_action = -1
            if early and not ended:
                next_action = learner.act(following, times[run] + 1)
            learner.update(states[run], actions[run], reward, following, ended, next_action, times[run])
            times[run] += 1
            states[run] = following
            if ended or cut or lengths[run, e] >= most:
                begin(run)
                if run == 0 and report is not None and report(number[0], float(totals[0, e])):
                    return Record(totals[:, : e + 1], lengths[:, : e + 1], steps)
            else:
                actions[run] = next_action if next_action >= 0 else learner.act(following, times[run])
    return Record(totals, lengths, steps)
