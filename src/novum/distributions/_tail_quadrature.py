r"""Expectations by quantiles: quadrature that knows where the mass is, because it runs over the mass.

    E[f(x)] = int f(Q(e^-s)) e^-s ds + int f(S(e^-s)) e^-s ds,   s from log 2 to infinity          (1)

with Q the quantile and S the inverse of the upper tail, so that either end is reached in its own digits: cells cannot miss a bump,
however far or narrow, nor an end where the density is infinite. f(x(s)) e^-s falls like e^{-rs}; where the floats end, at s', the
rest is

    f(x(s')) e^-s' / r   for an infinite end (infinity where r <= 0),   f(x(s')) e^-s'   for a finite one.       (2)

Near a finite end x itself may leave the floats before its mass does: the mass of Beta(0.001, 1) lies below 1e-308. Where f still
moves there, no function of x can tell its expectation, and the answer is NaN with a warning.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.distributions._quadrature import Line, integrate, value_without_limit
from novum.exceptions import DataWarning
from novum.runtime.warn import warn

__all__ = ["cuts_of", "tail_expectation"]

FIRST = float(np.log(2.0))
LAST = 690.0  # e^-690 is the last normal probability but a few
GRID = FIRST + np.array([0.2, 0.5, 1, 1.7, 2.7, 4, 6, 9, 13, 18, 25, 34, 46, 65, 95, 140, 210, 320, 480])
BACK = 0.06  # share of s' over which the fall r is measured
FEW_CELLS = 2**12  # quantiles cost more than densities
OPEN = 1e-11  # share of the integral below which what is beyond needs no fall
DOUBTED = 1e-9  # share of the integral that the floats may leave open
COARSE = 1e-6  # floats wider than this share of the spread are coarse
TINY = np.finfo(float).tiny
FLAT = 1e-5  # r below which the integral is taken to diverge
CUTS = np.array([1e-12, 1e-8, 1e-5, 1e-3, 0.02, 0.1, 0.3, 0.5])


def cuts_of(distribution: Any) -> NDArray:
    """Return places that cut the mass of a distribution of numbers into parts, from either end."""
    return np.unique(np.concatenate([np.ravel(distribution.quantile(CUTS)), np.ravel(distribution.isf(CUTS))]))


def last_inside(place: Callable, low: float, high: float) -> float:
    """Return the last s at which x(s) is a float inside the support."""

    def inside(s: float) -> bool:
        x = float(place(np.array([s]))[0])
        return bool(np.isfinite(x) and low < x < high and abs(x) > np.finfo(float).tiny)

    if inside(LAST):
        return LAST
    left, right = 0.0, LAST
    for _ in range(60):
        middle = 0.5 * (left + right)
        left, right = (middle, right) if inside(middle) else (left, middle)
    return left


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
        with np.errstate(all="ignore"):
            return np.asarray(function(np.clip(place(s), first, last)), np.float64) + 0.0 * s

    end = last_inside(place, low, high)
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
    found = integrate(lambda s: value(s) * np.exp(-s), Line(FIRST, end), edges, first_cells=8, most_cells=FEW_CELLS)
    size = float(np.abs(found.integral).sum())
    if not np.isfinite(size):
        return Side(value_without_limit(found), np.inf, 0.0)
    beyond, doubt = rest(value, end, high if upper else low, size)
    return Side(float(found.integral.sum()) + beyond, size, doubt if found.converged else np.inf)


def rest(value: Callable, end: float, bound: float, size: float) -> tuple[float, float]:
    """Return (2), what lies beyond s', and by how much it is open."""
    step = BACK * end
    before, after = (float(v) for v in value(np.array([end - step, end])))
    left = after * np.exp(-end)
    if np.isfinite(bound):
        return float(left), float(abs(after - before) * np.exp(-end))
    if not np.isfinite(left) or abs(left) <= OPEN * size:
        return float(left), 0.0
    fall = 1.0 - (np.log(abs(after)) - np.log(max(abs(before), 1e-300))) / step
    return (float(left / fall) if fall > FLAT else float(np.copysign(np.inf, after))), 0.0


def grain(distribution: Any, function: Callable) -> float:
    """Return how much the function moves from one float to the next where floats are coarse beside the spread, else zero."""
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
            " of them, so that its expectation cannot be told; ask for a closed form, or transform the outcome.",
            DataWarning,
        )
        return float("nan")
    return float(values.sum())
