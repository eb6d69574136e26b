r"""How good predictions are, in one number, and how that number is written.

accuracy            share of rows whose class is predicted
balanced accuracy   mean over classes of the share predicted
rmse                sqrt(mean (y - f)^2)
mae                 mean |y - f|
r2                  1 - sum (y - f)^2 / sum (y - mean y)^2
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from novum.evaluation import clopper_pearson_interval, wilson_interval
from novum.evaluation.proportion import Interval
from novum.exceptions import ParameterError
from novum.study.task import CLASSIFICATION, REGRESSION

__all__ = ["MEASURES", "Measure", "holdout_interval", "measure_for", "probability"]

FEW_EVENTS = 3  # right or wrong answers at which Wilson's interval is in doubt (docs/theory/coverage_of_intervals.md)
RESAMPLES = 2000  # of the bootstrap; the ends of a 95 % interval then rest on 50 values each


def accuracy(y: Any, predicted: Any) -> float:
    return float(np.mean(y == predicted))


def balanced_accuracy(y: Any, predicted: Any) -> float:
    return float(np.mean([np.mean(predicted[y == label] == label) for label in np.unique(y)]))


def rmse(y: Any, predicted: Any) -> float:
    return float(np.sqrt(np.mean((y - predicted) ** 2)))


def mae(y: Any, predicted: Any) -> float:
    return float(np.mean(np.abs(y - predicted)))


def r2(y: Any, predicted: Any) -> float:
    spread = float(((y - y.mean()) ** 2).sum())
    return 1 - float(((y - predicted) ** 2).sum()) / spread if spread > 0 else 0.0


class Measure(NamedTuple):
    """A measure of predictions."""

    name: str
    title: str
    kind: str  # of the tasks it is for
    higher_is_better: bool
    score: Callable[[Any, Any], float]

    def text(self, value: float) -> str:
        """Return a score as it is printed: three decimals of a share, four digits of anything else."""
        if self.name == "rmse" or self.name == "mae":
            return f"{value:#.4g}".rstrip(".")
        return f"{value:.3f}".replace("0.", ".", 1)

    def inside(self, interval: Interval) -> Interval:
        """Return the part of an interval in which the measure can lie: a share is between 0 and 1, an error positive."""
        high = 1.0 if self.higher_is_better else float("inf")
        low = float("-inf") if self.name == "r2" else 0.0
        return Interval(max(interval.lower, low), min(interval.upper, high))

    def better(self, value: float) -> float:
        """Return a number that is larger for a better score."""
        return value if self.higher_is_better else -value


MEASURES = {
    measure.name: measure
    for measure in (
        Measure("accuracy", "accuracy", CLASSIFICATION, True, accuracy),
        Measure("balanced_accuracy", "balanced accuracy", CLASSIFICATION, True, balanced_accuracy),
        Measure("rmse", "RMSE", REGRESSION, False, rmse),
        Measure("mae", "mean absolute error", REGRESSION, False, mae),
        Measure("r2", "R²", REGRESSION, True, r2),
    )
}


def measure_for(kind: str, name: str | None) -> Measure:
    """Return a measure by name, or the usual one for a kind of task."""
    chosen = name or ("accuracy" if kind == CLASSIFICATION else "rmse")
    fitting = [measure.name for measure in MEASURES.values() if measure.kind == kind]
    if chosen not in fitting:
        raise ParameterError(f"Study(measure={name!r}): for a {kind} measure must be one of {', '.join(fitting)}.")
    return MEASURES[chosen]


def holdout_interval(measure: Measure, y: Any, predicted: Any, seed: int, level: float = 0.95) -> Interval:
    """Return an interval for the score on new rows: Wilson's for the accuracy, else bootstrap percentiles over rows.

    Up to three right or wrong answers, where Wilson's covers less than it says, it is Clopper and Pearson's.
    """
    if measure.name == "accuracy":
        right, n = int((y == predicted).sum()), len(y)
        few = 0 < min(right, n - right) <= FEW_EVENTS
        return (clopper_pearson_interval if few else wilson_interval)(right, n, level)
    rng = np.random.default_rng(seed)
    draws = (rng.integers(len(y), size=len(y)) for _ in range(RESAMPLES))
    scores = [measure.score(y[rows], predicted[rows]) for rows in draws]
    low, high = np.quantile(scores, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def probability(p: float) -> str:
    """Return a p-value as it is printed."""
    if np.isnan(p):
        return "cannot be told"
    return "< .001" if p < 0.001 else f"{p:.3f}".replace("0.", ".", 1)
