"""What is to be learned: the kind of task that a target column poses, and the reason.

`novum.datasets.target` has the rules, which `novum.describe_task` follows too. The reason is part of the answer, because a guess
that is not explained cannot be corrected (`task=` corrects it).
"""

from typing import Any, NamedTuple

import numpy as np

from novum.datasets.target import describe_column
from novum.exceptions import DataError, ParameterError
from novum.report.numbers import counted, num
from novum.study.data.spellings import one_spelling
from novum.study.data.table import BOOL, DATE, NUMBER, OTHER, TEXT, Column

__all__ = ["AMOUNTS", "CLASSIFICATION", "COUNTS", "REGRESSION", "LearningTask", "find_task", "target_shape"]

CLASSIFICATION, REGRESSION = "classification", "regression"
COUNTS, AMOUNTS = "counts", "skewed amounts"  # shapes of numbers whose spread grows with their mean
SKEWED_COUNTS, SKEWED_AMOUNTS = 0.5, 1.0  # least skewness of these
LEAST_DIFFERENT = 5  # counts
LEAST_ROWS = 20  # below it, ten folds and a hold-out part say nothing
LEAST_MERGED = 8  # rows of rare classes together that are worth a class
MERGED = "(other)"
LEAST_OF_A_CLASS = 4  # one for the hold-out part, the others for two folds at least


class LearningTask(NamedTuple):
    """A learning task."""

    kind: str  # CLASSIFICATION or REGRESSION
    title: str  # "binary classification", ...
    reason: str
    target: str
    labels: list[str]  # of the classes, sorted; none for a regression
    counts: list[int]  # rows of every class
    y: Any  # labels as text or whole numbers, or float64; rows without a target are not in it
    known: np.ndarray  # which rows of the table take part
    notes: list[str] = []
    rare: int = 0  # rows left out because their class has too few
    shape: str = ""  # of numbers: COUNTS, AMOUNTS or neither


def find_task(column: Column, table: str, wanted: str = "auto") -> LearningTask:
    """Return the task that a target column poses.

    Raises
    ------
    DataError
        If nothing can be learned from it: one value, too few rows, dates, lists.
    """
    name = column.name
    if wanted not in ("auto", CLASSIFICATION, REGRESSION):
        raise ParameterError.of("Study", "task must be 'auto', 'classification' or 'regression'.", task=wanted)
    if column.kind == DATE:
        raise DataError(
            f"{table}: the target {name!r} holds dates (its cells are of type {column.type}), and a target must hold classes or"
            " numbers: say what to predict of them in a column of its own, days since some date for example."
        )
    if column.kind == OTHER:
        raise DataError(f"{table}: the target {name!r} is of type {column.type}; it must hold classes or numbers.")
    known = ~column.missing
    values = column.values[known]
    if len(values) == 0:
        raise DataError(f"{table}: the target {name!r} is missing in every row.")
    if len(values) < LEAST_ROWS:
        raise DataError(
            f"{table}: has {counted(len(values), 'row')} with a target; a study needs at least {LEAST_ROWS}, better some hundreds."
        )
    if len(set(values)) == 1:
        raise DataError(f"{table}: the target {name!r} has the same value, {values[0]!r:.40}, in every row.")
    kind, reason = explain_task(column, wanted)
    if kind == REGRESSION:
        if column.kind == TEXT:
            raise DataError(f"{table}: the target {name!r} holds text, which a regression cannot predict.")
        y = values.astype(np.float64)
        shape = target_shape(y)
        return LearningTask(
            kind=REGRESSION,
            title="regression",
            reason=reason,
            target=name,
            labels=[],
            counts=[],
            y=y,
            known=known,
            notes=[f"{name}: {shape_words(shape, y)}"] if shape else [],
            shape=shape,
        )
    y = labels_in(column, values)
    notes, rare = [], 0
    if column.kind == TEXT:
        y, spelled = one_spelling(y)
        notes += [f"{name}: {note}" for note in spelled]
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) == 1:
        raise DataError(
            f"{table}: the target {name!r} has the same value but for rounding, {classes[0]!s:.40}, in every row."
        )
    few = classes[counts < LEAST_OF_A_CLASS]
    if len(few):
        y, known, rare, note = without_rare(y, known, few, counts[counts < LEAST_OF_A_CLASS])
        notes.append(f"{name}: {note}")
        classes, counts = np.unique(y, return_counts=True)
        if len(classes) < 2 or len(y) < LEAST_ROWS:
            raise DataError(
                f"{table}: the target {name!r} has {count_words(len(classes))} of at least "
                f"{counted(LEAST_OF_A_CLASS, 'row')}; a study needs"
                f" two, and {counted(LEAST_ROWS, 'row')}: merge rare classes, or say --task regression if they are amounts."
            )
    title = "binary classification" if len(classes) == 2 else f"classification into {counted(len(classes), 'class')}"
    return LearningTask(
        kind=kind,
        title=title,
        reason=reason,
        target=name,
        labels=[str(c) for c in classes],
        counts=[int(c) for c in counts],
        y=y,
        known=known,
        notes=notes,
        rare=rare,
    )


def target_shape(y: np.ndarray) -> str:
    """Return COUNTS for whole numbers from 0 on and AMOUNTS for others above or at 0, where large ones are far from the middle."""
    if y.min() < 0 or y.max() <= 0:
        return ""
    skewness = float(np.mean(((y - y.mean()) / y.std()) ** 3))
    if skewness > SKEWED_COUNTS and (y == np.floor(y)).all() and y.min() <= 1 and len(np.unique(y)) >= LEAST_DIFFERENT:
        return COUNTS
    return AMOUNTS if skewness > SKEWED_AMOUNTS else ""


def shape_words(shape: str, y: np.ndarray) -> str:
    """Return what a shape means for a study."""
    if shape == COUNTS:
        what = (
            f"counts ({int(y.min())} to {int(y.max())}, their variance {num(y.var() / y.mean()):.3g} times their mean)"
        )
        return (
            f"{what}: models of counts and of logarithms are compared too; --scoring poisson_deviance judges by ratios"
        )
    what = f"amounts with a long upper end (median {num(np.median(y)):.4g}, mean {num(y.mean()):.4g}, largest {num(y.max()):.4g})"
    return f"{what}: models of logarithms and of growing variance are compared too; --scoring rmsle judges by ratios"


def count_words(number: int) -> str:
    return {0: "no class", 1: "one class"}.get(number, counted(number, "class"))


def without_rare(
    y: np.ndarray, known: np.ndarray, few: np.ndarray, counts: np.ndarray
) -> tuple[np.ndarray, np.ndarray, int, str]:
    """Return the labels and rows without classes of too few rows, which become one class if they are texts and enough."""
    said = ", ".join(f"{label!s:.24} {count}" for label, count in list(zip(few, counts))[:4]) + (
        ", …" if len(few) > 4 else ""
    )
    rows = np.isin(y, few)
    if y.dtype.kind == "U" and len(few) > 1 and rows.sum() >= LEAST_MERGED and MERGED not in y:
        merged = y.astype(object)
        merged[rows] = MERGED
        return (
            merged.astype(str),
            known,
            0,
            f"{counted(len(few), 'class')} of too few rows ({said}) are merged into one, {MERGED!r}",
        )
    kept = known.copy()
    kept[np.flatnonzero(known)[rows]] = False
    words = "a class" if len(few) == 1 else counted(len(few), "class")
    return (
        y[~rows],
        kept,
        int(rows.sum()),
        f"{words} of fewer than {counted(LEAST_OF_A_CLASS, 'row')} left out ({said})",
    )


def explain_task(column: Column, wanted: str) -> tuple[str, str]:
    """Return the kind of task and why."""
    if wanted != "auto":
        return wanted, "you requested it"
    found = describe_column(column.values)
    return REGRESSION if found.kind == "regression" else CLASSIFICATION, found.reason


def labels_in(column: Column, values: Any) -> np.ndarray:
    """Return the labels of the classes: text, or whole numbers where the column has no others.

    Numbers count as one class where they agree in twelve digits: 0.3 and 0.1 + 0.2 differ in the rounding alone.
    """
    if column.kind == BOOL:
        return np.where(values.astype(bool), "true", "false")
    if column.kind == NUMBER:
        return values.astype(np.int64) if column.whole else np.array([f"{v:.12g}" for v in values])
    return values.astype(str)
