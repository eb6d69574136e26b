"""Dates in the common orders and languages; days and months are distinguished by the whole column.

`31/12/2021` settles what `01/02/2021` means. A quarter and a week are their first day, whole numbers such as `20211231` are
dates where every one of them is. Where no style has nearly all cells, but each cell one of them (`2012-01-31` beside `31/12/2021`
beside `Jan 1 2000`), every cell is read by its own style. The order of day and month is still that of the column, but for cells
that allow the other alone.
"""

import re
from collections.abc import Iterable

import numpy as np

from novum.fold.readers.cells.form import DATE, Form, enough

__all__ = ["MIXED", "date_form", "date_in", "style_of", "written_as_one_number"]

MONTH_NAMES = """
jan january gen gennaio ene enero januar janvier janv janeiro januari
feb february febbraio febrero februar février fév févr fevereiro fev februari
mar march marzo märz mrz mars março maart mrt
apr april aprile abr abril avril avr
may mai maggio mag mayo maio mei
jun june giugno giu juni junio juin junho
jul july luglio lug juli julio juillet juil julho
aug august agosto ago août aout augustus
sep sept september settembre set septiembre septembre setembro
oct october ottobre ott okt oktober octubre octobre outubro out
nov november novembre noviembre novembro
dec december dicembre dic dez dezember diciembre décembre déc dezembro
"""
MONTHS = {
    name: month for month, names in enumerate(MONTH_NAMES.strip().splitlines(), start=1) for name in names.split()
}
CLOCK = (
    r"(?:[T\s,]+(?P<h>\d{1,2}):(?P<mi>\d{2})(?::(?P<s>\d{2})(?:[.,]\d+)?)?\s*(?P<half>[AaPp]\.?[Mm]\.?)?"
    r"\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?"
)
NAME = r"(?P<m>[^\W\d_]+)\.?"
WEEKDAY = r"(?:[^\W\d_]+\.?,?\s+)?"
YEAR_FIRST = re.compile(r"(?P<y>\d{4})(?P<sep>[-/.])(?P<a>\d{1,2})(?:(?P=sep)(?P<b>\d{1,2}))?" + CLOCK)
YEAR_LAST = re.compile(r"(?P<a>\d{1,2})(?P<sep>[-/.])(?P<b>\d{1,2})(?P=sep)(?P<y>\d{4}|\d{2})" + CLOCK)
DAY_MONTH = re.compile(
    WEEKDAY
    + r"(?P<b>\d{1,2})(?:st|nd|rd|th|er|\.)?(?:\s+(?:de|of)\s+|[-\s/]+)"
    + NAME
    + r"(?:,?\s+(?:de|del)\s+|,?[-\s/]+)(?P<y>\d{4}|\d{2})"
    + CLOCK
)
MONTH_DAY = re.compile(
    WEEKDAY + NAME + r"[-\s/]+(?:(?P<b>\d{1,2})(?:st|nd|rd|th)?(?:,\s*|[-\s/]+))?(?P<y>\d{4})" + CLOCK
)
C_CLOCK = re.compile(  # Fri Jan  1 10:00:00 2021, as C and Unix write it
    WEEKDAY
    + NAME
    + r"\s+(?P<b>\d{1,2})\s+(?P<h>\d{1,2}):(?P<mi>\d{2}):(?P<s>\d{2})\s+(?P<zone>(?:[A-Z]{3,4}\s+)?)(?P<y>\d{4})"
)
EASTERN = re.compile(r"(?P<y>\d{4})\s*[年년]\s*(?P<a>\d{1,2})\s*[月월](?:\s*(?P<b>\d{1,2})\s*[日일])?" + CLOCK)
QUARTER = re.compile(r"(?P<y>\d{4})[-\s/]?[QqTt](?P<q>[1-4])|[QqTt](?P<q2>[1-4])[-\s/]+(?P<y2>\d{4})")
WEEK = re.compile(r"(?P<y>\d{4})-?[Ww](?P<w>\d{2})(?:-?(?P<wd>[1-7]))?")
ONE_NUMBER = re.compile(r"(?P<y>\d{4})(?P<a>\d{2})(?P<b>\d{2})")
DATE_FORMS = {
    "ymd": YEAR_FIRST,
    "dmy": YEAR_LAST,
    "mdy": YEAR_LAST,
    "d month y": DAY_MONTH,
    "month d y": MONTH_DAY,
    "c clock": C_CLOCK,
    "eastern": EASTERN,
    "quarter": QUARTER,
    "week": WEEK,
    "number": ONE_NUMBER,
}
MIXED = {"mixed dmy": "dmy", "mixed mdy": "mdy"}  # several styles; how those with the year at the end are read
STYLES = ("ymd", "dmy", "d month y", "month d y", "c clock", "eastern", "number")  # that may stand beside each other
NAMED = ("d month y", "month d y", "c clock")
PIVOT = 69  # two digits below it are of this century, as POSIX has it
FIRST_YEAR, LAST_YEAR = 1850, 2100  # of dates that are written as one number
FEWEST = 3  # different ones of these: fewer may be numbers by chance
NOTHING = np.datetime64("NaT", "s")


def date_form(known: list[str], every: int) -> Form | None:
    """Return the form of dates, None where the cells are none."""
    for how, pattern in DATE_FORMS.items():
        if how == "number":
            continue
        found = [match for cell in known if (match := pattern.fullmatch(cell))]
        if how in NAMED:
            found = [match for match in found if match["m"].casefold() in MONTHS]
        if not enough(len(found), len(known), every):
            continue
        if pattern is not YEAR_LAST:
            return Form(DATE, how)
        how, doubtful = order_of(found)
        return Form(DATE, how, doubtful=doubtful)
    return mixed_form(known, every)


def order_of(found: list[re.Match]) -> tuple[str, bool]:
    """Return the order of day and month before a year, and whether no cell tells it."""
    first, second = (np.array([int(match[part]) for match in found]) for part in "ab")
    days, months = int((first > 12).sum()), int((second > 12).sum())
    if days or months:
        return "dmy" if days >= months and days else "mdy", False
    points = sum("." in match[0] for match in found) > len(found) / 2
    return "dmy" if points else "mdy", not points


def style_of(cell: str) -> str:
    """Return the style of a date, "" where it is none."""
    for how in STYLES:
        match = DATE_FORMS[how].fullmatch(cell)
        if match and (how not in NAMED or match["m"].casefold() in MONTHS):
            return how
    return ""


def mixed_form(known: list[str], every: int) -> Form | None:
    """Return the form of dates in several styles, each of more than one cell; None where there are none."""
    styles = [style_of(cell) for cell in known]
    counts = {how: styles.count(how) for how in {*styles} - {""}}
    if len(counts) < 2:
        return None
    if not enough(sum(counts.values()), len(known), every):
        return None
    last = [match for cell, how in zip(known, styles) if how == "dmy" and (match := YEAR_LAST.fullmatch(cell))]
    order, doubtful = order_of(last) if last else ("mdy", False)
    form = Form(DATE, f"mixed {order}", doubtful=doubtful)
    read = sum(not np.isnat(date_in(cell, form)) for cell in known)
    return form if enough(read, len(known), every) else None


def written_as_one_number(values: Iterable[float]) -> Form | None:
    """Return the form of dates such as 20211231 where every number is one, None for other numbers."""
    form, different = Form(DATE, "number"), set()
    for value in values:
        if not FIRST_YEAR * 10_000 <= value < (LAST_YEAR + 1) * 10_000 or value != int(value):
            return None
        if value not in different and np.isnat(date_in(str(int(value)), form)):
            return None
        different.add(value)
    return form if len(different) >= FEWEST else None


def date_in(cell: str, form: Form) -> np.datetime64:
    """Return the date of a cell, NaT where it is none."""
    if form.how in MIXED:
        return mixed_date(cell.strip(), MIXED[form.how])
    match = DATE_FORMS[form.how].fullmatch(cell.strip())
    if match is None:
        return NOTHING
    parts = match.groupdict()
    if form.how == "week":
        return first_of_week(int(parts["y"]), int(parts["w"]), int(parts["wd"] or 1))
    year = int(parts["y"] or parts["y2"])
    year += 0 if len(parts["y"] or parts["y2"]) == 4 else 2000 if year < PIVOT else 1900
    if form.how == "quarter":
        month, day = 3 * int(parts["q"] or parts["q2"]) - 2, 1
    elif form.how in NAMED:
        month, day = MONTHS.get(parts["m"].casefold(), 0), int(parts["b"] or 1)
    else:
        a, b = int(parts["a"]), int(parts["b"] or 1)
        month, day = (b, a) if form.how == "dmy" else (a, b)
    hour, minute, second = (int(parts.get(name) or 0) for name in ("h", "mi", "s"))
    if parts.get("half"):
        hour = hour % 12 + (12 if parts["half"][0] in "pP" else 0)
    try:
        found = np.datetime64(f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}", "s")
    except ValueError:
        return NOTHING
    zone = (parts.get("zone") or "").replace(":", "")
    if zone[:1] in ("+", "-"):  # one clock for all rows
        shift = int(zone[1:3]) * 3600 + int(zone[3:5]) * 60
        found -= np.timedelta64(shift if zone[0] == "+" else -shift, "s")
    return found


def mixed_date(cell: str, order: str) -> np.datetime64:
    """Return the date of a cell by its own style; one that the column's order does not allow by the other."""
    style = style_of(cell)
    if style != "dmy":
        return date_in(cell, Form(DATE, style)) if style else NOTHING
    found = date_in(cell, Form(DATE, order))
    return date_in(cell, Form(DATE, "mdy" if order == "dmy" else "dmy")) if np.isnat(found) else found


def first_of_week(year: int, week: int, weekday: int) -> np.datetime64:
    """Return a day of a week as ISO 8601 counts them."""
    from datetime import date

    try:
        return np.datetime64(date.fromisocalendar(year, week, weekday), "s")
    except ValueError:
        return NOTHING
