"""SARSA, expected SARSA and Q-learning; their loops and formulas: `control.temporal`."""

from typing import Any

from novum.base.domains import Bool
from novum.base.parameters import stores
from novum.exceptions import ParameterError
from novum.reinforcement.agents import ENTRIES
from novum.reinforcement.control.temporal import CONTROL_DOMAINS, TemporalAgent
from novum.reinforcement.schedules import Schedule

__all__ = ["SARSA", "ExpectedSARSA", "QLearning"]

STEP_SIZE = Schedule("power", 1.0, 0.6)  # large enough for long horizons; Robbins and Monro's conditions hold
EXPLORATION = Schedule("linear", 1.0, 0.1)
ENTRIES["step_size"] = (
    'step_size : float or Schedule, default=Schedule("power", 1.0, 0.6)\n    By visits of the state and action, or by episodes.'
)
ENTRIES["exploration"] = (
    'exploration : float or Schedule, default=Schedule("linear", 1.0, 0.1)\n    The share of random actions by '
    "episode (epsilon), or the temperature."
)
ENTRIES["strategy"] = (
    'strategy : {{"epsilon-greedy", "softmax"}}, default="epsilon-greedy"\n    How exploration is done; ties are broken at random.'
)
ENTRIES["trace_decay"] = (
    "trace_decay : float in [0, 1], default=0.0\n    lambda of the eligibility traces; 0: one step."
)
ENTRIES["traces"] = (
    'traces : {{"accumulating", "replacing"}}, default="accumulating"\n    What a further visit does to a trace.'
)


class SARSA(TemporalAgent):
    """SARSA(lambda): learn the values of the policy that acts, Q(s, a) += alpha (r + gamma Q(s', a') - Q(s, a)).

    Parameters
    ----------
    [episodes=10_000, step_size, exploration, strategy, trace_decay, traces]
    target_exploration : float or None, default=None
        Learn about the epsilon-greedy policy with this epsilon instead of the one that acts, by importance sampling: the
        next value is multiplied by pi(a'|s') / b(a'|s'). 0 learns about the greedy policy.
    [discount, max_steps, n_runs, initial_value, start, random_state, n_jobs]

    Attributes
    ----------
    [learned]

    Examples
    --------
    >>> from novum.reinforcement import SARSA
    >>> from novum.reinforcement.worlds.classics import cliff_walk
    >>> safe = SARSA(500, step_size=0.5, exploration=0.1, random_state=0).fit(cliff_walk())
    >>> len(cliff_walk().rollout(safe.policy_)) > 13  # it keeps away from the cliff
    True
    """

    _tags = ("model-free", "on-policy", "online", "tabular", "value-based", "control")
    _domains = {k: v for k, v in CONTROL_DOMAINS.items() if k != "planning_steps"}

    @stores
    def __init__(
        self, episodes: int = 10_000, *, step_size: Any = STEP_SIZE, exploration: Any = EXPLORATION,
        strategy: str = "epsilon-greedy", trace_decay: float = 0.0, traces: str = "accumulating",
        target_exploration: float | None = None, discount: float | None = None, max_steps: int = 1000,
        n_runs: int = 1, initial_value: float = 0.0, start: str = "initial", random_state: Any = None,
        n_jobs: int | None = None
    ) -> None: ...  # fmt: skip

    def _method(self) -> str:
        return "sarsa"


class ExpectedSARSA(TemporalAgent):
    """Expected SARSA: as SARSA, with the mean over the next action instead of the one taken.

    Parameters
    ----------
    [episodes=10_000, step_size, exploration, strategy]
    target_exploration : float or None, default=None
        Learn about the epsilon-greedy policy with this epsilon instead of the one that acts; 0 makes it Q-learning.
    planning_steps : int, default=0
        Updates from remembered steps after every step (Dyna).
    [discount, max_steps, n_runs, initial_value, start, random_state, n_jobs]

    Attributes
    ----------
    [learned]

    Examples
    --------
    >>> from novum.reinforcement import ExpectedSARSA, room_4x3
    >>> agent = ExpectedSARSA(5000, target_exploration=0.0, random_state=0).fit(room_4x3())
    >>> round(float(agent.values_[0]), 1)
    0.8
    """

    _tags = ("model-free", "on-policy", "online", "tabular", "value-based", "control")
    _domains = {k: v for k, v in CONTROL_DOMAINS.items() if k not in ("trace_decay", "traces")}

    @stores
    def __init__(
        self, episodes: int = 10_000, *, step_size: Any = STEP_SIZE, exploration: Any = EXPLORATION,
        strategy: str = "epsilon-greedy", target_exploration: float | None = None, planning_steps: int = 0,
        discount: float | None = None, max_steps: int = 1000, n_runs: int = 1, initial_value: float = 0.0,
        start: str = "initial", random_state: Any = None, n_jobs: int | None = None
    ) -> None: ...  # fmt: skip

    def _method(self) -> str:
        return "expected"


class QLearning(TemporalAgent):
    """Q-learning: learn the best values whatever acts, Q(s, a) += alpha (r + gamma max_a' Q(s', a') - Q(s, a)).

    Parameters
    ----------
    [episodes=10_000, step_size, exploration, strategy, trace_decay, traces]
    double : bool, default=False
        Two tables, one chooses and the other judges: no bias upwards where rewards are noisy.
    planning_steps : int, default=0
        Updates from remembered steps after every step (Dyna-Q).
    [discount, max_steps, n_runs, initial_value, start, random_state, n_jobs]

    Attributes
    ----------
    [learned]

    Examples
    --------
    >>> from novum.reinforcement import QLearning, room_4x3, value_iteration
    >>> agent = QLearning(episodes=20_000, random_state=0).fit(room_4x3())
    >>> agent.compare(value_iteration(room_4x3())).agrees
    9
    """

    _tags = ("model-free", "off-policy", "online", "tabular", "value-based", "control")
    _domains = {k: v for k, v in CONTROL_DOMAINS.items() if k != "target_exploration"} | {"double": Bool()}

    @stores
    def __init__(
        self, episodes: int = 10_000, *, step_size: Any = STEP_SIZE, exploration: Any = EXPLORATION,
        strategy: str = "epsilon-greedy", trace_decay: float = 0.0, traces: str = "accumulating",
        double: bool = False, planning_steps: int = 0, discount: float | None = None, max_steps: int = 1000,
        n_runs: int = 1, initial_value: float = 0.0, start: str = "initial", random_state: Any = None,
        n_jobs: int | None = None
    ) -> None: ...  # fmt: skip

    def _method(self) -> str:
        if self.double and (self.trace_decay > 0 or self.planning_steps > 0):
            raise ParameterError(
                "QLearning(double=True): two tables go neither with traces nor with planning; set trace_decay=0 and "
                "planning_steps=0."
            )
        return "double" if self.double else "q"
