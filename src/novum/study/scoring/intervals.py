r"""How far the score on the hold-out rows may be from the score on all rows that there could be.

The hold-out part has the classes in the shares of the whole table, so its scores vary less than those of rows drawn at random; the
variances are those of `novum.study.scoring.influence`. With v the variance of a score p between 0 and 1:

    accuracy, balanced accuracy, F1,   Wilson's interval of p for n' = p (1 - p) / v rows; of one class's F1 in the units
    AUC, average precision             p = F / (2 - F), the share of its hits among all rows that are or are called so. The last
                                       two take Student's quantile, with 2 n / (k - 1) degrees of freedom, k the kurtosis of
                                       the influence values: it says how well v itself is known
    a mean m of losses                 the studentised bootstrap: m - q_{1-a/2} s to m - g^2 q_{a/2} s, where q are quantiles of
                                       (m_b - m) / s_b over resamples b; it follows the skewness of squared errors and logarithms.
                                       The factor g = t_f / z, f as above, is for rows of large loss that did not come by: the
                                       end towards more loss is the one that misses
    log loss, Brier score              the same without g, but towards more loss at least (1 - e) r + e w: e the upper end of the
                                       share of rows whose likeliest class is wrong (Clopper and Pearson), r and w the mean loss
                                       of rows that are right and wrong, w with one row more that is wrong as the model itself
                                       expects; and at most this with e of the level .9995
    R2                                 the same as of losses of log(1 - R2)
    median error                       order statistics whose ranks hold the median with the stated probability, interpolated
                                       between the two nearest (Hettmansperger and Sheather 1986)

Where rows have weights, other scores than means get the bias-corrected and accelerated bootstrap (Efron 1987). No interval can
know of errors that did not come by at all: where fewer than five rows decide how far a mean may be off, the study says so. docs/
theory/coverage_of_intervals.md; benchmarks/study_coverage.py measures how often they hold the truth.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import beta, binom, norm
from scipy.stats import t as student

from novum.evaluation.intervals.proportion import Interval
from novum.study.scoring import influence
from novum.study.scoring.measures import Measure, Predicted, judge_rows

__all__ = ["FEW_DECIDE", "RESAMPLES", "deciding_rows", "score_interval"]

RESAMPLES = 1000  # of the bootstrap; the ends of a 95 % interval then rest on 25 values each
MOST_DRAWS = 2_000_000  # rows drawn in all: fewer resamples of a large part, whose scores hardly differ
LEAST_RESAMPLES = 200
MANY_ROWS = 20_000  # of which means are normal
AT_ONCE = 250_000  # rows drawn at a time
LEAST_FREEDOM = 3.0  # below which Student's quantile is of no use
FEW_DECIDE = 5.0  # rows below which the variance of a mean is not known, as in novum.evaluation
WIDER = 2  # power of g: 1 misses more often, 3 hardly less; the end of normal errors moves by 4 % at 40 rows
SURELY = 0.9995  # level at which mistakes bound the bootstrap, which knows no bound where it saw one or two of them
MANY_LEFT_OUT = 400  # rows up to which the average precision's influence values are found by leaving each out
LEFT_OUT = 100  # parts of the rows that are left out in turn for the skewness


def score_interval(
    measure: Measure,
    y: Any,
    predicted: Predicted,
    classes: Any,
    seed: int,
    weight: Any = None,
    level: float = 0.95,
    share: float | None = None,
) -> Interval:
    """Return an interval for the score on new rows.

    Parameters
    ----------
    share : float or None
        Of all rows, where the part was drawn with the classes in the shares of all; None where it was not.
    """
    truth, said = judge_rows(measure, y, predicted, classes)
    rng = np.random.default_rng(seed)
    if measure.rows is not None and (measure.name != "accuracy" or weight is not None):
        values = measure.rows(truth, said)
        strata = None if share is None or measure.kind == "regression" else truth
        bounded = measure.proba and weight is None  # by mistakes
        wider = not (measure.higher_is_better or bounded)
        found = studentised(mean_and_error, (values,), weight, rng, level, strata, share, wider=wider)
        if bounded:
            least, most = (upper_by_mistakes(measure, truth, said, one) for one in (level, max(level, SURELY)))
            found = found._replace(upper=float(np.clip(found.upper, least, most)))
        if measure.root:
            found = Interval(float(np.sqrt(max(found.lower, 0.0))), float(np.sqrt(max(found.upper, 0.0))))
        return measure.inside(found)
    if weight is not None:
        return measure.inside(accelerated(measure, truth, said, weight, rng, level))
    return measure.inside(PLAIN[measure.name](measure, truth, said, level, share, rng))


def deciding_rows(measure: Measure, y: Any, predicted: Predicted, classes: Any, weight: Any = None) -> float:
    """Return how many rows decide the width of an interval of errors, (sum u^2)^2 / sum u^4; infinite for other measures."""
    truth, said = judge_rows(measure, y, predicted, classes)
    w = np.ones(len(truth)) if weight is None else np.asarray(weight, dtype=np.float64)
    if measure.rows is not None and not measure.higher_is_better and (weight is not None or not measure.proba):
        u = mean_and_error(w, measure.rows(truth, said))[2]
    elif measure.name == "r2" and np.ptp(truth) > 0 and (truth != said).any():
        u = log_ratio_and_error(w, (truth - said) ** 2, truth)[2]
    else:
        return float("inf")
    return len(u) / kurtosis_of(u) if (u**2).any() else float("inf")


# ---------------------------------------------------------------------------------------------------- shares


def wilson(p: float, n: float, level: float) -> Interval:
    """Return Wilson's interval for a share found in n rows, which need not be a whole number."""
    z2 = float(norm.ppf((1 + level) / 2)) ** 2
    center, half = (p + z2 / (2 * n)) / (1 + z2 / n), np.sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    return Interval(float(max(center - half, 0.0)) if p > 0 else 0.0, float(min(center + half, 1.0)) if p < 1 else 1.0)


def effective_rows(p: float, variance: float, most: float) -> float:
    """Return how many rows give a share p this variance; `most` where the rows show none."""
    return p * (1 - p) / variance if variance > 0 and 0 < p < 1 else most


def accuracy_interval(measure: Measure, y: Any, said: Any, level: float, share: Any, rng: Any) -> Interval:
    right = (y == said).astype(np.float64)
    p, n = float(right.mean()), len(right)
    variance = influence.stratified_variance(right, y, share) * (n - 1) / n
    return wilson(p, effective_rows(p, variance, n), level)


def balanced_interval(measure: Measure, y: Any, said: Any, level: float, share: Any, rng: Any) -> Interval:
    """Return Wilson's interval; classes that are always or never right lend a row each way to the variance."""
    classes, code, counts = np.unique(y, return_inverse=True, return_counts=True)
    right = np.bincount(code, y == said)
    smooth = (right + 1) / (counts + 2)
    variance = float((smooth * (1 - smooth) / counts).sum()) / len(classes) ** 2
    center = float(smooth.mean())
    return wilson(float((right / counts).mean()), center * (1 - center) / variance, level)


def f1_interval(measure: Measure, y: Any, said: Any, level: float, share: Any, rng: Any) -> Interval:
    positive = positive_of(measure)
    score = measure.of(y, said)
    u = influence.f1_influence(y, said, positive)
    variance = influence.stratified_variance(u, y, share)
    if positive is None:
        return wilson(score, effective_rows(score, variance, len(y)), level)
    union = int(((y == positive) | (said == positive)).sum())
    if not union:
        return Interval(0.0, 1.0)
    plain = influence.stratified_variance(u, y, None)
    p = score / (2 - score)
    low, high = wilson(p, union * (plain / variance if variance > 0 else 1.0), level)
    return Interval(2 * low / (1 + low), 2 * high / (1 + high))


def positive_of(measure: Measure) -> int | None:
    """Return the class that a measure is about; None where it is a mean over all."""
    return getattr(measure.whole, "keywords", {}).get("positive")


def ranked_interval(measure: Measure, y: Any, said: Any, level: float, share: Any, rng: Any) -> Interval:
    """Return the interval of the AUC or the average precision; rows that show no variance count as few as the rarest class."""
    of = influence.area_influence if measure.name == "auc" else influence.precision_influence
    if measure.name != "auc" and len(y) <= MANY_LEFT_OUT:
        of = influence.precision_left_out
    p, u = measure.of(y, said), of(y, said, positive_of(measure))
    variance = influence.stratified_variance(u, y, share)
    if variance <= 0 or not 0 < p < 1:
        fewest = int(np.unique(y, return_counts=True)[1].min())
        return wilson(p, fewest, level)
    wider = 2 * float(norm.cdf(quantile_of(u, level))) - 1
    return wilson(p, effective_rows(p, variance, len(u)), wider)


def kurtosis_of(u: np.ndarray) -> float:
    """Return the mean of u^4 over the square of that of u^2."""
    return float((u**4).mean() / (u**2).mean() ** 2)


def quantile_of(u: np.ndarray, level: float) -> float:
    """Return Student's quantile with the degrees of freedom that influence values u allow."""
    freedom = max(LEAST_FREEDOM, 2 * len(u) / max(kurtosis_of(u) - 1, 1e-9))
    return float(student.ppf((1 + level) / 2, freedom))


def upper_by_mistakes(measure: Measure, truth: np.ndarray, proba: np.ndarray, level: float) -> float:
    """Return the largest mean loss that so few mistakes allow; without it a model that made none looks perfect."""
    n, every = len(truth), np.arange(len(truth))
    losses = np.column_stack([measure.rows(np.full(n, k), proba) for k in range(proba.shape[1])])  # type: ignore[misc]
    likely = proba.argmax(axis=1)
    against = proba.copy()
    against[every, likely] = 0.0
    values, wrong = losses[every, truth], truth != likely
    count = int(wrong.sum())
    if count == n or not against.any():
        return float(values.mean())
    expected = float((against * losses).sum() / against.sum())
    share = float(beta.ppf((1 + level) / 2, count + 1, n - count))
    return (1 - share) * float(values[~wrong].mean()) + share * (float(values[wrong].sum()) + expected) / (count + 1)


# ---------------------------------------------------------------------------------------------------- numbers


def median_interval(measure: Measure, y: Any, said: Any, level: float, share: Any, rng: Any) -> Interval:
    """Return the interpolated order statistics; of fewer rows than can hold the median so surely, the extremes."""
    off = np.sort(np.abs(y - said))
    n = len(off)
    k = int(binom.ppf((1 - level) / 2, n, 0.5))
    while k > 0 and 1 - 2 * binom.cdf(k - 1, n, 0.5) < level:
        k -= 1
    if k == 0:
        return Interval(float(off[0]), float(off[-1]))
    outer, inner = (1 - 2 * float(binom.cdf(j - 1, n, 0.5)) for j in (k, k + 1))
    part = (outer - level) / (outer - inner)
    weight = (n - k) * part / (k + (n - 2 * k) * part)
    low = (1 - weight) * off[k - 1] + weight * off[k]
    high = (1 - weight) * off[n - k] + weight * off[n - k - 1]
    return Interval(float(low), float(high))


def r2_interval(measure: Measure, y: Any, said: Any, level: float, share: Any, rng: Any) -> Interval:
    if np.ptp(y) == 0 or not ((y - said) ** 2).any():
        score = measure.of(y, said)
        return Interval(score, score)
    low, high = studentised(log_ratio_and_error, ((y - said) ** 2, y), None, rng, level)
    return Interval(float(1 - np.exp(high)), float(1 - np.exp(low)))


PLAIN: dict[str, Callable[..., Interval]] = {
    "accuracy": accuracy_interval,
    "balanced_accuracy": balanced_interval,
    "f1": f1_interval,
    "auc": ranked_interval,
    "average_precision": ranked_interval,
    "median_error": median_interval,
    "r2": r2_interval,
}


# ---------------------------------------------------------------------------------------------------- bootstrap


def draws_of(n: int) -> int:
    """Return how many resamples a part of n rows gets."""
    return int(np.clip(MOST_DRAWS // max(n, 1), LEAST_RESAMPLES, RESAMPLES))


def mean_and_error(w: np.ndarray, x: np.ndarray) -> tuple[Any, Any, np.ndarray]:
    """Return weighted means along the last axis with their standard errors and influence values."""
    n, total = x.shape[-1], w.sum(axis=-1)
    center = (w * x).sum(axis=-1) / total
    off = w * (x - center[..., None])
    return center, np.sqrt((off**2).sum(axis=-1) * n / max(n - 1, 1)) / total, off


def log_ratio_and_error(w: np.ndarray, squares: np.ndarray, y: np.ndarray) -> tuple[Any, Any, np.ndarray]:
    """Return log(1 - R2) along the last axis, with its standard error by influence values, and these."""
    n = y.shape[-1]
    off = (y - y.mean(axis=-1, keepdims=True)) ** 2
    top, bottom = squares.mean(axis=-1), off.mean(axis=-1)
    with np.errstate(all="ignore"):
        u = squares / top[..., None] - off / bottom[..., None]
        return np.log(top / bottom), np.sqrt((u**2).sum(axis=-1) / max(n - 1, 1) / n), u


def studentised(
    statistic: Callable[..., tuple[Any, Any, np.ndarray]],
    values: tuple[np.ndarray, ...],
    weight: Any,
    rng: np.random.Generator,
    level: float,
    strata: np.ndarray | None = None,
    share: float | None = None,
    *,
    wider: bool = True,
) -> Interval:
    """Return the studentised bootstrap's interval; with strata the standard error is that of (5) of the influence values.

    Parameters
    ----------
    statistic : callable
        Takes weights and row values, resamples along the first axis; returns the statistic, its standard error and the rows'
        influence values.
    wider : bool
        Whether the upper end is moved out, for large values that did not come by.
    """
    n = len(values[0])
    w = np.ones(n) if weight is None else np.asarray(weight, dtype=np.float64)
    center, error, u = statistic(w, *values)
    if not error > 0:
        return Interval(float(center), float(center))
    if strata is not None and weight is None:
        plain = influence.stratified_variance(values[0], strata, None)
        factor = influence.stratified_variance(values[0], strata, share) / plain if plain > 0 else 1.0
    else:
        factor = 1.0
    error = error * np.sqrt(factor)
    if n > MANY_ROWS:
        half = float(norm.ppf((1 + level) / 2) * error)
        return Interval(float(center - half), float(center + half))
    parts = []
    left = draws_of(n)
    while left > 0:  # as many resamples at once as fit into a few megabytes
        rows = rng.integers(n, size=(min(left, max(1, AT_ONCE // n)), n))
        b, s, _ = statistic(w[rows], *(one[rows] for one in values))
        fine = np.isfinite(b) & (s > 0)
        parts.append((b[fine] - center) / s[fine])
        left -= len(rows)
    low, high = np.quantile(np.concatenate(parts), [(1 - level) / 2, (1 + level) / 2])
    if wider:
        low *= (quantile_of(u, level) / float(norm.ppf((1 + level) / 2))) ** WIDER
    return Interval(float(center - high * error), float(center - low * error))


def accelerated(
    measure: Measure, truth: np.ndarray, said: np.ndarray, weight: Any, rng: np.random.Generator, level: float
) -> Interval:
    r"""Return the bias-corrected and accelerated interval.

    With p the share of draws below the score, c the skewness of the leave-out values, z0 = Phi^-1(p) and a = c / 6, its ends are
    the quantiles Phi(z0 + (z0 + z) / (1 - a (z0 + z))).
    """
    n = len(truth)

    def score(rows: np.ndarray) -> float:
        return measure.of(truth[rows], said[rows], None if weight is None else weight[rows])

    everything = np.arange(n)
    full = score(everything)
    drawn = np.array([score(rng.integers(n, size=n)) for _ in range(draws_of(n))])
    parts = np.array_split(rng.permutation(n), min(n, LEFT_OUT))
    left = np.array([score(np.setdiff1d(everything, part)) for part in parts])
    off = left.mean() - left
    cubed = float((off**2).sum()) ** 1.5
    skew = float((off**3).sum()) / (6 * cubed) if cubed > 0 else 0.0
    share = (np.mean(drawn < full) + np.mean(drawn <= full)) / 2
    z0 = norm.ppf(np.clip(share, 1 / len(drawn), 1 - 1 / len(drawn)))
    z = norm.ppf([(1 - level) / 2, (1 + level) / 2])
    low, high = np.quantile(drawn, norm.cdf(z0 + (z0 + z) / (1 - skew * (z0 + z))))
    return Interval(float(low), float(high))
