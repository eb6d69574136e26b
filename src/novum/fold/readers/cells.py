"""Cells as people write them: numbers with signs of money, per cent, thousands and units; dates in the common orders.

A column of text is one of numbers or dates if nearly all its cells are, or if the others say in words that there is nothing
(UNKNOWN). How its cells are to be read is decided once, from the column, never from a cell: `1,234` is a thousand where no cell
contradicts it, `31/12/2021` settles what `01/02/2021` means. Cells that cannot be read so are missing, and are counted.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

__all__ = ["DATE", "NUMBER", "UNKNOWN", "Form", "dates_of", "form_of", "numbers_of", "stray_cells"]

NUMBER, DATE = "number", "date"
NEARLY_ALL = 0.9  # share of a column's different cells that must be of its kind
MOST = 0.6  # share where the others are words for nothing
LOOKED_AT = 5_000  # different cells that tell the form of a column
WORDS_FOR_NOTHING = """
n/d  n.d.  n.d  nd  n.a.  n.a  na  n/a  none  nil  null  nan  unknown  unk  missing  tbd  tba  undefined  void  k.a.
keine  s/d  s.d.  -  --  ---  —  –  .  ..  ...  *  **  x  ?  ??  #  #n/a  #value!  #div/0!  #ref!  #num!  #name?  inf  -inf  +inf
not available  not known  no data  not applicable
"""
UNKNOWN = frozenset(re.split(r"\n|  ", WORDS_FOR_NOTHING.strip()))
MONEY = "$€£¥₹₽₩₺¢"
POINT = re.compile(r"[-+]?(\d{1,3}([,'   ]\d{3})+|\d+)?(\.\d*)?([eE][-+]?\d+)?")  # 1,234.5
COMMA = re.compile(r"[-+]?(\d{1,3}([.'   ]\d{3})+|\d+)?(,\d*)?([eE][-+]?\d+)?")  # 1.234,5
THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+")
TRAILING = re.compile(r"\s*([^\W\d_][^\W\d_/²³°]{0,9}|%|‰|°[CF]?)$")
LEADING = re.compile(r"^([-+(]*)\s*(?:[A-Z]{3}\s+)?")
MONTHS = {name: number for number, names in enumerate(
    ("jan january gen gennaio ene januar", "feb february febbraio februar", "mar march marzo märz mrz", "apr april aprile abr",
     "may mai maggio mag mayo", "jun june giugno giu juni", "jul july luglio lug juli", "aug august agosto ago",
     "sep sept september settembre set", "oct october ottobre ott okt oktober", "nov november novembre",
     "dec december dicembre dic dez dezember"), start=1) for name in names.split()}  # fmt: skip
CLOCK = (
    r"(?:[T\s,]+(?P<h>\d{1,2}):(?P<mi>\d{2})(?::(?P<s>\d{2})(?:[.,]\d+)?)?\s*(?P<half>[AaPp]\.?[Mm]\.?)?"
    r"\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?"
)
NAME = r"(?P<m>[^\W\d_]+)\.?"
YEAR_FIRST = re.compile(r"(?P<y>\d{4})[-/.](?P<a>\d{1,2})(?:[-/.](?P<b>\d{1,2}))?" + CLOCK)
YEAR_LAST = re.compile(r"(?P<a>\d{1,2})[-/.](?P<b>\d{1,2})[-/.](?P<y>\d{4}|\d{2})" + CLOCK)
DAY_MONTH = re.compile(
    r"(?:[^\W\d_]+,?\s+)?(?P<b>\d{1,2})(?:st|nd|rd|th|\.)?[-\s/]+" + NAME + r",?[-\s/]+(?P<y>\d{4}|\d{2})" + CLOCK
)
MONTH_DAY = re.compile(
    r"(?:[^\W\d_]+,\s+)?" + NAME + r"[-\s/]+(?:(?P<b>\d{1,2})(?:st|nd|rd|th)?(?:,\s*|[-\s/]+))?(?P<y>\d{4})" + CLOCK
)
DATE_FORMS = {"ymd": YEAR_FIRST, "dmy": YEAR_LAST, "mdy": YEAR_LAST, "d month y": DAY_MONTH, "month d y": MONTH_DAY}
PIVOT = 69  # two digits below it are of this century, as POSIX has it


class Form(NamedTuple):
    """How the cells of a column are to be read."""

    kind: str  # NUMBER or DATE
    how: str  # decimal mark, or one of DATE_FORMS
    unit: str = ""  # what ends the numbers
    doubtful: bool = False  # whether no cell told days from months


def form_of(cells: Iterable[str | None]) -> Form | None:
    """Return how a column is to be read, from its different cells; None for text."""
    seen = dict.fromkeys(cell.strip() for cell in cells if cell is not None)
    some = [cell for cell in seen if cell][:LOOKED_AT]
    known = [cell for cell in some if cell.casefold() not in UNKNOWN]
    if not known:
        return None
    return number_form(known, len(some)) or date_form(known, len(some))


def enough(readable: int, known: int, every: int) -> bool:
    """Return whether a column is of a kind: nearly all cells are, or all but words for nothing."""
    return readable >= NEARLY_ALL * known and known >= MOST * every


def number_form(known: list[str], every: int) -> Form | None:
    """Return the form of numbers, None where the cells are none."""
    digits = [cell for cell in known if any(mark.isdigit() for mark in cell)]
    if not enough(len(digits), len(known), every):
        return None
    units = [match[1] if (match := TRAILING.search(cell)) else "" for cell in digits]
    unit = max(set(units), key=units.count)
    if unit and units.count(unit) < NEARLY_ALL * len(units) and unit not in "%‰":
        return None
    bare = [bare_number(cell, unit) for cell in digits]
    best = max(".,", key=lambda mark: (sum(is_number(cell, mark) for cell in bare), mark == "."))
    commas = [cell for cell in bare if "," in cell and "." not in cell]
    if best == "." and commas and not all(THOUSANDS.fullmatch(cell) for cell in commas):
        best = "," if sum(is_number(cell, ",") for cell in bare) >= NEARLY_ALL * len(bare) else best
    readable = sum(is_number(cell, best) for cell in bare)
    return Form(NUMBER, best, unit) if enough(readable, len(known), every) else None


def bare_number(cell: str, unit: str) -> str:
    """Return a cell without money, unit and brackets; a bracketed amount is negative, as bookkeepers write it."""
    text = cell.strip().replace("−", "-")
    if unit and text.endswith(unit):
        text = text[: -len(unit)].rstrip()
    elif text.endswith(("%", "‰")):
        text = text[:-1].rstrip()
    text = LEADING.sub(r"\1", text.strip(MONEY + " ")).strip()
    text = "".join(mark for mark in text if mark not in MONEY)
    if text.startswith("(") and text.endswith(")"):
        text = "-" + text[1:-1]
    sign, rest = (text[:1], text[1:].strip()) if text[:1] in "+-" else ("", text)
    return sign + rest


def is_number(text: str, mark: str) -> bool:
    return any(letter.isdigit() for letter in text) and bool((POINT if mark == "." else COMMA).fullmatch(text))


def number_in(cell: str, form: Form) -> float:
    """Return the number of a cell, NaN where it is none."""
    text = bare_number(cell, form.unit)
    if not is_number(text, form.how):
        return float("nan")
    for gap in "'   " + (",." if form.how == "." else ".,")[0]:
        text = text.replace(gap, "")
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return float("nan")


def numbers_of(cells: Sequence[str | None], form: Form) -> np.ndarray:
    """Return the numbers of cells, NaN for what is missing or cannot be read."""
    known = {cell: number_in(cell, form) for cell in set(cells) if cell is not None}
    return np.array([float("nan") if cell is None else known[cell] for cell in cells], dtype=np.float64)


def date_form(known: list[str], every: int) -> Form | None:
    """Return the form of dates, None where the cells are none; days and months are told apart by the whole column."""
    for how, pattern in DATE_FORMS.items():
        found = [match for cell in known if (match := pattern.fullmatch(cell))]
        if not enough(len(found), len(known), every):
            continue
        if pattern in (DAY_MONTH, MONTH_DAY):
            good = [match for match in found if match["m"].casefold() in MONTHS]
            if enough(len(good), len(known), every):
                return Form(DATE, how)
            continue
        if how == "ymd":
            return Form(DATE, how)
        first, second = (np.array([int(match[part]) for match in found]) for part in "ab")
        day_first, month_first = bool((first > 12).any()), bool((second > 12).any())
        points = sum("." in match[0] for match in found) > len(found) / 2
        if day_first and month_first:
            how = "dmy" if (first > 12).sum() >= (second > 12).sum() else "mdy"
        elif day_first or month_first:
            how = "dmy" if day_first else "mdy"
        else:
            return Form(DATE, "dmy" if points else "mdy", doubtful=not points)
        return Form(DATE, how)
    return None


def date_in(cell: str, form: Form) -> np.datetime64:
    """Return the date of a cell, NaT where it is none."""
    match = DATE_FORMS[form.how].fullmatch(cell.strip())
    nothing = np.datetime64("NaT", "s")
    if match is None:
        return nothing
    parts = match.groupdict()
    year = int(parts["y"])
    year += 0 if len(parts["y"]) == 4 else 2000 if year < PIVOT else 1900
    if form.how in ("d month y", "month d y"):
        month, day = MONTHS.get(parts["m"].casefold(), 0), int(parts["b"] or 1)
    else:
        a, b = int(parts["a"]), int(parts["b"] or 1)
        month, day = (b, a) if form.how == "dmy" else (a, b)
    hour, minute, second = (int(parts[name] or 0) for name in ("h", "mi", "s"))
    if parts["half"]:
        hour = hour % 12 + (12 if parts["half"][0] in "pP" else 0)
    try:
        found = np.datetime64(f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}", "s")
    except ValueError:
        return nothing
    zone = (parts["zone"] or "").replace(":", "")
    if zone[:1] in ("+", "-"):  # one clock for all rows
        shift = int(zone[1:3]) * 3600 + int(zone[3:5]) * 60
        found -= np.timedelta64(shift if zone[0] == "+" else -shift, "s")
    return found


def dates_of(cells: Sequence[str | None], form: Form) -> np.ndarray:
    """Return the dates of cells, NaT for what is missing or cannot be read."""
    known = {cell: date_in(cell, form) for cell in set(cells) if cell is not None}
    return np.array(
        [np.datetime64("NaT", "s") if cell is None else known[cell] for cell in cells], dtype="datetime64[s]"
    )


def stray_cells(cells: Sequence[str | None], missing: np.ndarray) -> list[str]:
    """Return the cells that say something and could not be read, in the order of the rows."""
    return [cell for cell, gap in zip(cells, missing) if gap and cell is not None and cell.strip()]
