"""Truth and predictions as an evaluation needs them: classes as codes, probabilities and scores by class, weights, all checked.

A row of weight zero is absent. A label that the classes given do not know becomes a class of its own, of probability zero.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import type_of_target

from novum.exceptions import DataError, ParameterError
from novum.runtime.checks import float_array, row_weights

__all__ = ["PredictionInput", "classification_given", "guessed_task", "regression_given"]

OWNER = "evaluate_predictions"
SUM_SLACK = 1e-5  # probabilities of float32 models, summed


@dataclass(frozen=True)
class PredictionInput:
    """Rows of a classification (`truth` and what follows are codes of `classes`) or of a regression."""

    truth: NDArray  # (n,) codes, or (n, targets) numbers
    predicted: NDArray | None
    weight: NDArray | None
    classes: NDArray | None = None
    positive: int | None = None
    proba: NDArray | None = None  # (n, classes)
    score: NDArray | None = None  # (n,) of the positive class, or (n, classes)
    cost: NDArray | None = None
    log_density: NDArray | None = None
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.truth)


def guessed_task(y: Any, y_pred: Any, y_proba: Any, y_score: Any) -> str:
    """Return "classification" for labels, probabilities, scores or whole numbers on both sides, else "regression"."""
    if y_proba is not None or y_score is not None:
        return "classification"
    try:
        arrays = [np.asarray(values) for values in (y, y_pred)]
    except ValueError as error:
        raise DataError(f"{OWNER}: y or y_pred cannot be read as labels or numbers: {error}") from error
    for name, array in zip(("y", "y_pred"), arrays):
        if array.dtype.kind == "f" and array.ndim and not np.isfinite(array).all():
            row = int(np.argmin(np.isfinite(array.reshape(len(array), -1)).all(axis=1)))
            raise DataError(f"{OWNER}: {name} holds NaN or infinity at row {row}; remove it.")
    try:
        kinds = [type_of_target(array) for array in arrays]
    except (ValueError, TypeError) as error:
        raise DataError(f"{OWNER}: y or y_pred cannot be read as labels or numbers: {error}") from error
    if "multilabel-indicator" in kinds:
        raise DataError(f"{OWNER}: several labels per row; evaluate them column by column, or give task='regression'.")
    return "classification" if set(kinds) <= {"binary", "multiclass"} else "regression"


def column(owner: str, name: str, values: Any, n: int | None = None) -> NDArray:
    """Return one label per row."""
    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1 or (n is not None and len(array) != n):
        expected = "one label per row" if n is None else f"{n} labels, one per row of y"
        raise DataError(f"{owner}: {name} has shape {array.shape}; give {expected}.")
    missing = [value is None or value != value for value in array] if array.dtype.kind in "fO" else []
    if any(missing):
        raise DataError(f"{owner}: {name} holds a missing label at row {missing.index(True)}; remove it.")
    return array


def rows_used(owner: str, sample_weight: Any, n: int) -> tuple[NDArray, NDArray | None]:
    """Return the rows of positive weight and their weights."""
    if n == 0:
        raise DataError(f"{owner}: there are no rows.")
    weight = row_weights(owner, sample_weight, n)
    if weight is None:
        return np.arange(n), None
    used = np.flatnonzero(weight)
    return used, weight[used]


def regression_given(y: Any, y_pred: Any, sample_weight: Any, log_density: Any) -> PredictionInput:
    """Return targets and predictions as (n, targets), all finite."""
    if y_pred is None:
        raise DataError(f"{OWNER}: a regression needs y_pred.")
    truth, predicted = (
        np.asarray(float_array(OWNER, name, v), np.float64) for name, v in (("y", y), ("y_pred", y_pred))
    )
    if truth.ndim not in (1, 2):
        raise DataError(f"{OWNER}: y has shape {truth.shape}; give (n_samples,) or (n_samples, n_targets).")
    if truth.ndim == 1 and predicted.shape == (len(truth), 1):
        predicted = predicted[:, 0]
    if truth.shape != predicted.shape:
        raise DataError(f"{OWNER}: y has shape {truth.shape} and y_pred {predicted.shape}; they must agree.")
    truth, predicted = truth.reshape(len(truth), -1), predicted.reshape(len(truth), -1)
    used, weight = rows_used(OWNER, sample_weight, len(truth))
    truth, predicted = truth[used], predicted[used]
    for name, values in (("y", truth), ("y_pred", predicted)):
        if not np.isfinite(values).all():
            row = int(used[np.argmin(np.isfinite(values).all(axis=1))])
            raise DataError(f"{OWNER}: {name} holds NaN or infinity at row {row}; remove it.")
    density = None
    if log_density is not None:
        density = np.asarray(log_density, np.float64)
        if density.shape != (len(np.asarray(y)),) or not np.isfinite(density[used]).all():
            raise DataError(f"{OWNER}: log_density must be one finite number per row; got shape {density.shape}.")
        density = density[used]
    return PredictionInput(truth, predicted, weight, log_density=density)


def known_classes(
    owner: str, y: NDArray, y_pred: NDArray | None, classes: Any, columns: int | None
) -> tuple[NDArray, list]:
    """Return all classes in the order of the columns, and those that `classes` does not list."""
    labels = [y] if y_pred is None else [y, y_pred]
    try:
        seen = np.unique(np.concatenate(labels))
    except TypeError as error:
        raise DataError(f"{owner}: the labels are of different types and cannot be sorted; use one type.") from error
    text = {label.dtype.kind in "US" for label in labels if label.dtype.kind != "O"}
    if len(text) == 2:
        raise DataError(f"{owner}: y holds {y.dtype} and y_pred {labels[-1].dtype}; use the same labels in both.")
    if classes is not None:
        given = np.asarray(classes)
        if given.ndim != 1 or len(np.unique(given)) != len(given):
            raise ParameterError(f"{owner}(classes={classes!r}): list every class once.")
        extra = [label for label in seen.tolist() if label not in set(given.tolist())]
        return (np.concatenate([given, np.asarray(extra)]) if extra else given), extra
    for usual in ([0, 1], [-1, 1]):  # one label seen of two that everybody means
        if columns in (1, 2) and len(seen) == 1 and seen.dtype.kind in "biuf" and seen[0] in usual:
            return np.asarray(usual), []
    return seen, []


def codes(labels: NDArray, classes: NDArray) -> NDArray:
    """Return the place of every label among the classes."""
    order = np.argsort(classes, kind="stable")
    return order[np.searchsorted(classes[order], labels)]


def by_class(owner: str, name: str, values: Any, n: int, k: int, positive: int | None, extra: int) -> NDArray:
    """Return finite numbers as (n,) or (n, k)."""
    array = np.asarray(float_array(owner, name, values), np.float64)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim not in (1, 2) or len(array) != n:
        raise DataError(f"{owner}: {name} has shape {array.shape}; give one row for each of the {n} rows of y.")
    if array.ndim == 1 and positive is None:
        raise DataError(
            f"{owner}: {name} has one column for {k} classes {'' if k > 2 else '(give classes=)'}; give one each."
        )
    if array.ndim == 2 and array.shape[1] != k - extra:
        raise DataError(
            f"{owner}: {name} has {array.shape[1]} columns for {k - extra} classes; give one per class, and classes= if"
            f" some do not occur in y."
        )
    if not np.isfinite(array).all():
        row = int(np.argmin(np.isfinite(array.reshape(n, -1)).all(axis=1)))
        raise DataError(f"{owner}: {name} holds NaN or infinity at row {row}; remove it.")
    return array


def probabilities(owner: str, values: NDArray, k: int, positive: int | None) -> NDArray:
    """Return (n, k) probabilities that sum to one."""
    if values.ndim == 1:
        assert positive is not None
        values = np.stack([1 - values, values] if positive == 1 else [values, 1 - values], axis=1)
    if values.min() < 0 or values.max() > 1 or np.abs(values.sum(axis=1) - 1).max() > SUM_SLACK:
        worst = int(np.abs(values.sum(axis=1) - 1).argmax())
        raise DataError(
            f"{owner}: y_proba must hold probabilities: row {worst} sums to {values[worst].sum():.6g}, the smallest is"
            f" {values.min():.6g}. Scores that are none go into y_score."
        )
    return np.hstack([values, np.zeros((len(values), k - values.shape[1]))])


def classification_given(
    y: Any,
    *,
    classes: Any,
    sample_weight: Any,
    pos_label: Any,
    y_pred: Any = None,
    y_proba: Any = None,
    y_score: Any = None,
    cost: Any = None,
    owner: str = OWNER,
) -> PredictionInput:
    """Return labels as codes, with probabilities and scores by class."""
    truth = column(owner, "y", y)
    n = len(truth)
    used, weight = rows_used(owner, sample_weight, n)
    predicted = None if y_pred is None else column(owner, "y_pred", y_pred, n)
    shape = next((np.shape(v) for v in (y_proba, y_score) if v is not None), None)
    columns = None if shape is None else (1 if len(shape) == 1 else shape[1])
    known, extra = known_classes(owner, truth, predicted, classes, columns)
    k = len(known)
    positive = positive_class(owner, known, pos_label)
    proba = score = None
    if y_proba is not None:
        proba = probabilities(owner, by_class(owner, "y_proba", y_proba, n, k, positive, len(extra)), k, positive)
    if y_score is not None:
        score = by_class(owner, "y_score", y_score, n, k, positive, len(extra))
        if score.ndim == 2 and extra:
            score = np.hstack([score, np.full((n, len(extra)), score.min() - 1)])
        if score.ndim == 1 and positive == 0:
            score = -score if classes is not None else score  # a decision function speaks for the second class
    coded = None if predicted is None else codes(predicted, known)
    if coded is None and proba is not None:
        coded = proba.argmax(axis=1)
    elif coded is None and score is not None and score.ndim == 2:
        coded = score.argmax(axis=1)
    table = None if cost is None else checked_cost(owner, cost, known)
    notes = (f"{', '.join(map(repr, extra))} occur in y or y_pred but not in classes",) if extra else ()
    cut = [None if v is None else v[used] for v in (coded, proba, score)]
    return PredictionInput(
        truth=codes(truth, known)[used],
        predicted=cut[0],
        weight=weight,
        classes=known,
        positive=positive,
        proba=cut[1],
        score=cut[2],
        cost=table,
        notes=notes,
    )


def positive_class(owner: str, classes: NDArray, pos_label: Any) -> int | None:
    """Return the place of the positive class of two, else None."""
    if pos_label is None:
        return 1 if len(classes) == 2 else None
    place = np.flatnonzero(classes == pos_label)
    if len(place) == 0:
        raise ParameterError(f"{owner}(pos_label={pos_label!r}): not among the classes {classes.tolist()[:10]}.")
    if len(classes) != 2:
        raise ParameterError(
            f"{owner}(pos_label={pos_label!r}): there are {len(classes)} classes; see per_class for each against the rest."
        )
    return int(place[0])


def checked_cost(owner: str, cost: Any, classes: NDArray) -> NDArray:
    """Return the costs as a finite square table."""
    table = np.asarray(float_array(owner, "cost", cost), np.float64)
    if table.shape != (len(classes), len(classes)) or not np.isfinite(table).all():
        raise ParameterError(
            f"{owner}(cost=...): shape {table.shape} for {len(classes)} classes; give a finite cost for every true class"
            f" (row) and prediction (column), in the order {classes.tolist()[:10]}."
        )
    return table
