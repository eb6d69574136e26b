r"""The smallest change of a row that turns the model's decision, by trying values that the columns held; the model is all it takes.

Tried for one column are the values that the model file keeps of it: up to 256 of a number or a date, spread evenly over its rows,
and up to 100 levels of a category. With the share F_j of the rows up to a value, a change of column j from a to b has the size

    |F_j(b) - F_j(a)|  of a number or a date, the share of the rows between the two,     1  of a category                  (1)

and of two columns the sum. First every column by itself, then, where none does, pairs of columns at fewer values. So what is said
to be smallest is smallest of what was tried, and where nothing is found there may be a change of three columns, or between values.
It says how this model decides; whether anything would happen to a case that is changed is another question.
"""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from novum.lab.controls import finite

__all__ = ["Change", "Search", "candidates", "smallest_changes"]

MOST_TRIED = 6_000  # rows that the model is asked about, of one column and of two
PAIR_VALUES = 8  # of each of two columns
LISTED = 5


class Candidate(NamedTuple):
    """A value that a column held."""

    cell: Any  # as a user would write it
    size: float  # of the change to it


class Change(NamedTuple):
    """Values that turn the decision."""

    cells: dict[str, Any]
    size: float
    said: str


class Search(NamedTuple):
    """What was found, smallest first, among how many rows that were tried."""

    changes: list[Change]
    tried: int
    columns: int  # how many change together: 1 or 2; 0 where nothing was found


def candidates(name: str, role: str, here: Any, memory: Any, truth: bool) -> list[Candidate]:
    """Return the values that a column can be changed to, with the size (1) of the change, smallest first."""
    entry = memory.reference[name]
    if role == "category":
        return [Candidate(level, 1.0) for level in entry.get("levels", []) if level != here]
    values, shares = np.asarray(entry.get("values", ())), np.asarray(entry.get("shares", ()))
    if role not in ("number", "date") or not len(values):
        return []
    if truth:
        return [Candidate(1.0 - float(here), 1.0)] if here in (0, 1) else []
    at = day_of(here) if role == "date" else here
    if not finite(at):
        return []
    start = float(np.interp(at, values, shares, left=0.0))
    made = []
    for value, share in zip(values, shares):
        cell = str(np.datetime64(int(np.floor(value)), "D")) if role == "date" else float(value)
        if cell != here:
            made.append(Candidate(cell, abs(float(share) - start)))
    return sorted({one.cell: one for one in reversed(made)}.values(), key=lambda one: one.size)


def day_of(text: Any) -> float:
    """Return the day of a date as it is written, NaN where it is none."""
    try:
        return float(np.datetime64(str(text).strip(), "D").astype(np.int64))
    except ValueError:
        return float("nan")


def thinned(listed: list[Candidate], most: int) -> list[Candidate]:
    """Return at most so many of them, spread evenly, the smallest change among them."""
    if len(listed) <= most:
        return listed
    return [listed[k] for k in np.unique(np.round(np.linspace(0, len(listed) - 1, most)).astype(int))]


def smallest_changes(decide: Any, row: dict[str, Any], choices: dict[str, list[Candidate]], said: str) -> Search:
    """Return the smallest changes of a row after which the decision is another one.

    Parameters
    ----------
    decide : callable
        Returns the decisions for a list of rows, each a dict of cells.
    row : dict
        The cells of the row.
    choices : dict
        Candidates of every column that may change.
    said : str
        The decision for the row itself.
    """
    choices = {name: listed for name, listed in choices.items() if listed}
    if not choices:
        return Search([], 0, 0)
    each = max(2, MOST_TRIED // len(choices))
    singles = [({name: one.cell}, one.size) for name, listed in choices.items() for one in thinned(listed, each)]
    found = turned(decide, row, singles, said)
    if found:
        return Search(best_by_columns(found), len(singles), 1)
    pairs = list(combinations(choices, 2))
    values = {name: thinned(listed, PAIR_VALUES) for name, listed in choices.items()}
    doubles = [
        ({a: one.cell, b: other.cell}, one.size + other.size)
        for a, b in pairs
        for one in values[a]
        for other in values[b]
    ]
    doubles = sorted(doubles, key=lambda one: one[1])[:MOST_TRIED]
    found = turned(decide, row, doubles, said)
    return Search(best_by_columns(found), len(singles) + len(doubles), 2 if found else 0)


def turned(decide: Any, row: dict[str, Any], tried: list[tuple[dict[str, Any], float]], said: str) -> list[Change]:
    """Return those of the changes that turn the decision, smallest first."""
    if not tried:
        return []
    decisions = decide([{**row, **cells} for cells, _ in tried])
    found = [Change(cells, size, str(one)) for (cells, size), one in zip(tried, decisions) if str(one) != said]
    return sorted(found, key=lambda one: one.size)


def best_by_columns(found: list[Change]) -> list[Change]:
    """Return the smallest change of every column or pair, few of them."""
    kept: dict[tuple[str, ...], Change] = {}
    for one in found:
        kept.setdefault(tuple(one.cells), one)
    return list(kept.values())[:LISTED]
