r"""The corrected resampled t: intervals and paired tests for scores of overlapping training sets.

A score is measured on J test parts of n2 rows after training on the other n1. The training sets share rows, so the J
scores are dependent and the usual s^2/J is far too small. Nadeau and Bengio (Machine Learning 52, 2003) correct it by
taking the correlation of two scores as n2/(n1 + n2):

    mean = sum_j x_j / J,     s^2 = sum_j (x_j - mean)^2 / (J - 1)                                 (1)
    var(mean) = (1/J + n2/n1) s^2                                                                  (2)
    mean +- t_{J-1, (1+level)/2} sqrt(var(mean))                                                   (3)
    t = mean(a - b) / sqrt(var(mean(a - b))),     J - 1 degrees of freedom                         (4)

For k folds n2/n1 = 1/(k - 1), and repetitions of the folds only add to J.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novum.evaluation.intervals.coverage import warn_of_doubts
from novum.evaluation.intervals.proportion import Interval
from novum.exceptions import DataError
from novum.report.numbers import counted
from novum.report.result import result
from novum.runtime.checks import check_level, check_number

__all__ = ["ResampledTest", "corrected_interval", "corrected_test", "interval_of_mean", "variance_of_mean"]

EQUAL = 1e-12  # of the scores: what rounding leaves of equal ones
EQUAL_SCORES = "all parts have the same score, so that it has no width and says nothing"


@result
class ResampledTest(NamedTuple):
    """The paired comparison of two models by the corrected resampled t-test."""

    difference: float
    statistic: float
    p_value: float  # two-sided
    degrees_of_freedom: int
    interval: Interval  # of the difference


def check_scores(owner: str, name: str, scores: ArrayLike) -> NDArray[np.float64]:
    x = np.asarray(scores, dtype=np.float64)
    if x.ndim != 1 or len(x) < 2 or not np.isfinite(x).all():
        raise DataError(
            f"{owner}({name}=...): pass at least two finite scores, one per test part; got shape {x.shape}."
        )
    return x


def variance_of_mean(x: NDArray[np.float64], test_over_train: float) -> float:
    """Return (2)."""
    return float((1 / len(x) + test_over_train) * x.var(ddof=1))


def interval_of_mean(x: NDArray[np.float64], test_over_train: float, level: float) -> Interval:
    """Return (3)."""
    from scipy import stats

    half = float(stats.t.ppf((1 + level) / 2, len(x) - 1)) * np.sqrt(variance_of_mean(x, test_over_train))
    return Interval(float(x.mean() - half), float(x.mean() + half))


def corrected_interval(scores: ArrayLike, test_over_train: float, level: float = 0.95) -> Interval:
    """Return the interval for the expected score, by the variance that is corrected for overlapping training sets.

    Parameters
    ----------
    scores : array-like of shape (J,)
        One score per test part.
    test_over_train : float
        n2/n1: rows in a test part over rows in a training part; 1/(k - 1) for k folds.
    level : float, default=0.95

    Returns
    -------
    Interval
        Named tuple of lower and upper end. Equal scores on all parts give it no width, which says nothing: DataWarning.

    Examples
    --------
    >>> from novum.evaluation import corrected_interval
    >>> low, high = corrected_interval([0.90, 0.94, 0.92, 0.96, 0.93], test_over_train=1 / 4)
    >>> round(low, 3), round(high, 3)
    (0.888, 0.972)
    """
    x = check_scores("corrected_interval", "scores", scores)
    ratio = check_number("corrected_interval", "test_over_train", test_over_train, 0)
    level = check_level("corrected_interval", level)
    if np.ptp(x) <= EQUAL * np.abs(x).max():
        warn_of_doubts("corrected_interval", {"the mean score": EQUAL_SCORES})
    return interval_of_mean(x, ratio, level)


def corrected_test(a: ArrayLike, b: ArrayLike, test_over_train: float, level: float = 0.95) -> ResampledTest:
    """Return the corrected resampled t-test of two models on the same parts.

    Parameters
    ----------
    a, b : array-like of shape (J,)
        Scores of two models, part by part.
    test_over_train : float
        As in `corrected_interval`.
    level : float, default=0.95
        Of the interval of the difference.

    Returns
    -------
    ResampledTest
        Differences that are all equal have no variance: the p-value is 1 if they are zero, else NaN: nothing
        can be concluded.

    Examples
    --------
    >>> from novum.evaluation import corrected_test
    >>> test = corrected_test([0.90, 0.94, 0.92, 0.96], [0.88, 0.93, 0.92, 0.91], test_over_train=1 / 3)
    >>> round(test.statistic, 3), round(test.p_value, 3)
    (1.212, 0.312)
    """
    from scipy import stats

    x, other = check_scores("corrected_test", "a", a), check_scores("corrected_test", "b", b)
    if x.shape != other.shape:
        raise DataError(
            f"corrected_test: a has {counted(len(x), 'score')} and b has {len(other)}; they are paired part by part."
        )
    gaps = x - other
    ratio = check_number("corrected_test", "test_over_train", test_over_train, 0)
    level = check_level("corrected_test", level)
    interval = interval_of_mean(gaps, ratio, level)
    mean, free = float(gaps.mean()), len(gaps) - 1
    deviation = np.sqrt(variance_of_mean(gaps, test_over_train))
    least = EQUAL * max(np.abs(x).max(), np.abs(other).max())
    if deviation <= least:  # what rounding leaves of equal differences
        statistic = 0.0 if abs(mean) <= least else float("nan")
        interval = interval if statistic == 0 else Interval(float("nan"), float("nan"))
    else:
        statistic = float(mean / deviation)
    return ResampledTest(mean, statistic, float(2 * stats.t.sf(abs(statistic), free)), free, interval)
