"""Drift of requests of one row, which are most requests: what a test says of one row is looked up instead of made again.

A test of one row depends on little: of a number on its place among the values that the model file keeps, of a category on its
level, in both on whether the cell is missing. So the p-values of novum.study.memory.drift are remembered by that. Holm's
adjustment only makes them larger: where none is small enough by itself, none is afterwards, and the tests need not be made.
"""

from bisect import bisect_left
from typing import Any

import numpy as np

from novum.study.data.schema import Schema
from novum.study.data.table import Table
from novum.study.memory.drift import LEVEL, as_numbers, drift_notes, level_move, missing_move, value_move

__all__ = ["RowDrift"]

MOST_KEPT = 100_000  # p-values


class RowDrift:
    """Finds drift as `drift_notes` does, faster for one row."""

    def __init__(self, schema: Schema, reference: dict[str, Any]) -> None:
        self.schema, self.reference = schema, reference
        self.values = {name: list(entry.get("values", ())) for name, entry in reference.items()}
        self.known: dict[Any, float] = {}

    def notes(self, table: Table) -> list[str]:
        """Return a sentence for every column that has moved."""
        if table.n_rows == 1 and min(self.p_values(table), default=1.0) > LEVEL:
            return []
        return drift_notes(table, self.schema, self.reference)

    def p_values(self, table: Table) -> list[float]:
        """Return the least p-value of every column, as they are before any adjustment."""
        found = []
        for name, role in zip(self.schema.names, self.schema.roles):
            if name in self.reference:
                column = table.columns[name]
                cell = float(as_numbers(column)[0]) if role in ("number", "date") else column.values[0]
                if cell is None or cell != cell:
                    key: Any = None
                elif role in ("number", "date"):
                    key = bisect_left(self.values[name], cell)
                else:  # nothing but gaps is looked at in free text
                    key = cell if role == "category" else ""
                p = self.known.get((name, key))
                if p is None:
                    p = self.p_value(column, role, self.reference[name])
                    if len(self.known) < MOST_KEPT:
                        self.known[name, key] = p
                found.append(p)
        return found

    def p_value(self, column: Any, role: str, entry: dict[str, Any]) -> float:
        """Return the least p-value of the tests of a column of one row."""
        moves = missing_move(column, entry)
        if role == "category" and entry.get("levels"):
            moves = moves + level_move(column, entry)
        elif role in ("number", "date") and len(entry.get("values", ())):
            moves = moves + value_move(column, entry, role)
        return float(np.min([move.p_value for move in moves], initial=1.0))
