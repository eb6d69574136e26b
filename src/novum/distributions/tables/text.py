"""Tables as text and HTML: one variable as a list, two as a grid, more as a list of combinations."""

from html import escape
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["as_html", "as_text"]

MOST_ROWS = 24  # combinations that are spelled out


def number(value: float) -> str:
    """Return a probability with up to six decimals."""
    return "-" if np.isnan(value) else f"{value:.6f}".rstrip("0").rstrip(".")


def rows_of(p: NDArray[Any], names: tuple[str, ...], states: dict[str, tuple[Any, ...]], head: str) -> list[list[str]]:
    """Return the cells of the picture, header first."""
    if p.ndim == 2:
        first, second = names
        lines = [[f"{first} \\ {second}", *map(str, states[second])]]
        shown = zip(states[first][:MOST_ROWS], p[:MOST_ROWS])
        lines += [[str(label), *map(number, row)] for label, row in shown]
    else:
        lines = [[*names, head]]
        combinations = product(*(states[name] for name in names))
        for outcome, value in zip(combinations, p.ravel()[:MOST_ROWS]):
            lines.append([*map(str, outcome), number(value)])
    left = (p.shape[0] if p.ndim == 2 else p.size) - (len(lines) - 1)
    return lines + ([[f"... {left} more"]] if left > 0 else [])


def as_text(title: str, p: NDArray[Any], names: tuple[str, ...], states: dict[str, tuple[Any, ...]], head: str) -> str:
    """Return the table as lines of text."""
    lines = rows_of(p, names, states, head)
    full = [line for line in lines if len(line) == len(lines[0])]
    widths = [max(len(line[i]) for line in full) for i in range(len(lines[0]))]
    body = ["  " + "  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in full]
    return "\n".join([title, *body, *("  " + line[0] for line in lines if len(line) != len(lines[0]))])


def as_html(title: str, p: NDArray[Any], names: tuple[str, ...], states: dict[str, tuple[Any, ...]], head: str) -> str:
    """Return the table as HTML."""
    lines = rows_of(p, names, states, head)
    header = "".join(f"<th>{escape(cell)}</th>" for cell in lines[0])
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in lines[1:])
    return f"<table><caption>{escape(title)}</caption><tr>{header}</tr>{body}</table>"
