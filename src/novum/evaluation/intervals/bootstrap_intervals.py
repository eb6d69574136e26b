r"""Intervals from bootstrap replicates t_1, ..., t_R of an estimate t.

    percentile    [q(alpha), q(1 - alpha)],   q the quantile function of the replicates, alpha = (1 - level)/2           (1)
    basic         [2 t - q(1 - alpha), 2 t - q(alpha)]                                                                   (2)
    BCa           [q(a_1), q(a_2)],   a_k = Phi(z0 + (z0 + z_k) / (1 - a (z0 + z_k))),   z_k = -+z                        (3)
        z0 = Phi^-1(share of replicates below t, ties half)                                                              (4)
        a  = sum_g (m - t_(g))^3 / (6 (sum_g (m - t_(g))^2)^(3/2)),   m the mean of the jackknife values t_(g)           (5)

The jackknife leaves out one row at a time, or above LEAVE_ONE_OUT rows one of GROUPS random groups: a group of h rows has a
skewness smaller by sqrt(h), and the sum in (5) runs over h times fewer, so that (5) needs no correction.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from novum.evaluation.intervals.proportion import Interval
from novum.runtime.random import Stream

__all__ = ["INTERVAL_METHODS", "interval_from", "jackknife_groups"]

INTERVAL_METHODS = ("bca", "percentile", "basic")
LEAVE_ONE_OUT = 1_000  # rows up to which each is left out in turn
GROUPS = 200  # beyond: the error of (5) is then about .4 / GROUPS, nothing against z0
FEWEST_DEFINED = 0.5  # share of resamples in which the statistic must exist


def jackknife_groups(n: int, seed: int) -> tuple[NDArray, int]:
    """Return the group of every row, and how many there are."""
    if n <= LEAVE_ONE_OUT:
        return np.arange(n), n
    return Stream(seed).permutation("jackknife", 0, n) % GROUPS, GROUPS


def acceleration(jackknife: NDArray) -> float:
    """Return (5); zero where leaving rows out changes nothing."""
    gap = jackknife[np.isfinite(jackknife)]
    gap = gap.mean() - gap if len(gap) else gap
    squares = float((gap**2).sum())
    return float((gap**3).sum() / (6 * squares**1.5)) if squares > 0 else 0.0


def bca_shares(estimate: float, replicates: NDArray, jackknife: NDArray, level: float) -> tuple[float, float]:
    """Return the shares a_1 and a_2 of (3)."""
    below = np.count_nonzero(replicates < estimate) + np.count_nonzero(replicates == estimate) / 2
    # all replicates on one side would put z0 at infinity: half a replicate is the most that R of them can tell
    share = np.clip(below / len(replicates), 0.5 / len(replicates), 1 - 0.5 / len(replicates))
    z0, a = float(ndtri(share)), acceleration(jackknife)
    ends = []
    for z in (float(ndtri((1 - level) / 2)), float(ndtri((1 + level) / 2))):
        slope = 1 - a * (z0 + z)
        ends.append(float(ndtr(z0 + (z0 + z) / slope)) if slope > 0 else (0.0 if z < 0 else 1.0))
    return ends[0], ends[1]


def interval_from(
    estimate: float, replicates: NDArray, level: float, method: str = "bca", jackknife: NDArray | None = None
) -> Interval:
    """Return (1), (2) or (3); NaN where the statistic does not exist in half of the resamples."""
    nothing = Interval(float("nan"), float("nan"))
    defined = replicates[np.isfinite(replicates)]
    if not np.isfinite(estimate) or len(defined) < FEWEST_DEFINED * len(replicates) or len(defined) == 0:
        return nothing
    shares = ((1 - level) / 2, (1 + level) / 2)
    # replicates that differ from the estimate by rounding only are the estimate
    defined = np.where(np.abs(defined - estimate) <= 1e-13 * abs(estimate), estimate, defined)
    if method == "bca" and jackknife is not None:
        shares = bca_shares(estimate, defined, jackknife, level)
    low, high = np.quantile(defined, shares)
    if method == "basic":
        low, high = 2 * estimate - high, 2 * estimate - low
    return Interval(float(low), float(high))
