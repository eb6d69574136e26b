r"""Adaptive dynamic programming: learn the model by counting, plan on it, act on the plan.

    p(s'|s, a) = N(s', s, a) / N(s, a)                                                                                     (1)
    U(s) = max_a f(r(s, a) + gamma sum_s' p(s'|s, a) U(s'), N(s, a))                                                        (2)
    f(u, n) = optimism if n < tries, else u                                                                                (3)

With a policy (passive) the maximum of (2) gives way to the policy's action. The plan is kept up to date after every step
by prioritized sweeping on the counted model (cpp/include/novum/decisions/adp.h).
"""

from typing import Any, Self

import numpy as np

from novum import _core
from novum.base.callbacks import reporting
from novum.base.domains import Int, Null, Real
from novum.base.estimator import fits
from novum.base.parameters import stores
from novum.exceptions import ParameterError
from novum.reinforcement.agents import DEFAULT_DISCOUNT, EXPERIENCE_DOMAINS, RATE, TabularAgent
from novum.reinforcement.experience import STARTS, STEPS, lived_world, policy_sums, tabular_process
from novum.reinforcement.policies import policy_table
from novum.reinforcement.schedules import as_schedule
from novum.runtime.pool import map_ordered
from novum.runtime.random import purpose_code, seed_of
from novum.runtime.threads import thread_count

__all__ = ["ADP"]

BACKUPS = 200  # after a step: an unfinished sweep goes on after the next
TOL = 1e-7  # a change of a value that is passed on to predecessors


class ADP(TabularAgent):
    """An agent that counts transitions, plans on the counts and acts on the plan.

    Parameters
    ----------
    [episodes=1000]
    optimism : float or None, default=None
        What an action is believed to be worth until it was tried `tries` times; more than anything real makes the agent try
        everything. None: greedy on what it knows, which often settles for too little.
    tries : int, default=5
        How often an action is tried before its own estimate counts.
    exploration : float or Schedule, default=0.0
        Share of random actions by episode.
    [discount, max_steps, n_runs, initial_value, random_state, n_jobs]

    Attributes
    ----------
    [learned]

    Examples
    --------
    >>> from novum.reinforcement import ADP, room_4x3, value_iteration
    >>> agent = ADP(500, optimism=2.0, tries=20, random_state=0).fit(room_4x3())
    >>> agent.compare(value_iteration(room_4x3())).worth > 0.69
    True
    """

    _tags = ("model-based", "on-policy", "online", "tabular", "value-based", "control")
    _domains = {k: v for k, v in EXPERIENCE_DOMAINS.items() if k != "start"} | {
        "optimism": Real() | Null(),
        "tries": Int(1),
        "exploration": Real(0, 1) | RATE,
    }

    @stores
    def __init__(
        self, episodes: int = 1000, *, optimism: float | None = None, tries: int = 5, exploration: Any = 0.0,
        discount: float | None = None, max_steps: int = 1000, n_runs: int = 1, initial_value: float = 0.0,
        random_state: Any = None, n_jobs: int | None = None
    ) -> None: ...  # fmt: skip

    @fits
    def fit(self, environment: Any, y: Any = None, *, policy: Any = None) -> Self:
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
        n, m, runs, seed = own.n_states, own.n_actions, self.n_runs, seed_of(self.random_state)
        world = lived_world(own, discount)
        q = np.full((runs, n, m), float(self.initial_value))
        visits, values = np.zeros((runs, n, m), np.int64), np.zeros((runs, n))
        totals, lengths = np.empty((runs, self.episodes)), np.empty((runs, self.episodes), np.int32)
        sums = None if policy is None else policy_sums(own, policy_table(own, policy))
        explored = as_schedule(self.exploration).values(self.episodes)
        hope, tries = (
            (0.0, 0) if self.optimism is None or policy is not None else (float(self.optimism), int(self.tries))
        )

        def one(run: int) -> int:
            return int(
                _core.decisions.control.adapt(
                    world,
                    self.max_steps,
                    BACKUPS,
                    TOL,
                    hope,
                    tries,
                    explored,
                    sums,
                    seed,
                    purpose_code(STEPS),
                    purpose_code(STARTS),
                    run,
                    q[run],
                    visits[run],
                    values[run],
                    totals[run],
                    lengths[run],
                )
            )

        steps = 0
        with reporting(self, runs) as report:
            for done, taken in enumerate(map_ordered(one, range(runs), min(thread_count(self.n_jobs), runs)), start=1):
                steps += taken
                if report(done, float(totals[done - 1].mean())):
                    q, values, totals, lengths = q[:done], values[:done], totals[:done], lengths[:done]
                    break
        q[:, ~own.possible] = np.nan
        self.returns_, self.lengths_, self.n_steps_ = totals, lengths, steps
        self.visits_ = visits.sum(axis=0)
        self._keep(q, list(own.states), list(own.actions), own)
        if policy is not None:
            inside = ~own.model.terminal
            self.values_[inside] = values.mean(axis=0)[inside]
        self.environment_ = getattr(getattr(made, "spec", None), "id", None) or getattr(
            made, "name", type(made).__name__
        )
        self.discount_ = discount
        return self
