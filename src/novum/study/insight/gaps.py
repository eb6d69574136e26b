r"""The difference of two groups of rows, with interval and test.

Of shares p and q with the intervals (l, u) of Clopper and Pearson, which hold their level for few rows too, the ends are those of
Newcombe (1998), and the test is Fisher's exact one, or the chi-squared test where every cell expects many rows:

    d = p - q,   d - sqrt((p - l_p)^2 + (u_q - q)^2)  to  d + sqrt((u_p - p)^2 + (q - l_q)^2)                           (1)

Of means both are Welch's.
"""

from typing import NamedTuple

import numpy as np
from scipy.stats import chi2_contingency, fisher_exact, ttest_ind

from novum.evaluation.intervals.proportion import Interval, clopper_pearson_interval

__all__ = ["Gap", "mean_gap", "share_gap"]

LARGE = 50.0  # expected rows from which on the chi-squared test is as good as Fisher's


class Gap(NamedTuple):
    """A group compared with all other rows in one respect."""

    group: str
    what: str
    value: float
    elsewhere: float
    difference: float
    interval: Interval  # of the difference
    p_value: float  # adjusted


def share_gap(name: str, what: str, here: np.ndarray, there: np.ndarray) -> Gap:
    """Return (1) for two shares."""
    counts = np.array([[hits.sum(), len(hits) - hits.sum()] for hits in (here, there)], dtype=np.float64)
    (p, q), n = counts[:, 0] / counts.sum(axis=1), counts.sum(axis=1).astype(int)
    l_p, u_p = clopper_pearson_interval(int(counts[0, 0]), int(n[0]))
    l_q, u_q = clopper_pearson_interval(int(counts[1, 0]), int(n[1]))
    low, high = np.hypot(p - l_p, u_q - q), np.hypot(u_p - p, q - l_q)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    test = chi2_contingency(counts, correction=False) if expected.min() >= LARGE else fisher_exact(counts)
    return Gap(
        name,
        what,
        float(p),
        float(q),
        float(p - q),
        Interval(float(p - q - low), float(p - q + high)),
        float(test.pvalue),
    )


def mean_gap(name: str, what: str, here: np.ndarray, there: np.ndarray) -> Gap:
    """Return the difference of two means with Welch's interval and test."""
    difference = float(here.mean() - there.mean())
    if np.ptp(here) == 0 and np.ptp(there) == 0:
        interval, p = Interval(difference, difference), 1.0 if difference == 0 else 0.0
    else:
        test = ttest_ind(here, there, equal_var=False)
        ends = test.confidence_interval(0.95)
        interval, p = Interval(float(ends.low), float(ends.high)), float(test.pvalue)
    return Gap(name, what, float(here.mean()), float(there.mean()), difference, interval, p)
