r"""A number that changes with steps, episodes or visits: the base of all schedules, and the forms that have a name.

constant a,  harmonic a c / (c + n - 1),  power a n^-w,  exponential max(a d^(n - 1), floor),  n = 1, 2, ...             (7)
linear   from a to b over all of them

sum a(k) = infinity,  sum a(k)^2 < infinity     Robbins and Monro: rates that forget noise but not the goal           (6)
sum eps = infinity,   eps -> 0                  GLIE: every action for ever, greedy in the limit                      (8)
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.report.result import result
from novum.runtime.checks import check_number

__all__ = ["RobbinsMonro", "Schedule", "ScheduleCheck"]

FAR = 1e300  # a step at which whatever falls to zero is there
KINDS = ("constant", "harmonic", "power", "exponential", "linear")


@result
class RobbinsMonro(NamedTuple):
    """The two conditions (6) and why they hold or fail; true where both hold.

    sum a(k) = infinity  (no point is out of reach)   and   sum a(k)^2 < infinity  (noise dies out)    (6)
    """

    sum_diverges: bool
    squares_converge: bool
    reason: str

    def __bool__(self) -> bool:
        return self.sum_diverges and self.squares_converge


@result
class ScheduleCheck(NamedTuple):
    """Whether a schedule of exploration has what convergence needs."""

    for_ever: bool  # the sum is infinite
    settles: bool  # it falls to zero
    holds: bool


class Schedule:
    """A number that changes with steps, episodes or visits, by the name of its form; the base of all schedules.

    Parameters
    ----------
    kind : {"constant", "harmonic", "power", "exponential", "linear"}, default="constant"
        The n-th value: a; a c / (c + n - 1); a n^-w; max(a d^(n - 1), floor); on a line from a to b over all steps.
    start : float, default=1.0
        The first value, a.
    rate : float, default=1.0
        c of harmonic, w of power, d of exponential, b of linear.
    floor : float, default=0.0
        Never below this.
    by : {"visit", "episode"}, default="visit"
        What n counts for agents with tables: visits of the state and action (learning rates), or episodes. Exploration always
        goes by episodes; agents with networks count steps, and those with features episodes, whatever it says.

    Examples
    --------
    >>> from novum.optimize import Schedule
    >>> Schedule("harmonic", 1.0, 60.0).values(3).round(4).tolist()
    [1.0, 0.9836, 0.9677]
    >>> Schedule("power", 1.0, 1.0).glie().holds, Schedule("constant", 0.1).glie().holds
    (True, False)
    """

    kind: str = ""  # of subclasses: each is a form
    by: str = "visit"

    def __init__(
        self, kind: str = "constant", start: float = 1.0, rate: float = 1.0, floor: float = 0.0, by: str = "visit"
    ) -> None:
        if kind not in KINDS:
            raise ParameterError(f"Schedule(kind={kind!r}): kind must be one of {', '.join(KINDS)}.")
        if by not in ("visit", "episode"):
            raise ParameterError(f"Schedule(by={by!r}): by must be 'visit' or 'episode'.")
        check_number("Schedule", "start", start, 0)
        check_number("Schedule", "floor", floor, 0)
        low = -np.inf if kind == "constant" else 0.0
        check_number("Schedule", "rate", rate, low, 1.0 if kind == "exponential" else np.inf)
        vars(self).update(kind=kind, start=start, rate=rate, floor=floor, by=by)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__}.{name}: a schedule does not change; make another.")

    def __repr__(self) -> str:
        return f"Schedule({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash((type(self), *vars(self).items()))

    def __call__(self, k: Any) -> Any:
        """Return a(k), k = 0, 1, ..."""
        if self.kind == "linear":
            raise ParameterError(
                "Schedule('linear') falls over a whole training, whose length only an agent knows; use LinearSchedule(n_steps=...)."
            )
        found = self.at(np.asarray(k) + 1.0, np.inf)
        return float(found) if np.ndim(k) == 0 else found

    def at(self, n: Any, total: float) -> Any:
        """Return the value of number n = 1, 2, ..., or the values of an array of them; a linear schedule ends at `total`."""
        if not self.kind:
            return self(np.asarray(n) - 1)
        start, rate = self.start, self.rate  # type: ignore[attr-defined]
        if self.kind == "harmonic":
            out = start * rate / (rate + n - 1)
        elif self.kind == "power":
            out = start * n**-rate
        elif self.kind == "exponential":
            out = start * rate ** (n - 1)
        elif self.kind == "linear":
            out = start + (rate - start) * np.minimum((n - 1) / max(total - 1, 1), 1.0)
        else:
            out = np.full(np.shape(n), float(start))
        return np.maximum(out, self.floor)  # type: ignore[attr-defined]

    def values(self, count: int, total: int | None = None) -> NDArray[np.float64]:
        """Return the first `count` values; a linear schedule ends after `total` of them (`count` where it is None)."""
        return np.asarray(self.at(np.arange(1, count + 1, dtype=np.float64), total or count))

    def satisfies_robbins_monro(self) -> RobbinsMonro:
        """Return whether (6) holds, with the reason.

        sum a(k) = infinity  (no point is out of reach)   and   sum a(k)^2 < infinity  (noise dies out)    (6)
        """
        order = self._order()
        falls = "its sum is finite" if np.isinf(order) else f"falls as n^-{order:g}" if order else "stays above zero"
        return RobbinsMonro(order <= 1, order > 0.5, f"{self.kind}: {falls}")

    def glie(self) -> ScheduleCheck:
        """Check (8)."""
        if not self.kind:
            ever, settles = self.satisfies_robbins_monro().sum_diverges, float(self(FAR)) <= 1e-6 * float(self(0))
            return ScheduleCheck(ever, settles, ever and settles)
        order = self._order()
        return ScheduleCheck(order <= 1, order > 0, 0 < order <= 1)

    def _order(self) -> float:
        """Return w where the schedule falls as n^-w: 0 where it stays above zero, infinity where its sum is finite."""
        kind, start, rate = self.kind, self.start, self.rate  # type: ignore[attr-defined]
        if self.floor > 0 and start > 0:  # type: ignore[attr-defined]
            return 0.0
        if start == 0 and not (kind == "linear" and rate > 0):
            return np.inf
        if kind == "linear":
            return 0.0 if rate > 0 else np.inf
        if kind == "exponential":
            return 0.0 if rate == 1 else np.inf
        return {"constant": 0.0, "harmonic": 1.0, "power": rate}[kind]
