r"""Wilson's interval for a proportion: the values p that a score test would not reject.

    |s/n - p| <= z sqrt(p (1 - p) / n)     solved for p:                                           (1)
    (s + z^2/2) / (n + z^2)  +-  z sqrt(s (n - s)/n + z^2/4) / (n + z^2)                           (2)

It stays inside [0, 1] and keeps its level also near 0 and 1 and for small n, where s/n +- z sqrt(...) does not.
"""

import math
from typing import NamedTuple

from novum._checks import check_count, check_number
from novum.exceptions import ParameterError

__all__ = ["Interval", "wilson_interval"]


class Interval(NamedTuple):
    """Two ends."""

    lower: float
    upper: float


def wilson_interval(successes: int, n: int, level: float = 0.95) -> Interval:
    """Return the interval (2) for the probability of success.

    Parameters
    ----------
    successes, n : int
        Successes among n independent trials.
    level : float, default=0.95

    Returns
    -------
    Interval
        Named tuple of lower and upper end.

    Examples
    --------
    >>> from novum.evaluation import wilson_interval
    >>> low, high = wilson_interval(137, 143)
    >>> round(low, 3), round(high, 3)
    (0.911, 0.981)
    """
    from scipy.special import ndtri

    trials = check_count("wilson_interval", "n", n)
    s = check_count("wilson_interval", "successes", successes, low=0)
    if s > trials:
        raise ParameterError(f"wilson_interval(successes={s}, n={trials}): there are more successes than trials.")
    level = check_number("wilson_interval", "level", level, 0, 1, open_low=True, open_high=True)
    z = float(ndtri((1 + level) / 2))
    center = (s + z * z / 2) / (trials + z * z)
    half = z * math.sqrt(s * (trials - s) / trials + z * z / 4) / (trials + z * z)
    # at s = 0 and s = n an end is exactly 0 or 1; rounding must not push it outside
    return Interval(0.0 if s == 0 else center - half, 1.0 if s == trials else center + half)
