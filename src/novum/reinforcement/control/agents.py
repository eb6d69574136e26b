"""SARSA, expected SARSA and Q-learning; their loops and formulas: `control.temporal`."""

from typing import Literal

from novum.base.domains import Bool
from novum.exceptions import ParameterError
from novum.optimize.schedule_base import Schedule
from novum.reinforcement.control.temporal import CONTROL_DOMAINS, TemporalAgent
from novum.runtime.typing import Seed

__all__ = ["SARSA", "ExpectedSARSA", "QLearning"]

LEARNING_RATE = Schedule("power", 1.0, 0.6)  # large enough for long horizons; Robbins and Monro's conditions hold
EXPLORATION = Schedule("linear", 1.0, 0.1)


class SARSA(TemporalAgent):
    """SARSA(lambda): learn the values of the policy that acts, Q(s, a) += alpha (r + gamma Q(s', a') - Q(s, a)).

    Parameters
    ----------
    n_episodes : int, default=10_000
        Episodes of every run.
    learning_rate : float or Schedule, default=Schedule("power", 1.0, 0.6)
        By visits of the state and action, or by episodes.
    exploration : float or Schedule, default=Schedule("linear", 1.0, 0.1)
        The share of random actions by episode (epsilon), or the temperature.
    strategy : {"epsilon-greedy", "softmax"}, default="epsilon-greedy"
        How exploration is done; ties are broken at random.
    trace_decay : float in [0, 1], default=0.0
        lambda of the eligibility traces; 0: one step.
    traces : {"accumulating", "replacing"}, default="accumulating"
        What a further visit does to a trace.
    target_exploration : float or None, default=None
        Learn about the epsilon-greedy policy with this epsilon instead of the one that acts, by importance sampling: the
        next value is multiplied by pi(a'|s') / b(a'|s'). 0 learns about the greedy policy.
    discount : float or None, default=None
        What a reward is worth a step later. None: the process's own; 0.99 for a Gymnasium environment, which has none.
    max_steps : int, default=1000
        Steps after which an episode is cut; what would follow is still counted on. A table has no limit of its own, so that
        one of Gymnasium's TimeLimit is given here.
    n_runs : int, default=1
        Independent runs side by side; the answer is the mean of their tables, `returns_` keeps all.
    initial_value : float, default=0.0
        First guess of every value; a high one makes the agent try everything.
    start : {"initial", "any"}, default="initial"
        Where episodes begin: as the process says, or in any state that is not terminal (known processes only).
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
    >>> from novum.reinforcement import SARSA
    >>> from novum.teaching.reinforcement.worlds import cliff_walk
    >>> safe = SARSA(500, learning_rate=0.5, exploration=0.1, random_state=0).fit(cliff_walk())
    >>> len(cliff_walk().rollout(safe.policy_)) > 13  # it keeps away from the cliff
    True
    """

    total_steps_: int
    _tags = ("model-free", "on-policy", "online", "tabular", "value-based", "control")
    _domains = {k: v for k, v in CONTROL_DOMAINS.items() if k != "planning_steps"}

    def __init__(
        self,
        n_episodes: int = 10_000,
        *,
        learning_rate: float | Schedule = LEARNING_RATE,
        exploration: float | Schedule = EXPLORATION,
        strategy: str = "epsilon-greedy",
        trace_decay: float = 0.0,
        traces: Literal["accumulating", "replacing"] = "accumulating",
        target_exploration: float | None = None,
        discount: float | None = None,
        max_steps: int = 1000,
        n_runs: int = 1,
        initial_value: float = 0.0,
        start: Literal["initial", "any"] = "initial",
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_episodes = n_episodes
        self.learning_rate = learning_rate
        self.exploration = exploration
        self.strategy = strategy
        self.trace_decay = trace_decay
        self.traces = traces
        self.target_exploration = target_exploration
        self.discount = discount
        self.max_steps = max_steps
        self.n_runs = n_runs
        self.initial_value = initial_value
        self.start = start
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _method(self) -> str:
        return "sarsa"


class ExpectedSARSA(TemporalAgent):
    """Expected SARSA: as SARSA, with the mean over the next action instead of the one taken.

    Parameters
    ----------
    n_episodes : int, default=10_000
        Episodes of every run.
    learning_rate : float or Schedule, default=Schedule("power", 1.0, 0.6)
        By visits of the state and action, or by episodes.
    exploration : float or Schedule, default=Schedule("linear", 1.0, 0.1)
        The share of random actions by episode (epsilon), or the temperature.
    strategy : {"epsilon-greedy", "softmax"}, default="epsilon-greedy"
        How exploration is done; ties are broken at random.
    target_exploration : float or None, default=None
        Learn about the epsilon-greedy policy with this epsilon instead of the one that acts; 0 makes it Q-learning.
    planning_steps : int, default=0
        Updates from remembered steps after every step (Dyna).
    discount : float or None, default=None
        What a reward is worth a step later. None: the process's own; 0.99 for a Gymnasium environment, which has none.
    max_steps : int, default=1000
        Steps after which an episode is cut; what would follow is still counted on. A table has no limit of its own, so that
        one of Gymnasium's TimeLimit is given here.
    n_runs : int, default=1
        Independent runs side by side; the answer is the mean of their tables, `returns_` keeps all.
    initial_value : float, default=0.0
        First guess of every value; a high one makes the agent try everything.
    start : {"initial", "any"}, default="initial"
        Where episodes begin: as the process says, or in any state that is not terminal (known processes only).
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
    >>> from novum.reinforcement import ExpectedSARSA, room_4x3
    >>> agent = ExpectedSARSA(5000, target_exploration=0.0, random_state=0).fit(room_4x3())
    >>> round(float(agent.values_[0]), 1)
    0.8
    """

    total_steps_: int
    _tags = ("model-free", "on-policy", "online", "tabular", "value-based", "control")
    _domains = {k: v for k, v in CONTROL_DOMAINS.items() if k not in ("trace_decay", "traces")}

    def __init__(
        self,
        n_episodes: int = 10_000,
        *,
        learning_rate: float | Schedule = LEARNING_RATE,
        exploration: float | Schedule = EXPLORATION,
        strategy: str = "epsilon-greedy",
        target_exploration: float | None = None,
        planning_steps: int = 0,
        discount: float | None = None,
        max_steps: int = 1000,
        n_runs: int = 1,
        initial_value: float = 0.0,
        start: Literal["initial", "any"] = "initial",
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_episodes = n_episodes
        self.learning_rate = learning_rate
        self.exploration = exploration
        self.strategy = strategy
        self.target_exploration = target_exploration
        self.planning_steps = planning_steps
        self.discount = discount
        self.max_steps = max_steps
        self.n_runs = n_runs
        self.initial_value = initial_value
        self.start = start
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _method(self) -> str:
        return "expected"


class QLearning(TemporalAgent):
    """Q-learning: learn the best values whatever acts, Q(s, a) += alpha (r + gamma max_a' Q(s', a') - Q(s, a)).

    Parameters
    ----------
    n_episodes : int, default=10_000
        Episodes of every run.
    learning_rate : float or Schedule, default=Schedule("power", 1.0, 0.6)
        By visits of the state and action, or by episodes.
    exploration : float or Schedule, default=Schedule("linear", 1.0, 0.1)
        The share of random actions by episode (epsilon), or the temperature.
    strategy : {"epsilon-greedy", "softmax"}, default="epsilon-greedy"
        How exploration is done; ties are broken at random.
    trace_decay : float in [0, 1], default=0.0
        lambda of the eligibility traces; 0: one step.
    traces : {"accumulating", "replacing"}, default="accumulating"
        What a further visit does to a trace.
    double : bool, default=False
        Two tables, one chooses and the other judges: no bias upwards where rewards are noisy.
    planning_steps : int, default=0
        Updates from remembered steps after every step (Dyna-Q).
    discount : float or None, default=None
        What a reward is worth a step later. None: the process's own; 0.99 for a Gymnasium environment, which has none.
    max_steps : int, default=1000
        Steps after which an episode is cut; what would follow is still counted on. A table has no limit of its own, so that
        one of Gymnasium's TimeLimit is given here.
    n_runs : int, default=1
        Independent runs side by side; the answer is the mean of their tables, `returns_` keeps all.
    initial_value : float, default=0.0
        First guess of every value; a high one makes the agent try everything.
    start : {"initial", "any"}, default="initial"
        Where episodes begin: as the process says, or in any state that is not terminal (known processes only).
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
    >>> from novum.reinforcement import QLearning, room_4x3, value_iteration
    >>> agent = QLearning(n_episodes=20_000, random_state=0).fit(room_4x3())
    >>> agent.compare(value_iteration(room_4x3())).agrees
    9
    """

    total_steps_: int
    _tags = ("model-free", "off-policy", "online", "tabular", "value-based", "control")
    _domains = {k: v for k, v in CONTROL_DOMAINS.items() if k != "target_exploration"} | {"double": Bool()}

    def __init__(
        self,
        n_episodes: int = 10_000,
        *,
        learning_rate: float | Schedule = LEARNING_RATE,
        exploration: float | Schedule = EXPLORATION,
        strategy: str = "epsilon-greedy",
        trace_decay: float = 0.0,
        traces: Literal["accumulating", "replacing"] = "accumulating",
        double: bool = False,
        planning_steps: int = 0,
        discount: float | None = None,
        max_steps: int = 1000,
        n_runs: int = 1,
        initial_value: float = 0.0,
        start: Literal["initial", "any"] = "initial",
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_episodes = n_episodes
        self.learning_rate = learning_rate
        self.exploration = exploration
        self.strategy = strategy
        self.trace_decay = trace_decay
        self.traces = traces
        self.double = double
        self.planning_steps = planning_steps
        self.discount = discount
        self.max_steps = max_steps
        self.n_runs = n_runs
        self.initial_value = initial_value
        self.start = start
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _method(self) -> str:
        if self.double and (self.trace_decay > 0 or self.planning_steps > 0):
            raise ParameterError(
                "QLearning(double=True): two tables go neither with traces nor with planning; set trace_decay=0 and "
                "planning_steps=0."
            )
        return "double" if self.double else "q"
