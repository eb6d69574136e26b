"""A table that was uploaded, as the page shows it before a study: its columns, what they hold, and what learning each would be."""

from time import perf_counter
from typing import Any

import numpy as np

from novum.exceptions import DataError
from novum.study.data.table import Column, Table
from novum.study.data.task import find_task

__all__ = ["described_table"]

EXAMPLES = 3
TWO = 2  # classes, of which one is asked about
LONGEST = 40  # characters of an example
SECONDS = 10.0  # for the tasks of all columns; those that come later are left to the study


def described_table(table: Table) -> dict[str, Any]:
    """Return what the page needs to know of a table, as JSON has it."""
    end = perf_counter() + SECONDS
    columns = [described_column(column, table.name, perf_counter() < end) for column in table.columns.values()]
    notes = [*table.notes, *(note for column in table.columns.values() for note in column.notes)]
    return {"name": table.name, "rows": table.n_rows, "columns": columns, "notes": notes}


def described_column(column: Column, table: str, with_task: bool) -> dict[str, Any]:
    """Return a column's kind, gaps, examples, and what a study of it as target would be, or why there is none."""
    made: dict[str, Any] = {"name": column.name, "kind": column.kind, "missing": 0, "different": 0, "examples": []}
    if column.values is not None:
        import pandas as pd

        codes, different = pd.factorize(np.asarray(column.values), use_na_sentinel=True)
        made["missing"], made["different"] = int((codes < 0).sum()), len(different)
        made["examples"] = [cell_words(cell, column) for cell in different[:EXAMPLES]]
    made |= {"task": "", "reason": "", "labels": []}
    if with_task:
        try:
            task = find_task(column, table)
            made |= {"task": task.kind, "reason": f"{task.title}: {task.reason}"}
            made["labels"] = task.labels if len(task.labels) == TWO else []
        except DataError as error:
            made["reason"] = str(error)
    return made


def cell_words(cell: Any, column: Column) -> str:
    """Return a cell as text of one line."""
    if isinstance(cell, float | np.floating):
        return f"{cell:.6g}"
    text = str(np.datetime64(cell, "s" if column.has_hours else "D") if column.kind == "date" else cell)
    return "".join(c if c.isprintable() else " " for c in text[:LONGEST])
