"""Monte Carlo and temporal differences; their formulas: `prediction.base`."""

from novum.base.domains import Choice, Int, Real
from novum.exceptions import ParameterError
from novum.optimize.schedule_base import Schedule
from novum.reinforcement.prediction.base import (
    BACKWARD,
    CARLO,
    FORWARD,
    PREDICTION_DOMAINS,
    STEPPING,
    Predictor,
    Settings,
)
from novum.runtime.typing import Seed

__all__ = ["TD", "MonteCarloPrediction"]

LEARNING_RATE = Schedule("harmonic", 1.0, 10.0)  # Robbins and Monro's conditions hold


class MonteCarloPrediction(Predictor):
    """Values of a policy as means of the returns that followed.

    Parameters
    ----------
    n_episodes : int, default=1000
        Episodes of every run.
    visits : {"first", "every"}, default="first"
        Which visits of a state in an episode count: the first (no bias) or every one (smaller error early, biased).
    learning_rate : float, Schedule or None, default=None
        None: the plain mean. A constant forgets old episodes.
    importance : {"weighted", "ordinary"}, default="weighted"
        How returns of another policy are weighted: divided by the sum of weights (little variance), or by their number (no bias).
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
    values_ : ndarray of shape (n_states,)
        The mean over runs; terminal states hold what they pay.
    errors_ : ndarray of shape (n_runs, n_episodes)
        Root mean square error over the states that are not terminal, after every episode, where the true values are known.
    run_values_ : ndarray of shape (n_runs, n_states)
        The values of every run.
    visits_ : ndarray of shape (n_states,)
        Updates of every state, in all runs.
    states_ : list
        Names of the states.
    total_steps_ : int
        Updates in all.

    Examples
    --------
    >>> from novum.reinforcement import MonteCarloPrediction
    >>> episode = (["A", "A", "B"], [1.0, 2.0, 3.0])
    >>> MonteCarloPrediction(visits="every", discount=0.9).fit([episode]).predict(["A", "B"]).round(3).tolist()
    [4.965, 3.0]
    """

    total_steps_: int
    _tags = ("model-free", "on-policy", "offline", "tabular", "prediction")
    _domains = PREDICTION_DOMAINS | {"visits": Choice("first", "every"), "importance": Choice("weighted", "ordinary")}

    def __init__(
        self,
        n_episodes: int = 1000,
        *,
        visits: str = "first",
        learning_rate: float | Schedule | None = None,
        importance: str = "weighted",
        discount: float | None = None,
        max_steps: int = 1000,
        n_runs: int = 1,
        initial_value: float = 0.0,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_episodes = n_episodes
        self.visits = visits
        self.learning_rate = learning_rate
        self.importance = importance
        self.discount = discount
        self.max_steps = max_steps
        self.n_runs = n_runs
        self.initial_value = initial_value
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _settings(self, off_policy: bool) -> Settings:
        return Settings(CARLO, self.visits == "first", off_policy and self.importance == "weighted")


class TD(Predictor):
    """Values of a policy by temporal differences: TD(0), n steps, TD(lambda).

    Parameters
    ----------
    n_episodes : int, default=1000
        Episodes of every run.
    n_steps : int, default=1
        Rewards before the estimate takes over; not together with traces or view="forward".
    trace_decay : float in [0, 1], default=0.0
        lambda: 0 is TD(0), 1 close to Monte Carlo.
    view : {"backward", "forward"}, default="backward"
        Traces that change values at every step, or lambda returns that change them when an episode is over.
    traces : {"accumulating", "replacing"}, default="accumulating"
        What a further visit does to a trace.
    learning_rate : float, Schedule or None, default=Schedule("harmonic", 1.0, 10.0)
        By visits of the state.
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
    values_ : ndarray of shape (n_states,)
        The mean over runs; terminal states hold what they pay.
    errors_ : ndarray of shape (n_runs, n_episodes)
        Root mean square error over the states that are not terminal, after every episode, where the true values are known.
    run_values_ : ndarray of shape (n_runs, n_states)
        The values of every run.
    visits_ : ndarray of shape (n_states,)
        Updates of every state, in all runs.
    states_ : list
        Names of the states.
    total_steps_ : int
        Updates in all.

    Examples
    --------
    >>> from novum.reinforcement import TD
    >>> from novum.teaching.reinforcement.worlds import random_walk
    >>> TD(20_000, random_state=0).fit(random_walk()).values_[1:-1].round(1).tolist()
    [0.2, 0.3, 0.5, 0.7, 0.8]
    """

    total_steps_: int
    _tags = ("model-free", "on-policy", "online", "tabular", "prediction")
    _domains = PREDICTION_DOMAINS | {
        "n_steps": Int(1),
        "trace_decay": Real(0, 1),
        "view": Choice("backward", "forward"),
        "traces": Choice("accumulating", "replacing"),
    }

    def __init__(
        self,
        n_episodes: int = 1000,
        *,
        n_steps: int = 1,
        trace_decay: float = 0.0,
        view: str = "backward",
        traces: str = "accumulating",
        learning_rate: float | Schedule = LEARNING_RATE,
        discount: float | None = None,
        max_steps: int = 1000,
        n_runs: int = 1,
        initial_value: float = 0.0,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_episodes = n_episodes
        self.n_steps = n_steps
        self.trace_decay = trace_decay
        self.view = view
        self.traces = traces
        self.learning_rate = learning_rate
        self.discount = discount
        self.max_steps = max_steps
        self.n_runs = n_runs
        self.initial_value = initial_value
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _settings(self, off_policy: bool) -> Settings:
        if self.learning_rate is None:
            raise ParameterError("TD(learning_rate=None): temporal differences need a learning rate, such as 0.1.")
        if self.n_steps > 1 and (self.trace_decay > 0 or self.view == "forward"):
            raise ParameterError(
                f"TD(n_steps={self.n_steps}, trace_decay={self.trace_decay}, view={self.view!r}): take n steps or "
                "traces, not both; set the others to their defaults."
            )
        if off_policy and self.view == "forward":
            raise ParameterError("TD(view='forward'): importance weights go with view='backward'.")
        if self.n_steps > 1:
            return Settings(STEPPING, n_steps=self.n_steps)
        view = FORWARD if self.view == "forward" else BACKWARD
        return Settings(view, replacing=self.traces == "replacing", trace_decay=float(self.trace_decay))
