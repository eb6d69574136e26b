r"""Coupled schedules: quantities that must fall one faster than the other.

In learning with a discount gamma, a step size alpha and an exploration rate eps, each must be small against the one
before, 1 - gamma >> alpha >> eps, and increasingly so:

    order       s[0](m) >= s[1](m) >= ...  at every step m                                    (1)
    separation  s[i+1](m) / s[i](m) at the last step  <=  separation times that at the first     (2)

Over M episodes, alpha = 1 - m / M and eps = (1 - m / M)^2 satisfy both: their ratio is 1 - m / M.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.optimize.schedules import as_schedule
from novum.report.result import result
from novum.runtime.checks import check_count, check_number

__all__ = ["TimeScales", "check_time_scales"]


@result
class TimeScales(NamedTuple):
    """The report of `check_time_scales`; true where order and separation hold for every pair."""

    ratios: NDArray[Any]  # (pairs, 2): s[i+1] / s[i] at the first and at the last step
    ordered: bool  # (1)
    separated: bool  # (2)
    reason: str

    def __bool__(self) -> bool:
        return self.ordered and self.separated


def check_time_scales(*schedules: Any, n_steps: int, separation: float = 0.1) -> TimeScales:
    """Check that schedules, slowest first, keep their order (1) and draw apart (2).

        order   s[0](m) >= s[1](m) >= ...  at every step m    (1)
        separation  s[i+1](m) / s[i](m) at the last step  <=  separation times that at the first    (2)

    Parameters
    ----------
    *schedules : Schedule, float or function of the step
        Two or more; a number is a constant, such as 1 - gamma.
    n_steps : int
        Steps m = 0 .. n_steps - 1 are looked at.
    separation : float
        How much smaller the last ratio must be than the first.

    Examples
    --------
    >>> from novum.optimize import LinearSchedule, PolynomialSchedule
    >>> from novum.teaching import check_time_scales
    >>> alpha, eps = LinearSchedule(0.05, 0.0, 1000), PolynomialSchedule(0.05, 0.0, 1000, power=2)
    >>> check_time_scales(1 - 0.9, alpha, eps, n_steps=1000).reason
    'each schedule falls faster than the one before'
    >>> bool(check_time_scales(1 - 0.9, eps, alpha, n_steps=1000))
    False
    """
    if len(schedules) < 2:
        raise ParameterError(
            f"check_time_scales: {len(schedules)} schedules; pass two or more to compare, slowest first."
        )
    n_steps = check_count("check_time_scales", "n_steps", n_steps, 2)
    separation = check_number("check_time_scales", "separation", separation, 0, 1, open_low=True, open_high=True)
    steps = np.arange(n_steps)
    called = [as_schedule("check_time_scales", f"schedules[{i}]", s) for i, s in enumerate(schedules)]
    values = np.array([[float(s(int(m))) for m in steps] for s in called])  # (schedules, steps)
    if not np.all(values >= 0) or not np.all(values[:-1, [0, -1]] > 0):
        raise ParameterError(
            "check_time_scales: schedules must be >= 0, and > 0 at the first and last step; shorten n_steps."
        )
    ends = values[1:, [0, -1]] / values[:-1, [0, -1]]
    crossing = np.argwhere(values[1:] > values[:-1] * (1 + 1e-12))
    apart = ends[:, 1] <= separation * ends[:, 0]
    if crossing.size:
        pair, step = crossing[0]
        reason = f"schedule {pair + 1} exceeds schedule {pair} at step {step}"
    elif not apart.all():
        pair = int(np.argmin(apart))
        reason = f"schedules {pair} and {pair + 1} do not draw apart: ratio {ends[pair, 0]:g}, last {ends[pair, 1]:g}"
    else:
        reason = "each schedule falls faster than the one before"
    return TimeScales(ends, not crossing.size, bool(apart.all()), reason)
