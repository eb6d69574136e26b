"""Tables as text and HTML: one variable as a list, two as a grid, more as a list of combinations."""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.report.axes import name_places
from novum.report.numbers import bare
from novum.report.tables import html_table, text_table

__all__ = ["as_html", "as_text", "draw_table", "state_columns"]

MOST_ROWS = 24  # combinations that are spelled out


def number(value: float) -> str:
    """Return a probability with up to six decimals."""
    return "-" if np.isnan(value) else bare(f"{value:.6f}".rstrip("0").rstrip("."))


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
    return "\n".join(
        [
            title,
            *text_table(full, left=0, strip=False),
            *("  " + line[0] for line in lines if len(line) != len(lines[0])),
        ]
    )


def as_html(title: str, p: NDArray[Any], names: tuple[str, ...], states: dict[str, tuple[Any, ...]], head: str) -> str:
    """Return the table as HTML."""
    lines = rows_of(p, names, states, head)
    return html_table(lines, title)


def state_columns(p: NDArray[Any], names: tuple[str, ...], states: dict[str, tuple[Any, ...]]) -> dict[str, Any]:
    """Return a row per combination of states, with its probability."""
    combinations = list(product(*(states[name] for name in names)))
    return {**{name: [c[i] for c in combinations] for i, name in enumerate(names)}, "p": p.ravel()}


def draw_table(
    ax: Any, title: str, p: NDArray[Any], names: tuple[str, ...], states: dict[str, tuple[Any, ...]]
) -> None:
    """Draw the probabilities as bars, a bar per combination of states."""
    labels = [", ".join(map(str, outcome)) for outcome in product(*(states[name] for name in names))]
    ax.bar(range(len(labels)), p.ravel())
    name_places(ax, "x", range(len(labels)), labels)
    ax.set(xlabel=", ".join(names), ylabel="probability", title=title)
