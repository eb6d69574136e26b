"""What SARSA, expected SARSA and Q-learning share: parameters, compiled loops over runs, Python loops elsewhere.

The formulas stand in cpp/include/novum/decisions/control.h.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.base.callbacks import reporting
from novum.base.domains import Choice, Domain, Int, Null, Real
from novum.base.estimator import fits
from novum.exceptions import ParameterError
from novum.reinforcement.agents import DEFAULT_DISCOUNT, EXPERIENCE_DOMAINS, RATE, TabularAgent, name_of
from novum.reinforcement.control.compiled import live_compiled
from novum.reinforcement.control.interpreted import Learner, Rules, learn_together
from novum.reinforcement.experience import KnownRuns, VectorRuns, tabular_process
from novum.reinforcement.mdp import MDP
from novum.reinforcement.schedules import as_schedule
from novum.runtime.random import seed_of
from novum.runtime.typing import Target

__all__ = ["CONTROL_DOMAINS", "METHOD_CODES", "TemporalAgent", "rate_tables"]

CONTROL_DOMAINS: dict[str, Domain] = {
    **EXPERIENCE_DOMAINS,
    "learning_rate": RATE,
    "exploration": Real(0, 1) | RATE,
    "strategy": Choice("epsilon-greedy", "softmax"),
    "trace_decay": Real(0, 1),
    "traces": Choice("accumulating", "replacing"),
    "target_exploration": Real(0, 1) | Null(),
    "planning_steps": Int(0),
}
METHOD_CODES = {"sarsa": 0, "expected": 1, "q": 2, "double": 3}
MOST_RATES = 1 << 20  # visits whose learning rates are tabulated; later ones keep the last


def rate_tables(
    learning_rate: Any, n_episodes: int, max_steps: int
) -> tuple[NDArray[np.float64] | None, NDArray[np.float64] | None]:
    """Return learning rates by episode and by visit; one of them is None."""
    schedule = as_schedule(learning_rate)
    if schedule.by == "episode" or schedule.kind in ("linear", "exponential", "constant"):
        return schedule.values(n_episodes), None
    return None, schedule.values(min(MOST_RATES, n_episodes * max_steps))


class TemporalAgent(TabularAgent):
    """Base of agents that learn at every step."""

    trace_decay: float = 0.0
    traces: str = "accumulating"
    target_exploration: float | None = None
    planning_steps: int = 0
    returns_: np.ndarray
    lengths_: np.ndarray
    visits_: np.ndarray
    total_steps_: int
    discount: float | None
    n_episodes: int
    exploration: Any
    initial_value: float
    max_steps: int
    n_runs: int
    random_state: Any
    start: str
    learning_rate: Any
    strategy: str

    def _method(self) -> str:
        raise NotImplementedError(type(self).__name__)

    def _rules(self, discount: float) -> Rules:
        exploration = as_schedule(self.exploration).values(self.n_episodes)
        if self.strategy == "softmax" and not (exploration > 0).all():
            raise ParameterError(
                f"{type(self).__name__}(strategy='softmax'): exploration is a temperature and must stay above zero; give a floor."
            )
        if self.strategy == "softmax" and self._method() == "sarsa" and self.target_exploration is not None:
            raise ParameterError(
                f"{type(self).__name__}: importance sampling (target_exploration) goes with strategy='epsilon-greedy'."
            )
        by_episode, by_visit = rate_tables(self.learning_rate, self.n_episodes, self.max_steps)
        return Rules(
            method=self._method(),
            trace_decay=float(self.trace_decay),
            replacing=self.traces == "replacing",
            target_epsilon=-1.0 if self.target_exploration is None else float(self.target_exploration),
            planning=int(self.planning_steps),
            softmax=self.strategy == "softmax",
            discount=discount,
            exploration=exploration,
            episode_rate=by_episode,
            visit_rate=by_visit,
        )

    @fits
    def fit(self, environment: Any, y: Target = None) -> Self:
        """Learn from an MDP, a Gymnasium environment or its name.

        Processes and environments with a table are learned in compiled loops, `n_runs` of them side by side; others in Python with
        vectorised environments.

        Parameters
        ----------
        environment : MDP, gymnasium.Env or str
        y : ignored
        """
        process, made, discount = tabular_process(environment, self.discount, DEFAULT_DISCOUNT)
        rules, seed = self._rules(discount), seed_of(self.random_state)
        if process is None:
            if self.start == "any":
                raise ParameterError(f"{type(self).__name__}(start='any'): only a known process can begin anywhere.")
            self._interpreted(VectorRuns(made, seed, self.n_runs), rules, None)
        else:
            self._compiled(process, rules, seed)
        self.environment_ = name_of(made)
        self.discount_ = discount
        return self

    def _compiled(self, process: MDP, rules: Rules, seed: int) -> None:
        settings = {name: value for name, value in rules._asdict().items() if name != "discount"}
        settings |= {"method": METHOD_CODES[rules.method], "any_start": self.start == "any", "seed": seed}
        visits = np.zeros((self.n_runs, process.n_states, process.n_actions), np.int64)
        done = live_compiled(
            self,
            _core.decisions.control.learn,
            process,
            discount=rules.discount,
            settings=settings,
            written={"visits": visits},
        )
        self.visits_ = visits[:done].sum(axis=0)

    def _interpreted(self, source: Any, rules: Rules, process: MDP | None) -> None:
        learners = [Learner(source, run, rules, float(self.initial_value)) for run in range(self.n_runs)]
        with reporting(self, self.n_episodes) as report:
            record = learn_together(source, learners, self.n_episodes, self.max_steps, report)
        names, m = source.names, source.n_actions
        q = np.full((self.n_runs, len(names), m), float(self.initial_value))
        visits = np.zeros((len(names), m), np.int64)
        for run, learner in enumerate(learners):
            for s in learner.q:
                q[run, s] = learner.values(s)
            for (s, a), count in learner.visits.items():
                visits[s, a] += count
        if process is not None:
            q[:, ~process.possible] = np.nan
        self.returns_, self.lengths_, self.total_steps_, self.visits_ = (
            record.totals,
            record.lengths,
            record.steps,
            visits,
        )
        self._keep(q, names, list(range(m)) if process is None else list(process.actions), process)

    def _in_python(self, process: MDP) -> Self:
        """Learn a known process by the loops in Python: the slow twin of `fit`, for whoever wants to compare."""
        seed = seed_of(self.random_state)
        discount = process.discount if self.discount is None else float(self.discount)
        source = KnownRuns(process, discount, seed, self.n_runs, self.start == "any")
        self._interpreted(source, self._rules(discount), process)
        return self
