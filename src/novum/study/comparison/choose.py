"""The leaderboard and the choice: the best mean, or another model whose cost against it is stated and small.

Let d be the difference of a model's mean to the best one over the same folds, and s its standard error: by the folds, corrected for
training parts that overlap, or by the rows (novum.study.scoring.row_values), whichever is less. Another model is preferred to the
best only where

    d <= min(s / 2, t)    t of a share: itself; of an error: times the best's                                   (1)

so it costs at most half a standard error of what the folds can measure, and never more than the practical tolerance t. What is
preferred among those, and t, is the user's choice:

    accuracy        the simplest, of these the smallest, t = .005
    simple          the simplest, of these the smallest, t = .02
    small           the smallest, t = .02
    probabilities   the best mean log loss, of classes

`novum.base.candidacy` has the order of simplicity; size is that of the saved file. Everything else is the best mean's. Differences
that are the same on all folds have s = 0: they are no reason to prefer anything but the best.

Beside the choice, the table says of each model whether it is shown to be worse than the best, by the corrected resampled t-test
with Holm's adjustment. Tests and intervals tell what the data can show; they do not choose. The baseline, which looks at no
column, is another question, "does any model help?", tested once, for the best mean: it is kept where that gains no more than

    d <= s / 4    for the baseline                                                                                 (2)

The best mean is picked by looking, so the tests against it are not exact: they lean towards finding a difference. The
hold-out score, on rows that no step has seen, is the one to quote.
"""

from typing import NamedTuple

import numpy as np

from novum.evaluation import corrected_test, holm
from novum.evaluation.intervals.proportion import Interval
from novum.evaluation.resampling.corrected_t import interval_of_mean, variance_of_mean
from novum.report.result import result
from novum.study.comparison.compare import Scores
from novum.study.scoring.measures import Measure
from novum.study.scoring.row_values import error_of_difference

__all__ = ["LEVEL", "PREFERENCES", "WORSE", "Leader", "choose", "leaderboard", "tolerance"]

LEVEL = 0.05
WORSE = "yes"  # the verdict on a model that is shown to be
PRACTICAL = {"accuracy": 0.005, "simple": 0.02, "small": 0.02}  # of a share, or of the best model's error
HALF = 0.5  # of a standard error: what a simpler or smaller model may cost
QUARTER = 0.25  # of a standard error: a model that looks at the columns must gain more than this
PREFERENCES = ("accuracy", "simple", "small", "probabilities")


@result
class Leader(NamedTuple):
    """A row of the leaderboard."""

    name: str
    by: str
    mean: float
    interval: Interval
    difference: float  # to the best, in the measure's own direction
    difference_interval: Interval
    standard_error: float  # of the difference
    p_value: float  # adjusted; NaN for the best
    seconds: float
    simplicity: int
    position: int  # among the candidates
    size: float = 0.0  # bytes of the model
    tuned: bool = False
    error_by_rows: float = float("nan")  # of the difference, by the rows; NaN where the measure has none

    @property
    def best(self) -> bool:
        """Whether it has the best mean."""
        return bool(np.isnan(self.p_value))

    @property
    def verdict(self) -> str:
        """Whether it is worse than the best."""
        return "" if self.best else WORSE if self.p_value <= LEVEL else "cannot tell"


def leaderboard(scores: Scores, measure: Measure) -> list[Leader]:
    """Return the candidates from best to worst mean, with intervals and tests against the best."""
    ratio = sum(len(fold.test) for fold in scores.folds) / sum(len(fold.train) for fold in scores.folds)
    means = scores.values.mean(axis=1)
    order = sorted(range(len(means)), key=lambda c: (-measure.better(means[c]), scores.candidates[c].simplicity))
    best, others = order[0], order[1:]
    tests = {c: corrected_test(scores.values[c], scores.values[best], ratio) for c in order}
    # differences that are the same on all folds prove nothing: their p-value does not exist, and counts as 1 in Holm's steps
    adjusted = dict(zip(others, holm([float(np.nan_to_num(tests[c].p_value, nan=1.0)) for c in others])))
    by_rows = scores.by_rows or [None] * len(means)
    return [
        Leader(
            name=scores.candidates[c].name,
            by=scores.candidates[c].by,
            mean=float(means[c]),
            interval=measure.inside(interval_of_mean(scores.values[c], ratio, 0.95)),
            difference=tests[c].difference,
            difference_interval=tests[c].interval,
            standard_error=float(np.sqrt(variance_of_mean(scores.values[c] - scores.values[best], ratio))),
            p_value=float(adjusted.get(c, np.nan)),
            seconds=float(scores.seconds[c]),
            simplicity=scores.candidates[c].simplicity,
            position=c,
            size=float(scores.sizes[c]),
            tuned=scores.candidates[c].tuned,
            error_by_rows=error_of_difference(by_rows[c], by_rows[best]),
        )
        for c in order
    ]


def tolerance(leader: Leader, best: Leader, measure: Measure, practical: float = PRACTICAL["simple"]) -> float:
    """Return the right side of (1): what a model may lose against the best."""
    relative = not (measure.higher_is_better or best.mean == 0)
    error = float(np.fmin(leader.standard_error, leader.error_by_rows))
    return min(HALF * error, practical * (abs(best.mean) if relative else 1.0))


def near_best(leaders: list[Leader], measure: Measure, practical: float) -> list[Leader]:
    """Return the models for which (1) holds, the best among them."""
    best = leaders[0]
    return [
        leader
        for leader in leaders
        if leader.simplicity
        and measure.better(best.mean) - measure.better(leader.mean) <= tolerance(leader, best, measure, practical)
    ]


def choose(
    leaders: list[Leader], measure: Measure, prefer: str = "accuracy", everyone: list[Leader] | None = None
) -> tuple[Leader, str]:
    """Return the row to keep and the reason in a few words; the probabilities' measure is the log loss, so theirs is the best.

    `everyone` is the whole leaderboard, where only some of it can be kept.
    """
    best = leaders[0]
    baseline = next((leader for leader in leaders if leader.simplicity == 0), None)
    if baseline is not None and (baseline.best or len(leaders) == 1):
        return baseline, "no model is better"
    if baseline is not None and 0 < abs(baseline.difference) <= QUARTER * baseline.standard_error:
        gain, error = (measure.text(abs(amount)) for amount in (baseline.difference, baseline.standard_error))
        return baseline, f"no model can be shown to be better ({best.name} gains {gain}, its standard error is {error})"
    practical = PRACTICAL.get(prefer, 0.0)
    near = near_best(leaders, measure, practical)
    if prefer == "small":
        kept, why = min(near, key=lambda leader: (leader.size, -measure.better(leader.mean))), "smaller"
    else:
        kept = min(near, key=lambda leader: (leader.simplicity, leader.size, -measure.better(leader.mean)))
        why = "simpler" if kept.simplicity < best.simplicity else "smaller"
    if kept is best or practical == 0:
        like = sum(leader.verdict == "cannot tell" for leader in everyone or leaders)
        others = "the next is shown to be worse" if not like else f"{number(like)} cannot be distinguished from it"
        return best, f"best mean; {others}"
    cost, most = (measure.text(abs(amount)) for amount in (kept.difference, tolerance(kept, best, measure, practical)))
    return kept, (
        f"{why} than {best.name}, the best mean, and costs {cost} against the best"
        f" (at most {most}: half a standard error, never above {practical:.1%})"
    )


def number(count: int) -> str:
    """Return a small number in words."""
    words = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[count] if count < len(words) else str(count)
