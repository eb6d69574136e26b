r"""Adaptive dynamic programming: learn the model by counting, plan on it, act on the plan.

    p(s'|s, a) = N(s', s, a) / N(s, a)                                                                                     (1)
    U(s) = max_a f(r(s, a) + gamma sum_s' p(s'|s, a) U(s'), N(s, a))                                                        (2)
    f(u, n) = optimism if n < tries, else u                                                                                (3)

With a policy (passive) the maximum of (2) gives way to the policy's action. The plan is kept up to date after every step
by prioritized sweeping on the counted model (cpp/include/novum/decisions/adp.h).
"""

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from novum import _core
from novum.base.domains import Int, Null, Real
from novum.base.estimator import fits
from novum.exceptions import ParameterError
from novum.optimize.schedule_base import Schedule
from novum.reinforcement.agents import DEFAULT_DISCOUNT, EXPERIENCE_DOMAINS, RATE, TabularAgent, name_of
from novum.reinforcement.control.compiled import live_compiled
from novum.reinforcement.experience import policy_sums, tabular_process
from novum.reinforcement.mdp import MDP
from novum.reinforcement.policies import Policy, policy_table
from novum.reinforcement.schedules import as_schedule
from novum.runtime.random import seed_of
from novum.runtime.typing import Environment, Numbers, Seed, Target

__all__ = ["ADP"]

BACKUPS = 200  # after a step: an unfinished sweep goes on after the next
TOL = 1e-7  # a change of a value that is passed on to predecessors


class ADP(TabularAgent):
    """An agent that counts transitions, plans on the counts and acts on the plan.

    Parameters
    ----------
    n_episodes : int, default=1000
        Episodes of every run.
    optimism : float or None, default=None
        What an action is believed to be worth until it was tried `tries` times; more than anything real makes the agent try
        everything. None: greedy on what it knows, which often settles for too little.
    tries : int, default=5
        How often an action is tried before its own estimate counts.
    exploration : float or Schedule, default=0.0
        Share of random actions by episode.
    discount : float or None, default=None
        What a reward is worth a step later. None: the process's own; 0.99 for a Gymnasium environment, which has none.
    max_steps : int, default=1000
        Steps after which an episode is cut; what would follow is still counted on. A table has no limit of its own, so that
        one of Gymnasium's TimeLimit is given here.
    n_runs : int, default=1
        Independent runs side by side; the answer is the mean of their tables, `returns_` keeps all.
    initial_value : float, default=0.0
        First guess of every value; a high one makes the agent try everything.
    random_state : int, Generator, RandomState, SeedSequence or None, default=None
        Same seed, same curve.
    n_jobs : int or None, default=None
        Threads that share the runs; None: all processors.

    Attributes
    ----------
    action_values_ : ndarray of shape (n_states, n_actions)
        NaN where an action cannot be taken.
    policy_ : Policy
        Greedy with respect to them.
    values_ : ndarray of shape (n_states,)
        Of the best actions.
    returns_ : ndarray of shape (n_runs, n_episodes)
        Rewards of every episode, added up.
    lengths_ : ndarray of shape (n_runs, n_episodes)
        Their steps.
    run_values_ : ndarray of shape (n_runs, n_states, n_actions)
        The table of every run.
    visits_ : ndarray of shape (n_states, n_actions)
        How often each action was taken, in all runs.
    states_ : list
        Names of the states.
    actions_ : list
        Names of the actions.
    total_steps_ : int
        Steps taken in all runs.

    Examples
    --------
    >>> from novum.reinforcement import ADP, room_4x3, value_iteration
    >>> agent = ADP(500, optimism=2.0, tries=20, random_state=0).fit(room_4x3())
    >>> agent.compare(value_iteration(room_4x3())).worth > 0.69
    True
    """

    total_steps_: int
    _tags = ("model-based", "on-policy", "online", "tabular", "value-based", "control")
    _domains = {k: v for k, v in EXPERIENCE_DOMAINS.items() if k != "start"} | {
        "optimism": Real() | Null(),
        "tries": Int(1),
        "exploration": Real(0, 1) | RATE,
    }
    returns_: np.ndarray
    lengths_: np.ndarray
    visits_: np.ndarray

    def __init__(
        self,
        n_episodes: int = 1000,
        *,
        optimism: float | None = None,
        tries: int = 5,
        exploration: float | Schedule = 0.0,
        discount: float | None = None,
        max_steps: int = 1000,
        n_runs: int = 1,
        initial_value: float = 0.0,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_episodes = n_episodes
        self.optimism = optimism
        self.tries = tries
        self.exploration = exploration
        self.discount = discount
        self.max_steps = max_steps
        self.n_runs = n_runs
        self.initial_value = initial_value
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fits
    def fit(
        self,
        environment: MDP | Environment | str | Callable[[], Any],
        y: Target = None,
        *,
        policy: Policy | Numbers | None = None,
    ) -> Self:
        """Learn from an MDP, a Gymnasium environment or its name.

        Parameters
        ----------
        environment : MDP, gymnasium.Env or str
            Environments without a table are sampled into one first.
        y : ignored
        policy : Policy or array-like, default=None
            Follow it and learn its values (passive); None: follow the plan.
        """
        process, made, discount = tabular_process(environment, self.discount, DEFAULT_DISCOUNT)
        if process is None:
            raise ParameterError(
                "ADP: this environment has no table of transitions; make one by MDP.from_gymnasium(environment, samples=...)."
            )
        own = process if discount == process.discount else process.replaced(discount=discount)
        n, m, runs = own.n_states, own.n_actions, self.n_runs
        visits, values = np.zeros((runs, n, m), np.int64), np.zeros((runs, n))
        hope, tries = (
            (0.0, 0) if self.optimism is None or policy is not None else (float(self.optimism), int(self.tries))
        )
        done = live_compiled(
            self,
            _core.decisions.control.adapt,
            own,
            discount=discount,
            settings={
                "seed": seed_of(self.random_state),
                "backups": BACKUPS,
                "tol": TOL,
                "optimism": hope,
                "tries": tries,
                "exploration": as_schedule(self.exploration).values(self.n_episodes),
                "policy": None if policy is None else policy_sums(own, policy_table(own, policy)),
            },
            written={"visits": visits, "u": values},
        )
        self.visits_ = visits[:done].sum(axis=0)
        if policy is not None:
            inside = ~own.model.terminal
            self.values_[inside] = values[:done].mean(axis=0)[inside]
        self.environment_ = name_of(made)
        self.discount_ = discount
        return self
