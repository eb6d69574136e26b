r"""Expectations by quantiles: quadrature that knows where the mass is, because it runs over the mass.

    E[f(x)] = int f(Q(e^-s)) e^-s ds + int f(S(e^-s)) e^-s ds,   s from log 2 to infinity          (1)

with Q the quantile and S the inverse of the upper tail, so that either end is reached in its own digits: cells cannot miss a bump,
however far or narrow, nor an end where the density is infinite. Where the floats end, at s', the rest is f(x(s')) e^-s' for a
finite end; for an infinite one it follows from the order of the tail (`tail_order.py`).

An f that is infinite because a number in it overflowed, as x^2 in log(1 + x^2), ends s' before; one that is infinite without an
overflow is so. Near a finite end x itself may leave the floats before its mass does: the mass of Beta(0.001, 1) lies below 1e-308.
Where f still moves there, or where its order cannot be determined, the answer is NaN with a warning.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.distributions.numerics.quadrature import Line, integrate, value_without_limit
from novum.distributions.numerics.tail_order import beyond
from novum.exceptions import DataWarning
from novum.runtime.warn import warn

__all__ = ["cuts_of", "tail_expectation"]

FIRST = float(np.log(2.0))
LAST = 690.0  # e^-690 is the last normal probability but a few
GRID = FIRST + np.array([0.2, 0.5, 1, 1.7, 2.7, 4, 6, 9, 13, 18, 25, 34, 46, 65, 95, 140, 210, 320, 480])
FEW_CELLS = 2**12  # quantiles cost more than densities
DOUBTED = 1e-9  # share of the integral that the floats may leave open
COARSE = 1e-6  # floats wider than this share of the scale are coarse
TINY = np.finfo(float).tiny
PROBES = 96  # places between log 2 and s' at which f is tried for overflow
CUTS = np.array([1e-12, 1e-8, 1e-5, 1e-3, 0.02, 0.1, 0.3, 0.5])


def cuts_of(distribution: Any) -> NDArray:
    """Return places that cut the mass of a distribution of numbers into parts, from either end."""
    return np.unique(np.concatenate([np.ravel(distribution.quantile(CUTS)), np.ravel(distribution.isf(CUTS))]))


def last_where(good: Callable[[float], bool], left: float, right: float) -> float:
    """Return the last s between two at which something holds, which it does from the left on."""
    if good(right):
        return right
    for _ in range(60):
        middle = 0.5 * (left + right)
        left, right = (middle, right) if good(middle) else (left, middle)
    return left


def before_overflow(value: Callable, end: float) -> float:
    """Return the last s up to which no number overflows in the function."""
    overflowed: list[bool] = []

    def finite(s: NDArray) -> NDArray:
        overflowed.clear()
        with np.errstate(over="call"):
            saved = np.seterrcall(lambda *_: overflowed.append(True))
            try:
                return np.isfinite(value(s))
            finally:
                np.seterrcall(saved)

    probes = np.linspace(FIRST, end, PROBES)
    good = finite(probes)
    if good.all() or not overflowed:
        return end  # what is infinite without overflow is infinite
    first = int(np.argmin(good))
    if first == 0:
        return FIRST
    return last_where(lambda s: bool(finite(np.array([s])).all()), float(probes[first - 1]), float(probes[first]))


class Side(NamedTuple):
    """One half of (1): its value, the size of its parts, and by how much the floats leave it open."""

    value: float
    size: float
    doubt: float


def side(distribution: Any, function: Callable, upper: bool, points: NDArray) -> Side:
    """Return one half of (1)."""
    support = distribution.support
    low, high = float(support.low), float(support.high)
    first = TINY if low == 0 else np.nextafter(low, np.inf)
    last = -TINY if high == 0 else np.nextafter(high, -np.inf)
    inverse = distribution.isf if upper else distribution.quantile

    def place(s: NDArray) -> NDArray:
        return np.asarray(inverse(np.exp(-s)), np.float64)

    def value(s: NDArray) -> NDArray:
        with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
            return np.asarray(function(np.clip(place(s), first, last)), np.float64) + 0.0 * s

    def inside(s: float) -> bool:
        x = float(place(np.array([s]))[0])
        return bool(np.isfinite(x) and low < x < high and abs(x) > TINY)

    bound = high if upper else low
    with np.errstate(over="ignore"):
        end = last_where(inside, 0.0, LAST)
        if np.isinf(bound) and end > FIRST:
            end = before_overflow(value, end)
    if end <= FIRST:  # one place carries this half, as far as floats go: does the function move just beside it?
        here = last if upper else first
        beside = here * 1e150 if abs(here) <= TINY else here - 64 * np.spacing(here) * (1 if upper else -1)
        with np.errstate(all="ignore"):
            near, far = (float(v) for v in np.asarray(function(np.array([here, beside])), np.float64) + np.zeros(2))
        return Side(0.5 * near, abs(0.5 * near), 0.5 * abs(near - far))
    with np.errstate(all="ignore"):
        s = -np.asarray(distribution.log_sf(points) if upper else distribution.log_cdf(points), np.float64)
    edges = np.concatenate([GRID, s[np.isfinite(s)]])
    edges = edges[(edges > FIRST) & (edges < end)]
    with np.errstate(over="ignore"):
        found = integrate(lambda s: value(s) * np.exp(-s), Line(FIRST, end), edges, first_cells=8, most_cells=FEW_CELLS)
        size = float(np.abs(found.integral).sum())
        if not np.isfinite(size):
            return Side(value_without_limit(found), np.inf, 0.0)
        if np.isfinite(bound):
            before, after = (float(v) for v in value(np.array([0.94 * end, end])))
            rest, doubt = after * np.exp(-end), abs(after - before) * np.exp(-end)
        else:
            rest, doubt = beyond(lambda s: value(s), end, size)
    return Side(float(found.integral.sum() + rest), size, float(doubt) if found.converged else np.inf)


def grain(distribution: Any, function: Callable) -> float:
    """Return how much the function moves from one float to the next where floats are coarse for the scale, else zero."""
    quarters = np.ravel(distribution.quantile(np.array([0.25, 0.75])))
    step = np.spacing(np.abs(quarters).max())
    if not COARSE * (quarters[1] - quarters[0]) < step:
        return 0.0
    with np.errstate(all="ignore"):
        moved = np.asarray(function(quarters + step), np.float64) - np.asarray(function(quarters - step), np.float64)
    return float(np.abs(moved).max())


def tail_expectation(distribution: Any, function: Callable, points: Any = ()) -> float:
    """Return (1) for one continuous distribution with quantiles; `points` are places where f bends."""
    where = np.asarray(points, np.float64)
    parts = [side(distribution, function, upper, where) for upper in (False, True)]
    values = np.array([part.value for part in parts])
    if np.isinf(values).all() and values[0] != values[1]:
        return float("nan")
    if np.isinf(values).any() or np.isnan(values).any():
        return float(values.sum())
    size = sum(part.size for part in parts)
    doubt = sum(part.doubt for part in parts) + grain(distribution, function)
    if doubt > DOUBTED * size:
        warn(
            f"{type(distribution).__name__}.expect: the function still moves where the numbers of the machine end, or between two"
            " of them, so that its expectation cannot be determined; ask for a closed form, or transform the outcome.",
            DataWarning,
        )
        return float("nan")
    return float(values.sum())
