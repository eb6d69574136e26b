"""Cells as people write them: numbers with signs of money, per cent, thousands and units; times; dates in the common orders.

A column of text is one of numbers or dates if nearly all its cells are, or if the others say in words that there is nothing
(UNKNOWN). How its cells are to be read is decided once, from the column, never from a cell. Cells that cannot be read so are
missing, and are counted. Digits of one width that begin with a zero, and whole numbers too long for a float, are codes
(of places, of things): they stay text.
"""

import re
from collections.abc import Iterable, Sequence

import numpy as np

from novum.fold.readers.cells.dates import MIXED, date_form, date_in, style_of, written_as_one_number
from novum.fold.readers.cells.form import CODE, DATE, NUMBER, UNKNOWN, Form
from novum.fold.readers.cells.numbers import SCALED, is_qualified, number_form, number_in, several_units
from novum.fold.readers.cells.times import CLOCK, SPAN, hours_in, time_form

__all__ = [
    "CODE",
    "DATE",
    "NUMBER",
    "UNKNOWN",
    "Form",
    "code_form",
    "dates_of",
    "form_of",
    "notes_on",
    "numbers_of",
    "several_units",
    "stray_cells",
    "written_as_one_number",
]

HEXADECIMAL = re.compile(r"0[xX][0-9a-fA-F]+")
LOOKED_AT = 5_000  # different cells that tell the form of a column
LONGEST_NUMBER = 15  # digits that a float64 holds


def form_of(cells: Iterable[str | None]) -> Form | None:
    """Return how a column is to be read, from its different cells; None for text."""
    seen = dict.fromkeys(cell.strip() for cell in cells if cell is not None)
    some = [cell for cell in seen if cell][:LOOKED_AT]
    known = [cell for cell in some if cell.casefold() not in UNKNOWN]
    if not known:
        return None
    if code := code_form(known):
        return code
    every = len(some)
    return number_form(known, every) or date_form(known, every) or time_form(known, every)


def code_form(known: Iterable[str | None]) -> Form | None:
    """Return the form of codes: digits of one width of which some begin with a zero, or more digits than a number has."""
    digits = [cell for cell in known if cell is not None and cell.casefold() not in UNKNOWN]
    if digits and all(HEXADECIMAL.fullmatch(cell) for cell in digits):
        return Form(CODE, "digits")
    if not digits or not all(cell.isascii() and cell.isdigit() for cell in digits):
        return None
    widths = {len(cell) for cell in digits}
    padded = len(widths) == 1 and widths != {1} and any(cell[0] == "0" for cell in digits)
    return Form(CODE, "digits") if padded or max(widths) > LONGEST_NUMBER else None


def numbers_of(cells: Sequence[str | None], form: Form) -> np.ndarray:
    """Return the numbers of cells, NaN for what is missing or cannot be read; times are hours."""
    timed = form.how in (CLOCK, SPAN)
    known = {
        cell: hours_in(cell, form.how) if timed else number_in(cell, form) for cell in set(cells) if cell is not None
    }
    return np.array([float("nan") if cell is None else known[cell] for cell in cells], dtype=np.float64)


def dates_of(cells: Sequence[str | None], form: Form) -> np.ndarray:
    """Return the dates of cells, NaT for what is missing or cannot be read."""
    known = {cell: date_in(cell, form) for cell in set(cells) if cell is not None}
    return np.array(
        [np.datetime64("NaT", "s") if cell is None else known[cell] for cell in cells], dtype="datetime64[s]"
    )


def stray_cells(cells: Sequence[str | None], missing: np.ndarray) -> list[str]:
    """Return the cells that say something and could not be read, in the order of the rows."""
    return [cell for cell, gap in zip(cells, missing) if gap and cell is not None and cell.strip()]


def notes_on(name: str, form: Form, cells: Sequence[str | None], missing: np.ndarray) -> list[str]:
    """Return sentences about the cells of a column that were not plain."""
    notes = []
    if strays := stray_cells(cells, missing):
        notes.append(
            f"{name}: {counted(strays, 'that is', 'that are')} no {form.kind} ({some(strays)}) count"
            f"{'s' if len(strays) == 1 else ''} as missing"
        )
    if form.kind == NUMBER and form.how not in (CLOCK, SPAN):
        marked = [cell for cell, gap in zip(cells, missing) if not gap and cell is not None and is_qualified(cell)]
        if marked:
            notes.append(
                f"{name}: {counted(marked, 'with', 'with')} a limit or a mark ({some(marked)}), read without it"
            )
    if form.kind == CODE:
        notes.append(f"{name}: digits with leading zeros or too long for a number are codes, kept as text")
    if form.how in (CLOCK, SPAN):
        notes.append(f"{name}: times, read as hours")
    if form.how == "number":
        notes.append(f"{name}: whole numbers that are dates (year, month, day)")
    if form.how in MIXED and len(cells):
        styles = {style_of(cell.strip()): cell for cell in dict.fromkeys(cells) if cell is not None}
        written = ", ".join(repr(cell)[:30] for style, cell in styles.items() if style)
        read = {"mixed dmy": "day/month/year", "mixed mdy": "month/day/year"}[form.how]
        last = "" if "dmy" not in styles or form.doubtful else f"; {styles['dmy']!r:.30} and the like as {read}"
        notes.append(f"{name}: dates in several styles ({written}), each read by its own{last}")
    if form.unit == SCALED:
        notes.append(f"{name}: K, M and the like are multiplied out")
    elif form.unit:
        notes.append(f"{name}: numbers followed by {form.unit!r}, read without it")
    if form.doubtful:
        notes.append(f"{name}: no date distinguishes days from months; read as month/day/year")
    return notes


def some(cells: list[str]) -> str:
    """Return a few different cells for a sentence."""
    return ", ".join(repr(cell)[:30] for cell in list(dict.fromkeys(cells))[:3])


def counted(cells: list[str], one: str, many: str) -> str:
    return f"1 cell {one}" if len(cells) == 1 else f"{len(cells):,} cells {many}"
