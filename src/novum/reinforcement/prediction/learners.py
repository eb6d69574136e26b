"""Monte Carlo and temporal differences; their formulas: `prediction.base`."""

from typing import Any

from novum.base.domains import Choice, Int, Real
from novum.base.parameters import stores
from novum.exceptions import ParameterError
from novum.reinforcement.agents import ENTRIES
from novum.reinforcement.prediction.base import (
    BACKWARD,
    CARLO,
    FORWARD,
    PREDICTION_DOMAINS,
    STEPPING,
    Predictor,
    Settings,
)
from novum.reinforcement.schedules import Schedule

__all__ = ["TD", "MonteCarloPrediction"]

STEP_SIZE = Schedule("harmonic", 1.0, 10.0)  # Robbins and Monro's conditions hold

ENTRIES["values"] = (
    "values_ : ndarray of shape (n_states,)\n    The mean over runs; terminal states hold what they pay.\nerrors_ : ndarray "
    "of shape "
    "(n_runs, episodes)\n    Root mean square error over the states that are not terminal, after every episode, where the "
    "true values "
    "are known.\nrun_values_ : ndarray of shape (n_runs, n_states)\n    The values of every run.\nvisits_ : ndarray of "
    "shape (n_states,)\n"
    "    Updates of every state, in all runs.\nstates_ : list\n    Names of the states.\nn_steps_ : int\n    Updates in all."
)


class MonteCarloPrediction(Predictor):
    """Values of a policy as means of the returns that followed.

    Parameters
    ----------
    [episodes=1000]
    visits : {"first", "every"}, default="first"
        Which visits of a state in an episode count: the first (no bias) or every one (smaller error early, biased).
    step_size : float, Schedule or None, default=None
        None: the plain mean. A constant forgets old episodes.
    importance : {"weighted", "ordinary"}, default="weighted"
        How returns of another policy are weighted: divided by the sum of weights (little variance), or by their number (no bias).
    [discount, max_steps, n_runs, initial_value, random_state, n_jobs]

    Attributes
    ----------
    [values]

    Examples
    --------
    >>> from novum.reinforcement import MonteCarloPrediction
    >>> episode = (["A", "A", "B"], [1.0, 2.0, 3.0])
    >>> MonteCarloPrediction(visits="every", discount=0.9).fit([episode]).predict(["A", "B"]).round(3).tolist()
    [4.965, 3.0]
    """

    _tags = ("model-free", "on-policy", "offline", "tabular", "prediction")
    _domains = PREDICTION_DOMAINS | {"visits": Choice("first", "every"), "importance": Choice("weighted", "ordinary")}

    @stores
    def __init__(
        self, episodes: int = 1000, *, visits: str = "first", step_size: Any = None, importance: str = "weighted",
        discount: float | None = None, max_steps: int = 1000, n_runs: int = 1, initial_value: float = 0.0,
        random_state: Any = None, n_jobs: int | None = None
    ) -> None: ...  # fmt: skip

    def _settings(self, off_policy: bool) -> Settings:
        return Settings(CARLO, self.visits == "first", off_policy and self.importance == "weighted")


class TD(Predictor):
    """Values of a policy by temporal differences: TD(0), n steps, TD(lambda).

    Parameters
    ----------
    [episodes=1000]
    n_steps : int, default=1
        Rewards before the estimate takes over; not together with traces.
    trace_decay : float in [0, 1], default=0.0
        lambda: 0 is TD(0), 1 close to Monte Carlo.
    view : {"backward", "forward"}, default="backward"
        Traces that change values at every step, or lambda returns that change them when an episode is over.
    traces : {"accumulating", "replacing"}, default="accumulating"
        What a further visit does to a trace.
    step_size : float, Schedule or None, default=Schedule("harmonic", 1.0, 10.0)
        By visits of the state.
    [discount, max_steps, n_runs, initial_value, random_state, n_jobs]

    Attributes
    ----------
    [values]

    Examples
    --------
    >>> from novum.reinforcement import TD
    >>> from novum.reinforcement.worlds.classics import random_walk
    >>> TD(20_000, random_state=0).fit(random_walk()).values_[1:-1].round(1).tolist()
    [0.2, 0.3, 0.5, 0.7, 0.8]
    """

    _tags = ("model-free", "on-policy", "online", "tabular", "prediction")
    _domains = PREDICTION_DOMAINS | {
        "n_steps": Int(1),
        "trace_decay": Real(0, 1),
        "view": Choice("backward", "forward"),
        "traces": Choice("accumulating", "replacing"),
    }

    @stores
    def __init__(
        self, episodes: int = 1000, *, n_steps: int = 1, trace_decay: float = 0.0, view: str = "backward",
        traces: str = "accumulating", step_size: Any = STEP_SIZE, discount: float | None = None,
        max_steps: int = 1000, n_runs: int = 1, initial_value: float = 0.0, random_state: Any = None,
        n_jobs: int | None = None
    ) -> None: ...  # fmt: skip

    def _settings(self, off_policy: bool) -> Settings:
        if self.step_size is None:
            raise ParameterError("TD(step_size=None): temporal differences need a step size, such as 0.1.")
        if self.n_steps > 1 and (self.trace_decay > 0 or self.view == "forward"):
            raise ParameterError(
                f"TD(n_steps={self.n_steps}, trace_decay={self.trace_decay}): take n steps or traces, not both; set one of them "
                "to its default."
            )
        if off_policy and self.view == "forward":
            raise ParameterError("TD(view='forward'): importance weights go with view='backward'.")
        if self.n_steps > 1:
            return Settings(STEPPING, n_steps=self.n_steps)
        view = FORWARD if self.view == "forward" else BACKWARD
        return Settings(view, replacing=self.traces == "replacing", trace_decay=float(self.trace_decay))
