"""How numbers print: counts, shares, and values of any size. No zero stands before the point, in any table or sentence."""

import re
from typing import Any

import numpy as np

__all__ = ["cell_text", "counted", "decimal", "number", "percent", "weight_text", "without_zeros"]

LONGEST_CELL = 60  # characters of an object that a cell shows


LEADING_ZERO = re.compile(r"(?<![\w.,'\"=:/^*-])(?P<before>[\[(]?-?)0(?=\.\d)(?!\.0(?!\d))")


def without_zeros(text: str) -> str:
    """Return text whose numbers have no zero before the point; columns stay one below the other, parameters as Python has them.

    Examples
    --------
    >>> without_zeros("R2 0.5177 (adjusted -0.5066), alpha=0.1")
    'R2 .5177 (adjusted -.5066), alpha=0.1'
    """
    return LEADING_ZERO.sub(
        lambda found: (" " if found.start() > 1 and gap(text, found.start()) else "") + found["before"], text
    )


def gap(text: str, start: int) -> bool:
    """Return whether two blanks stand before a place: a cell of a table, not a word of a sentence."""
    return text[start - 2 : start] == "  "


def counted(n: int, thing: str) -> str:
    """Return a number of things as a sentence has it: 1 fold, 2 folds."""
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def decimal(value: float) -> str:
    """Return a share as it is printed: three decimals, without a leading zero."""
    if np.isnan(value):
        return "-"
    return without_zeros(f"{value:.3f}")


def percent(share: float, digits: int = 1) -> str:
    """Return a share in per cent, as sentences have it: 95 %, 86.3 %."""
    return f"{100 * share:.{digits}f} %"


def number(value: float) -> str:
    """Return a number of any size: four digits."""
    if np.isnan(value):
        return "-"
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e9 else without_zeros(f"{value:#.4g}".rstrip("."))


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
        return "-" if np.isnan(value) else without_zeros(f"{value:.6g}")
    text = " ".join(str(value).split())
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 3] + "..."
