r"""Log-densities and divergences of large parameters, without the cancellation of log-gamma functions (Loader 2000).

    excess(u) = u - log(1 + u)                                                                     (1)
    d(x, m) = x log(x/m) + m - x = x excess((m - x)/x)                                             (2)
    delta(x) = log Gamma(x) - (x - 1/2) log x + x - log(2 pi)/2,   e(x) = log x - digamma(x)       (3)
    log x^x e^-m ... : log Poisson(x; m) = -delta(x) - d(x, m) - log(2 pi x)/2                     (4)
    log Gamma(b)/Gamma(a) - (b - a) digamma(a) = d(b, a) + excess(b/a - 1)/2 + delta(b) - delta(a)
        + (b - a)(e(a) - 1/(2a))                                                                   (5)

x and n - x of a binomial enter as (4) does:

    delta(n) - delta(x) - delta(n - x) - d(x, n p) - d(n - x, n q) + log(n/(2 pi x (n - x)))/2     (6)
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln

__all__ = [
    "bernoulli_divergence",
    "binomial_log",
    "deviance",
    "digamma_gap",
    "excess",
    "gamma_remainder",
    "poisson_log",
    "stirling_error",
]

LOG_2PI = float(np.log(2 * np.pi))
SERIES_FROM = 20.0  # from here on the series of (3) have all digits
NEAR = 0.3  # |u| below which (1) is summed
TERMS = 14  # of that sum: (0.3/2.3)^28 is nothing to a double
SMALLEST = np.finfo(float).tiny


def excess(u: Any) -> NDArray:
    """Return (1); with r = u/(2 + u), log(1 + u) = 2 (r + r^3/3 + ...) and u = 2r + r u."""
    u = np.asarray(u, np.float64)
    near = np.abs(u) < NEAR
    small = np.where(near, u, 0.0)
    r = small / (2 + small)
    square, tail = r * r, np.zeros_like(r)
    for k in range(TERMS, 0, -1):
        tail = square * (1 / (2 * k + 1) + tail)
    with np.errstate(divide="ignore", invalid="ignore"):
        far = np.where(np.isposinf(u), np.inf, u - np.log1p(np.where(near, 0.0, u)))
    return np.where(near, r * (small - 2 * tail), far)


def deviance(x: Any, m: Any) -> NDArray:
    """Return (2), also where x or m is zero."""
    x, m = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(m, np.float64))
    some = np.where(x > 0, x, 1.0)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        gap = (m - some) / some
        value = some * excess(gap)
        huge = (~np.isfinite(gap) & np.isfinite(m)) | (gap < -0.5)  # m beyond 1e308 times x, or lost beside it
        value = np.where(huge, m - some + some * (np.log(some) - np.log(m)), value)
    return np.where(x > 0, value, m)


def stirling_error(x: Any) -> NDArray:
    """Return delta of (3)."""
    x = np.asarray(x, np.float64)
    large = x >= SERIES_FROM
    far, near = np.where(large, x, SERIES_FROM), np.where(large, 1.0, np.maximum(x, SMALLEST))
    i = 1 / (far * far)
    series = (1 / 12 - i * (1 / 360 - i * (1 / 1260 - i * (1 / 1680 - i * (1 / 1188 - i * 691 / 360360))))) / far
    return np.where(large, series, gammaln(near) - (near - 0.5) * np.log(near) + near - 0.5 * LOG_2PI)


def digamma_gap(x: Any) -> NDArray:
    """Return e of (3)."""
    x = np.asarray(x, np.float64)
    large = x >= SERIES_FROM
    far, near = np.where(large, x, SERIES_FROM), np.where(large, 1.0, np.maximum(x, SMALLEST))
    i = 1 / (far * far)
    series = 0.5 / far + i * (1 / 12 - i * (1 / 120 - i * (1 / 252 - i * (1 / 240 - i * (1 / 132 - i * 691 / 32760)))))
    return np.where(large, series, np.log(near) - digamma(near))


def poisson_log(x: Any, m: Any) -> NDArray:
    """Return (4) for x >= 0, whole or not."""
    x = np.asarray(x, np.float64)
    some = np.where(x > 0, x, 1.0)
    value = -stirling_error(some) - deviance(some, m) - 0.5 * (LOG_2PI + np.log(some))
    return np.where(x > 0, value, -np.asarray(m, np.float64))


def binomial_log(x: Any, n: Any, p: Any, q: Any) -> NDArray:
    """Return (6) for 0 <= x <= n, with q = 1 - p given apart, so that it keeps its digits."""
    x, n, p, q = np.broadcast_arrays(*(np.asarray(v, np.float64) for v in (x, n, p, q)))
    rest = n - x
    inner = (x > 0) & (rest > 0)
    a, b, total = np.where(inner, x, 1.0), np.where(inner, rest, 1.0), np.where(inner, n, 2.0)
    value = (
        stirling_error(total)
        - stirling_error(a)
        - stirling_error(b)
        - deviance(a, total * p)
        - deviance(b, total * q)
        + 0.5 * (np.log(total) - LOG_2PI - np.log(a) - np.log(b))
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        # log q from p where q is near one, and the other way round
        none = np.where(n == 0, 0.0, n * np.where(p < 0.5, np.log1p(-p), np.log(q)))
        all_ = np.where(n == 0, 0.0, n * np.where(q < 0.5, np.log1p(-q), np.log(p)))
    return np.where(inner, value, np.where(x <= 0, none, all_))


def bernoulli_divergence(p: Any, r: Any, n: Any = 1.0) -> NDArray:
    """Return n KL(p || r) of two probabilities: two deviances, whose differences p - r cancel."""
    p, r = np.asarray(p, np.float64), np.asarray(r, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        # the parts that add up: d(p, r) and d(1 - p, 1 - r), the second from r - p so that small probabilities keep their digits
        other = np.where(p < 1, (1 - p) * excess((p - r) / np.where(p < 1, 1 - p, 1.0)), 1 - r)
        value = np.where((r == 0) & (p > 0), np.inf, deviance(p, r)) + np.where((r == 1) & (p < 1), np.inf, other)
    return (n * value)[()]


def gamma_remainder(b: Any, a: Any) -> NDArray:
    """Return (5) without d(b, a)."""
    b, a = np.asarray(b, np.float64), np.asarray(a, np.float64)
    rest = 0.5 * excess(b / a - 1) + stirling_error(b) - stirling_error(a)
    return rest + (b - a) * (digamma_gap(a) - 0.5 / a)
