r"""Monte Carlo control: play, average the returns of actions, become greedier.

exploring starts   every pair of state and action may begin an episode, then greedy                                     (1)
GLIE               epsilon-greedy with epsilon_k -> 0, such as 1/k                                                      (2)
off-policy         an epsilon-greedy policy b acts, the greedy one is learned: from the end of an episode back,
                   w <- w / b(a|s) as long as actions were greedy,  Q += w / W (G - Q),  W += w                         (3)
"""

from typing import Any, Self

import numpy as np

from novum import _core
from novum.base.callbacks import reporting
from novum.base.domains import Choice, Null, Real
from novum.base.estimator import fits
from novum.base.parameters import stores
from novum.exceptions import ParameterError
from novum.reinforcement.agents import DEFAULT_DISCOUNT, EXPERIENCE_DOMAINS, RATE, TabularAgent
from novum.reinforcement.experience import STARTS, STEPS, lived_world, tabular_process
from novum.reinforcement.gymnasium_tables import sampled_process
from novum.reinforcement.schedules import Schedule, as_schedule
from novum.runtime.pool import map_ordered
from novum.runtime.random import purpose_code, seed_of
from novum.runtime.threads import thread_count

__all__ = ["MonteCarloControl"]

METHODS = ("exploring-starts", "glie", "off-policy")
GLIE_SHARE = 0.05  # of the episodes, after which exploration is half of what it was
SAMPLES = 500_000  # steps by which an environment without a table becomes a process first


class MonteCarloControl(TabularAgent):
    """Control by means of returns; an environment without a table, such as Blackjack, is sampled into one first.

    Parameters
    ----------
    [episodes=10_000]
    method : {"exploring-starts", "glie", "off-policy"}, default="glie"
        Begin anywhere with any action and be greedy; explore less and less; or learn the greedy policy while another acts.
    visits : {"first", "every"}, default="every"
        Which visits of a pair in an episode count.
    exploration : float or Schedule, default=None
        Share of random actions by episode. None: c / (c + k - 1) with c a twentieth of the episodes for "glie" (1/k is
        `Schedule("power", 1.0, 1.0)`), 0.3 for "off-policy".
    [discount, max_steps, n_runs, initial_value, random_state, n_jobs]

    Attributes
    ----------
    [learned]

    Examples
    --------
    >>> from novum.reinforcement import MonteCarloControl, room_4x3
    >>> agent = MonteCarloControl(50_000, method="exploring-starts", discount=0.9, random_state=0).fit(room_4x3())
    >>> agent.policy_[(3, 3)]
    '>'
    """

    _tags = ("model-free", "on-policy", "offline", "tabular", "value-based", "control")
    _domains = {k: v for k, v in EXPERIENCE_DOMAINS.items() if k != "start"} | {
        "method": Choice(*METHODS),
        "visits": Choice("first", "every"),
        "exploration": Real(0, 1) | RATE | Null(),
    }

    @stores
    def __init__(
        self, episodes: int = 10_000, *, method: str = "glie", visits: str = "every", exploration: Any = None,
        discount: float | None = None, max_steps: int = 1000, n_runs: int = 1, initial_value: float = 0.0,
        random_state: Any = None, n_jobs: int | None = None
    ) -> None: ...  # fmt: skip

    @fits
    def fit(self, environment: Any, y: Any = None) -> Self:
        """Learn from an MDP, a Gymnasium environment or its name.

        Parameters
        ----------
        environment : MDP, gymnasium.Env or str
        y : ignored
        """
        process, made, discount = tabular_process(environment, self.discount, DEFAULT_DISCOUNT)
        seed = seed_of(self.random_state)
        name = getattr(getattr(made, "spec", None), "id", None) or getattr(made, "name", type(made).__name__)
        if process is None:
            from novum.reinforcement.mdp import MDP

            process = sampled_process(MDP, made, str(name), discount, SAMPLES, seed)
        own = process if discount == process.discount else process.replaced(discount=discount)
        n, m, runs = own.n_states, own.n_actions, self.n_runs
        world = lived_world(own, discount)
        q = np.full((runs, n, m), float(self.initial_value))
        weight = np.zeros((runs, n, m))
        totals, lengths = np.empty((runs, self.episodes)), np.empty((runs, self.episodes), np.int32)
        explored = self._exploration()

        def one(run: int) -> int:
            return int(
                _core.decisions.control.monte_carlo(
                    world,
                    METHODS.index(self.method),
                    self.visits == "first",
                    self.max_steps,
                    explored,
                    seed,
                    purpose_code(STEPS),
                    purpose_code(STARTS),
                    run,
                    q[run],
                    weight[run],
                    totals[run],
                    lengths[run],
                )
            )

        steps = 0
        with reporting(self, runs) as report:
            for done, taken in enumerate(map_ordered(one, range(runs), min(thread_count(self.n_jobs), runs)), start=1):
                steps += taken
                if report(done, float(totals[done - 1].mean())):
                    q, weight, totals, lengths = q[:done], weight[:done], totals[:done], lengths[:done]
                    break
        q[:, ~own.possible] = np.nan
        self.returns_, self.lengths_, self.n_steps_ = totals, lengths, steps
        self.visits_ = np.ceil(weight.sum(axis=0)).astype(np.int64)
        self._keep(q, list(own.states), list(own.actions), own)
        self._numbered = process is made or process is getattr(made, "unwrapped", None) or own.states == range(n)
        self.environment_, self.discount_ = name, discount
        return self

    def _exploration(self) -> Any:
        if self.method == "exploring-starts":
            if self.exploration is not None:
                raise ParameterError(
                    "MonteCarloControl(method='exploring-starts'): episodes begin anywhere and are greedy then; exploration=None."
                )
            return np.zeros(self.episodes)
        default = Schedule("harmonic", 1.0, max(1.0, GLIE_SHARE * self.episodes)) if self.method == "glie" else 0.3
        values = as_schedule(default if self.exploration is None else self.exploration).values(self.episodes)
        if self.method == "off-policy" and not (values > 0).all():
            raise ParameterError(
                "MonteCarloControl(method='off-policy'): the acting policy must explore; give exploration > 0."
            )
        return values
