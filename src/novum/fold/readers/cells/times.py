"""Times of day and durations, in hours: `10:30`, `2:05 PM`, `26:03:04`, `1h 30m`, `90 min 5 s`, `PT1H30M`, `2 days 03:00:00`."""

import re

from novum.fold.readers.cells.form import NUMBER, Form, enough

__all__ = ["CLOCK", "SPAN", "hours_in", "time_form"]

CLOCK, SPAN = "clock", "span"
SIXTIETH = r"[0-5]\d"
CLOCK_TIME = re.compile(
    rf"(?P<sign>[-+])?(?:(?P<d>\d+)\s*d(?:ays?)?[\s,]+)?(?P<h>\d{{1,4}}):(?P<m>{SIXTIETH})(?::(?P<s>{SIXTIETH}(?:[.,]\d+)?))?"
    r"(?:\s*(?P<half>[AaPp])\.?[Mm]\.?)?"
)
WORDS = (
    ("d", r"d|days?|Tage?|jours?"),
    ("h", r"h|hrs?|hours?|Std\.?"),
    ("m", r"m|min|mins|minutes?|Min\.?"),
    ("s", r"s|sec|secs|seconds?|Sek\.?"),
)
SPAN_TIME = re.compile(
    r"(?:P(?=[\dT]))?" + r"[\sT,]*".join(rf"(?:(?P<{name}>\d+(?:\.\d+)?)\s*(?:{words}))?" for name, words in WORDS),
    re.IGNORECASE,
)
HOURS = {"d": 24.0, "h": 1.0, "m": 1 / 60, "s": 1 / 3600}


def time_form(known: list[str], every: int) -> Form | None:
    """Return the form of times, None where the cells are none."""
    for how in (CLOCK, SPAN):
        if enough(sum(hours_in(cell, how) == hours_in(cell, how) for cell in known), len(known), every):
            return Form(NUMBER, how)
    return None


def hours_in(cell: str, how: str) -> float:
    """Return the hours of a cell, NaN where it is no time."""
    match = (CLOCK_TIME if how == CLOCK else SPAN_TIME).fullmatch(cell.strip())
    if match is None or not any(mark.isdigit() for mark in cell):
        return float("nan")
    parts = match.groupdict()
    total = sum(float((parts[name] or "0").replace(",", ".")) * hours for name, hours in HOURS.items())
    if parts.get("half"):
        total = total % 12 + (12 if parts["half"] in "pP" else 0)
    return -total if parts.get("sign") == "-" else total
