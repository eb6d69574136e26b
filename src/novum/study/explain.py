"""What the kept model does, seen on the hold-out rows: which columns it needs, its weights, where it errs.

The importance of a column is what the score loses when the column's values are shuffled among the hold-out rows, so that
they say nothing any more; columns that repeat each other share it, and each may look unimportant alone.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import roc_auc_score, roc_curve

from novum.evaluation.proportion import Interval
from novum.study.measures import RESAMPLES, Measure
from novum.study.task import CLASSIFICATION, Task

__all__ = ["Explanation", "Importance", "Roc", "explain"]

SHUFFLES = 10  # of every column; fewer where there are many columns
MOST_PREDICTIONS = 600  # of all hold-out rows, for the importances
MOST_ROWS = 1_000  # hold-out rows that the importances are measured on
MOST_POINTS = 800  # in a picture


class Importance(NamedTuple):
    """The loss of score when a column is shuffled."""

    column: str
    mean: float
    deviation: float  # over shuffles


class Roc(NamedTuple):
    """The trade between false and true alarms on the hold-out rows."""

    false_rate: np.ndarray
    true_rate: np.ndarray
    area: float
    interval: Interval
    positive: str


class Explanation(NamedTuple):
    """What can be said about a fitted pipeline."""

    importances: list[Importance]  # largest first
    coefficients: list[tuple[str, float]]  # largest first; of scaled columns
    confusion: np.ndarray | None  # (true class, predicted class)
    roc: Roc | None  # for two classes
    observed: np.ndarray | None  # for a regression
    predicted: np.ndarray | None


def explain(model: Any, frame: Any, y: Any, predicted: Any, task: Task, measure: Measure, seed: int) -> Explanation:
    """Return the explanation of a fitted pipeline on hold-out rows."""
    importances = shuffle_importances(model, frame, y, measure, seed)
    coefficients = weights_of(model)
    if task.kind == CLASSIFICATION:
        labels = model.classes_
        confusion = np.array([[int(((y == a) & (predicted == b)).sum()) for b in labels] for a in labels])
        return Explanation(importances, coefficients, confusion, roc_of(model, frame, y, seed), None, None)
    rows = np.random.default_rng(seed).permutation(len(y))[:MOST_POINTS]
    return Explanation(importances, coefficients, None, None, y[rows], predicted[rows])


def shuffle_importances(model: Any, frame: Any, y: Any, measure: Measure, seed: int) -> list[Importance]:
    """Return the importance of every column of the prepared frame, largest first."""
    rng = np.random.default_rng(seed)
    if len(y) > MOST_ROWS:
        rows = np.sort(rng.choice(len(y), MOST_ROWS, replace=False))
        frame, y = frame.iloc[rows], y[rows]
    times = int(np.clip(MOST_PREDICTIONS // max(1, len(frame.columns)), 2, SHUFFLES))
    full = measure.better(measure.score(y, model.predict(frame)))
    found = []
    for name in frame.columns:
        losses = []
        for _ in range(times):
            shuffled = frame.copy(deep=False)
            shuffled[name] = frame[name].to_numpy()[rng.permutation(len(y))]
            losses.append(full - measure.better(measure.score(y, model.predict(shuffled))))
        found.append(Importance(str(name), float(np.mean(losses)), float(np.std(losses, ddof=1))))
    return sorted(found, key=lambda importance: -importance.mean)


def weights_of(model: Any) -> list[tuple[str, float]]:
    """Return the weights of a linear model with one output, by column after encoding."""
    weights = np.asarray(getattr(model[-1], "coef_", np.empty(0)), dtype=np.float64)
    if weights.ndim == 2 and weights.shape[0] == 1:
        weights = weights[0]
    if weights.ndim != 1 or not weights.size:
        return []
    names = [str(name) for name in model[0].get_feature_names_out()]
    order = np.argsort(-np.abs(weights), kind="stable")
    return [(names[i], float(weights[i])) for i in order]


def roc_of(model: Any, frame: Any, y: Any, seed: int) -> Roc | None:
    """Return the ROC curve of a model for two classes, with the bootstrap interval of its area."""
    if len(model.classes_) != 2 or not hasattr(model, "predict_proba"):
        return None
    score = model.predict_proba(frame)[:, 1]
    if not np.isfinite(score).all():
        return None
    truth = y == model.classes_[1]
    false_rate, true_rate, _ = roc_curve(truth, score)
    areas = area_resamples(truth, score, np.random.default_rng(seed))
    low, high = np.quantile(areas, [0.025, 0.975])
    area = float(roc_auc_score(truth, score))
    return Roc(false_rate, true_rate, area, Interval(float(low), float(high)), str(model.classes_[1]))


def area_resamples(truth: np.ndarray, score: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return areas of bootstrap samples drawn within each class: the share of pairs in the right order."""
    high, low = np.sort(score[truth]), np.sort(score[~truth])
    # wins[i] = share of the other class that the i-th positive beats; resampling negatives is done by weights
    below = np.searchsorted(low, high, "left"), np.searchsorted(low, high, "right")
    areas = np.empty(RESAMPLES)
    for b in range(RESAMPLES):
        weight = np.bincount(rng.integers(len(low), size=len(low)), minlength=len(low)) / len(low)
        total = np.concatenate([[0.0], np.cumsum(weight)])
        wins = (total[below[0]] + total[below[1]]) / 2
        areas[b] = wins[rng.integers(len(high), size=len(high))].mean()
    return areas
