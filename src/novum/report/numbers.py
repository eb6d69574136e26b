"""How numbers print: counts, shares, and values of any size. No zero stands before the point, in any table or sentence."""

from typing import Any, SupportsInt

import numpy as np

__all__ = ["bare", "cell_text", "counted", "decimal", "num", "number", "percent", "weight_text"]

LONGEST_CELL = 60  # characters of an object that a cell shows
MOST_NUMBERS = 12  # of an array, before its middle is left out
PLURALS = {"class": "classes", "copy": "copies", "leaf": "leaves", "match": "matches", "pass": "passes"}
ONE_DOES = {"are": "is", "have": "has", "were": "was"}


class num(float):
    """A number that prints without the zero before its point, at the width that was requested.

    Texts are made of such numbers and of names; nothing runs over a text that is finished, so names come back as they were given.

    Examples
    --------
    >>> f"{num(0.25):.3f} {num(-0.25):8.2f}| {num(1.5):.1f} {num(0.001):.2e} {num(0):.1f} {num(0.5):+.2f}"
    '.250     -.25| 1.5 1.00e-03 0.0 +.50'
    """

    def __format__(self, spec: str) -> str:
        text = format(float(self), spec)
        inner = text.strip()
        short = bare(inner)
        lost = len(inner) - len(short)
        return text.replace(inner, " " * (lost if text != inner else 0) + short) if lost else text


def bare(text: str) -> str:
    """Return one formatted number without the zero before its point; a zero of one decimal keeps it."""
    sign, digits = (text[0], text[1:]) if text[:1] in ("-", "+") else ("", text)
    return sign + digits[1:] if digits.startswith("0.") and digits != "0.0" else text


def counted(n: SupportsInt, thing: str, verb: str = "") -> str:
    """Return a number of things as a sentence has it, and the verb that follows them.

    Examples
    --------
    >>> counted(1, "fold"), counted(1200, "row"), counted(0, "different class"), counted(1, "row", "are")
    ('1 fold', '1,200 rows', '0 different classes', '1 row is')
    """
    words = f"{int(n):,} {thing} {ONE_DOES.get(verb, verb)}" if int(n) == 1 else f"{int(n):,} {plural(thing)} {verb}"
    return words.rstrip()


def plural(thing: str) -> str:
    """Return the noun for several things; its last word changes."""
    before, _, noun = thing.rpartition(" ")
    return f"{before} {PLURALS.get(noun, noun + 's')}".strip()


def decimal(value: float) -> str:
    """Return a share as it is printed: three decimals, without a leading zero."""
    if np.isnan(value):
        return "-"
    return f"{num(value):.3f}"


def percent(share: float, digits: int = 1) -> str:
    """Return a share in per cent, as sentences have it: 95 %, 86.3 %."""
    return f"{100 * share:.{digits}f} %"


def number(value: float) -> str:
    """Return a number of any size: four digits."""
    if np.isnan(value):
        return "-"
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e9 else bare(f"{value:#.4g}".rstrip("."))


def weight_text(value: float) -> str:
    """Return a count of rows, or a sum of weights to two decimals."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.2f}"


def cell_text(value: Any) -> str:
    """Return any value as the cell of a table shows it.

    Examples
    --------
    >>> [cell_text(value) for value in (True, 3, 0.123456789, None, "a word", float("nan"))]
    ['True', '3', '.123457', '-', 'a word', '-']
    """
    if value is None:
        return "-"
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return "-" if np.isnan(value) else f"{num(value):.6g}"
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        value = np.array2string(value, formatter={"float_kind": cell_text}, threshold=MOST_NUMBERS)
    text = " ".join(str(value).split())
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 3] + "..."
