"""The learning curve: the kept kind of model fitted on ever fewer of its training rows and judged on the same rows put away.

Sizes are halved, so that every step of the curve shows what twice as many rows brought. Smaller parts are drawn several times,
classes in equal shares; of rows in the order of time the last ones are taken, once. The last point is the judged model itself.
Whether more rows would help is read off the last doubling: the gain from half of the rows to all of them, with an interval by
the bootstrap over the rows put away, the same draw for both.
"""

from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from novum.evaluation.intervals.proportion import Interval
from novum.report.numbers import counted
from novum.study.comparison.compare import EnsembleMember
from novum.study.comparison.fits import Rows
from novum.study.final import fit_kept
from novum.study.insight.explain import members_of, predict_members
from novum.study.scoring.measures import Predicted

__all__ = ["LearningCurve", "learning_curve", "some_of"]

HALVINGS, REPEATS = 4, 2
LEAST_ROWS = 20
RESAMPLES = 400
SMALL_GAIN = 0.01  # of a share, or of the score of an error: less is hardly worth twice the rows


class LearningCurve(NamedTuple):
    """Scores by the number of training rows."""

    sizes: list[int]  # ascending; the last is all of them
    scores: list[list[float]]  # of every draw of so many rows
    gain: float  # by the last doubling, positive where it helped; NaN where there is one size only
    interval: Interval  # of the gain
    verdict: str

    @property
    def means(self) -> list[float]:
        """The mean score of every size."""
        return [float(np.mean(found)) for found in self.scores]


def some_of(train: np.ndarray, y: np.ndarray, size: int, classes: Any, ordered: bool, seed: Any) -> np.ndarray:
    """Return so many of the training rows: the last in time, or drawn, every class in its share and with two rows at least."""
    if ordered:
        return train[-size:]
    rng = np.random.default_rng(seed)
    order = rng.permutation(train)
    if classes is None:
        return np.sort(order[:size])
    labels = y[order]
    rank = np.empty(len(order))
    for label in classes:
        places = np.flatnonzero(labels == label)
        rank[places] = (np.arange(len(places)) + 0.5) / max(1, len(places))
        rank[places[:2]] = -1.0
    return np.sort(order[np.argsort(rank, kind="stable")[:size]])


def learning_curve(
    rows: Rows,
    parts: list[EnsembleMember],
    changes: list[dict[str, Any]],
    train: np.ndarray,
    held: np.ndarray,
    said: Predicted,
    fit_seconds: float,
    seconds: float,
    ordered: bool = False,
) -> LearningCurve:
    """Return the curve, as far as there is time for it.

    Parameters
    ----------
    changes : settings of the kept model, by its parts
    said : what the judged model says of the rows put away
    fit_seconds : of one fit on all training rows
    """
    judge, start = rows.judge, perf_counter()
    y, frame = rows.y[held], rows.frame.iloc[held]
    weight = None if rows.weight is None else rows.weight[held]
    least = max(LEAST_ROWS, 0 if judge.classes is None else 4 * len(judge.classes))
    sizes = [n for k in range(HALVINGS, 0, -1) if (n := len(train) // 2**k) >= least]
    found: dict[int, list[Predicted]] = {size: [] for size in sizes}
    for repeat in range(1 if ordered else REPEATS):
        for size in sizes[::-1]:
            if fit_seconds * size / len(train) > seconds - (perf_counter() - start):
                continue
            drawn = some_of(train, rows.y, size, judge.classes, ordered, (judge.seed, repeat, size))
            try:
                model, _ = fit_kept(rows, parts, drawn, changes)
                found[size].append(predict_members(members_of(model, frame), judge, scored_only=True))
            except Exception:  # whatever a model raises on few rows: the curve begins later
                continue
    sizes = [size for size in sizes if found[size]]
    scores = [[judge.measure.score(y, one, judge.classes, weight) for one in found[size]] for size in sizes]
    full = judge.measure.score(y, said, judge.classes, weight)
    half = len(train) // 2
    before = found.get(half, [])
    gain, interval = float("nan"), Interval(float("nan"), float("nan"))
    if before:
        gain, interval = gain_of(rows, y, before, said, weight)
    curve = LearningCurve([*sizes, len(train)], [*scores, [full]], gain, interval, "")
    return curve._replace(verdict=verdict_on(curve, judge.measure, len(y)))


def gain_of(
    rows: Rows, y: np.ndarray, before: list[Predicted], after: Predicted, weight: Any
) -> tuple[float, Interval]:
    """Return by how much the score is better than the mean score of other predictions, with its bootstrap interval."""
    judge = rows.judge
    rng = np.random.default_rng(judge.seed)
    given = np.ones(len(y)) if weight is None else weight

    drawn = []
    for _ in range(RESAMPLES if len(y) <= 5_000 else RESAMPLES // 8):
        w = np.bincount(rng.integers(len(y), size=len(y)), minlength=len(y)) * given
        there = w > 0
        if there.any() and (judge.classes is None or len(np.unique(y[there])) == len(np.unique(y))):
            drawn.append(w)
    sign = 1.0 if judge.measure.higher_is_better else -1.0
    weights = [weight, *drawn]
    others = np.mean([judge.measure.scores(y, one, judge.classes, weights) for one in before], axis=0)
    gains = sign * (judge.measure.scores(y, after, judge.classes, weights) - others)
    if not drawn:
        return float(gains[0]), Interval(float("-inf"), float("inf"))
    low, high = np.quantile(gains[1:], [0.025, 0.975])
    return float(gains[0]), Interval(float(low), float(high))


def verdict_on(curve: LearningCurve, measure: Any, n_held: int) -> str:
    """Return the answer to "would more rows help?" in a sentence."""
    if np.isnan(curve.gain):
        return "There are too few rows, or there was too little time, to say whether more rows would help."
    means, text = curve.means, measure.text

    def signed(value: float) -> str:
        return f"{'-' if value < 0 else '+'}{text(abs(value))}"

    size, last = curve.sizes[-2], curve.sizes[-1]
    said = (
        f"from {size:,} to {counted(last, 'row')} {measure.title} went from {text(means[-2])} to {text(means[-1])}"
        f" (gain {signed(curve.gain)}, 95 % interval {signed(curve.interval.lower)} to {signed(curve.interval.upper)})"
    )
    share = measure.higher_is_better or measure.name in ("log_loss", "brier")
    little = SMALL_GAIN * (1.0 if share else abs(means[-1]))
    if curve.interval.lower > 0:
        return f"More rows of the same kind would probably help: {said}."
    if curve.interval.upper < little:
        return f"More rows would hardly help: {said}."
    return f"Whether more rows would help cannot be judged from {counted(n_held, 'row')} put away: {said}."
