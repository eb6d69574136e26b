"""The data card: what every column is, what is done with it and why, and what deserves a look.

A column takes part as numbers, categories, dates (which become parts) or words, or is left out: constant, empty, an identifier,
or of a type that no model takes. Nothing is left out without a note; columns that look like a person or a time are named.
"""

import hashlib
import re
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import DataError
from novum.report.numbers import counted, num
from novum.report.result import result
from novum.study.data.table import BOOL, DATE, NUMBER, OTHER, TEXT, Column, Table
from novum.study.data.task import LearningTask

__all__ = ["Card", "ColumnCard", "check_features", "make_card"]

IDENTIFIER = re.compile(
    r"(^|[_\W])(id|ids|index|idx|uuid|guid|key|nr|row|number)$|^\(column 1\)$|^unnamed", re.IGNORECASE
)
WHO = re.compile(
    r"(^|[_\W])(patient|subject|person|participant|user|customer|client|student|respondent|household|animal|mouse|device|sensor|"
    r"machine|site|hospital|school|batch|session|group|family|name)s?([_\W]?(id|ids|nr|no|number|code|name))?$",
    re.IGNORECASE,
)
WORD = re.compile(r"[^\W\d_]{2,}")
LOOKED_AT = 500  # texts that tell whether they are made of words
MOSTLY_DIFFERENT = 0.5  # a text that differs in more than half of the rows is no category
IDENTIFYING = 0.9  # share of the rows with a value of their own, of an identifier: some rows are copies, or nearly
PARTS_OF_A_DATE = "year, month, weekday and day count"
LEVELS_ALWAYS_FINE = 20  # few texts are categories in a small table too
RARE = 0.1  # share of the largest class above 1 - RARE: accuracy mostly counts that class


@result
class ColumnCard(NamedTuple):
    """What is known of one column."""

    name: str
    kind: str
    type: str
    missing: int
    different: int
    summary: str
    role: str  # "number", "category", "date", "words", "target" or "left out"
    reason: str  # for leaving it out


@result
class Card(NamedTuple):
    """What is known of a table."""

    columns: list[ColumnCard]
    n_rows: int
    without_target: int
    duplicates: int
    notes: list[str]

    @property
    def features(self) -> list[ColumnCard]:
        """The columns that take part."""
        return [column for column in self.columns if column.role not in ("target", "left out")]

    @property
    def left_out(self) -> list[ColumnCard]:
        """The columns that do not."""
        return [column for column in self.columns if column.role == "left out"]

    @property
    def missing(self) -> int:
        """Missing cells in the columns that take part."""
        return sum(column.missing for column in self.features)


def make_card(
    table: Table,
    task: LearningTask,
    drop: tuple[str, ...] = (),
    apart: tuple[str, ...] = (),
    *,
    timed: bool = False,
    grouped: bool = False,
) -> Card:
    """Return the card of a table whose rows all have a target.

    Parameters
    ----------
    drop : names of columns to leave out
    apart : names of columns that say how rows are parted or weighted
    timed, grouped : bool
        Whether rows are parted by time or by groups, so that nothing need be said of columns that ask for it.
    """
    copies = duplicate_rows(table)
    columns = [
        describe(column, table.n_rows, column.name == task.target, column.name in drop, column.name in apart, copies)
        for column in table.columns.values()
    ]
    lost = int((~task.known).sum()) - task.rare
    card = Card(columns, table.n_rows, lost, copies, [])
    notes = [*table.notes, *notes_on(card, task, table)]
    notes += [] if grouped or timed else repeats_in(card, table)
    notes += [] if timed or grouped else dates_in(card, table)
    return card._replace(notes=notes)


def check_features(card: Card, table: str, target: str) -> None:
    """Raise where no column takes part."""
    if not card.features:
        why = "; ".join(f"{column.name}: {column.reason}" for column in card.left_out) or "the table has no other"
        raise DataError(f"{table}: no column is left to predict {target!r} from ({why}).")


def describe(
    column: Column, n_rows: int, target: bool, unwanted: bool, apart: bool = False, copies: int = 0
) -> ColumnCard:
    """Return what is known of a column and what is done with it."""
    if column.kind == OTHER:
        return ColumnCard(
            name=column.name,
            kind=OTHER,
            type=column.type,
            missing=0,
            different=0,
            summary="",
            role="left out",
            reason=f"type {column.type}",
        )
    missing = int(column.missing.sum())
    known = column.values[~column.missing]
    different = len(np.unique(known)) if column.kind != TEXT else len(set(known))
    role, reason = part_of(column, known, different, n_rows, copies)
    if target:
        role, reason = "target", ""
    elif unwanted or apart:
        role, reason = "left out", "as you requested" if unwanted else "its values group or weigh the rows"
    return ColumnCard(
        name=column.name,
        kind=column.kind,
        type=column.type,
        missing=missing,
        different=different,
        summary=summary_of(column, known),
        role=role,
        reason=reason,
    )


def part_of(column: Column, known: Any, different: int, n_rows: int, copies: int = 0) -> tuple[str, str]:
    """Return the role of a column that is not the target, and the reason if it is left out.

    Rows that are copies of others have the identifiers of these.
    """
    if not len(known):
        return "left out", "every value is missing"
    if different == 1:
        return "left out", "one value only" if len(known) == n_rows else "one value or missing"
    unique = different >= len(known) - copies and len(known) - copies > copies
    if column.kind == DATE:
        return "date", ""
    if column.kind == TEXT:
        if different <= max(LEVELS_ALWAYS_FINE, MOSTLY_DIFFERENT * len(known)) and not unique:
            return "category", ""
        if words_come_back(known):
            return "words", ""
        if unique:
            return "left out", "identifier or free text: every row has its own"
        return "left out", f"free text: {counted(different, 'different value')}"
    if (unique or different >= IDENTIFYING * len(known)) and column.whole and column.kind == NUMBER:
        first = known[np.sort(np.unique(known, return_index=True)[1])]  # in the order of the rows, copies apart
        if (np.diff(first) == 1).all() or IDENTIFIER.search(column.name):
            return "left out", "identifier: whole numbers, every row has its own"
    return "number", ""


def summary_of(column: Column, known: Any) -> str:
    """Return a few words about the values."""
    if not len(known):
        return ""
    if column.kind == TEXT:
        levels, counts = np.unique(known.astype(str), return_counts=True)
        order = np.argsort(-counts, kind="stable")[:3]
        more = ", …" if len(levels) > 3 else ""
        return ", ".join(f"{levels[i]:.24} {counts[i]}" for i in order) + more
    if column.kind == DATE:
        return f"{known.min().astype('datetime64[D]')} to {known.max().astype('datetime64[D]')}"
    if column.kind == BOOL:
        return f"true {int(known.sum())}, false {int(len(known) - known.sum())}"
    return f"{num(known.min()):.4g} to {num(known.max()):.4g}, median {num(np.median(known)):.4g}"


def duplicate_rows(table: Table) -> int:
    """Return how many rows are copies of an earlier one."""
    import pandas as pd

    total = np.zeros(table.n_rows, dtype=np.uint64)
    for column in table.columns.values():  # column by column: a frame of them all would be another copy of the table
        if column.kind != OTHER:
            total = total * np.uint64(1_000_003) + pd.util.hash_array(np.asarray(column.values))
    return int(pd.Series(total).duplicated().sum())


def notes_on(card: Card, task: LearningTask, table: Table) -> list[str]:
    """Return sentences about what deserves a look."""
    notes = [f"{column.name} is left out: {column.reason}" for column in card.left_out]
    if card.without_target:
        notes.append(f"{counted(card.without_target, 'row', 'have')} no {task.target} and take no part")
    if card.duplicates:
        notes.append(
            (
                "1 row is a copy of another"
                if card.duplicates == 1
                else f"{counted(card.duplicates, 'row', 'are')} copies of others"
            )
            + "; copies in both parts make the hold-out score too good"
        )
    if task.counts and max(task.counts) > (1 - RARE) * sum(task.counts):
        notes.append("one class has more than 90 % of the rows: accuracy hardly sees the others, try balanced_accuracy")
    notes += [f"{b} is a copy of {a}" for a, b in copied_columns(card, table)]
    notes += [f"{c.name} is free text: its words are counted" for c in card.features if c.role == "words"]
    notes += [note for column in card.features for note in table.columns[column.name].notes]
    notes += table.columns[task.target].notes + task.notes
    notes += [note for c in card.columns if (note := case_variants(table.columns[c.name])) and c.role == "category"]
    for c in card.features:
        if c.role == "date":
            parts = "year, month, weekday, hour and day count" if table.columns[c.name].has_hours else PARTS_OF_A_DATE
            notes.append(f"{c.name} becomes {parts}")
    return notes


def words_come_back(known: Any) -> bool:
    """Return whether texts are made of several words that other rows have too."""
    some = known[:: max(1, len(known) // LOOKED_AT)]
    words = [set(WORD.findall(str(text).lower())) for text in some]
    counts = Counter(word for found in words for word in found)
    shared = sum(any(counts[word] > 1 for word in found) for found in words)
    return sum(map(len, words)) >= 2 * len(words) and shared >= MOSTLY_DIFFERENT * len(words)


def case_variants(column: Column) -> str:
    """Return a sentence about labels that differ only in upper and lower case, or nothing."""
    if column.kind != TEXT:
        return ""
    forms: dict[str, set[str]] = {}
    for label in set(column.values) - {None}:
        forms.setdefault(label.casefold(), set()).add(label)
    twice = [sorted(found) for found in forms.values() if len(found) > 1]
    if not twice:
        return ""
    more = f" ({len(twice)} such pairs)" if len(twice) > 1 else ""
    return f"{column.name} has {' and '.join(map(repr, twice[0][:3]))}, which differ only in case{more}: they count as different"


def repeats_in(card: Card, table: Table) -> list[str]:
    """Return sentences about columns that look like persons or things that come back."""
    found = []
    for column in card.columns:
        if column.role == "target" or column.kind in (DATE, OTHER) or not WHO.search(column.name):
            continue
        known = table.n_rows - column.missing
        if max(4, known // 50) <= column.different <= known * 0.8:
            found.append(
                f"{column.name} comes back {num(known / column.different):.1f} times on average: if rows of one "
                f"{column.name} are alike,"
                f" the score is too good; part them with --group {quoted(column.name)}"
            )
    return found


def dates_in(card: Card, table: Table) -> list[str]:
    """Return a sentence about a column of dates in whose order the rows stand."""
    for column in card.features:
        values = table.columns[column.name].values
        if column.role == "date" and column.missing == 0 and column.different > LEVELS_ALWAYS_FINE:
            steps = np.diff(values).astype(np.int64)
            if (steps >= 0).all() or (steps <= 0).all():
                return [
                    f"the rows stand in the order of {column.name}: to predict the future, judge by it with --time"
                    f" {quoted(column.name)}"
                ]
    return []


def quoted(name: str) -> str:
    return name if name.isidentifier() else f"'{name}'"


def copied_columns(card: Card, table: Table) -> list[tuple[str, str]]:
    """Return the pairs of columns that hold the same values."""
    seen: dict[bytes, str] = {}
    pairs = []
    for column in card.features:
        values = table.columns[column.name].values
        text = values if values.dtype != object else "\x1f".join(map(str, values)).encode()
        key = hashlib.blake2b(text).digest()
        if key in seen:
            pairs.append((seen[key], column.name))
        seen.setdefault(key, column.name)
    return pairs
