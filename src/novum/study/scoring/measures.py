r"""How good predictions are, in one number, and how that number is written.

Of classes, from the class that is said (c), or from the probability p_k(x) of every class:

    accuracy            share of rows with c = y
    balanced_accuracy   mean over classes of the share said rightly
    f1                  2 P R / (P + R) of the positive class, P precision, R recall; of more than two classes the mean over them
    auc                 probability that a positive row gets a higher p than another; more classes: mean of each against the rest
    average_precision   sum over the positive rows of the precision at their rank, over their number; more classes: the mean
    log_loss            -mean log p_y(x)
    brier               mean (1[y is positive] - p)^2; more classes: mean sum_k (1[y = k] - p_k)^2
    cost                mean of what it costs to say c where y is true (`costs=`)

Of numbers, from the prediction f:

    rmse                sqrt(mean (y - f)^2)
    mae, median_error   mean and median of |y - f|
    r2                  1 - sum (y - f)^2 / sum (y - mean y)^2
    rmsle               sqrt(mean (log(1 + y) - log(1 + f))^2), of y >= 0; f below 0 counts as 0
    poisson_deviance    mean 2 (y log(y / f) - y + f), of y >= 0; f below 1e-6 counts as 1e-6

Means are weighted where rows have weights. Intervals: novum.study.scoring.intervals.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from novum.evaluation.intervals.proportion import Interval
from novum.exceptions import ParameterError
from novum.report.numbers import bare, num
from novum.study.data.task import CLASSIFICATION, REGRESSION

__all__ = ["MEASURES", "Measure", "Predicted", "judge_rows", "measure_for", "probability"]

LEAST_COUNT = 1e-6  # that is expected, in the logarithm
LEAST_PROBABILITY = 1e-15  # of a class in the logarithm: one confident mistake must not outweigh all rows for ever


class Predicted(NamedTuple):
    """What a model says of some rows."""

    values: Any  # classes, or numbers
    proba: np.ndarray | None  # (rows, classes), of all classes of the task in sorted order; None for numbers


def mean(values: np.ndarray, weight: np.ndarray | None) -> float:
    return float(np.average(values, weights=weight))


def is_right(y: np.ndarray, said: np.ndarray) -> np.ndarray:
    return (y == said).astype(np.float64)


def log_losses(y: np.ndarray, proba: np.ndarray) -> np.ndarray:
    p = proba[np.arange(len(y)), y] / proba.sum(axis=1)
    return -np.log(np.maximum(p, LEAST_PROBABILITY))


def brier_losses(y: np.ndarray, proba: np.ndarray) -> np.ndarray:
    off = proba - np.eye(proba.shape[1])[y]
    return (off**2).sum(axis=1) / (2 if proba.shape[1] == 2 else 1)


def balanced_accuracy(y: np.ndarray, said: np.ndarray, weight: np.ndarray | None = None) -> float:
    right = is_right(y, said)
    return float(np.mean([mean(right[y == c], None if weight is None else weight[y == c]) for c in np.unique(y)]))


def f1(y: np.ndarray, said: np.ndarray, weight: np.ndarray | None = None, *, positive: int | None = None) -> float:
    w = np.ones(len(y)) if weight is None else weight
    classes = np.unique(y) if positive is None else [positive]
    found = [(2 * w[(y == c) & (said == c)].sum(), w[y == c].sum() + w[said == c].sum()) for c in classes]
    return float(np.mean([hits / both if both > 0 else 0.0 for hits, both in found]))


def over_classes(
    score: Callable[..., float],
    y: np.ndarray,
    proba: np.ndarray,
    weight: np.ndarray | None = None,
    *,
    positive: int | None = None,
) -> float:
    """Return a score of one class against the rest: of the positive one, or its mean over the classes that occur."""
    classes = [positive] if positive is not None else [c for c in range(proba.shape[1]) if (y == c).any()]
    return float(np.mean([score(y == c, proba[:, c], weight) for c in classes]))


def area(truth: np.ndarray, score: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Return the share of pairs in the right order, ties counted as halves; a half where one side has no row."""
    w = np.ones(len(score)) if weight is None else weight
    values, place = np.unique(score, return_inverse=True)
    up = np.bincount(place, w * truth, minlength=len(values))
    down = np.bincount(place, w * ~truth, minlength=len(values))
    below = np.cumsum(down) - down / 2
    pairs = up.sum() * down.sum()
    return float((up * below).sum() / pairs) if pairs > 0 else 0.5


def precision_sum(truth: np.ndarray, score: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Return the average precision; rows of one score come together."""
    w = np.ones(len(score)) if weight is None else weight
    values, place = np.unique(-score, return_inverse=True)
    up = np.bincount(place, w * truth, minlength=len(values))
    every = np.bincount(place, w, minlength=len(values))
    total, seen = up.sum(), np.cumsum(every)
    seen[seen == 0] = 1.0  # rows of weight 0 before all others
    return float((up * np.cumsum(up) / seen).sum() / total) if total > 0 else 0.0


def squares(y: np.ndarray, f: np.ndarray) -> np.ndarray:
    return (y - f) ** 2


def distances(y: np.ndarray, f: np.ndarray) -> np.ndarray:
    return np.abs(y - f)


def log_squares(y: np.ndarray, f: np.ndarray) -> np.ndarray:
    return (np.log1p(y) - np.log1p(np.maximum(f, 0.0))) ** 2


def poisson_losses(y: np.ndarray, f: np.ndarray) -> np.ndarray:
    f = np.maximum(f, LEAST_COUNT)
    ratio = np.divide(y, f, out=np.ones_like(f), where=y > 0)
    return 2.0 * (y * np.log(ratio) - y + f)


def median_error(y: np.ndarray, f: np.ndarray, weight: np.ndarray | None = None) -> float:
    off = np.abs(y - f)
    if weight is None:
        return float(np.median(off))
    order = np.argsort(off)
    return float(off[order][np.searchsorted(np.cumsum(weight[order]), weight.sum() / 2)])


def r2(y: np.ndarray, f: np.ndarray, weight: np.ndarray | None = None) -> float:
    variance = mean((y - mean(y, weight)) ** 2, weight)
    return 1 - mean(squares(y, f), weight) / variance if variance > 0 else 0.0


class Measure(NamedTuple):
    """A measure of predictions; `rows` gives a loss or gain per row where the measure is a mean of such, `whole` the others."""

    name: str
    title: str
    kind: str  # of the tasks it is for
    higher_is_better: bool
    rows: Callable[..., np.ndarray] | None = None  # (truth, said)
    whole: Callable[..., float] | None = None  # (truth, said, weight)
    root: bool = False  # of the mean
    proba: bool = False  # what is said is a probability of every class
    nonnegative: bool = False  # whether it is for numbers that are never below 0

    def of(self, y: Any, said: Any, weight: Any = None) -> float:
        """Return the score, given class numbers or numbers, and class numbers, probabilities or numbers."""
        if self.whole is not None:
            return self.whole(y, said, weight)
        value = mean(self.rows(y, said), weight)  # type: ignore[misc]
        return float(np.sqrt(value)) if self.root else value

    def score(self, y: Any, predicted: Predicted, classes: Any = None, weight: Any = None) -> float:
        """Return the score of what a model says."""
        return self.of(*judge_rows(self, y, predicted, classes), weight)

    def scores(self, y: Any, predicted: Predicted, classes: Any, weights: list[Any]) -> np.ndarray:
        """Return the scores of what a model says under several weights of the rows, which are judged once."""
        truth, said = judge_rows(self, y, predicted, classes)
        if self.rows is None:
            return np.array([self.of(truth, said, weight) for weight in weights])
        each = self.rows(truth, said)
        values = np.array([mean(each, weight) for weight in weights])
        return np.sqrt(values) if self.root else values

    def text(self, value: float) -> str:
        """Return a score as it is printed: three decimals of a share, four digits of anything else."""
        if (self.kind == REGRESSION and self.name != "r2") or self.name == "cost":
            return bare(f"{value:#.4g}".rstrip("."))
        return f"{num(value):.3f}"

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
        Measure("accuracy", "accuracy", CLASSIFICATION, True, rows=is_right),
        Measure("balanced_accuracy", "balanced accuracy", CLASSIFICATION, True, whole=balanced_accuracy),
        Measure("f1", "F1", CLASSIFICATION, True, whole=f1),
        Measure("auc", "AUC", CLASSIFICATION, True, whole=partial(over_classes, area), proba=True),
        Measure(
            "average_precision",
            "average precision",
            CLASSIFICATION,
            True,
            whole=partial(over_classes, precision_sum),
            proba=True,
        ),
        Measure("log_loss", "log loss", CLASSIFICATION, False, rows=log_losses, proba=True),
        Measure("brier", "Brier score", CLASSIFICATION, False, rows=brier_losses, proba=True),
        Measure("rmse", "RMSE", REGRESSION, False, rows=squares, root=True),
        Measure("mae", "mean absolute error", REGRESSION, False, rows=distances),
        Measure("median_error", "median absolute error", REGRESSION, False, whole=median_error),
        Measure("r2", "R²", REGRESSION, True, whole=r2),
        Measure("rmsle", "RMSLE", REGRESSION, False, rows=log_squares, root=True, nonnegative=True),
        Measure("poisson_deviance", "Poisson deviance", REGRESSION, False, rows=poisson_losses, nonnegative=True),
    )
}
OF_THE_POSITIVE = ("f1", "auc", "average_precision")


def judge_rows(measure: Measure, y: Any, predicted: Predicted, classes: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return truth and prediction as a measure takes them: class numbers, probabilities, or numbers."""
    if measure.kind == REGRESSION:
        return np.asarray(y, dtype=np.float64), np.asarray(predicted.values, dtype=np.float64)
    truth = np.searchsorted(classes, y)
    if measure.proba:
        return truth, np.asarray(predicted.proba)
    return truth, np.searchsorted(classes, predicted.values)


def measure_for(
    kind: str, name: str | None, positive: int | None = None, costs: Any = None, least: float | None = None
) -> Measure:
    """Return a measure by name, or the usual one for a kind of task.

    Parameters
    ----------
    positive : int or None
        Number of the class that F1, AUC and average precision are about; None: their mean over all classes.
    costs : array of shape (n_classes, n_classes) or None
        Cost by true and said class; the measure is then their mean, unless another is named.
    least : float or None
        The smallest number to predict, where it is known: some measures are for numbers that are never below 0.
    """
    if costs is not None and name in (None, "cost"):
        table = np.asarray(costs, dtype=np.float64)
        return Measure("cost", "mean cost", CLASSIFICATION, False, rows=partial(cost_rows, table))
    chosen = name or ("accuracy" if kind == CLASSIFICATION else "rmse")
    fitting = [measure.name for measure in MEASURES.values() if measure.kind == kind]
    if chosen not in fitting:
        more = "; cost needs costs=" if chosen == "cost" else ""
        raise ParameterError.of(
            "Study", f"for a {kind} scoring must be one of {', '.join(fitting)}{more}.", scoring=name
        )
    measure = MEASURES[chosen]
    if measure.nonnegative and least is not None and least < 0:
        raise ParameterError.of(
            "Study",
            f"it is for numbers from 0 on, and the target goes down to {num(least):.4g}; take rmse or mae.",
            scoring=name,
        )
    if positive is not None and measure.whole is not None and chosen in OF_THE_POSITIVE:
        return measure._replace(whole=partial(measure.whole, positive=positive))
    return measure


def cost_rows(table: np.ndarray, y: np.ndarray, said: np.ndarray) -> np.ndarray:
    return table[y, said]


def probability(p: float) -> str:
    """Return a p-value as it is printed."""
    if np.isnan(p):
        return "not known"
    return "< .001" if p < 0.001 else f"{num(p):.3f}"
