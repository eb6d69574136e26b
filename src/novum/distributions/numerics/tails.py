r"""Logarithms of tail probabilities where the probabilities themselves are below the floats.

    P(a, x) = x^a e^-x / Gamma(a + 1) (1 + x/(a + 1) + x^2/((a + 1)(a + 2)) + ...)                 (1)
    Q(a, x) = x^a e^-x / Gamma(a) times the continued fraction 1/(x + 1 - a - 1(1 - a)/(x + 3 - a - ...))   (2)
    I_x(a, b) = x^a (1 - x)^b / (a B(a, b)) times the continued fraction of Abramowitz and Stegun 26.5.8    (3)

    Q(a, x) = Phi(-t) + phi(t) (c_0 + c_1/a) / sqrt a,   t = eta sqrt a,   eta^2/2 = x/a - 1 - log(x/a)      (4)

((4): Temme 1979, for shapes from 1e7 on, where SciPy's lower tail keeps no relative digits.)

The factors in front are (4) and (6) of `deviance.py`. SciPy's values are taken where they are normal numbers.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincc, gammainc, gammaincc, log_ndtr

from novum.distributions.numerics.deviance import binomial_log, excess, poisson_log

__all__ = ["log_beta_tail", "log_gamma_head", "log_gamma_tail", "log_of", "log_one_minus", "log_share", "whole_isf"]

SMALLEST = 1e-290  # below it a probability is taken from its logarithm
WIDE_SHAPE = 1e7  # from which the terms that (4) leaves out are below 1e-12
STEPS = 2000  # of a series or fraction; far in a tail some dozens do
CLOSE = 1e-16


def log_of(p: Any) -> NDArray:
    """Return log p, minus infinity at zero."""
    with np.errstate(divide="ignore"):
        return np.log(p)


def log_one_minus(p: Any) -> NDArray:
    """Return log(1 - p)."""
    with np.errstate(divide="ignore"):
        return np.log1p(-np.asarray(p, np.float64))


def log_share(p: Any, rest: Any) -> NDArray:
    """Return log p of a probability with its complement, from whichever is small."""
    p, rest = np.asarray(p, np.float64), np.asarray(rest, np.float64)
    return np.where(p < 0.5, log_of(p), log_one_minus(np.minimum(rest, 0.5)))[()]


def tail_log(value: NDArray, other: NDArray, tail: Callable, *arguments: Any) -> NDArray:
    """Return log value: from its complement near one, by `tail` of the arguments where it is no normal number."""
    value, other, *given = np.broadcast_arrays(value, other, *arguments)
    out = np.where(value > 0.5, log_one_minus(np.minimum(other, 0.5)), log_of(value))
    lost = (value < SMALLEST) & np.isfinite(given[-1]) & (given[-1] > 0)
    if lost.any():
        out = np.array(out)
        out[lost] = tail(*(np.asarray(a, np.float64)[lost] for a in given))
    return out[()]


def gamma_series(a: NDArray, x: NDArray) -> NDArray:
    """Return log of (1)."""
    term, total = np.ones_like(x), np.ones_like(x)
    for k in range(1, STEPS):
        term = term * x / (a + k)
        total = total + term
        if (term <= CLOSE * total).all():
            break
    return poisson_log(a, x) + np.log(total)


def gamma_fraction(a: NDArray, x: NDArray) -> NDArray:
    """Return log of (2), by Lentz's method."""
    tiny = 1e-300
    b = x + 1 - a
    c, d = np.full_like(x, 1 / tiny), 1 / np.where(np.abs(b) < tiny, tiny, b)
    h = d
    for k in range(1, STEPS):
        an = -k * (k - a)
        b = b + 2
        d, c = an * d + b, b + an / c
        d, c = 1 / np.where(np.abs(d) < tiny, tiny, d), np.where(np.abs(c) < tiny, tiny, c)
        h = h * d * c
        if (np.abs(d * c - 1) <= CLOSE * 10).all():
            break
    return poisson_log(a, x) + np.log(a) + np.log(h)


def beta_fraction(a: NDArray, b: NDArray, x: NDArray, rest: NDArray) -> NDArray:
    """Return log of (3), by Lentz's method; rest is 1 - x."""
    tiny = 1e-300
    total = a + b

    def away(v: NDArray) -> NDArray:
        return np.where(np.abs(v) < tiny, tiny, v)

    c, d = np.ones_like(x), 1 / away(1 - total * x / (a + 1))
    h = d
    for m in range(1, STEPS):
        step = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d, c = 1 / away(1 + step * d), away(1 + step / c)
        h = h * d * c
        step = -(a + m) * (total + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d, c = 1 / away(1 + step * d), away(1 + step / c)
        h = h * d * c
        if (np.abs(d * c - 1) <= CLOSE * 10).all():
            break
    front = binomial_log(a, total, x, rest) + np.log(b) - np.log(total)
    return front + np.log(np.maximum(h, tiny))


def wide_gamma(a: NDArray, x: NDArray) -> tuple[NDArray, NDArray]:
    """Return log P and log Q by (4), for shapes so large that its first terms are all."""
    ratio = (x - a) / a
    with np.errstate(all="ignore"):
        eta = np.copysign(np.sqrt(2 * excess(ratio)), ratio)
        near = np.abs(eta) < 0.1
        e = np.where(near, eta, 0.0)
        series = -1 / 3 + e * (1 / 12 - e * (2 / 135 - e * (1 / 864 + e * (1 / 2835 - e * 139 / 777600))))
        bend = np.where(near, series, 1 / ratio - 1 / eta) - np.where(near, 1 / 540 + e / 288, 0.0) / a
        t = eta * np.sqrt(a)
        height = -0.5 * (t * t + np.log(2 * np.pi * a))
        head = log_ndtr(t) + np.log1p(-np.exp(height - log_ndtr(t)) * bend)
        tail = log_ndtr(-t) + np.log1p(np.exp(height - log_ndtr(-t)) * bend)
    empty, full = x <= 0, np.isposinf(x)
    head = np.where(empty, -np.inf, np.where(full, 0.0, head))
    return head, np.where(empty, 0.0, np.where(full, -np.inf, tail))


def by_width(a: Any, x: Any, place: int, plain: Callable) -> NDArray:
    """Return a logarithm of `wide_gamma` where the shape is large, else of SciPy's function, patched."""
    a, x = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(x, np.float64))
    wide = a >= WIDE_SHAPE
    if not wide.any():
        return plain(a, x)
    found = wide_gamma(np.where(wide, a, WIDE_SHAPE), np.where(wide, x, WIDE_SHAPE))[place]
    return found[()] if wide.all() else np.where(wide, found, plain(np.where(wide, 1.0, a), np.where(wide, 1.0, x)))[()]


def log_gamma_head(a: Any, x: Any) -> NDArray:
    """Return log P(a, x)."""
    return by_width(a, x, 0, lambda a, x: tail_log(gammainc(a, x), gammaincc(a, x), gamma_series, a, x))


def log_gamma_tail(a: Any, x: Any) -> NDArray:
    """Return log Q(a, x)."""
    return by_width(a, x, 1, lambda a, x: tail_log(gammaincc(a, x), gammainc(a, x), gamma_fraction, a, x))


def log_beta_tail(a: Any, b: Any, x: Any, rest: Any) -> NDArray:
    """Return log I_x(a, b), with rest = 1 - x given apart."""
    value = np.where(np.asarray(x) < 0.5, betainc(a, b, x), betaincc(b, a, rest))
    other = np.where(np.asarray(x) < 0.5, betaincc(a, b, x), betainc(b, a, rest))
    return tail_log(value, other, lambda a, b, rest, x: beta_fraction(a, b, x, rest), a, b, rest, x)


def whole_isf(q: Any, sf: Callable, mean: Any, deviation: Any, high: Any) -> NDArray:
    """Return the least count x with P(X > x) <= q, by bisection; NaN where q is no probability."""
    q = np.asarray(q, np.float64)
    shape = np.broadcast_shapes(q.shape, np.shape(mean))
    good = np.broadcast_to((q >= 0) & (q <= 1), shape)
    inner = np.where(good, q, 0.5)
    top = np.broadcast_to(np.asarray(high, np.float64), shape)
    low = np.full(shape, -1.0)
    reach = np.ceil(np.broadcast_to(np.asarray(mean) + 40 * np.asarray(deviation) + 40, shape))
    up = np.minimum(reach, top)
    for _ in range(64):
        short = (sf(up) > inner) & (up < top)
        if not short.any():
            break
        low, up = np.where(short, up, low), np.where(short, np.minimum(2 * up, top), up)
    for _ in range(64):
        middle = np.floor(0.5 * (low + up))
        done = sf(middle) <= inner
        low, up = np.where(done, low, middle), np.where(done, middle, up)
        if (up - low <= 1).all():
            break
    return np.where(good, np.where(inner == 0, top, up), np.nan)[()]
