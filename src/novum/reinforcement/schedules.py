r"""Step sizes and exploration that change with time, and whether they change as convergence needs.

constant      a
harmonic      a c / (c + n - 1)          n = 1, 2, ...                                                                  (1)
power         a n^-w                                                                                                   (2)
exponential   max(a d^(n - 1), floor)                                                                                  (3)
linear        from a to b over all episodes                                                                            (4)

sum alpha_n = inf,  sum alpha_n^2 < inf                  Robbins and Monro: step sizes that forget noise but not the goal    (5)
sum eps_k = inf,  eps_k -> 0                             GLIE: every action for ever, greedy in the limit               (6)
mu_k = mu_{k-1} + alpha_k (x_k - mu_{k-1})               a running mean; alpha_k = 1/k is the mean itself              (7)
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.report.result import result
from novum.runtime.checks import check_number, vector

__all__ = ["Schedule", "ScheduleCheck", "as_schedule", "running_mean"]


@result
class ScheduleCheck(NamedTuple):
    """Whether a schedule has what convergence needs."""

    for_ever: bool  # the sum is infinite
    settles: bool  # squares have a finite sum, or the schedule falls to zero
    holds: bool


@dataclass(frozen=True)
class Schedule:
    """A number that changes with the visits of a pair, or with episodes.

    Parameters
    ----------
    kind : {"constant", "harmonic", "power", "exponential", "linear"}, default="constant"
        See the module.
    start : float, default=1.0
        The first value, a.
    rate : float, default=1.0
        c of harmonic, w of power, d of exponential, b of linear.
    floor : float, default=0.0
        Never below this.
    by : {"visit", "episode"}, default="visit"
        What n counts: visits of the state and action (step sizes), or episodes. Exploration always goes by episodes.

    Examples
    --------
    >>> from novum.reinforcement import Schedule
    >>> Schedule("harmonic", 1.0, 60.0).values(3).round(4).tolist()
    [1.0, 0.9836, 0.9677]
    >>> Schedule("power", 1.0, 1.0).glie().holds, Schedule("constant", 0.1).glie().holds
    (True, False)
    """

    kind: str = "constant"
    start: float = 1.0
    rate: float = 1.0
    floor: float = 0.0
    by: str = "visit"

    def __post_init__(self) -> None:
        kinds = ("constant", "harmonic", "power", "exponential", "linear")
        if self.kind not in kinds:
            raise ParameterError(f"Schedule(kind={self.kind!r}): kind must be one of {', '.join(kinds)}.")
        if self.by not in ("visit", "episode"):
            raise ParameterError(f"Schedule(by={self.by!r}): by must be 'visit' or 'episode'.")
        check_number("Schedule", "start", self.start, 0)
        check_number("Schedule", "floor", self.floor, 0)
        low = {"harmonic": 0.0, "power": 0.0, "exponential": 0.0, "linear": 0.0}.get(self.kind, -np.inf)
        check_number("Schedule", "rate", self.rate, low, 1.0 if self.kind == "exponential" else np.inf)

    def values(self, count: int, total: int | None = None) -> NDArray[np.float64]:
        """Return the first `count` values; a linear schedule ends after `total` of them (`count` where it is None)."""
        n = np.arange(1, count + 1, dtype=np.float64)
        if self.kind == "harmonic":
            out = self.start * self.rate / (self.rate + n - 1)
        elif self.kind == "power":
            out = self.start * n**-self.rate
        elif self.kind == "exponential":
            out = self.start * self.rate ** (n - 1)
        elif self.kind == "linear":
            share = np.minimum((n - 1) / max((total or count) - 1, 1), 1.0)
            out = self.start + (self.rate - self.start) * share
        else:
            out = np.full(count, float(self.start))
        return np.maximum(out, self.floor)

    def robbins_monro(self) -> ScheduleCheck:
        """Check (5)."""
        order = self._order()
        ever = order <= 1
        return ScheduleCheck(ever, order > 0.5, ever and order > 0.5)

    def glie(self) -> ScheduleCheck:
        """Check (6)."""
        order = self._order()
        return ScheduleCheck(order <= 1, order > 0, 0 < order <= 1)

    def _order(self) -> float:
        """Return w where the schedule falls as n^-w: 0 where it stays above zero, infinity where its sum is finite."""
        if self.floor > 0 and self.start > 0:
            return 0.0
        if self.start == 0 and not (self.kind == "linear" and self.rate > 0):
            return np.inf
        if self.kind == "linear":
            return 0.0 if self.rate > 0 else np.inf
        if self.kind == "exponential":
            return 0.0 if self.rate == 1 else np.inf
        return {"constant": 0.0, "harmonic": 1.0, "power": self.rate}[self.kind]


def as_schedule(value: Any) -> Schedule:
    """Return a schedule; a number is a constant one."""
    return value if isinstance(value, Schedule) else Schedule("constant", float(value))


def running_mean(values: Any, step_size: Any = None) -> NDArray[np.float64]:
    """Return the running means (7) of a stream of numbers: with step sizes 1/k (None), a constant, or a `Schedule`.

    Examples
    --------
    >>> from novum.reinforcement.schedules import running_mean
    >>> running_mean([1.0, 0.0, 2.0, 3.0]).tolist()
    [1.0, 0.5, 1.0, 1.5]
    """
    x = vector("running_mean", "values", values)
    rates = 1 / np.arange(1, len(x) + 1) if step_size is None else as_schedule(step_size).values(len(x))
    out, mean = np.empty(len(x)), 0.0
    for k, (value, rate) in enumerate(zip(x, rates)):
        mean += rate * (value - mean)
        out[k] = mean
    return out
