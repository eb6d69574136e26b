r"""What draws say about the error of their own mean.

    0 or 1, k ones of n:      [B^-1_{a/2}(k, n - k + 1), B^-1_{1-a/2}(k + 1, n - k)]    Clopper and Pearson 1934           (1)
                              error^2 >= p (1 - p)/(n + 3),  p = (k + 1)/(n + 2)  where all agree                          (2)
    all equal, but no event:  nothing is known of the variance: NaN                                                        (3)
    else:                     mean +- t_{n-1} sd / sqrt(n), too narrow by about  .25 skewness^2 / n  at 95 %               (4)
    Pareto shape k of either tail: no variance from k = 1/2 on, no mean from k = 1 on                                      (5)

(4) is the first term of Edgeworth's expansion of Student's statistic (Hall 1992, section 2.6). (5) is estimated by the largest
draws; estimates above `NO_MEAN` leave no interval, above `NO_VARIANCE` the interval is doubted aloud.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, stdtrit

from novum.sampling.pareto import pareto_shape

__all__ = [
    "NO_MEAN",
    "NO_VARIANCE",
    "doubts_of",
    "few_decide",
    "indicator_error",
    "interval_of",
    "is_constant",
    "is_event",
]

Array = NDArray[np.float64]
NO_MEAN = 0.85  # of an estimated shape
NO_VARIANCE = 0.65
PEAKED = 12.0  # kurtosis from which on a tail is looked at; that of an exponential distribution is nine
MOST_SKEW = 0.08  # skewness^2 / n: two points of coverage in (4)
HEAVY_SHAPE = 0.5  # with `HEAVY_SKEW` the two doubt it together: draws that miss a tail show too little of its skewness
HEAVY_SKEW = 0.035
FEW = 20  # draws below which neither skewness nor a tail is known


def is_event(values: Array, whole: bool) -> NDArray[np.bool_]:
    """Return which columns are 0 or 1 throughout; where all agree, only what is True or False (`whole`)."""
    good = ((values == 0) | (values == 1)).all(axis=0)
    return np.asarray(good & (whole | (values.min(axis=0) < values.max(axis=0))))


def is_constant(values: Array) -> NDArray[np.bool_]:
    """Return which columns hold one number."""
    return np.asarray(values.min(axis=0) == values.max(axis=0))


def indicator_error(p: Any, size: float) -> Any:
    """Return the standard error of a share where all draws agree, worth `size` of them: (2)."""
    smoothed = (size * np.clip(p, 0, 1) + 1) / (size + 2)
    return np.sqrt(smoothed * (1 - smoothed) / (size + 3))


def interval_of(values: Array, level: float, event: NDArray[np.bool_]) -> tuple[Any, Any, Any, Any]:
    """Return mean, standard error and ends of the interval of every column: (1) of events, (4) of others, (3) of constants."""
    n = len(values)
    mean, error = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(n)
    t = float(stdtrit(n - 1, (1 + level) / 2))
    constant = is_constant(values)
    error = np.where(constant, np.where(event, indicator_error(mean, n), np.nan), error)
    low, high = mean - t * error, mean + t * error
    if np.any(event):
        k, tail = np.where(event, values.sum(axis=0), 0.0), (1 - level) / 2
        first = np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, tail), 0.0)
        last = np.where(k < n, betaincinv(k + 1, np.maximum(n - k, 1), 1 - tail), 1.0)
        low, high = np.where(event, first, low), np.where(event, last, high)
    return mean, error, low, high


def tail_shape(column: Array) -> float:
    """Return the larger of the Pareto shapes of the two tails of numbers."""
    off = column - np.median(column)
    shapes = [pareto_shape(np.log(side[side > 0])) for side in (off, -off) if np.count_nonzero(side > 0) > FEW]
    return max((s for s in shapes if not np.isnan(s)), default=float("nan"))


def doubts_of(values: Array) -> tuple[float, float]:
    """Return the largest tail shape of the columns (NaN where none is peaked) and the largest skewness^2 / n of (4)."""
    n = len(values)
    if n < FEW:
        return float("nan"), 0.0
    columns = values.reshape(n, -1)
    off = columns - columns.mean(axis=0)
    scale = np.abs(off).max(axis=0)
    off = off / np.where(scale > 0, scale, 1.0)
    square = (off**2).mean(axis=0)
    safe = np.where(square > 0, square, 1.0)
    peak, skew = (off**4).mean(axis=0) / safe**2, (off**3).mean(axis=0) / safe**1.5
    shapes = [tail_shape(columns[:, j]) for j in np.flatnonzero(peak > PEAKED)]
    shape = max((s for s in shapes if not np.isnan(s)), default=float("nan"))
    return shape, float((skew**2).max(initial=0.0) / n)


def few_decide(shape: float, skew: float) -> bool:
    """Return whether a few draws decide a mean, so that (4) is too narrow."""
    return shape > NO_VARIANCE or skew > MOST_SKEW or (shape > HEAVY_SHAPE and skew > HEAVY_SKEW)
