r"""Integrals over a line by adaptive Gauss-Legendre quadrature, all cells at once.

A line from low to high is mapped to t in (-1, 1),

    finite ends:   x = low + (high - low)(1 + t)^2 (2 - t)/4      one infinite:   x = low + s (1 + t)/(1 - t)
    both infinite: x = c + s t/(1 - t^2)                                                            (1)

and cut into cells. A cell is accepted when 16 nodes on it and 16 on each half agree; the others are halved, together. Nodes lie
inside the cells, so a density may be infinite at its ends; the cubic of finite ends evens out square roots there.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.distributions.discrete.counts import counts_between, counts_that_matter
from novum.exceptions import ParameterError

__all__ = ["Cells", "Line", "expectation", "integrate", "line_of", "map_to_line", "nodes_of", "outcomes_of", "position"]

NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(16)
FIRST_CELLS = 64  # a bump as narrow as a hundredth of the scale is seen at once
TOLERANCE = 1e-13  # of a cell against the sum of all
DEEPEST = 60  # halvings: a cell is then as narrow as the floats
UNRESOLVED = 1e-5  # share of the integral at a singular end that the floats may leave open; more, and it diverges
PATIENCE = 9  # halvings after which an error that has not halved is rounding; that of a jump has fallen 256-fold
ROUGH = 1e-6  # share of the integral that the rounding of x may leave open, as in (x - 1e9)^2 of numbers near 1e9
MOST_COUNTS = 2**24  # terms of a sum
MOST_CELLS = 2**15  # unresolved at a time: beyond it the integral is taken to diverge


class Line(NamedTuple):
    """An interval with the center and scale of (1)."""

    low: float
    high: float
    center: float = 0.0
    scale: float = 1.0


class Cells(NamedTuple):
    """Cells in t, in order, with the integral over each; `converged` says whether all were resolved."""

    left: NDArray
    right: NDArray
    integral: NDArray
    converged: bool


def map_to_line(line: Line, t: NDArray) -> tuple[NDArray, NDArray]:
    """Return x and dx/dt of (1); infinite at an end that is, just inside of one that is not."""
    with np.errstate(divide="ignore", over="ignore"):
        x, slope = plain_map(line, t)
    first, last = np.nextafter(line.low, np.inf), np.nextafter(line.high, -np.inf)
    tiny = np.finfo(float).tiny  # subnormal numbers make some libraries raise
    return np.clip(x, tiny if line.low == 0 else first, -tiny if line.high == 0 else last), slope


def plain_map(line: Line, t: NDArray) -> tuple[NDArray, NDArray]:
    """Return (1) in plain arithmetic."""
    low, high, center, scale = line
    if np.isfinite(low) and np.isfinite(high):
        width = high - low
        return low + width * (1 + t) ** 2 * (2 - t) / 4, 0.75 * width * (1 - t) * (1 + t)
    if np.isfinite(low):
        return low + scale * (1 + t) / (1 - t), 2 * scale / (1 - t) ** 2
    if np.isfinite(high):
        return high - scale * (1 - t) / (1 + t), 2 * scale / (1 + t) ** 2
    rest = (1 - t) * (1 + t)
    return center + scale * t / rest, scale * (1 + t * t) / rest**2


def position(line: Line, x: NDArray) -> NDArray:
    """Return the t of (1) that belongs to x."""
    low, high, center, scale = line
    with np.errstate(invalid="ignore", divide="ignore"):
        if np.isfinite(low) and np.isfinite(high):
            y = np.clip((x - low) / (high - low), 0.0, 1.0)
            t = 2 * np.sin(
                np.arcsin(2 * y - 1) / 3
            )  # the cubic of (1), solved; then a step of Newton for the digits at the ends
            slope = 0.75 * (1 - t) * (1 + t)
            t = t - np.where(slope > 0, ((1 + t) ** 2 * (2 - t) / 4 - y) / np.where(slope > 0, slope, 1.0), 0.0)
        elif np.isfinite(low):
            t = 1 - 2 * scale / (x - low + scale)
        elif np.isfinite(high):
            t = 2 * scale / (high - x + scale) - 1
        else:
            y = (x - center) / scale
            t = np.where(np.abs(y) > 1e150, np.sign(y), 2 * y / (1 + np.sqrt(1 + 4 * y * y)))
    return np.clip(np.where(np.isposinf(x), 1.0, np.where(np.isneginf(x), -1.0, t)), -1.0, 1.0)


def nodes_of(left: NDArray, right: NDArray) -> tuple[NDArray, NDArray]:
    """Return nodes in t and their weights for cells, (cells, 16) each."""
    half = 0.5 * (right - left)[..., None]
    return 0.5 * (left + right)[..., None] + half * NODES, half * NODE_WEIGHTS


def on_cells(function: Callable, line: Line, left: NDArray, right: NDArray) -> NDArray:
    """Return the integral of function(x) over every cell."""
    t, weight = nodes_of(left, right)
    x, slope = map_to_line(line, t)
    with np.errstate(all="ignore"):
        values = np.asarray(function(x), np.float64)
        return np.where(values == 0, 0.0, values * slope * weight).sum(axis=-1)


def integrate(
    function: Callable, line: Line, points: Any = (), first_cells: int = FIRST_CELLS, most_cells: int = MOST_CELLS
) -> Cells:
    """Return the integral of a function of arrays over a line; `points` are ends of cells, for kinks and narrow bumps."""
    inner = position(line, np.asarray(points, np.float64))
    edges = np.unique(np.concatenate([np.linspace(-1, 1, first_cells + 1), inner]))
    left, right = edges[:-1], edges[1:]
    done: list[tuple[NDArray, NDArray, NDArray]] = []
    total, converged = 0.0, True
    open_error: list[float] = []
    whole = on_cells(function, line, left, right)
    for depth in range(DEEPEST):
        middle = 0.5 * (left + right)
        first, second = on_cells(function, line, left, middle), on_cells(function, line, middle, right)
        halves = first + second
        if not np.all(np.isfinite(halves)):
            return Cells(left, right, halves, False)
        size = total + np.abs(halves).sum()
        error = np.abs(whole - halves)
        good = error <= TOLERANCE * size
        narrow = ~good & ((right - left) <= 4 * np.finfo(float).eps)
        if error[narrow].sum() > UNRESOLVED * size:
            converged = False
        good |= narrow
        open_error.append(float(error[~good].sum()))
        if len(open_error) > PATIENCE and 0.5 * open_error[-PATIENCE] < open_error[-1] <= ROUGH * size:
            good = np.ones_like(good)  # halving gains nothing more: what is left is the rounding of x in the function
        if depth == DEEPEST - 1 or 2 * np.count_nonzero(~good) > most_cells:
            converged, good = False, np.ones_like(good)
        done.append((left[good], right[good], halves[good]))
        total += np.abs(halves[good]).sum()
        if good.all():
            break
        bad = ~good
        whole = np.concatenate([first[bad], second[bad]])
        left, right = np.concatenate([left[bad], middle[bad]]), np.concatenate([middle[bad], right[bad]])
    left, right, integral = (np.concatenate(part) for part in zip(*done))
    order = np.argsort(left)
    return Cells(left[order], right[order], integral[order], converged)


def line_of(distribution: Any) -> tuple[Line, NDArray]:
    """Return the line of a distribution of real numbers, and points that cut its mass into parts."""
    if hasattr(distribution, "_line"):
        return distribution._line
    cuts = distribution.quantile(
        np.array([1e-9, 1e-6, 1e-3, 0.05, 0.25, 0.5, 0.75, 0.95, 1 - 1e-3, 1 - 1e-6, 1 - 1e-9])
    )
    width = float(cuts[6] - cuts[4]) or 1.0
    support = distribution.support
    return Line(float(support.low), float(support.high), float(cuts[5]), width), cuts


def expectation(distribution: Any, function: Callable, bends: Any = ()) -> float:
    """Return E[f(x)] of one distribution of numbers: a sum over counts and values, an integral over reals; f may bend at places."""
    name = type(distribution).__name__
    if distribution.batch_shape or distribution.event_shape:
        raise ParameterError(
            f"{name}.expect: expectations of any function are computed for one distribution of numbers; index the batch, or"
            f" average over a sample of vectors."
        )
    support = distribution.support
    if support.kind == "reals" and not hasattr(distribution, "_line") and not hasattr(distribution, "components"):
        from novum.distributions.numerics.tail_quadrature import tail_expectation

        return tail_expectation(distribution, function, bends)
    if support.kind == "reals":
        line, points = line_of(distribution)
        found = integrate(lambda x: weighted_values(distribution.prob(x), function(x)), line, points)
        return float(found.integral.sum()) if found.converged else value_without_limit(found)
    x = outcomes_of(distribution)
    return float(weighted_values(distribution.prob(x), np.asarray(function(x))).sum())


def outcomes_of(distribution: Any) -> NDArray:
    """Return the outcomes of a discrete distribution that matter."""
    if hasattr(distribution, "_outcomes"):
        return distribution._outcomes
    support = distribution.support
    if support.kind == "values":
        return distribution.values
    if np.isfinite(support.high) and support.high < MOST_COUNTS:
        return np.arange(support.low, support.high + 1, dtype=np.float64)
    reach = counts_between(float(distribution.mean), float(distribution.std), float(support.high))
    if reach > MOST_COUNTS:
        raise ParameterError(
            f"{type(distribution).__name__}.expect: {reach:,} counts matter, more than are summed; use a closed form, or average"
            " over a sample."
        )
    return counts_that_matter(distribution.mean, distribution.std, support.high)


def weighted_values(p: NDArray, value: NDArray) -> NDArray:
    """Return p f, zero where p is."""
    with np.errstate(invalid="ignore"):
        return np.where(p > 0, p * value, 0.0)


def value_without_limit(found: Cells) -> float:
    """Return what an integral that did not converge is taken for: infinite if that is so on one side only, else undefined."""
    low, high = found.integral.min(), found.integral.max()  # NaN if any is
    if high > 0 and (low >= 0 or (np.isposinf(high) and np.isfinite(low))):
        return float("inf")
    if low < 0 and (high <= 0 or (np.isneginf(low) and np.isfinite(high))):
        return float("-inf")
    return float("nan")
