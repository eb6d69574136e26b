"""A second header line: units or descriptions below the names, or the lower of two levels of names.

A line below the names is one of these, and no row, where at least two columns hold numbers in nearly all rows after it, its
own cells there are texts that stand for no missing value, and none of its texts comes back in the rows of its column. Names that
differ stay, and the second line is left out; where names come back, or one is missing over a text, as above merged cells, the lines
are joined: `2020, , 2021,` over `low, high, low, high` is `2020 low`, `2020 high`, `2021 low`, `2021 high`.
"""

from novum.fold.readers.cells.form import UNKNOWN
from novum.fold.readers.cells.numbers import number_form
from novum.fold.readers.dialect import MISSING

__all__ = ["second_header"]

FEWEST_ROWS, FEWEST_COLUMNS = 2, 2  # rows below it, and columns of numbers
LOOKED_AT = 100
MOST_NAMED = 4  # cells in a note


def second_header(first: list[str], rows: list[list[str]]) -> tuple[list[str], str] | None:
    """Return the names that two lines make and a note, None where the second is a row.

    Parameters
    ----------
    first : list of str
        The cells of the first line.
    rows : list of lists of str
        Those of the lines after it.
    """
    below = [[cell.strip() for cell in row] for row in rows if len(row) == len(first)][: LOOKED_AT + 1]
    if len(below) < FEWEST_ROWS + 1:
        return None
    second, rest = below[0], below[1:]
    said = 0
    for cell, *cells in zip(second, *rest):
        known = [one for one in cells if one not in MISSING and one.casefold() not in UNKNOWN]
        if len(known) >= FEWEST_ROWS and number_form(list(dict.fromkeys(known)), len(set(known))):
            if cell and number_form([cell], 1):
                return None
            said += bool(cell) and cell not in MISSING and cell.casefold() not in UNKNOWN
        elif cell and cell in known:
            return None
    names = [cell.strip() for cell in first]
    if said < FEWEST_COLUMNS:
        return None
    shown = ", ".join(repr(cell)[:30] for cell in [cell for cell in second if cell][:MOST_NAMED])
    named = [name for name in names if name]
    if len(set(named)) == len(named) and not any(lower for name, lower in zip(names, second) if not name):
        return names, f"a second header line is left out: {shown}"
    upper, joined = "", []
    for name, lower in zip(names, second):
        upper = name or (upper if lower else "")
        joined.append(" ".join(part for part in (upper, lower) if part))
    return joined, f"two header lines are joined: {', '.join(repr(name)[:40] for name in joined[:MOST_NAMED])}"
