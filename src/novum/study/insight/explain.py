"""What the kept model does, seen on the hold-out rows: which columns it needs, its weights, where it errs.

The importance of a column is what the score loses when the column's values are shuffled among the hold-out rows, so that
they say nothing any more; columns that repeat each other share it, and each may look unimportant alone. Rows are prepared once and
the shuffling is done in the matrix that the model takes. It ends when its time is over: the columns that go with the target most
come first. The interval of an importance is that of the bootstrap over rows and shuffles together.
"""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import roc_curve

from novum.evaluation.intervals.proportion import Interval
from novum.study.comparison.blend import Combination
from novum.study.comparison.matrix_columns import column_words, condensed, dense, matrix_places
from novum.study.comparison.tuning import Judge, predict_rows
from novum.study.data.task import CLASSIFICATION
from novum.study.scoring.measures import Predicted

__all__ = ["Explanation", "Importance", "Roc", "explain", "members_of", "predict_members"]

SHUFFLES = 10  # of every column; fewer where there are many columns
LEAST_SHUFFLES = 2  # of the first column, which no time limit cuts
ROWS_AT_ONCE = 20_000  # that a model predicts together: so many take about as long as few
MOST_PREDICTIONS = 1_000  # of all hold-out rows, for the importances
MOST_ROWS = 1_000  # hold-out rows that the importances are measured on
MOST_POINTS = 800  # in a picture
MOST_SECONDS = 20.0  # of shuffling
WITH_INTERVALS = 20  # columns whose importance gets an interval
KEPT_PREDICTIONS = 500  # columns whose predictions are kept for it
DRAWS = 120


class Importance(NamedTuple):
    """The loss of score when a column is shuffled."""

    column: str
    mean: float
    deviation: float  # over shuffles
    interval: Interval = Interval(float("nan"), float("nan"))  # 95 %, by shuffles and rows; of the most important


class Roc(NamedTuple):
    """The trade between false and true alarms on the hold-out rows."""

    false_rate: np.ndarray
    true_rate: np.ndarray
    positive: str


class Explanation(NamedTuple):
    """What can be said about a fitted pipeline."""

    importances: list[Importance]  # largest first
    coefficients: list[tuple[str, float]]  # largest first; of scaled columns
    confusion: np.ndarray | None  # (true class, predicted class)
    roc: Roc | None  # for two classes
    observed: np.ndarray | None  # for a regression
    predicted: np.ndarray | None
    skipped: int = 0  # columns whose importance there was no time for


class Member(NamedTuple):
    """A fitted model with the matrix of the rows it predicts."""

    model: Any
    X: np.ndarray
    places: dict[str, np.ndarray]  # columns of the matrix, by column of the frame
    together: Combination | None = None  # how it is made one with the others


def explain(
    model: Any,
    frame: Any,
    y: np.ndarray,
    said: Predicted,
    judge: Judge,
    positive: int | None = None,
    seconds: float = MOST_SECONDS,
    advance: Callable[[int, int], None] = lambda done, planned: None,
    weight: np.ndarray | None = None,
) -> Explanation:
    """Return the explanation of a fitted pipeline, or of a mean of such, on hold-out rows."""
    members = members_of(model, frame)
    importances, skipped = shuffle_importances(members, frame, y, judge, seconds, advance)
    coefficients = weights_of(model)
    if judge.kind == CLASSIFICATION:
        labels, predicted = judge.classes, said.values
        confusion = np.array([[int(((y == a) & (predicted == b)).sum()) for b in labels] for a in labels])
        roc = roc_of(said, y, judge, positive, weight)
        return Explanation(importances, coefficients, confusion, roc, None, None, skipped)
    rows = np.random.default_rng(judge.seed).permutation(len(y))[:MOST_POINTS]
    return Explanation(importances, coefficients, None, None, y[rows], said.values[rows], skipped)


def pipelines_in(model: Any) -> list[Any]:
    """Return the fitted pipelines of a kept model."""
    return list(model.estimators) if isinstance(model, Combination) else [model]


def members_of(model: Any, frame: Any) -> list[Member]:
    """Return the models with their matrices."""
    found, made = [], {}  # pipelines of one fold share their columns, and so the matrix
    for pipeline in pipelines_in(model):
        columns, inner = condensed(pipeline[0], pipeline[-1])
        if id(columns) not in made:
            made[id(columns)] = columns, dense(columns.transform(frame)), matrix_places(columns, frame)
        _, X, places = made[id(columns)]
        found.append(Member(inner, X, places, model if isinstance(model, Combination) else None))
    return found


def predict_members(members: list[Member], judge: Judge, *, scored_only: bool = False) -> Predicted:
    """Return what the members say together; with `scored_only` what the measure looks at."""
    together = members[0].together
    alone = together is None
    parts = [predict_rows(judge, member.model, member.X, scored_only=scored_only and alone) for member in members]
    if together is None:
        return parts[0]
    if judge.kind != CLASSIFICATION:
        return Predicted(together.combined(np.stack([part.values for part in parts])), None)
    proba = together.combined(np.stack([np.asarray(part.proba) for part in parts]))
    best = np.argmax(proba, axis=1) if judge.costs is None else np.argmin(proba @ judge.costs, axis=1)
    return Predicted(judge.classes[best], proba)


def predict_shuffled(members: list[Member], judge: Judge, column: str, orders: list[np.ndarray]) -> list[Predicted]:
    """Return what is said with one column's values in other orders, of all of them in one prediction of every member."""
    shuffled = []
    for member in members:
        X, places = np.tile(member.X, (len(orders), 1)), member.places[column]
        X[:, places] = member.X[np.concatenate(orders)][:, places]
        shuffled.append(member._replace(X=X))
    said, n = predict_members(shuffled, judge, scored_only=True), len(orders[0])
    proba = [None] * len(orders) if said.proba is None else np.split(said.proba, len(orders))
    return [Predicted(said.values[k * n : (k + 1) * n], proba[k]) for k in range(len(orders))]


def shuffle_importances(
    members: list[Member], frame: Any, y: np.ndarray, judge: Judge, seconds: float, advance: Callable[[int, int], None]
) -> tuple[list[Importance], int]:
    """Return the importance of every column of the prepared frame, largest first, and how many there was no time for."""
    rng = np.random.default_rng(judge.seed)
    if len(y) > MOST_ROWS:
        rows = np.sort(rng.choice(len(y), MOST_ROWS, replace=False))
        frame, y = frame.iloc[rows], y[rows]
        members = [member._replace(X=member.X[rows]) for member in members]
    names = list(frame.columns)
    times = int(np.clip(MOST_PREDICTIONS // max(1, len(names)), 2, SHUFFLES))
    at_once = int(np.clip(ROWS_AT_ONCE // len(y), 1, times))
    measure, start = judge.measure, time.perf_counter()
    full = measure.better(measure.score(y, predict_members(members, judge), judge.classes))
    found: list[Importance] = []
    shuffled: dict[str, list[Predicted]] = {}
    for name in by_association(members[0], y, names, judge):
        if found and time.perf_counter() - start > seconds:
            break
        said: list[Predicted] = []
        while len(said) < times and (len(said) < LEAST_SHUFFLES or time.perf_counter() - start <= seconds):
            orders = [rng.permutation(len(y)) for _ in range(min(at_once, times - len(said)))]
            said += predict_shuffled(members, judge, name, orders)
        losses = [full - measure.better(measure.score(y, one, judge.classes)) for one in said]
        found.append(Importance(str(name), float(np.mean(losses)), float(np.std(losses, ddof=1))))
        if len(found) <= KEPT_PREDICTIONS:
            shuffled[str(name)] = said
        advance(len(found), len(names))
    found.sort(key=lambda importance: -importance.mean)
    draws = resamples_of(judge, y, predict_members(members, judge), rng)
    for place, one in enumerate(found[:WITH_INTERVALS]):
        if one.column in shuffled and time.perf_counter() - start < 1.2 * seconds + 1:
            found[place] = one._replace(interval=loss_interval(judge, y, draws, shuffled[one.column], rng))
    return found, len(names) - len(found)


def resamples_of(
    judge: Judge, y: np.ndarray, usual: Predicted, rng: np.random.Generator
) -> list[tuple[np.ndarray, float]]:
    """Return resamples of the rows, as weights, with the score that nothing shuffled has on each."""
    drawn = [np.bincount(rng.integers(len(y), size=len(y)), minlength=len(y)).astype(np.float64) for _ in range(DRAWS)]
    if judge.kind == CLASSIFICATION:  # some measures need every class
        classes = np.unique(y)
        drawn = [weight for weight in drawn if len(np.unique(y[weight > 0])) == len(classes)]
    usual_scores = judge.measure.scores(y, usual, judge.classes, drawn)
    return [(w, judge.measure.better(float(score))) for w, score in zip(drawn, usual_scores)]


def loss_interval(
    judge: Judge,
    y: np.ndarray,
    draws: list[tuple[np.ndarray, float]],
    shuffled: list[Predicted],
    rng: np.random.Generator,
) -> Interval:
    """Return an interval for the loss of score: the bootstrap over rows, with a shuffle drawn for every resample."""
    if not draws:
        return Interval(float("nan"), float("nan"))
    measure, picked = judge.measure, rng.integers(len(shuffled), size=len(draws))
    losses = np.array([before for _, before in draws])
    sign = 1.0 if measure.higher_is_better else -1.0
    for k, said in enumerate(shuffled):
        chosen = np.flatnonzero(picked == k)
        losses[chosen] -= sign * measure.scores(y, said, judge.classes, [draws[i][0] for i in chosen])
    low, high = np.quantile(losses, [0.025, 0.975])
    return Interval(float(low), float(high))


def by_association(member: Member, y: np.ndarray, names: list[str], judge: Judge) -> list[str]:
    """Return the columns, those first that go with the target most, by the largest correlation of their matrix columns."""
    target = (
        np.eye(len(judge.classes))[np.searchsorted(judge.classes, y)] if judge.kind == CLASSIFICATION else y[:, None]
    )
    X, T = member.X - member.X.mean(axis=0), target - target.mean(axis=0)
    scale = np.sqrt((X**2).sum(axis=0))[:, None] * np.sqrt((T**2).sum(axis=0))[None, :]
    with np.errstate(all="ignore"):
        strength = np.nan_to_num(np.abs(X.T @ T) / scale, nan=0.0).max(axis=1)
    return sorted(names, key=lambda name: -strength[member.places[name]].max(initial=0.0))


def weights_of(model: Any) -> list[tuple[str, float]]:
    """Return the weights of a linear model with one output, by column after encoding."""
    if isinstance(model, Combination):
        return []
    weights = np.asarray(getattr(model[-1], "coef_", np.empty(0)), dtype=np.float64)
    if weights.ndim == 2 and weights.shape[0] == 1:
        weights = weights[0]
    if weights.ndim != 1 or not weights.size:
        return []
    names = column_words(model[0])[0]
    order = np.argsort(-np.abs(weights), kind="stable")
    return [(names[i], float(weights[i])) for i in order]


def roc_of(said: Predicted, y: np.ndarray, judge: Judge, positive: int | None, weight: np.ndarray | None) -> Roc | None:
    """Return the ROC curve of a model for two classes; its area and the interval are those of the measure `auc`."""
    if len(judge.classes) != 2 or said.proba is None or not np.isfinite(said.proba).all():
        return None
    place = 1 if positive is None else positive
    truth, score = y == judge.classes[place], said.proba[:, place]
    if truth.all() or not truth.any():
        return None
    false_rate, true_rate, _ = roc_curve(truth, score, sample_weight=weight)
    return Roc(false_rate, true_rate, str(judge.classes[place]))
