"""What every learner from experience shares: what it is given, what it keeps, how it is judged.

A class docstring names shared parameters in a line of its own, `[learning, experience]`; their entries take its place.
"""

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse.csgraph import breadth_first_order

from novum.base.callbacks import reporting
from novum.base.domains import Choice, Domain, Instance, Int, Null, RandomState, Real
from novum.base.estimator import Estimator
from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError, ParameterError
from novum.optimize.schedule_base import Schedule
from novum.reinforcement.episodes import Returns, mean_of
from novum.reinforcement.gymnasium_tables import made_environment, observation_key
from novum.reinforcement.layout import number_text
from novum.reinforcement.mdp import MDP
from novum.reinforcement.planning.evaluation import circle_gains, exact_values
from novum.reinforcement.planning.plan import Plan
from novum.reinforcement.policies import Policy
from novum.report.axes import drawing_axes
from novum.report.numbers import counted
from novum.report.result import Result
from novum.runtime.checks import check_count, check_level
from novum.runtime.pool import map_ordered
from novum.runtime.random import Stream, seed_of
from novum.runtime.threads import thread_count
from novum.runtime.typing import Axes, Seed

__all__ = ["EXPERIENCE_DOMAINS", "Agent", "PlanComparison", "TabularAgent", "learned_tags", "name_of", "simulate_runs"]

EXPERIENCE_DOMAINS: dict[str, Domain] = {
    "n_episodes": Int(1),
    "discount": Real(0, 1) | Null(),
    "max_steps": Int(1),
    "n_runs": Int(1),
    "initial_value": Real(),
    "start": Choice("initial", "any"),
    "random_state": RandomState(),
    "n_jobs": Int() | Null(),
}
RATE = Real(0, 1, "low") | Instance(Schedule)
DEFAULT_DISCOUNT = 0.99  # of a Gymnasium environment
NUMBERS: WeakKeyDictionary[Any, dict[Any, int]] = (
    WeakKeyDictionary()
)  # of states by name, made when first needed; not part of a model


def learned_tags(tags: Any) -> Any:
    """Return scikit-learn's tags of a learner that takes an environment, not a table."""
    tags.input_tags.two_d_array = False
    tags.no_validation = True
    return tags


def simulate_runs(agent: Any, one: Callable[[int], Any], objective: Callable[[int], float]) -> tuple[int, int]:
    """Simulate every run of an agent by `one(run)` in several threads; return how many runs were done and the steps they took.

    Callbacks are called after every run with its `objective(run)`, and may end the fit after any of them.
    """
    runs, steps, done = agent.n_runs, 0, 0
    with reporting(agent, runs) as report:
        for taken in map_ordered(one, range(runs), min(thread_count(agent.n_jobs), runs)):
            steps, done = steps + int(taken or 0), done + 1
            if report(done, objective(done - 1)):
                break
    return done, steps


def name_of(environment: Any) -> str:
    """Return what an environment is called: its registered name, or its own."""
    spec = getattr(getattr(environment, "spec", None), "id", None)
    return str(spec or getattr(environment, "name", type(environment).__name__))


class PlanComparison(Result):
    """How a learned policy compares with a plan."""

    def __init__(self, worth: float, plan_worth: float, agrees: int, states: int) -> None:
        self.worth, self.plan_worth, self.agrees, self.states = worth, plan_worth, agrees, states

    def __repr__(self) -> str:
        worth = (
            "nothing that is known (its total does not converge)"
            if np.isnan(self.worth)
            else number_text(self.worth, 3)
        )
        return (
            f"greedy policy worth {worth} at the start (plan: {number_text(self.plan_worth)}); "
            f"agrees with the plan in {self.agrees} of {counted(self.states, 'state')}"
        )


class Agent(Estimator):
    """Base of everything that learns from an environment.

    A subclass has `fit(environment)` and `act(observation)`.
    """

    _tags: tuple[str, ...] = ()  # model-free or -based, on- or off-policy, tabular or approximate, ...: rl taxonomy
    returns_: np.ndarray

    def __sklearn_tags__(self) -> Any:
        return learned_tags(super().__sklearn_tags__())

    def act(self, observation: Any) -> Any:
        """Return the action for an observation."""
        raise NotImplementedError(type(self).__name__)

    def evaluate(
        self,
        environment: Any,
        n_episodes: int = 100,
        *,
        max_steps: int = 1000,
        level: float = 0.95,
        random_state: Seed = 0,
    ) -> Returns:
        """Return the rewards of new episodes, added up, with their mean and its interval; nothing is learned."""
        check_is_fitted(self)
        name = f"{type(self).__name__}.evaluate"
        count, most = check_count(name, "n_episodes", n_episodes), check_count(name, "max_steps", max_steps)
        check_level(name, level)
        made = made_environment(environment)
        totals, lengths = np.zeros(count), np.zeros(count, np.int32)
        seeds = Stream(seed_of(random_state)).integers("evaluation", 0, count, 2**31)
        for k in range(count):
            observation, _ = made.reset(seed=int(seeds[k]))
            over = False
            while not over and lengths[k] < most:
                observation, reward, ended, cut, _ = made.step(self.act(observation))
                totals[k] += float(reward)
                lengths[k] += 1
                over = bool(ended or cut)
        return mean_of(totals.copy(), totals, lengths, level)

    def plot(self, ax: Axes | None = None, *, window: int | None = None) -> Any:
        """Draw the learning curve: the mean over runs of smoothed episode rewards, with the band of single runs."""
        from novum.reinforcement.plots.curves import draw_learning

        check_is_fitted(self)
        ax = drawing_axes(ax)
        draw_learning(ax, self.returns_, window, label=type(self).__name__)
        return ax


class TabularAgent(Agent):
    """Base of agents with a table of action values."""

    action_values_: NDArray[np.float64]
    states_: list[Any]
    actions_: list[Any]
    values_: np.ndarray
    run_values_: np.ndarray
    environment_: Any
    visits_: np.ndarray

    def act(self, observation: Any) -> Any:
        """Return the greedy action for an observation; the first action where the state was never met."""
        check_is_fitted(self)
        s = self._state(observation)
        if s is None:
            return 0
        return int(np.nanargmax(self.action_values_[s])) if np.isfinite(self.action_values_[s]).any() else 0

    def evaluate(self, environment: Any, n_episodes: int = 100, **options: Any) -> Returns:
        """Return the rewards of new episodes, as `Agent.evaluate`; an environment of other states or actions is refused."""
        check_is_fitted(self)
        made = made_environment(environment)
        states, actions = getattr(made.observation_space, "n", None), getattr(made.action_space, "n", None)
        own = (len(self.states_) if self._numbered else states, len(self.actions_))
        if (states, actions) != own:
            raise DataError(
                f"{type(self).__name__}.evaluate: {name_of(made)} has {states} states and {actions} actions, the agent learned "
                f"{own[0]} and {own[1]} in {self.environment_}; judge it where it learned."
            )
        return super().evaluate(made, n_episodes, **options)

    def _state(self, observation: Any) -> int | None:
        key = observation_key(observation)
        if self._numbered and isinstance(key, int) and 0 <= key < len(self.states_):
            return key
        if self not in NUMBERS:
            NUMBERS[self] = {state: k for k, state in enumerate(self.states_)}
        return NUMBERS[self].get(key)

    @property
    def policy_(self) -> Policy:
        """The greedy policy; of actions with the same value the first."""
        check_is_fitted(self)
        q = np.where(np.isnan(self.action_values_), -np.inf, self.action_values_)
        table = np.zeros(q.shape)
        rows = self._deciding
        table[rows, q.argmax(axis=1)[rows]] = 1
        return Policy(table, self.states_, self.actions_, layout=self.layout_)

    def _keep(self, q: NDArray[np.float64], names: list[Any], actions: list[Any], process: MDP | None) -> None:
        """Store what was learned; q (runs, n, m), NaN where an action cannot be taken."""
        self.run_values_ = q
        self.action_values_ = q[0].copy() if len(q) == 1 else q.mean(axis=0)
        self.states_, self.actions_ = names, actions
        self._numbered = process is not None
        deciding = np.isfinite(self.action_values_).any(axis=1)
        own = np.zeros(len(names))
        if process is not None:
            deciding &= ~process.model.terminal
            own = np.where(process.model.terminal, process.model.reward[process.model.first[:-1]], 0.0)
        top = np.where(np.isnan(self.action_values_), -np.inf, self.action_values_).max(axis=1)
        self._deciding, self.values_ = deciding, np.where(deciding, top, own)
        self.layout_ = None if process is None else process.layout
        NUMBERS.pop(self, None)

    def compare(self, plan: Any) -> PlanComparison:
        """Return what the greedy policy is worth at the start compared with a plan, and in how many states the two agree.

        States agree where the action is one of the plan's best; terminal states and those never visited do not count.
        """
        check_is_fitted(self)
        if not isinstance(plan, Plan):
            raise ParameterError(
                f"{type(self).__name__}.compare: give a plan, as value_iteration returns; got {plan!r}."
            )
        process = plan._mdp
        if process.n_states != len(self.states_) or process.n_actions != len(self.actions_):
            raise DataError(
                f"{type(self).__name__}.compare: the plan has {process.n_states} states and {process.n_actions} actions, the agent "
                f"{len(self.states_)} and {len(self.actions_)}; plan the process that it learned."
            )
        worth = policy_worth(process, self.policy_)
        counted = ~process.model.terminal & (self.visits_.sum(axis=1) > 0)
        mine = self.policy_.actions
        agrees = sum(int(mine[s] in plan.policy.ties[s]) for s in np.flatnonzero(counted))
        return PlanComparison(worth, plan.start, agrees, int(counted.sum()))


def policy_worth(process: MDP, policy: Policy) -> float:
    """Return the exact worth of a policy at the start, by the states that the start leads to.

    inf or -inf where it may go round for ever and is paid for it, or pays; nan where that comes to no sum.
    """
    chain = process.reward_process(policy)
    seen = reached_from(chain.transition, np.flatnonzero(chain.initial > 0))
    keep = scipy.sparse.diags_array(seen.astype(float))
    shown = chain._replace(
        transition=scipy.sparse.csr_array(keep @ chain.transition),
        reward=np.where(seen, chain.reward, 0.0),
        ending=np.where(seen, chain.ending, 1.0),
    )
    shown.transition.eliminate_zeros()
    if process.discount == 1 and (gains := circle_gains(shown)):
        if min(gains) > 0 or max(gains) < 0:
            return float(np.inf if min(gains) > 0 else -np.inf)
        return float("nan")
    return float(process.initial @ exact_values(shown, process, "compare"))


def reached_from(matrix: Any, starts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return the states that some states lead to, themselves among them."""
    n = matrix.shape[0]
    ways = matrix.tocoo()
    rows = np.concatenate([ways.row, np.full(len(starts), n)])
    columns = np.concatenate([ways.col, starts])
    graph = scipy.sparse.csr_array((np.ones(len(rows), bool), (rows, columns)), shape=(n + 1, n + 1))
    seen = np.zeros(n + 1, bool)
    seen[breadth_first_order(graph, n, return_predecessors=False)] = True
    return seen[:n]
