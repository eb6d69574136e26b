"""The leaderboard and the choice: the best mean, or a simpler model whose cost is stated and small.

Let d be the difference of a model's mean to the best one over the same folds, and s its standard error, corrected for training
parts that overlap. A simpler model is preferred to the best only where

    d <= min(s, PRACTICAL)    a share: PRACTICAL is .01; an error: a hundredth of the best's              (1)

so it costs at most one standard error of what the folds can measure, and never more than a hundredth. Of those the simplest is
kept (`novum.study.candidates` has the order), among equally simple ones the best mean. Everything else is the best mean's.
Differences that are the same on all folds have s = 0: they are no reason to prefer anything but the best.

Beside the choice, the table says of each model whether it is shown to be worse than the best, by the corrected resampled t-test
with Holm's adjustment. Not being shown to be worse is no reason to be kept. The baseline is another question, "does any model
help?", asked once, of the best mean: it is kept where that gains no more than two of its standard errors,

    d <= 2 s    for the baseline                                                                               (2)

(not by the t-test, which with three folds would call .5 and .9 equal).

The best mean is picked by looking, so the tests against it are not exact: they lean towards finding a difference. The
hold-out score, on rows that no step has seen, is the one to quote.
"""

from typing import NamedTuple

import numpy as np

from novum.evaluation import corrected_test, holm
from novum.evaluation.proportion import Interval
from novum.evaluation.resampled import spread_interval, variance_of_mean
from novum.study.compare import Scores
from novum.study.measures import Measure

__all__ = ["LEVEL", "PRACTICAL", "Leader", "choose", "leaderboard", "tolerance"]

LEVEL = 0.05
PRACTICAL = 0.01  # of a share, or of the best model's error: no one would change models for less


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

    @property
    def best(self) -> bool:
        """Whether it has the best mean."""
        return bool(np.isnan(self.p_value))

    @property
    def verdict(self) -> str:
        """Whether it is worse than the best."""
        return "" if self.best else "yes" if self.p_value <= LEVEL else "cannot tell"


def leaderboard(scores: Scores, measure: Measure) -> list[Leader]:
    """Return the candidates from best to worst mean, with intervals and tests against the best."""
    ratio = sum(len(fold.test) for fold in scores.folds) / sum(len(fold.train) for fold in scores.folds)
    means = scores.values.mean(axis=1)
    order = sorted(range(len(means)), key=lambda c: (-measure.better(means[c]), scores.candidates[c].simplicity))
    best, others = order[0], order[1:]
    tests = {c: corrected_test(scores.values[c], scores.values[best], ratio) for c in order}
    # differences that are the same on all folds prove nothing: their p-value does not exist, and counts as 1 in Holm's steps
    adjusted = dict(zip(others, holm([float(np.nan_to_num(tests[c].p_value, nan=1.0)) for c in others])))
    return [
        Leader(
            scores.candidates[c].name,
            scores.candidates[c].by,
            float(means[c]),
            measure.inside(spread_interval(scores.values[c], ratio, 0.95)),
            tests[c].difference,
            tests[c].interval,
            float(np.sqrt(variance_of_mean(scores.values[c] - scores.values[best], ratio))),
            float(adjusted.get(c, np.nan)),
            float(scores.seconds[c]),
            scores.candidates[c].simplicity,
            c,
        )
        for c in order
    ]


def tolerance(leader: Leader, best: Leader, measure: Measure) -> float:
    """Return the right side of (1): what a model may lose against the best."""
    relative = not (measure.higher_is_better or best.mean == 0)
    return min(leader.standard_error, PRACTICAL * (abs(best.mean) if relative else 1.0))


def choose(leaders: list[Leader], measure: Measure) -> tuple[Leader, str]:
    """Return the row to keep and the reason in a few words."""
    best = leaders[0]
    baseline = next((leader for leader in leaders if leader.simplicity == 0), None)
    if baseline is not None and baseline.best:
        return baseline, "no model is better"
    if baseline is not None and abs(baseline.difference) <= 2 * baseline.standard_error:
        gain, error = (measure.text(abs(amount)) for amount in (baseline.difference, baseline.standard_error))
        return baseline, f"no model can be shown to be better ({best.name} gains {gain}, its standard error is {error})"
    near = [
        leader
        for leader in leaders
        if leader.simplicity
        and measure.better(best.mean) - measure.better(leader.mean) <= tolerance(leader, best, measure)
    ]
    kept = min(near, key=lambda leader: (leader.simplicity, -measure.better(leader.mean)))
    if kept.best:
        like = sum(leader.verdict == "cannot tell" for leader in leaders)
        others = "the next is shown to be worse" if not like else f"{number(like)} cannot be told from it"
        return kept, f"best mean; {others}"
    cost, most = (measure.text(abs(amount)) for amount in (kept.difference, tolerance(kept, best, measure)))
    return kept, (
        f"simpler than {best.name}, the best mean, and costs {cost} against the best"
        f" (at most {most}: one corrected standard error, never above a hundredth)"
    )


def number(count: int) -> str:
    """Return a small number in words."""
    words = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[count] if count < len(words) else str(count)
