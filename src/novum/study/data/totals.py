"""The last row of a spreadsheet that sums up the others: no observation, and often the largest of all."""

import numpy as np

from novum.study.data.table import NUMBER, TEXT, Table

__all__ = ["without_totals"]

WORDS = (
    "total",
    "totals",
    "sum",
    "sums",
    "gesamt",
    "summe",
    "insgesamt",
    "somme",
    "totale",
    "totaux",
    "suma",
    "totaal",
    "soma",
    "average",
    "mean",
    "mittelwert",
    "durchschnitt",
    "moyenne",
    "media",
    "promedio",
)
FEWEST = 3  # rows that a sum is of
TOLERANCE = 1e-3  # relative: printed sums are rounded


def without_totals(table: Table) -> Table:
    """Return the table without a last row that holds the sums or means of the columns, with a note."""
    if table.n_rows <= FEWEST:
        return table
    words = [c.values[-1] for c in table.columns.values() if c.kind == TEXT]
    labelled = any(word is not None and word.casefold().split(" ")[0].strip(":") in WORDS for word in words)
    if not labelled and (not words or any(word is not None for word in words)):
        return table
    numbers = [c.values for c in table.columns.values() if c.kind == NUMBER and not np.isnan(c.values[-1])]
    if not numbers or not (any if labelled else all)(map(sums_up, numbers)) or (not labelled and len(numbers) < 2):
        return table
    kept = np.arange(table.n_rows - 1)
    return table.take(kept)._replace(notes=[*table.notes, "the last row sums up the others and is left out"])


def sums_up(values: np.ndarray) -> bool:
    """Return whether the last number is the sum or the mean of those before it."""
    before, last = values[:-1], values[-1]
    known = before[~np.isnan(before)]
    if len(known) < 2 or not known.any():
        return False
    scale = TOLERANCE * np.abs(known).sum()
    return bool(abs(last - known.sum()) <= scale) or bool(abs(last - known.mean()) <= scale / len(known))
