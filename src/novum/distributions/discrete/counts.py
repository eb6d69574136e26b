r"""What distributions of counts share: quantiles that agree exactly with their cdf, and the mean of log x!.

    Q(q) = least x with F(x) >= q                                                                  (1)

An approximate inverse gives a first guess; steps of one bring it to (1), so that draws and quantiles do not depend on how the
inverse rounds. For one distribution and many q a table of F over the counts that matter is searched instead.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

__all__ = ["count_quantile", "counts_between", "counts_that_matter", "expected_log_factorial", "summed_entropy"]

WIDTH = 40.0  # standard deviations on either side beyond which neither F nor 1 - F matters to a double
STRIDE_FROM = 1e4  # deviations from which counts are skipped in sums of smooth functions
PER_DEVIATION = 64
TABLE = 2**20  # counts that a table may have


def window(mean: float, deviation: float, high: float) -> tuple[int, int]:
    """Return the counts between which F is neither 0 nor 1 to rounding."""
    reach = WIDTH * deviation + WIDTH
    return max(0, int(mean - reach)), int(min(high, mean + reach))


def count_quantile(q: Any, cdf: Callable, guess: Callable, mean: NDArray, deviation: NDArray, high: Any) -> NDArray:
    """Return (1) for q broadcast with the batch of a distribution; NaN where q is no probability."""
    q = np.asarray(q, np.float64)
    good = (q >= 0) & (q <= 1)
    inner = np.where(good, q, 0.5)
    if np.ndim(mean) == 0 and q.size > 1:
        low, top = window(float(mean), float(deviation), float(high))
        if top - low < TABLE:
            table = cdf(np.arange(low, top + 1, dtype=np.float64))
            out = low + np.searchsorted(table, inner, side="left").astype(np.float64)
            return mend_quantile_ends(q, good, out, high)
    middle = np.clip(inner, 1e-300, 1 - 1e-16)
    out = np.maximum(np.ceil(guess(middle)), 0.0)
    out = np.minimum(np.where(np.isfinite(out), out, mean), high)
    while (down := (out > 0) & (cdf(out - 1) >= inner)).any():
        out = out - down
    while (up := (out < high) & (cdf(out) < inner)).any():
        out = out + up
    return mend_quantile_ends(q, good, out, high)


def mend_quantile_ends(q: NDArray, good: NDArray, out: NDArray, high: Any) -> NDArray:
    """Return quantiles with the ends of q put right."""
    return np.where(good, np.where(q == 1, high, np.where(q == 0, 0.0, out)), np.nan)[()]


def counts_that_matter(mean: NDArray, deviation: NDArray, high: Any) -> NDArray:
    """Return the counts that any distribution of a batch can show, along a first axis before the batch."""
    ends = [
        window(float(m), float(s), float(h))
        for m, s, h in zip(*map(np.ravel, np.broadcast_arrays(mean, deviation, high)))
    ]
    low, top = min(a for a, _ in ends), max(b for _, b in ends)
    return np.arange(low, top + 1, dtype=np.float64).reshape(-1, *(1,) * np.ndim(mean))


def counts_between(mean: float, deviation: float, high: float) -> int:
    """Return how many counts matter."""
    low, top = window(mean, deviation, high)
    return top - low + 1


def expected_log_factorial(mean: NDArray, log_prob: Callable) -> NDArray:
    """Return E[log x!] of a distribution of counts with variance at most its mean, summed over the counts that matter."""
    counts = counts_that_matter(mean, np.sqrt(mean), np.inf)
    return (np.exp(log_prob(counts)) * gammaln(counts + 1)).sum(axis=0)


def summed_entropy(mean: NDArray, deviation: NDArray, high: Any, log_prob: Callable) -> NDArray:
    """Return the entropy, summed over the counts that matter.

    Of a wide distribution every h-th count is taken h times: a smooth bell is summed to rounding with three of them per deviation.
    """
    smallest = float(np.min(deviation, initial=np.inf))
    if smallest < STRIDE_FROM or np.size(mean) != 1:
        log_p = log_prob(counts_that_matter(mean, deviation, high))
        return -(np.exp(log_p) * np.where(np.isfinite(log_p), log_p, 0.0)).sum(axis=0)
    h = float(np.floor(smallest / PER_DEVIATION))
    middle = np.floor(float(np.ravel(mean)[0]))
    x = middle + h * np.arange(-int(WIDTH * PER_DEVIATION), int(WIDTH * PER_DEVIATION) + 1)
    x = x[(x >= 0) & (x <= float(np.ravel(high)[0]))].reshape(-1, *(1,) * np.ndim(mean))
    log_p = log_prob(x)
    return -h * (np.exp(log_p) * np.where(np.isfinite(log_p), log_p, 0.0)).sum(axis=0)
