r"""The area under the ROC curve, with DeLong's interval and paired test.

The area is the probability that a positive scores above a negative, ties counting half. With positives i, negatives j,
weights w, W+ and W- their sums and psi(a, b) = 1, 1/2, 0 for a >, =, < b:

    V_i = sum_j w_j psi(s_i, s_j) / W-,     U_j = sum_i w_i psi(s_i, s_j) / W+                     (1)
    A = sum_i w_i V_i / W+ = sum_j w_j U_j / W-                                                    (2)
    cov(A, A') = n+/(n+ - 1) sum_i w_i^2 (V_i - A)(V'_i - A') / W+^2  +  the same over j           (3)
    logit(A) +- z sqrt(cov(A, A)) / (A (1 - A)),   carried back to areas                           (4)
    z = (A - A') / sqrt(cov(A, A) + cov(A', A') - 2 cov(A, A'))                                    (5)

(DeLong, DeLong and Clarke-Pearson, Biometrics 44, 1988; (4) on the scale of the logit: Pepe 2003, section 5.2.) V and U are
ranks, so all this costs a sort. Where the classes separate perfectly (3) is zero and says nothing; then min(n+, n-) disjoint
pairs, all in order, bound the area as successes bound a proportion (Clopper and Pearson):

    lower = ((1 - level)/2)^(1/min(n+, n-)),   upper = 1                                           (6)

(3) rests on the rows that overlap, positives below some negative and negatives above some positive. `overlap_doubt` names the
samples whose intervals were measured to cover less than they say (docs/theory/coverage_of_intervals.md); callers warn there.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtr, ndtri

from novum.evaluation.intervals.coverage import MEASURED, warn_of_doubts
from novum.evaluation.intervals.proportion import Interval, clopper_pearson
from novum.exceptions import DataError, ParameterError
from novum.report.numbers import counted, num
from novum.report.result import result
from novum.runtime.checks import check_level, row_weights, vector
from novum.runtime.typing import Label, Numbers, RowWeights, Target

__all__ = [
    "Area",
    "DelongTest",
    "area",
    "area_interval",
    "delong_interval",
    "delong_test",
    "is_positive",
    "overlap_doubt",
]

# Where coverage was measured to fall below 92 %: see docs/theory/coverage_of_intervals.md
FEWEST_OVERLAPPING = 10  # rows of a class that overlap with the other
FEWEST_ROWS = 20  # rows of a class
FEWEST_ROWS_FAR = 40  # the same where the area is far from 1/2
FAR_AREA = 0.85


class Area(NamedTuple):
    """The area (2) and its components (1), by row: V for a positive, U for a negative."""

    value: float
    components: NDArray  # (n,)


@result
class DelongTest(NamedTuple):
    """DeLong's paired comparison of two scores on the same rows."""

    areas: tuple[float, float]
    difference: float
    standard_error: float
    statistic: float
    p_value: float  # two-sided
    interval: Interval  # of the difference


def is_positive(owner: str, y: Any, pos_label: Any = None) -> NDArray[np.bool_]:
    """Return which rows are positive: those of `pos_label`, or of the larger of two labels."""
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise DataError(f"{owner}: y has shape {labels.shape}; give one label per row.")
    classes = np.unique(labels)
    if pos_label is None:
        if len(classes) != 2:
            raise DataError(
                f"{owner}: y has {counted(len(classes), 'different label')}; an area compares two: give pos_label."
            )
        pos_label = classes[1]
    positive = labels == pos_label
    if not positive.any() or positive.all():
        raise ParameterError(
            f"{owner}(pos_label={pos_label!r}): {'no' if not positive.any() else 'every'} row has this label; y holds"
            f" {classes[:10].tolist()} and the area needs positives and negatives."
        )
    return positive


def area(positive: NDArray, score: NDArray, weight: NDArray | None) -> Area:
    """Return (2) with its components (1)."""
    w = np.ones(len(score)) if weight is None else weight
    values, place = np.unique(score, return_inverse=True)
    hits = np.bincount(place, w * positive, minlength=len(values))
    misses = np.bincount(place, w * ~positive, minlength=len(values))
    below = (np.cumsum(misses) - misses / 2) / misses.sum()  # share of the negatives under a score, ties half
    above = 1 - (np.cumsum(hits) - hits / 2) / hits.sum()
    components = np.where(positive, below[place], above[place])
    return Area(float(w[positive] @ below[place[positive]] / hits.sum()), components)


def covariance(positive: NDArray, a: Area, b: Area, weight: NDArray | None) -> float:
    """Return (3); NaN where a class has a single row."""
    w = np.ones(len(positive)) if weight is None else weight
    total = 0.0
    for rows in (positive & (w > 0), ~positive & (w > 0)):
        n = np.count_nonzero(rows)
        if n < 2:
            return float("nan")
        products = w[rows] ** 2 * (a.components[rows] - a.value) * (b.components[rows] - b.value)
        total += float(n / (n - 1) * products.sum() / w[rows].sum() ** 2)
    return total


def area_interval(positive: NDArray, found: Area, weight: NDArray | None, level: float) -> Interval:
    """Return (4), or (6) where the classes separate; [0, 1] where a class has a single row."""
    used = np.ones(len(positive), bool) if weight is None else weight > 0
    pairs = float(min(np.count_nonzero(positive & used), np.count_nonzero(~positive & used)))
    variance = covariance(positive, found, found, weight)
    if variance <= 0 or found.value in (0.0, 1.0):
        bound = clopper_pearson(pairs, pairs, level).lower
        if found.value == 1.0:
            return Interval(bound, 1.0)
        if found.value == 0.0:
            return Interval(0.0, 1 - bound)
        return Interval(found.value, found.value)  # every score is the same: 1/2 whatever the sample
    if np.isnan(variance):
        return Interval(0.0, 1.0)
    half = float(ndtri((1 + level) / 2)) * np.sqrt(variance) / (found.value * (1 - found.value))
    center = float(logit(found.value))
    return Interval(float(expit(center - half)), float(expit(center + half)))


def overlap_doubt(positive: NDArray, found: Area, weight: NDArray | None, level: float) -> str:
    """Return why the interval of an area covers less than its level says, or nothing where it was measured to hold."""
    used = np.ones(len(positive), bool) if weight is None else weight > 0
    rows = [np.count_nonzero(side & used) for side in (positive, ~positive)]
    if found.value in (0.0, 1.0):
        return "the classes separate perfectly, so that only one end of its interval is known and that one is cautious"
    if min(rows) < 2:
        return "a class has a single row, which says nothing of its variance: the interval is all of [0, 1]"
    if np.ptp(found.components[used]) == 0:
        return "every score is the same, so that the area is 1/2 by definition and its interval has no width"
    perfect = 1.0 if found.value > 0.5 else 0.0
    overlap = min(np.count_nonzero(side & used & (found.components != perfect)) for side in (positive, ~positive))
    if overlap < FEWEST_OVERLAPPING:
        short = "73 to 90 % instead of 95 %" if level == MEASURED else f"less than its {num(100 * level):g} %"
        return f"only {counted(overlap, 'row')} of a class overlap with the other, and its interval may cover {short}"
    far = max(found.value, 1 - found.value) >= FAR_AREA
    if min(rows) < FEWEST_ROWS or (far and min(rows) < FEWEST_ROWS_FAR):
        short = "72 to 92 % instead of 95 %" if level == MEASURED else f"less than its {num(100 * level):g} %"
        return f"a class has only {counted(min(rows), 'row')}, and the interval of the area may cover {short}"
    return ""


def delong_interval(
    y: Target,
    y_score: Numbers,
    *,
    pos_label: Label | None = None,
    sample_weight: RowWeights = None,
    level: float = 0.95,
) -> Any:
    """Return DeLong's interval for the area under the ROC curve.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Two labels.
    y_score : array-like of shape (n_samples,)
        Larger for rows that are more likely positive.
    pos_label : label, default=None
        The positive label; None takes the larger of the two.
    sample_weight : array-like of shape (n_samples,), default=None
    level : float, default=0.95

    Returns
    -------
    Interval
        Named tuple of lower and upper end. Warns (DataWarning) where such intervals were measured to cover less than they say:
        few rows that overlap, a small class, classes that separate perfectly.

    Examples
    --------
    >>> from novum.evaluation import delong_interval
    >>> y = [0, 0, 1, 0, 1, 1] * 20
    >>> score = [0.1, 0.3, 0.4, 0.6, 0.5, 0.9] * 20
    >>> low, high = delong_interval(y, score)
    >>> round(low, 3), round(high, 3)
    (0.676, 0.855)
    """
    owner = "delong_interval"
    positive = is_positive(owner, y, pos_label)
    score = vector(owner, "y_score", y_score, len(positive))
    weight = row_weights(owner, sample_weight, len(positive))
    level = check_level(owner, level)
    found = area(positive, score, weight)
    warn_of_doubts(owner, {"roc_auc": overlap_doubt(positive, found, weight, level)})
    return area_interval(positive, found, weight, level)


def delong_test(
    y: Target,
    a: Numbers,
    b: Numbers,
    *,
    pos_label: Label | None = None,
    sample_weight: RowWeights = None,
    level: float = 0.95,
) -> DelongTest:
    """Return DeLong's paired test that two scores of the same rows have the same area under the ROC curve.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Two labels.
    a, b : array-like of shape (n_samples,)
        The scores of two models.
    pos_label, sample_weight
        As in `delong_interval`.
    level : float, default=0.95
        Of the interval of the difference.

    Returns
    -------
    DelongTest
        Scores that rank all pairs alike have no difference and no variance: the p-value is 1. Two areas that differ without
        variance, as those of perfect and reversed rankings, decide nothing: it is NaN.

    Examples
    --------
    >>> from novum.evaluation import delong_test
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> test = delong_test(y, [0.1, 0.3, 0.4, 0.6, 0.35, 0.5, 0.7, 0.9], [0.5, 0.2, 0.6, 0.4, 0.3, 0.8, 0.1, 0.7])
    >>> test.areas, round(test.p_value, 3)
    ((0.8125, 0.5625), 0.386)
    """
    owner = "delong_test"
    positive = is_positive(owner, y, pos_label)
    weight = row_weights(owner, sample_weight, len(positive))
    level = check_level(owner, level)
    first, second = (area(positive, vector(owner, n, s, len(positive)), weight) for n, s in (("a", a), ("b", b)))
    own = [covariance(positive, one, one, weight) for one in (first, second)]
    variance = sum(own) - 2 * covariance(positive, first, second, weight)
    if np.isnan(variance):
        raise DataError(f"{owner}: a class has a single row, so the variance of the areas is unknown; give more rows.")
    difference = first.value - second.value
    error = float(np.sqrt(max(variance, 0.0)))
    if error <= 1e-12:  # what rounding leaves of equal rankings
        statistic = 0.0 if abs(difference) <= 1e-12 else float("nan")
    else:
        statistic = difference / error
    half = float(ndtri((1 + level) / 2)) * error if statistic == statistic else float("nan")
    p_value = float(2 * ndtr(-abs(statistic)))
    interval = Interval(difference - half, difference + half)
    return DelongTest((first.value, second.value), difference, error, statistic, p_value, interval)
