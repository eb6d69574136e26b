"""Columns that are not learned from but part or weigh the rows, and the rows that they leave."""

import numpy as np

from novum.exceptions import DataError
from novum.study.data.table import Table
from novum.study.data.task import LearningTask

__all__ = ["check_parts", "group_numbers", "some_rows", "time_order", "weights_in"]


def weights_in(table: Table, name: str | None) -> np.ndarray | None:
    """Return the weights of the rows, or raise where they are none."""
    if name is None:
        return None
    values = table.columns[name].values
    if not isinstance(values, np.ndarray) or values.dtype != np.float64 or not (values >= 0).all() or values.sum() == 0:
        raise DataError(f"{table.name}: the weights {name!r} must be numbers, none missing or below 0, and not all 0.")
    return values


def time_order(table: Table, name: str) -> np.ndarray:
    """Return the rows in the order of a column of dates or numbers."""
    column = table.columns[name]
    if column.values is None or column.values.dtype == object:
        raise DataError(f"{table.name}: the column {name!r} holds {column.type}; time must be dates or numbers.")
    if column.missing.any():
        raise DataError(
            f"{table.name}: the time {name!r} is missing in row {int(np.flatnonzero(column.missing)[0]) + 1}."
        )
    return np.argsort(column.values, kind="stable")


def group_numbers(table: Table, name: str) -> np.ndarray:
    """Return the groups as numbers; a row without a group is one of its own."""
    import pandas as pd

    codes = pd.factorize(np.asarray(table.columns[name].values))[0]
    alone = codes < 0
    codes[alone] = codes.max(initial=0) + 1 + np.arange(alone.sum())
    return codes


def check_parts(task: LearningTask, train: np.ndarray, held: np.ndarray, name: str) -> None:
    """Raise where groups or times leave a part without a class."""
    if task.labels and len(np.unique(task.y[train])) < len(task.labels):
        lost = sorted(set(map(str, task.y)) - set(map(str, task.y[train])))
        raise DataError(
            f"{name}: no row of the class {lost[0]!r} is among the rows to learn from; group or time parts it off."
        )


def some_rows(rows: np.ndarray, most: int, ordered: bool, seed: int) -> np.ndarray:
    """Return at most so many of the rows; of ordered ones the last."""
    if len(rows) <= most:
        return rows
    if ordered:
        return rows[-most:]
    return np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))
