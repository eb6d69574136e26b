r"""What an integral over a tail leaves beyond the last float, from the order of the tail.

    g(s) = f(x(s)) e^-s ~ e^{-r s} s^{-c},   -d log|g| / ds = r + c/s + d/s^2                       (1)
    beyond s':  r > 0:  g(s') int e^{-r t} (1 + t/s')^{-c} dt;   r = 0, c > 1:  g(s') s'/(c - 1);
                r < 0, or r = 0 and c < 1:  infinity                                                 (2)

r and c are read off four values of g before s'. Powers of x and of log x in either order are (1), so that (2) is what is beyond,
and infinity is a proof as far as (1) holds. Where c is too near to one, or f changes its sign, the rest is open.
"""

from collections.abc import Callable

import numpy as np

__all__ = ["beyond"]

BACK = 0.12  # share of s' over which each slope is measured
OPEN = 1e-14  # share of the integral below which what is beyond needs no order
FLAT = 1e-5  # r below which the exponential is taken to be absent
UNDECIDED = 0.05  # distance of c from one within which convergence cannot be decided
SETTLED = 1e-3  # by how much r may change from one stretch to the next where s' is small
LONG = 100.0  # s' from which on (1) is taken to hold
AGE, SHARE = np.polynomial.laguerre.laggauss(48)


def order(log_size: np.ndarray, s: np.ndarray) -> tuple[float, float]:
    """Return r and c of (1) from log|g| at four places."""
    slopes = -np.diff(log_size) / np.diff(s)
    # the slope of (1) over a stretch is the mean of 1, 1/s, 1/s^2 over it
    mean_first = np.diff(np.log(s)) / np.diff(s)
    mean_second = 1 / (s[1:] * s[:-1])
    r, c, _ = np.linalg.solve(np.column_stack([np.ones(3), mean_first, mean_second]), slopes)
    return float(r), float(c)


def beyond(value: Callable, end: float, size: float) -> tuple[float, float]:
    """Return (2) for g with f(x(s)) = value(s), and by how much it is open."""
    s = end * (1 - BACK * np.arange(3, -1, -1.0))
    found = value(s)
    left = float(found[-1] * np.exp(-end))
    if not np.isfinite(left) or abs(left) <= OPEN * size:
        return left, 0.0
    if not (found / found[-1] > 0).all():
        return left, float("inf")
    log_size = np.log(np.abs(found)) - s
    r, c = order(log_size, s)
    if end < LONG:  # the numbers end early: only a tail that is a plain exponential by now can be continued
        slopes = -np.diff(log_size) / np.diff(s)
        if slopes[-1] <= 0 or np.ptp(slopes) > SETTLED * slopes[-1]:
            return left, float("inf")
        return left / float(slopes[-1]), 0.0
    if r > FLAT:
        return left / r * float(SHARE @ (1 + AGE / (r * end)) ** -c), 0.0
    if r < -FLAT or c < 1 - UNDECIDED:
        return float(np.copysign(np.inf, left)), 0.0
    if c < 1 + UNDECIDED:
        return left, float("inf")
    return left * end / (c - 1), 0.0
