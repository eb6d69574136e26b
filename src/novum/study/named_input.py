"""What a caller names, looked up in the table: columns, the positive class, costs of classes."""

import os
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np

from novum.exceptions import ParameterError
from novum.study.data.files import read_table
from novum.study.data.large import MOST_CELLS
from novum.study.data.spellings import find_label
from novum.study.data.table import Table, table_of
from novum.study.data.task import LearningTask
from novum.study.scoring.costs import cost_table

__all__ = ["positive_and_costs", "table_with_columns"]


def table_with_columns(given: Any, target: str, drop: tuple[str, ...], columns: Mapping[str, str | None]) -> Table:
    """Return a table, or the one at a path, that has all columns that were named; `columns` are those by option."""
    if isinstance(given, Table):
        table = given
    else:
        table = read_table(given, most_cells=MOST_CELLS) if isinstance(given, str | os.PathLike) else table_of(given)
    for name in (name for name in (target, *drop, *columns.values()) if name is not None):
        if name not in table.columns:
            near = get_close_matches(str(name), list(table.columns), n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(map(repr, list(table.columns)[:8]))}."
            raise ParameterError(f"{table.name}: has no column {name!r}; {hint}")
    for option, name in columns.items():
        if name == target:
            raise ParameterError.of("Study", "it is the target; name another column.", **{option: target})
    return table


def positive_and_costs(
    task: LearningTask, positive: Any, costs: Mapping[Any, Any] | None
) -> tuple[int | None, np.ndarray | None]:
    """Return the number of the positive class and the table of costs."""
    if not task.labels:
        for option, value in (("positive", positive), ("costs", costs)):
            if value is not None:
                raise ParameterError.of("Study", f"the target {task.target!r} has no classes.", **{option: ...})
        return None, None
    number = 1 if len(task.labels) == 2 else None
    if positive is not None:
        number = find_label(positive, task.labels)
        if number is None:
            raise ParameterError.of(
                "Study", f"the classes of {task.target!r} are {', '.join(task.labels[:8])}.", positive=positive
            )
    return number, cost_table(costs, task.labels)
