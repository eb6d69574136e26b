r"""Monte Carlo: an expectation as the mean of draws, with its error.

E f(X) ~ (1/n) sum f(x_i),   Var = Var f(X)/n,   unbiased                                                            (1)
interval  mean +- t_{n-1, (1 + level)/2} sd/sqrt(n);  f 0 or 1, a probability: Clopper and Pearson's, at least `level`  (2)

Where the draws show no variation, or tails too heavy for (2), a warning says so: `novum.sampling.mean_errors`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from novum.distributions.base import Distribution
from novum.exceptions import DataError, DataWarning, ParameterTypeError
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.runtime.checks import check_count, check_level
from novum.runtime.random import seed_of
from novum.runtime.typing import Seed
from novum.runtime.warn import warn
from novum.sampling.mean_errors import HEAVY_SHAPE, NO_MEAN, doubts_of, few_decide, interval_of, is_constant, is_event

__all__ = ["MonteCarloEstimate", "drawn", "generator", "monte_carlo"]


@dataclass(frozen=True, repr=False)
class MonteCarloEstimate(Result):
    """A mean of draws and what it may be off by.

    Attributes
    ----------
    value, standard_error, low, high : float or ndarray
        The mean (1), its standard error and the interval (2); NaN where the draws do not vary, or where their tails are so heavy
        that no mean exists.
    n_samples : int
    level : float
    """

    value: Any
    standard_error: Any
    low: Any
    high: Any
    n_samples: int
    level: float
    _running: NDArray[np.float64] | None = None  # values of f, for the picture

    def __repr__(self) -> str:
        if np.ndim(self.value):
            return Result.__repr__(self)
        return (
            f"{num(self.value):.6g} +- {num(self.standard_error):.2g} (standard error), {100 * self.level:g} % in "
            f"[{num(self.low):.6g}, {num(self.high):.6g}], "
            f"{counted(self.n_samples, 'draw')}"
        )

    def _result_picture(self, ax: Any) -> None:
        values = self._running
        if values is None or values.ndim > 1:
            return Result._result_picture(self, ax)
        n = np.arange(1, len(values) + 1)
        mean = np.cumsum(values) / n
        error = np.sqrt(np.maximum(np.cumsum(values**2) / n - mean**2, 0) / n) * float(ndtri((1 + self.level) / 2))
        ax.plot(n, mean)
        ax.fill_between(n, mean - error, mean + error, alpha=0.3)
        ax.set_xscale("log")
        ax.set_xlabel("draws")
        ax.set_ylabel("mean so far")


def generator(random_state: Any) -> np.random.Generator:
    """Return the Generator that a random_state stands for."""
    return (
        random_state if isinstance(random_state, np.random.Generator) else np.random.default_rng(seed_of(random_state))
    )


def drawn(owner: str, distribution: Any, n: int, rng: np.random.Generator) -> NDArray[Any]:
    """Return n draws of a distribution: an object with `sample(size, random_state)`, or a function (n, generator)."""
    if hasattr(distribution, "sample"):
        found = np.asarray(distribution.sample(n, random_state=rng))
    elif callable(distribution):
        found = np.asarray(distribution(n, rng))
    else:
        raise ParameterTypeError(
            f"{owner}: {distribution!r} cannot be drawn from; give a distribution of novum.distributions or a function (n, "
            f"generator) -> draws."
        )
    if found.ndim < 1 or len(found) != n:
        raise DataError(
            f"{owner}: {counted(n, 'draw', 'were')} requested, an array of shape {found.shape} came; its first "
            f"axis must have length {n}."
        )
    return found


def values_of(
    owner: str, function: Callable[[Any], Any] | None, draws: NDArray[Any]
) -> tuple[NDArray[np.float64], bool]:
    """Return f of every draw, a row each, and whether it answered yes or no; what is not vectorised is called draw by draw."""
    n = len(draws)
    if function is None:
        given = draws
    elif not callable(function):
        raise ParameterTypeError(
            f"{owner}(function={function!r:.60}): give a function of the draws, or None for their mean."
        )
    else:
        try:
            given = np.asarray(function(draws))
            given.astype(np.float64)
        except (TypeError, ValueError):
            given = np.empty(0)
        if given.shape[:1] != (n,):
            given = np.array([function(x) for x in draws])
    values = np.asarray(given, dtype=np.float64)
    bad = ~np.isfinite(values).reshape(n, -1).all(axis=1)
    if bad.any():
        at = int(np.argmax(bad))
        raise DataError(
            f"{owner}: the function is not finite at the draw {draws[at]!r}; its expectation may not exist."
        )
    return values, given.dtype.kind == "b"


def complain(values: NDArray[np.float64], event: NDArray[np.bool_], level: float) -> bool:
    """Warn of what makes the interval (2) say less than it seems to; return whether there is none."""
    n = len(values)
    if np.any(is_constant(values) & ~event):
        warn(
            f"monte_carlo: {counted(n, 'draw')} gave one and the same value: they show no variation, so that the error is not "
            "known (NaN). Draw more, or estimate the probability of an event, True or False (x > 3), which has an exact bound.",
            DataWarning,
        )
    shape, skew = doubts_of(np.where(event, 0.0, values))
    if shape > NO_MEAN:
        warn(
            f"monte_carlo: the tail of the values has Pareto shape {num(shape):.2f}: from 1 on no mean exists, and the mean of "
            "draws does not settle. No interval is given; estimate a quantile or a probability, or take the expectation of a "
            "transformed value.",
            DataWarning,
        )
    elif few_decide(shape, skew):
        tail = f"Pareto shape {num(shape):.2f}, " if shape > HEAVY_SHAPE else ""
        warn(
            f"monte_carlo: few draws decide the mean ({tail}skewness {num(np.sqrt(skew * n)):.3g} of {counted(n, 'draw')}); the "
            f"interval holds less than {100 * level:g} %. Draw more, or use importance_sample with a proposal that draws more "
            "of the tail.",
            DataWarning,
        )
    return shape > NO_MEAN


def monte_carlo(
    distribution: Distribution | Callable[..., Any],
    function: Callable[[Any], Any] | None = None,
    n_samples: int = 10_000,
    *,
    level: float = 0.95,
    random_state: Seed = None,
) -> MonteCarloEstimate:
    """Return the expectation of a function of draws, with its error (1).

    Parameters
    ----------
    distribution : distribution or callable
        Something with `sample(size, random_state)`, as all of `novum.distributions`, or a function (n, generator) that returns n
        draws.
    function : callable, default=None
        Of the draws at once, or of one draw; None: the draws themselves. It may return arrays; of True and False the mean is a
        probability, with an exact interval.
    n_samples : int, default=10000
    level : float, default=0.95
        Of the interval.
    random_state : int, Generator, RandomState, SeedSequence or None, default=None

    Returns
    -------
    MonteCarloEstimate

    Warns
    -----
    DataWarning
        Where all draws give one value, or where a few draws decide the mean; tails so heavy that no mean exists leave no interval.

    Examples
    --------
    >>> from novum.distributions import Normal
    >>> from novum.sampling import monte_carlo
    >>> found = monte_carlo(Normal(0, 1), lambda x: x**2, 100_000, random_state=0)
    >>> bool(abs(found.value - 1) < 3 * found.standard_error), round(found.standard_error, 4)
    (True, 0.0045)

    The probability of t' = 1 under a Beta posterior, by draws of the parameter:

    >>> from novum.distributions import Beta
    >>> bool(abs(monte_carlo(Beta(3, 2), random_state=0).value - 0.6) < 0.01)
    True

    An event that no draw met has an exact bound:

    >>> never = monte_carlo(Normal(0, 1), lambda x: x > 6, 1000, random_state=0)
    >>> never.value, never.low, round(never.high, 5)
    (0.0, 0.0, 0.00368)
    """
    n = check_count("monte_carlo", "n_samples", n_samples, 2)
    level = check_level("monte_carlo", level)
    values, whole = values_of("monte_carlo", function, drawn("monte_carlo", distribution, n, generator(random_state)))
    event = is_event(values, whole)
    parts = interval_of(values, level, event)
    if complain(values, event, level):
        parts = (parts[0], *(np.full_like(part, np.nan) for part in parts[1:]))
    value, error, low, high = (float(part) if np.ndim(part) == 0 else part for part in parts)
    return MonteCarloEstimate(value, error, low, high, n, level, values)
