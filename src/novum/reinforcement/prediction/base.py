"""What learners of a policy's values share: episodes from a process, from an environment, or given.

The formulas stand in cpp/include/novum/decisions/prediction.h.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.base.domains import Domain, Null
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError, ParameterError
from novum.reinforcement.agents import DEFAULT_DISCOUNT, EXPERIENCE_DOMAINS, RATE, Agent, simulate_runs
from novum.reinforcement.control.temporal import MOST_RATES
from novum.reinforcement.episodes import Episode
from novum.reinforcement.experience import STARTS, STEPS, VectorRuns, compiled_world, policy_sums, tabular_process
from novum.reinforcement.policies import policy_table
from novum.reinforcement.schedules import as_schedule
from novum.runtime.random import purpose_code, seed_of
from novum.runtime.typing import Axes, Target

__all__ = ["PREDICTION_DOMAINS", "Predictor", "Settings"]

PREDICTION_DOMAINS: dict[str, Domain] = {
    **{k: v for k, v in EXPERIENCE_DOMAINS.items() if k != "start"},
    "learning_rate": RATE | Null(),
}
CARLO, STEPPING, FORWARD, BACKWARD = range(4)  # `View` in prediction.h


class Settings(NamedTuple):
    """The fields of `Prediction` in prediction.h."""

    view: int
    first_visit: bool = False
    weighted: bool = False
    replacing: bool = False
    n_steps: int = 1
    trace_decay: float = 0.0


class EpisodeArrays(NamedTuple):
    """Episodes one behind another; each has one state more than rewards."""

    states: NDArray[np.int32]
    rewards: NDArray[np.float64]
    ratios: NDArray[np.float64] | None
    offsets: NDArray[np.int64]
    ended: NDArray[np.uint8]
    names: list[Any]


class Predictor(Agent):
    """Base of learners of state values."""

    values_: np.ndarray
    errors_: np.ndarray
    run_values_: np.ndarray
    visits_: np.ndarray
    states_: list[Any]
    total_steps_: int
    discount: float | None
    n_episodes: int
    initial_value: float
    max_steps: int
    n_runs: int
    random_state: Any
    learning_rate: Any

    def _settings(self, off_policy: bool) -> Settings:
        raise NotImplementedError(type(self).__name__)

    def _rates(self, visits: int) -> tuple[NDArray[np.float64] | None, float]:
        if self.learning_rate is None:
            return None, 0.0
        schedule = as_schedule(self.learning_rate)
        if schedule.kind == "constant":
            return None, float(schedule(0))
        return schedule.values(min(MOST_RATES, visits)), 0.0

    @fits
    def fit(self, experience: Any, y: Target = None, *, policy: Any = None, behavior: Any = None) -> Self:
        """Learn the values of a policy.

        Parameters
        ----------
        experience : MDP, gymnasium.Env, str, or list of episodes
            Where episodes of the policy are simulated; or recorded episodes, `Episode` objects or pairs
            (states, rewards) with one state more than rewards, or as many, if the last reward ends the episode.
        y : ignored
        policy : Policy, array-like or callable, default=None
            Whose values are learned; None: every action with equal probability. A callable takes an observation
            (environments that are no tables).
        behavior : Policy or array-like, default=None
            Who acts instead; returns are then weighted by importance. Needs a process.
        """
        if isinstance(experience, Sequence) and not isinstance(experience, str):
            if policy is not None or behavior is not None:
                raise ParameterError(
                    f"{type(self).__name__}.fit: episodes are recorded already; policy= and behavior= go with a process."
                )
            discount = 1.0 if self.discount is None else float(self.discount)
            self._from_episodes(read_episodes(type(self).__name__, experience), discount)
            return self
        process, made, discount = tabular_process(experience, self.discount, DEFAULT_DISCOUNT)
        if process is None:
            if behavior is not None or self.n_runs > 1:
                raise ParameterError(f"{type(self).__name__}.fit: behavior= and n_runs > 1 need a process or a table.")
            self._from_episodes(
                episodes_of(made, policy, self.n_episodes, self.max_steps, seed_of(self.random_state)), discount
            )
            return self
        self._from_process(process, discount, policy, behavior)
        return self

    def _from_episodes(self, data: EpisodeArrays, discount: float) -> None:
        n = len(data.names)
        values = np.full(n, float(self.initial_value))
        weight, visits = np.zeros(n), np.zeros(n, np.int64)
        table, rate = self._rates(len(data.rewards) + 1)
        settings = self._settings(data.ratios is not None)
        _core.decisions.episodes.learn(
            **settings._asdict(),
            visit_rate=table,
            rate=rate,
            discount=discount,
            states=data.states,
            rewards=data.rewards,
            ratios=data.ratios,
            offsets=data.offsets,
            ended=data.ended,
            v=values,
            weight=weight,
            visits=visits,
        )
        self.values_, self.visits_, self.states_ = values, visits, data.names
        self.run_values_, self.errors_, self.total_steps_ = values[None], np.empty((1, 0)), len(data.rewards)
        self.discount_ = discount

    def _from_process(self, process: Any, discount: float, policy: Any, behavior: Any) -> None:
        target = policy_table(process, policy)
        acts = target if behavior is None else policy_table(process, behavior)
        if ((acts == 0) & (target > 0)).any():
            s = int(np.argmax(((acts == 0) & (target > 0)).any(axis=1)))
            raise DataError(
                f"{type(self).__name__}.fit: behavior never takes an action that policy takes in state {process.states[s]!r}; no "
                "weight can make up for what is never seen."
            )
        ratios = None
        if behavior is not None:
            ratios = np.divide(target, acts, out=np.zeros_like(target), where=acts > 0)
        own = process if discount == process.discount else process.replaced(discount=discount)
        world, n, runs = compiled_world(own, discount), process.n_states, self.n_runs
        terminal = process.model.terminal
        truth, error = self._truth(own, target)
        share = np.where(terminal, 0.0, 1.0) / max(1, int((~terminal).sum()))
        values = np.where(terminal, 0.0, float(self.initial_value)) * np.ones((runs, 1))
        weight, visits = np.zeros((runs, n)), np.zeros((runs, n), np.int64)
        errors = np.empty((runs, self.n_episodes)) if error else None
        table, rate = self._rates(self.n_episodes * self.max_steps)
        settings = self._settings(behavior is not None)._asdict()
        seed, sums = seed_of(self.random_state), policy_sums(own, acts)

        def one(run: int) -> None:
            world.predict(
                **settings,
                visit_rate=table,
                rate=rate,
                behavior=sums,
                ratios=ratios,
                episodes=self.n_episodes,
                most=self.max_steps,
                seed=seed,
                purpose=purpose_code(STEPS),
                starts=purpose_code(STARTS),
                run=run,
                v=values[run],
                weight=weight[run],
                visits=visits[run],
                truth=truth,
                share=share,
                errors=None if errors is None else errors[run],
            )

        done, _ = simulate_runs(self, one, lambda run: float("nan") if errors is None else float(errors[run, -1]))
        values, visits = values[:done], visits[:done]
        values[:, terminal] = process.model.reward[process.model.first[:-1]][terminal]
        self.run_values_, self.values_ = values, values[0].copy() if len(values) == 1 else values.mean(axis=0)
        self.visits_, self.states_ = visits.sum(axis=0), list(process.states)
        self.errors_ = np.empty((done, 0)) if errors is None else errors[:done]
        self.total_steps_ = int(visits.sum())
        self.discount_ = discount

    def _truth(self, process: Any, table: NDArray[np.float64]) -> tuple[NDArray[np.float64] | None, bool]:
        """Return the exact values, to which the learning curve is compared, and whether they exist."""
        try:
            values = process.evaluate(table).values.copy()
        except ParameterError:
            return None, False
        values[process.model.terminal] = 0.0
        return values, True

    def predict(self, states: Any) -> NDArray[np.float64]:
        """Return the values of states given by name."""
        check_is_fitted(self, "values_")
        numbers = {state: k for k, state in enumerate(self.states_)}
        unknown = [state for state in states if state not in numbers]
        if unknown:
            raise DataError(f"{type(self).__name__}.predict: the state {unknown[0]!r} was never met.")
        return np.array([self.values_[numbers[state]] for state in states])

    def act(self, observation: Any) -> Any:
        """Values of states choose no action."""
        raise AttributeError(f"{type(self).__name__} learns values, not what to do; use QLearning or SARSA.")

    def plot(self, ax: Axes | None = None, *, label: str | None = None, window: int | None = None) -> Any:
        """Draw the root mean square error against the true values by episode: the mean over runs and the band of single runs.

        The legend calls it `label`, or by the name of the class.
        """
        from novum.reinforcement.plots.curves import draw_errors
        from novum.report.axes import drawing_axes

        check_is_fitted(self, "values_")
        if not self.errors_.size:
            raise ParameterError(
                f"{type(self).__name__}.plot: the true values are not known, so there is no error to draw."
            )
        ax = drawing_axes(ax)
        draw_errors(ax, self.errors_, label=label or type(self).__name__)
        return ax


def episode_arrays(
    states: list[int], rewards: list[float], offsets: list[int], ended: list[bool], names: list[Any]
) -> EpisodeArrays:
    """Return episodes as the arrays that the kernel takes."""
    return EpisodeArrays(
        states=np.array(states, np.int32),
        rewards=np.array(rewards, dtype=np.float64),
        ratios=None,
        offsets=np.array(offsets, np.int64),
        ended=np.array(ended, np.uint8),
        names=names,
    )


def read_episodes(owner: str, episodes: Sequence[Any]) -> EpisodeArrays:
    """Return episodes that a user brings, states numbered as they come."""
    numbers: dict[Any, int] = {}
    states: list[int] = []
    rewards: list[float] = []
    offsets, ended = [0], []
    for k, one in enumerate(episodes):
        names, gains, over = (one.states, one.rewards, one.ended) if isinstance(one, Episode) else (*one[:2], True)
        names = list(names)
        if len(names) == len(gains):
            names = [*names, END]
        if len(names) != len(gains) + 1:
            raise DataError(
                f"{owner}.fit: episode {k} has {len(names)} states and {len(gains)} rewards; give one state more than "
                f"rewards, or as "
                "many."
            )
        if not np.isfinite(np.asarray(gains, dtype=np.float64)).all():
            raise DataError(f"{owner}.fit: episode {k} holds a reward that is NaN or infinite.")
        states += [numbers.setdefault(name, len(numbers)) for name in names]
        rewards += [float(gain) for gain in gains]
        offsets.append(len(rewards))
        ended.append(over)
    return episode_arrays(states, rewards, offsets, ended, list(numbers))


END = "(end)"  # the state after the last reward, where episodes do not name it


def episodes_of(environment: Any, policy: Any, n_episodes: int, max_steps: int, seed: int) -> EpisodeArrays:
    """Return episodes of an environment that is no table."""
    source = VectorRuns(environment, seed, 1)
    if policy is not None and not callable(policy):
        raise ParameterError("fit(policy=...): give a function of the observation for an environment that is no table.")
    states, rewards, offsets, ended = [], [], [0], []
    time = 0
    for episode in range(n_episodes):
        state, _ = source.begin(0, episode)
        states.append(state)
        for _ in range(max_steps):
            if policy is None:
                action = int(source.uniform(0, time, 1) * source.n_actions)
            else:
                action = int(policy(source.names[state]))
            state, reward, over, cut = source.step([state], [action], [time])[0]
            time += 1
            states.append(state)
            rewards.append(reward)
            if over or cut:
                break
        offsets.append(len(rewards))
        ended.append(over)
    return episode_arrays(states, rewards, offsets, ended, source.names)
