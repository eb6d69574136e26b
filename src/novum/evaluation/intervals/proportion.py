r"""Intervals for a proportion: the values p that a test at s successes among n trials would not reject.

Wilson's, by the score test:

    |s/n - p| <= z sqrt(p (1 - p) / n)     solved for p:                                           (1)
    (s + z^2/2) / (n + z^2)  +-  z sqrt(s (n - s)/n + z^2/4) / (n + z^2)                           (2)

It stays inside [0, 1]; its coverage swings about the level, between 92.7 and 97.8 % for 95 where at least two of either outcome
are expected, and falls to 84 % where 0.18 of one are (docs/theory/coverage_of_intervals.md): `wilson_interval` warns where at most
three of one outcome were seen. The interval s/n +- z sqrt(...) is worse everywhere.

Clopper and Pearson's, by the binomial test itself, with B the quantile function of the beta distribution:

    lower = B((1 - level)/2; s, n - s + 1),     upper = B((1 + level)/2; s + 1, n - s)             (3)

It never covers less than the level, and usually more. With weights both take the effective numbers

    n_eff = (sum w)^2 / sum w^2,     s_eff = n_eff sum_{successes} w / sum w                       (4)
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.evaluation.intervals.coverage import share_doubt, warn_of_doubts
from novum.exceptions import ParameterError
from novum.report.result import result
from novum.runtime.checks import check_count, check_level

__all__ = [
    "PROPORTION_METHODS",
    "Interval",
    "clopper_pearson_interval",
    "effective_counts",
    "share_interval",
    "wilson_interval",
]

PROPORTION_METHODS = ("wilson", "clopper_pearson")


@result
class Interval(NamedTuple):
    """Two ends."""

    lower: float
    upper: float


def wilson(s: float, n: float, level: float) -> Interval:
    """Return (2)."""
    from scipy.special import ndtri

    z = float(ndtri((1 + level) / 2))
    center = (s + z * z / 2) / (n + z * z)
    half = z * math.sqrt(s * (n - s) / n + z * z / 4) / (n + z * z)
    # at s = 0 and s = n an end is exactly 0 or 1; rounding must not push it outside
    return Interval(0.0 if s <= 0 else center - half, 1.0 if s >= n else center + half)


def clopper_pearson(s: float, n: float, level: float) -> Interval:
    """Return (3)."""
    from scipy.special import betaincinv

    return Interval(
        0.0 if s <= 0 else float(betaincinv(s, n - s + 1, (1 - level) / 2)),
        1.0 if s >= n else float(betaincinv(s + 1, n - s, (1 + level) / 2)),
    )


def effective_counts(successes: NDArray, weight: NDArray | None) -> tuple[float, float]:
    """Return successes and trials, or (4) with weights."""
    n, s = float(len(successes)), float(np.count_nonzero(successes))
    if weight is not None and (total := float(weight.sum())) > 0:
        n = total**2 / float(weight @ weight)
        s = n * float(weight[np.asarray(successes, bool)].sum()) / total
    elif weight is not None:
        n = 0.0
    return min(s, n), n


def share_interval(successes: NDArray, weight: NDArray | None, level: float, method: str = "wilson") -> Interval:
    """Return the interval for the share of true entries; nothing is known of a share of no trials: [0, 1]."""
    s, n = effective_counts(successes, weight)
    if n == 0:
        return Interval(0.0, 1.0)
    return (wilson if method == "wilson" else clopper_pearson)(s, n, level)


def check_counts(owner: str, successes: int, n: int, level: float) -> tuple[int, int, float]:
    trials = check_count(owner, "n", n)
    s = check_count(owner, "successes", successes, low=0)
    if s > trials:
        raise ParameterError(f"{owner}(successes={s}, n={trials}): there are more successes than trials.")
    return s, trials, check_level(owner, level)


def wilson_interval(successes: int, n: int, level: float = 0.95) -> Interval:
    """Return Wilson's interval for the probability of success.

    Parameters
    ----------
    successes, n : int
        Successes among n independent trials.
    level : float, default=0.95

    Returns
    -------
    Interval
        Named tuple of lower and upper end. Warns (DataWarning) where one to three successes or failures were seen: there it
        covers less than its level, and `clopper_pearson_interval` does not.

    Examples
    --------
    >>> from novum.evaluation import wilson_interval
    >>> low, high = wilson_interval(137, 143)
    >>> round(low, 3), round(high, 3)
    (0.911, 0.981)
    """
    s, trials, level = check_counts("wilson_interval", successes, n, level)
    warn_of_doubts("wilson_interval", {"share": share_doubt(s, trials, "wilson", level)})
    return wilson(s, trials, level)


def clopper_pearson_interval(successes: int, n: int, level: float = 0.95) -> Interval:
    """Return Clopper and Pearson's exact interval for the probability of success: it covers at least as often as its level says.

    Parameters
    ----------
    successes, n, level
        As in wilson_interval.

    Examples
    --------
    >>> from novum.evaluation import clopper_pearson_interval
    >>> low, high = clopper_pearson_interval(137, 143)
    >>> round(low, 3), round(high, 3)
    (0.911, 0.984)
    """
    return clopper_pearson(*check_counts("clopper_pearson_interval", successes, n, level))
