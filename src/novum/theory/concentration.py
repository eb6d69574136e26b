r"""How far a mean of n independent draws may be from its expectation: any two of (n, epsilon, delta) give the third.

    hoeffding   P(xbar - m >= e) <= exp(-2 n e^2 / (b - a)^2)                  draws in [a, b]                    (1)
    chebyshev   P(|xbar - m| >= e) <= v / (n e^2)                              variance v, nothing else           (2)
    bernstein   P(xbar - m >= e) <= exp(-n e^2 / (2 v + 2 c e / 3))            variance v, |x - m| <= c           (3)
    clt         m in xbar +- z_{1-delta/2} s / sqrt(n)                         in the limit only                  (4)

Solved for e, with L = ln(1/delta): (1) (b - a) sqrt(L/2n), (2) sqrt(v/(n delta)), (3) c L/3n + sqrt((c L/3n)^2 + 2 v L/n). Both
tails of (1) and (3) cost a factor of two. (1) to (3) hold for every n; as n grows (2) is the law of large numbers with its rate.
The radius of an upper confidence bound after n pulls at time t is (1) with delta = t^-4.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from novum.exceptions import DataError, ParameterError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.numbers import counted
from novum.report.result import Result
from novum.report.style import series
from novum.runtime.checks import check_count, check_level, check_number, vector
from novum.runtime.typing import Numbers

__all__ = ["MeanInterval", "bernstein", "chebyshev", "clt_interval", "hoeffding"]

ROUNDING = 1e-12  # relative: a count that misses a whole number by this is that number


def least_whole(count: float) -> int:
    """Return the least whole number that is not below `count`, rounding of the formula aside."""
    if not math.isfinite(count):
        raise ParameterError(
            f"the number of draws needed is {count}: no sample is large enough; raise epsilon or delta."
        )
    return max(1, math.ceil(count * (1 - ROUNDING)))


def given_two(owner: str, n: Any, epsilon: Any, delta: Any) -> tuple[int | None, float | None, float | None]:
    """Return the three quantities checked, exactly one of them None."""
    if sum(value is None for value in (n, epsilon, delta)) != 1:
        raise ParameterError(
            f"{owner}(n={n!r}, epsilon={epsilon!r}, delta={delta!r}): give two of the three; the third is returned."
        )
    return (
        None if n is None else check_count(owner, "n", n),
        None if epsilon is None else check_number(owner, "epsilon", epsilon, 0, open_low=True),
        None if delta is None else check_number(owner, "delta", delta, 0, 1, open_low=True),
    )


def third(
    n: int | None,
    epsilon: float | None,
    delta: float | None,
    *,
    tail: Callable[[int, float], float],
    radius: Callable[[int, float], float],
    size: Callable[[float, float], float],
) -> float | int:
    """Return the quantity that is None by the formula for it."""
    if delta is None:
        assert n is not None and epsilon is not None
        return min(1.0, tail(n, epsilon))
    if epsilon is None:
        assert n is not None
        return radius(n, delta)
    return least_whole(size(epsilon, delta))


def hoeffding(
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    *,
    low: float = 0.0,
    high: float = 1.0,
    two_sided: bool = False,
) -> float | int:
    """Return the third of sample size, deviation and probability by Hoeffding's inequality (1).

        hoeffding   P(xbar - m >= e) <= exp(-2 n e^2 / (b - a)^2)   draws in [a, b]    (1)

    Parameters
    ----------
    n : int, default=None
        Independent draws.
    epsilon : float, default=None
        Deviation of their mean from its expectation.
    delta : float, default=None
        Probability of that deviation or a larger one.
    low, high : float, default=0, 1
        What the draws lie between.
    two_sided : bool, default=False
        Whether deviations to both sides count.

    Returns
    -------
    float or int
        The one of n, epsilon and delta that was not given: the bound on the probability, the radius, or the draws that suffice.

    Examples
    --------
    >>> from novum.theory import hoeffding
    >>> round(hoeffding(100, 0.1), 7), round(hoeffding(10, delta=0.05), 7), hoeffding(epsilon=0.1, delta=0.05)
    (0.1353353, 0.3870228, 150)
    """
    n, epsilon, delta = given_two("hoeffding", n, epsilon, delta)
    low = check_number("hoeffding", "low", low)
    width = check_number("hoeffding", "high", high, low, open_low=True) - low
    tails = 2 if two_sided else 1
    return third(
        n,
        epsilon,
        delta,
        tail=lambda n, e: tails * math.exp(-2 * n * (e / width) ** 2),
        radius=lambda n, d: width * math.sqrt(math.log(tails / d) / (2 * n)),
        size=lambda e, d: math.log(tails / d) / (2 * (e / width) ** 2),
    )


def chebyshev(
    n: int | None = None, epsilon: float | None = None, delta: float | None = None, *, variance: float = 1.0
) -> float | int:
    """Return the third of sample size, deviation and probability by Chebyshev's inequality (2).

        chebyshev   P(|xbar - m| >= e) <= v / (n e^2)   variance v, nothing else    (2)

    Parameters
    ----------
    n : int, default=None
        Independent draws; one for the inequality of a single variable.
    epsilon : float, default=None
        Deviation of their mean to either side; in standard deviations where the variance is one.
    delta : float, default=None
        Probability of that deviation or a larger one.
    variance : float, default=1
        Of one draw.

    Returns
    -------
    float or int
        The one of n, epsilon and delta that was not given.

    Examples
    --------
    >>> from novum.theory import chebyshev
    >>> chebyshev(1, 2.0), chebyshev(epsilon=0.1, delta=0.05), round(chebyshev(2000, delta=0.05), 12)
    (0.25, 2000, 0.1)
    """
    n, epsilon, delta = given_two("chebyshev", n, epsilon, delta)
    v = check_number("chebyshev", "variance", variance, 0)
    return third(
        n,
        epsilon,
        delta,
        tail=lambda n, e: v / (n * e**2),
        radius=lambda n, d: math.sqrt(v / (n * d)),
        size=lambda e, d: v / (d * e**2),
    )


def bernstein(
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    *,
    variance: float,
    bound: float = 1.0,
    two_sided: bool = False,
) -> float | int:
    """Return the third of sample size, deviation and probability by Bernstein's inequality (3).

        bernstein   P(xbar - m >= e) <= exp(-n e^2 / (2 v + 2 c e / 3))   variance v, |x - m| <= c    (3)

    Parameters
    ----------
    n, epsilon, delta
        As in `hoeffding`.
    variance : float
        Of one draw; where it is small against the square of `bound`, (3) is far below (1).
    bound : float, default=1
        Largest distance of a draw from its expectation.
    two_sided : bool, default=False
        Whether deviations to both sides count.

    Returns
    -------
    float or int
        The one of n, epsilon and delta that was not given.

    Examples
    --------
    >>> from novum.theory import bernstein, hoeffding
    >>> bernstein(epsilon=0.05, delta=0.05, variance=0.01), hoeffding(epsilon=0.05, delta=0.05)
    (64, 600)
    """
    n, epsilon, delta = given_two("bernstein", n, epsilon, delta)
    v = check_number("bernstein", "variance", variance, 0)
    c = check_number("bernstein", "bound", bound, 0, open_low=True)
    if v > c * c * (1 + ROUNDING):
        raise ParameterError(
            f"bernstein(variance={variance!r}, bound={bound!r}): draws within {bound!r} of their expectation have a "
            f"variance of at most {c * c:g}."
        )
    tails = 2 if two_sided else 1

    def radius(n: int, d: float) -> float:
        linear = c * math.log(tails / d) / (3 * n)
        return linear + math.sqrt(linear**2 + 2 * v * math.log(tails / d) / n)

    return third(
        n,
        epsilon,
        delta,
        tail=lambda n, e: tails * math.exp(-n * e**2 / (2 * v + 2 * c * e / 3)),
        radius=radius,
        size=lambda e, d: (2 * v + 2 * c * e / 3) * math.log(tails / d) / e**2,
    )


@dataclass(frozen=True)
class MeanInterval(Result):
    """The interval (4); unpacks into its two ends.

    Attributes
    ----------
    lower, upper : float
    mean : float
        Of the sample.
    std : float
        Of one draw: given, or with divisor n - 1.
    n : int
    level : float
    """

    lower: float
    upper: float
    mean: float
    std: float
    n: int
    level: float

    def __iter__(self) -> Iterator[float]:
        return iter((self.lower, self.upper))

    def sample_size(self, epsilon: float) -> int:
        """Return the draws after which half the interval is no longer than `epsilon`, at this standard deviation."""
        epsilon = check_number("MeanInterval.sample_size", "epsilon", epsilon, 0, open_low=True)
        return least_whole((float(ndtri((1 + self.level) / 2)) * self.std / epsilon) ** 2)

    def plot(self, ax: Any = None) -> Any:
        """Draw the normal density of the mean and the interval under it."""
        ax = drawing_axes(ax)
        scale = self.std / math.sqrt(self.n) or 1.0
        x = np.linspace(self.mean - 4 * scale, self.mean + 4 * scale, 201)
        density = np.exp(-(((x - self.mean) / scale) ** 2) / 2) / (scale * math.sqrt(2 * math.pi))
        ax.plot(x, density, color=series(ax, 0))
        inside = (x >= self.lower) & (x <= self.upper)
        ax.fill_between(x[inside], density[inside], alpha=0.3, color=series(ax, 0), label=f"{self.level:.0%} interval")
        ax.set(xlabel="mean", ylabel="density")
        draw_legend(ax)
        return ax


def clt_interval(sample: Numbers, level: float = 0.95, *, std: float | None = None) -> MeanInterval:
    """Return the interval (4) for the expectation of independent draws; its level is reached as their number grows.

        clt   m in xbar +- z_{1-delta/2} s / sqrt(n)   in the limit only    (4)

    Parameters
    ----------
    sample : array-like of shape (n,)
        At least two draws, or one where `std` is given.
    level : float, default=0.95
    std : float, default=None
        Standard deviation of one draw where it is known; None estimates it.

    Returns
    -------
    MeanInterval
        Unpacks into lower and upper end; `sample_size(epsilon)` says how many draws a shorter one needs.

    Examples
    --------
    >>> from novum.theory import clt_interval
    >>> found = clt_interval([0.1, 0.4, 0.3, 0.2, 0.5], std=0.2)
    >>> round(found.lower, 4), round(found.upper, 4), found.sample_size(0.1)
    (0.1247, 0.4753, 16)
    """
    x = vector("clt_interval", "sample", sample)
    level = check_level("clt_interval", level)
    if len(x) < (2 if std is None else 1):
        raise DataError(
            f"clt_interval: sample has {counted(len(x), 'draw')}; the standard deviation needs two, or give it as std."
        )
    sigma = float(x.std(ddof=1)) if std is None else check_number("clt_interval", "std", std, 0)
    mean = float(x.mean())
    half = float(ndtri((1 + level) / 2)) * sigma / math.sqrt(len(x))
    return MeanInterval(mean - half, mean + half, mean, sigma, len(x), level)
