r"""How far the score on the hold-out rows may be from the score on all rows that there could be.

A share of right rows: Wilson's interval, Clopper and Pearson's for few right or wrong ones. Another mean m of row values with
standard error s: the studentised bootstrap, whose draws b tell how (m_b - m) / s_b is spread,

    m - q_{1-a/2} s   to   m - q_{a/2} s                                                                        (1)

which follows the skewness of squared errors and logarithms where percentiles fall short. The other measures are no means: the
bias-corrected and accelerated bootstrap (Efron 1987), with p the share of draws below the score and c the skewness of the
leave-out values,

    z0 = Phi^-1(p),   a = c / 6,   ends at the quantiles Phi(z0 + (z0 + z) / (1 - a (z0 + z)))                        (2)

docs/theory/coverage_of_intervals.md; benchmarks/studies.py measures the coverage of whole studies.
"""

from typing import Any

import numpy as np
from scipy.stats import norm

from novum.evaluation import clopper_pearson_interval, wilson_interval
from novum.evaluation.proportion import Interval
from novum.study.measures import Measure, Predicted, judge_rows

__all__ = ["RESAMPLES", "score_interval"]

FEW_EVENTS = 3  # right or wrong answers at which Wilson's interval is in doubt (docs/theory/coverage_of_intervals.md)
RESAMPLES = 1000  # of the bootstrap; the ends of a 95 % interval then rest on 25 values each
MOST_DRAWS = 2_000_000  # rows drawn in all: fewer resamples of a large part, whose scores hardly differ
LEAST_RESAMPLES = 200
AT_ONCE = 250_000  # rows drawn at a time
LEFT_OUT = 100  # parts of the rows that are left out in turn for the skewness


def score_interval(
    measure: Measure, y: Any, predicted: Predicted, classes: Any, seed: int, weight: Any = None, level: float = 0.95
) -> Interval:
    """Return an interval for the score on new rows."""
    truth, said = judge_rows(measure, y, predicted, classes)
    if measure.name == "accuracy" and weight is None:
        right, n = int((truth == said).sum()), len(truth)
        few = 0 < min(right, n - right) <= FEW_EVENTS
        return (clopper_pearson_interval if few else wilson_interval)(right, n, level)
    rng = np.random.default_rng(seed)
    if measure.rows is not None:
        found = studentised(measure.rows(truth, said), weight, rng, level)
        if measure.root:
            found = Interval(float(np.sqrt(max(found.lower, 0.0))), float(np.sqrt(max(found.upper, 0.0))))
        return measure.inside(found)
    return measure.inside(accelerated(measure, truth, said, weight, rng, level))


def draws_of(n: int) -> int:
    """Return how many resamples a part of n rows gets."""
    return int(np.clip(MOST_DRAWS // max(n, 1), LEAST_RESAMPLES, RESAMPLES))


def studentised(values: np.ndarray, weight: Any, rng: np.random.Generator, level: float) -> Interval:
    """Return (1), with weights those of the weighted mean."""
    n = len(values)
    w = np.ones(n) if weight is None else np.asarray(weight, dtype=np.float64)

    def mean_and_error(x: np.ndarray, w: np.ndarray) -> tuple[Any, Any]:
        total = w.sum(axis=-1)
        center = (w * x).sum(axis=-1) / total
        off = w * (x - center[..., None])
        return center, np.sqrt((off**2).sum(axis=-1) * n / max(n - 1, 1)) / total

    center, error = mean_and_error(values, w)
    if error == 0:
        return Interval(float(center), float(center))
    parts = []
    left = draws_of(n)
    while left > 0:  # as many resamples at once as fit into a few megabytes
        rows = rng.integers(n, size=(min(left, max(1, AT_ONCE // n)), n))
        b, s = mean_and_error(values[rows], w[rows])
        parts.append(((b - center) / np.where(s > 0, s, np.inf))[s > 0])
        left -= len(rows)
    low, high = np.quantile(np.concatenate(parts), [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(center - high * error), float(center - low * error))


def accelerated(
    measure: Measure, truth: np.ndarray, said: np.ndarray, weight: Any, rng: np.random.Generator, level: float
) -> Interval:  # fmt: skip
    """Return (2)."""
    n = len(truth)

    def score(rows: np.ndarray) -> float:
        return measure.of(truth[rows], said[rows], None if weight is None else weight[rows])

    everything = np.arange(n)
    full = score(everything)
    drawn = np.array([score(rng.integers(n, size=n)) for _ in range(draws_of(n))])
    parts = np.array_split(rng.permutation(n), min(n, LEFT_OUT))
    left = np.array([score(np.setdiff1d(everything, part)) for part in parts])
    off = left.mean() - left
    spread = float((off**2).sum()) ** 1.5
    skew = float((off**3).sum()) / (6 * spread) if spread > 0 else 0.0
    share = (np.mean(drawn < full) + np.mean(drawn <= full)) / 2
    z0 = norm.ppf(np.clip(share, 1 / len(drawn), 1 - 1 / len(drawn)))
    z = norm.ppf([(1 - level) / 2, (1 + level) / 2])
    low, high = np.quantile(drawn, norm.cdf(z0 + (z0 + z) / (1 - skew * (z0 + z))))
    return Interval(float(low), float(high))
