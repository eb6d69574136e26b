r"""Step-size schedules: the number that a driver multiplies its k-th step with, k = 0, 1, 2, ...

    constant      a(k) = a                                                          (1)
    power         a(k) = a (b + k)^-p,       p = 1: a / (b + k);  p = 1/2             (2)
    exponential   a(k) = a r^k                                                      (3)
    step          a(k) = a r^floor(k / every)                                       (4)
    polynomial    a(k) = end + (a - end) (1 - k / n)^p  for k < n,  then end          (5)

Stochastic iterations reach the optimum itself under the conditions of Robbins and Monro:

    sum a(k) = infinity  (no point is out of reach)   and   sum a(k)^2 < infinity  (noise dies out)     (6)

(2) meets both exactly for 1/2 < p <= 1. A schedule works on arrays of k too.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from novum.exceptions import ParameterTypeError
from novum.optimize.schedule_base import RobbinsMonro, Schedule
from novum.runtime.checks import check_count, check_number

__all__ = [
    "ConstantSchedule",
    "ExponentialSchedule",
    "InverseSqrtSchedule",
    "InverseTimeSchedule",
    "LinearSchedule",
    "PolynomialSchedule",
    "PowerSchedule",
    "StepSchedule",
    "as_schedule",
]


def _positive(schedule: Any, *names: str) -> None:
    for name in names:
        number = check_number(type(schedule).__name__, name, getattr(schedule, name), 0, open_low=True)
        object.__setattr__(schedule, name, number)


def geometric(length: float) -> RobbinsMonro:
    """Return what the conditions say of steps that fall as a geometric series does."""
    return RobbinsMonro(
        False, True, f"a geometric series: all steps together have length {length:g} times the gradient"
    )


@dataclass(frozen=True)
class ConstantSchedule(Schedule):
    """The same step (1) for ever.

    constant   a(k) = a    (1)
    """

    initial: float = 0.01

    def __post_init__(self) -> None:
        _positive(self, "initial")

    def __call__(self, k: Any) -> Any:
        """Return (1)."""
        return self.initial if np.ndim(k) == 0 else np.full(np.shape(k), self.initial)

    def satisfies_robbins_monro(self) -> RobbinsMonro:
        """Return that the second condition fails."""
        return RobbinsMonro(True, False, "a constant step never settles: the sum of its squares is infinite")


@dataclass(frozen=True)
class PowerSchedule(Schedule):
    """Steps that fall like a power (2).

    power   a(k) = a (b + k)^-p,   p = 1: a / (b + k);  p = 1/2    (2)
    """

    initial: float = 1.0
    power: float = 1.0
    offset: float = 1.0

    def __post_init__(self) -> None:
        _positive(self, "initial", "power", "offset")

    def __call__(self, k: Any) -> Any:
        """Return (2)."""
        return self.initial * (self.offset + k) ** -self.power

    def satisfies_robbins_monro(self) -> RobbinsMonro:
        """Return whether 1/2 < p <= 1."""
        p = self.power
        if p > 1:
            return RobbinsMonro(False, True, f"power {p:g} > 1 falls too fast: the steps add up to a finite length")
        if p <= 0.5:
            return RobbinsMonro(True, False, f"power {p:g} <= 1/2 falls too slowly: the sum of squares is infinite")
        return RobbinsMonro(True, True, f"1/2 < power {p:g} <= 1")


@dataclass(frozen=True)
class InverseTimeSchedule(PowerSchedule):
    """Steps a / (b + k); `initial=1 / strength` is the 1 / (lambda t) of subgradient training.

    Examples
    --------
    >>> from novum.optimize import InverseTimeSchedule
    >>> [InverseTimeSchedule(1.0)(k) for k in range(3)], bool(InverseTimeSchedule(1.0).satisfies_robbins_monro())
    ([1.0, 0.5, 0.3333333333333333], True)
    """

    power: float = 1.0


@dataclass(frozen=True)
class InverseSqrtSchedule(PowerSchedule):
    """Steps a / sqrt(b + k)."""

    power: float = 0.5


@dataclass(frozen=True)
class ExponentialSchedule(Schedule):
    """Steps that shrink by the same factor (3) every time.

    exponential   a(k) = a r^k    (3)
    """

    initial: float = 0.1
    factor: float = 0.99

    def __post_init__(self) -> None:
        _positive(self, "initial")
        factor = check_number("ExponentialSchedule", "factor", self.factor, 0, 1, open_low=True, open_high=True)
        object.__setattr__(self, "factor", factor)

    def __call__(self, k: Any) -> Any:
        """Return (3)."""
        return self.initial * self.factor ** np.asarray(k, dtype=np.float64)[()]

    def satisfies_robbins_monro(self) -> RobbinsMonro:
        """Return that the first condition fails."""
        return geometric(self.initial / (1 - self.factor))


@dataclass(frozen=True)
class StepSchedule(Schedule):
    """A constant step that drops by a factor (4) every so often.

    step   a(k) = a r^floor(k / every)    (4)
    """

    initial: float = 0.1
    factor: float = 0.5
    every: int = 10

    def __post_init__(self) -> None:
        _positive(self, "initial")
        factor = check_number("StepSchedule", "factor", self.factor, 0, 1, open_low=True, open_high=True)
        object.__setattr__(self, "factor", factor)
        check_count("StepSchedule", "every", self.every)

    def __call__(self, k: Any) -> Any:
        """Return (4)."""
        return self.initial * self.factor ** (np.asarray(k) // self.every).astype(np.float64)[()]

    def satisfies_robbins_monro(self) -> RobbinsMonro:
        """Return that the first condition fails."""
        return geometric(self.initial * self.every / (1 - self.factor))


@dataclass(frozen=True)
class PolynomialSchedule(Schedule):
    """Steps that fall to `final` over `n_steps` steps and stay there (5).

    polynomial   a(k) = end + (a - end) (1 - k / n)^p  for k < n,  then end    (5)
    """

    initial: float = 0.1
    final: float = 0.0
    n_steps: int = 100
    power: float = 1.0

    def __post_init__(self) -> None:
        _positive(self, "initial", "power")
        object.__setattr__(self, "final", check_number(type(self).__name__, "final", self.final, 0, self.initial))
        check_count(type(self).__name__, "n_steps", self.n_steps)

    def __call__(self, k: Any) -> Any:
        """Return (5)."""
        left = np.maximum(0.0, 1 - np.asarray(k) / self.n_steps)
        return (self.final + (self.initial - self.final) * left**self.power)[()]

    def satisfies_robbins_monro(self) -> RobbinsMonro:
        """Return which condition fails: the first at a floor of zero, the second above."""
        if self.final == 0:
            return RobbinsMonro(False, True, f"the steps are zero from step {self.n_steps} on: their sum is finite")
        return RobbinsMonro(
            True, False, f"constant at {self.final:g} from step {self.n_steps} on: the sum of squares is infinite"
        )


@dataclass(frozen=True)
class LinearSchedule(PolynomialSchedule):
    """A straight line from `initial` to the floor `final`.

    Examples
    --------
    >>> from novum.optimize import LinearSchedule
    >>> LinearSchedule(0.1, 0.01, 100)(np.array([0, 25, 50, 75, 100, 200])).round(4).tolist()
    [0.1, 0.0775, 0.055, 0.0325, 0.01, 0.01]
    """


def as_schedule(owner: str, name: str, value: Any) -> Any:
    """Return a schedule for a number, a Schedule or any function of k."""
    if isinstance(value, Schedule) or callable(value):
        return value
    if isinstance(value, str):
        raise ParameterTypeError(f"{owner}({name}={value!r}): {name} must be a positive number or a Schedule.")
    return ConstantSchedule(check_number(owner, name, value, 0, open_low=True))
