r"""Monte Carlo control: play, average the returns of actions, become greedier.

exploring starts   every pair of state and action may begin an episode, then greedy                                     (1)
GLIE               epsilon-greedy with epsilon_k -> 0, such as 1/k                                                      (2)
off-policy         an epsilon-greedy policy b acts, the greedy one is learned: from the end of an episode back,
                   w <- w / b(a|s) as long as actions were greedy,  Q += w / W (G - Q),  W += w                         (3)
"""

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np

from novum import _core
from novum.base.domains import Choice, Null, Real
from novum.base.estimator import fits
from novum.exceptions import ParameterError
from novum.optimize.schedule_base import Schedule
from novum.reinforcement.agents import DEFAULT_DISCOUNT, EXPERIENCE_DOMAINS, RATE, TabularAgent, name_of
from novum.reinforcement.control.compiled import live_compiled
from novum.reinforcement.experience import tabular_process
from novum.reinforcement.gymnasium_tables import sampled_process
from novum.reinforcement.mdp import MDP
from novum.reinforcement.schedules import as_schedule
from novum.runtime.random import seed_of
from novum.runtime.typing import Environment, Seed, Target

__all__ = ["MonteCarloControl"]

METHODS = ("exploring-starts", "glie", "off-policy")
GLIE_SHARE = 0.05  # of the episodes, after which exploration is half of what it was
SAMPLES = 500_000  # steps by which an environment without a table becomes a process first


class MonteCarloControl(TabularAgent):
    """Control by means of returns; an environment without a table, such as Blackjack, is sampled into one first.

    Parameters
    ----------
    n_episodes : int, default=10_000
        Episodes of every run.
    method : {"exploring-starts", "glie", "off-policy"}, default="glie"
        Begin anywhere with any action and be greedy; explore less and less; or learn the greedy policy while another acts.
    visits : {"first", "every"}, default="every"
        Which visits of a pair in an episode count.
    exploration : float or Schedule, default=None
        Share of random actions by episode. None: c / (c + k - 1) with c a twentieth of the episodes for "glie" (1/k is
        `Schedule("power", 1.0, 1.0)`), 0.3 for "off-policy".
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
    >>> from novum.reinforcement import MonteCarloControl, room_4x3
    >>> agent = MonteCarloControl(50_000, method="exploring-starts", discount=0.9, random_state=0).fit(room_4x3())
    >>> agent.policy_[(3, 3)]
    '>'
    """

    total_steps_: int
    _tags = ("model-free", "on-policy", "offline", "tabular", "value-based", "control")
    _domains = {k: v for k, v in EXPERIENCE_DOMAINS.items() if k != "start"} | {
        "method": Choice(*METHODS),
        "visits": Choice("first", "every"),
        "exploration": Real(0, 1) | RATE | Null(),
    }
    returns_: np.ndarray
    lengths_: np.ndarray
    visits_: np.ndarray

    def __init__(
        self,
        n_episodes: int = 10_000,
        *,
        method: Literal["exploring-starts", "glie", "off-policy"] = "glie",
        visits: Literal["first", "every"] = "every",
        exploration: float | Schedule | None = None,
        discount: float | None = None,
        max_steps: int = 1000,
        n_runs: int = 1,
        initial_value: float = 0.0,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_episodes = n_episodes
        self.method = method
        self.visits = visits
        self.exploration = exploration
        self.discount = discount
        self.max_steps = max_steps
        self.n_runs = n_runs
        self.initial_value = initial_value
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fits
    def fit(self, environment: MDP | Environment | str | Callable[[], Any], y: Target = None) -> Self:
        """Learn from an MDP, a Gymnasium environment or its name.

        Parameters
        ----------
        environment : MDP, gymnasium.Env or str
        y : ignored
        """
        process, made, discount = tabular_process(environment, self.discount, DEFAULT_DISCOUNT)
        seed = seed_of(self.random_state)
        name = name_of(made)
        if process is None:
            from novum.reinforcement.mdp import MDP

            process = sampled_process(MDP, made, name, discount, SAMPLES, seed)
        own = process if discount == process.discount else process.replaced(discount=discount)
        weight = np.zeros((self.n_runs, own.n_states, own.n_actions))
        done = live_compiled(
            self,
            _core.decisions.control.monte_carlo,
            own,
            discount=discount,
            settings={
                "seed": seed,
                "method": METHODS.index(self.method),
                "first_visit": self.visits == "first",
                "exploration": self._exploration(),
            },
            written={"weight": weight},
        )
        self.visits_ = np.ceil(weight[:done].sum(axis=0)).astype(np.int64)
        self._numbered = (
            process is made or process is getattr(made, "unwrapped", None) or own.states == range(own.n_states)
        )
        self.environment_, self.discount_ = name, discount
        return self

    def _exploration(self) -> Any:
        if self.method == "exploring-starts":
            if self.exploration is not None:
                raise ParameterError(
                    "MonteCarloControl(method='exploring-starts'): episodes begin anywhere and are greedy then; exploration=None."
                )
            return np.zeros(self.n_episodes)
        default = Schedule("harmonic", 1.0, max(1.0, GLIE_SHARE * self.n_episodes)) if self.method == "glie" else 0.3
        values = as_schedule(default if self.exploration is None else self.exploration).values(self.n_episodes)
        if self.method == "off-policy" and not (values > 0).all():
            raise ParameterError(
                "MonteCarloControl(method='off-policy'): the acting policy must explore; give exploration > 0."
            )
        return values
