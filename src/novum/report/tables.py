"""How results print: columns of text, and the same as HTML."""

from collections.abc import Sequence
from html import escape

import numpy as np

__all__ = ["counted", "decimal", "html_table", "number", "numeral", "text_table", "weight_text"]


def counted(n: int, thing: str) -> str:
    """Return a number of things as a sentence has it: 1 fold, 2 folds."""
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def decimal(value: float) -> str:
    """Return a share as it is printed: three decimals, without a leading zero."""
    if np.isnan(value):
        return "-"
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3f}"


def number(value: float) -> str:
    """Return a number of any size: four digits."""
    if np.isnan(value):
        return "-"
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e9 else f"{value:#.4g}".rstrip(".")


def numeral(value: float) -> str:
    """Return `number` without a leading zero, as it stands beside shares."""
    return number(value).replace("0.", ".", 1) if abs(value) < 1 else number(value)


def weight_text(value: float) -> str:
    """Return a count of rows, or a sum of weights to two decimals."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.2f}"


def text_table(rows: Sequence[Sequence[str]], left: int = 1, indent: str = "  ") -> list[str]:
    """Return lines with the first `left` columns flush left and the others flush right."""
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    return [
        indent
        + "  ".join(
            cell.ljust(width) if j < left else cell.rjust(width) for j, (cell, width) in enumerate(zip(row, widths))
        ).rstrip()
        for row in rows
    ]


def html_table(rows: Sequence[Sequence[str]], caption: str = "") -> str:
    """Return the same as an HTML table; the first row is its head."""

    def line(row: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"

    head = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{head}{line(rows[0], 'th')}{''.join(line(row, 'td') for row in rows[1:])}</table>"
