"""What kind of target a column is, and the reason.

Rules, in this order, for the known values of a single column: one value is constant; ordered categories are ordinal; two values
are binary; text, categories and truth values are classes; numbers with a fraction are real; whole numbers from 0 on whose
frequencies rise to a low one and fall from there to few are counts (goals, visits), and real; other whole numbers are classes where
they are few and come back often, codes rather than amounts, and real otherwise.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError

__all__ = ["Target", "describe_column", "describe_columns"]

MOST_CODES = 20  # distinct whole numbers; more are taken for amounts (scikit-learn warns above half the rows)
LEAST_REPEATS = 5  # rows per distinct whole number, on average, below which they are taken for amounts
LEAST_COUNTS = 6  # distinct whole numbers of counts: 0 to 5
LOW, LAST, ROUGH = (
    0.4,
    0.2,
    0.15,
)  # share of the numbers where the most frequent one is; of its rows the last has; of the steps
MEASURES = {
    "constant": "none",
    "binary": "accuracy",
    "multiclass": "accuracy",
    "ordinal": "mean absolute error of the rank",
    "multilabel": "share of labels that are right",
    "multioutput classification": "accuracy, mean over the targets",
    "regression": "root mean squared error",
    "multioutput regression": "root mean squared error, mean over the targets",
}


class Target(NamedTuple):
    kind: str
    reason: str
    classes: dict[Any, int]  # empty for real targets
    known: NDArray[np.bool_]  # (n,)


def is_missing(value: Any) -> bool:
    """Return whether a cell is None, NaN or pandas.NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def known_cells(values: NDArray) -> NDArray[np.bool_]:
    """Return which cells are known."""
    if values.dtype.kind == "f":
        return ~np.isnan(values)
    if values.dtype.kind == "O":
        return np.array([not is_missing(value) for value in values], dtype=bool)
    return np.ones(values.shape, dtype=bool)


def simplest(values: NDArray) -> NDArray:
    """Return cells as numbers, truth values or strings where all are, else as objects."""
    array = np.asarray(values)
    if array.dtype.kind != "O":
        return array
    kinds = {type(value) for value in array}
    if kinds <= {bool, np.bool_}:
        return array.astype(bool)
    if all(issubclass(kind, int | float | np.number) and kind is not bool for kind in kinds):
        return array.astype(np.float64)
    return array


def value_counts(cells: NDArray, order: Sequence[Any] | None) -> dict[Any, int]:
    """Return how often every value occurs, in the given order or sorted."""
    counts: dict[Any, int] = {}
    for value in cells.tolist():
        counts[value] = counts.get(value, 0) + 1
    if order is not None:
        return {value: counts.get(value, 0) for value in order}
    try:
        return dict(sorted(counts.items()))
    except TypeError:
        return dict(sorted(counts.items(), key=lambda pair: str(pair[0])))


def looks_like_counts(counts: dict[Any, int], n: int) -> bool:
    """Return whether whole numbers are counts: from 0 on without a gap but at the end, with one low mode and a thin end."""
    values = np.array(sorted(counts), dtype=np.float64)
    often = np.array([counts[value] for value in sorted(counts)], dtype=np.float64)
    if len(values) < LEAST_COUNTS or values[0] != 0:
        return False
    gapless = int(np.argmax(np.append(values != np.arange(len(values)), True)))  # numbers before the first gap
    mode = int(np.argmax(often))
    if gapless < LEAST_COUNTS or often[:gapless].sum() < 0.95 * n or mode > LOW * (gapless - 1):
        return False
    rises, falls = np.diff(often[: mode + 1]), np.diff(often[mode:gapless])
    slack = ROUGH * often[mode]
    return bool((rises >= -slack).all() and (falls <= slack).all() and often[gapless - 1] <= LAST * often[mode])


def describe_column(values: Any, *, order: Sequence[Any] | None = None, unlabelled: Any = None) -> Target:
    """Return what a single target column is; `order` lists ordered categories from low to high."""
    raw = np.asarray(values)
    if raw.dtype.kind in "mM":
        raise DataError("describe_task: the target holds dates; give it as a number, e.g. days since the first.")
    known = known_cells(raw)
    if unlabelled is not None:
        known = known & (raw != unlabelled)
    cells = simplest(raw[known])
    n = cells.size
    if n == 0:
        return Target("constant", "no value is known", {}, known)
    if cells.dtype.kind == "O" and all(isinstance(cell, set | frozenset | list | tuple) for cell in cells):
        labels = value_counts(np.array([label for cell in cells for label in cell], dtype=object), None)
        return Target("multilabel", f"every cell is a set; {len(labels)} labels occur", labels, known)
    counts = value_counts(cells, order)
    present = sum(count > 0 for count in counts.values())
    if present == 1:
        return Target("constant", "a single value: there is nothing to learn", counts, known)
    if order is not None:
        return Target("ordinal", f"{len(counts)} ordered categories", counts, known)
    if present == 2:
        return Target("binary", "two values", counts, known)
    if cells.dtype.kind not in "iuf":
        return Target("multiclass", f"{present} categories without order", counts, known)
    if cells.dtype.kind == "f" and np.any(cells != np.round(cells)):
        return Target("regression", "real numbers", {}, known)
    if looks_like_counts(counts, n):
        return Target(
            "regression", f"counts: whole numbers from 0 to {max(counts):.0f}, large ones ever rarer", {}, known
        )
    if present <= MOST_CODES and n >= LEAST_REPEATS * present:
        return Target(
            "multiclass", f"{present} whole numbers that come back {n / present:.3g} times on average", counts, known
        )
    return Target("regression", f"{present} different whole numbers in {n:,} rows: amounts, not codes", {}, known)


def describe_columns(columns: Sequence[Any], unlabelled: Any = None) -> Target:
    """Return what several target columns are together."""
    each = [describe_column(column, unlabelled=unlabelled) for column in columns]
    known = np.logical_and.reduce([target.known for target in each])
    if all(target.kind == "regression" for target in each):
        return Target("multioutput regression", f"{len(each)} columns of real numbers", {}, known)
    if all(set(target.classes) <= {0, 1} and target.classes for target in each):
        counts = {j: target.classes.get(1, 0) for j, target in enumerate(each)}
        return Target("multilabel", f"{len(each)} columns of zeros and ones", counts, known)
    if any(target.kind == "regression" for target in each):
        kinds = ", ".join(target.kind for target in each)
        raise DataError(f"describe_task: the targets are of different kinds ({kinds}); describe them one by one.")
    return Target("multioutput classification", f"{len(each)} columns of classes", {}, known)
