"""The leaderboard and the choice: the simplest model that cannot be told from the best.

Every candidate is compared with the one of best mean by the corrected resampled t-test on the same folds; the p-values are
adjusted by Holm for the number of comparisons. From the best down, up to the first that is shown to be worse, the choice
falls on the simplest (`novum.study.candidates` has the order), and among equally simple ones on the best mean: a model below
one that is shown to be worse is not kept because its own scores are too scattered to tell. The baseline is another question,
"does any model help?", asked once, of the best mean: it is kept only where that single test finds no difference.

The best mean is picked by looking, so the tests against it are not exact: they lean towards finding a difference. The
hold-out score, on rows that no step has seen, is the one to quote.
"""

from itertools import takewhile
from typing import NamedTuple

import numpy as np

from novum.evaluation import corrected_test, holm
from novum.evaluation.proportion import Interval
from novum.evaluation.resampled import spread_interval
from novum.study.compare import Scores
from novum.study.measures import Measure

__all__ = ["LEVEL", "Leader", "choose", "leaderboard"]

LEVEL = 0.05


class Leader(NamedTuple):
    """A row of the leaderboard."""

    name: str
    by: str
    mean: float
    interval: Interval
    difference: float  # to the best, in the measure's own direction
    difference_interval: Interval
    p_value: float  # adjusted; NaN for the best
    alone: float  # p of the test against the best as the only one made; NaN for the best
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
    # differences that are the same on all folds prove nothing: their p-value does not exist and counts as 1
    alone = {c: 1.0 if np.isnan(tests[c].p_value) else float(tests[c].p_value) for c in order}
    adjusted = dict(zip(others, holm([alone[c] for c in others])))
    return [
        Leader(
            scores.candidates[c].name,
            scores.candidates[c].by,
            float(means[c]),
            measure.inside(spread_interval(scores.values[c], ratio, 0.95)),
            tests[c].difference,
            tests[c].interval,
            float(adjusted.get(c, np.nan)),
            alone[c] if c != best else np.nan,
            float(scores.seconds[c]),
            scores.candidates[c].simplicity,
            c,
        )
        for c in order
    ]


def choose(leaders: list[Leader], measure: Measure) -> tuple[Leader, str]:
    """Return the row to keep and the reason in a few words."""
    equals = [leader for leader in takewhile(lambda leader: leader.verdict != "yes", leaders) if leader.simplicity]
    baseline = next((leader for leader in leaders if leader.simplicity == 0), None)
    if baseline is not None and (baseline.best or not baseline.alone <= LEVEL):
        return baseline, "no model can be shown to be better"
    kept = min(equals, key=lambda leader: (leader.simplicity, -measure.better(leader.mean)))
    count = len(equals)
    if count == 1:
        return kept, "best mean, and the next is shown to be worse"
    group = f"the simplest of the {number(count)} that cannot be told apart"
    return kept, f"best mean and {group}" if kept.best else group


def number(count: int) -> str:
    """Return a small number in words."""
    words = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[count] if count < len(words) else str(count)
