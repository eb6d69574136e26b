"""States that lie on a grid: how values and policies print there."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.report.numbers import num

__all__ = ["ARROWS", "Layout", "number_text", "policy_lines", "value_lines"]

ARROWS = ("^", ">", "v", "<")  # up, right, down, left: the order of the actions of a grid world
LEAST_WIDTH = 5  # of a value such as .8116
DECIMALS = 4


class Layout(NamedTuple):
    """The cells of a grid by rows, top row first: the number of the state there, or -1 for a wall."""

    cells: NDArray[np.int64]  # (rows, columns)
    marks: tuple[str, ...]  # by state: what a terminal one is shown as, "" elsewhere


def number_text(value: float, decimals: int = DECIMALS) -> str:
    """Return a value with a fixed number of decimals and no leading zero."""
    return f"{num(value):.{decimals}f}"


def mark_text(value: float) -> str:
    """Return the reward of an exit with its sign."""
    return f"{value:+g}"


def value_lines(layout: Layout, values: NDArray[np.float64]) -> list[str]:
    """Return the values as lines of text, walls as ###, exits by their signed reward."""
    shown = [number_text(v) for s, v in enumerate(values) if not layout.marks[s]]
    width = max([LEAST_WIDTH, *map(len, shown)])
    lines = []
    for row in layout.cells:
        parts = []
        for s in row:
            if s < 0:
                parts.append(f"   {'###':^{width}}")
            elif layout.marks[s]:
                parts.append(f"  {mark_text(float(values[s])):<{width + 1}}")
            else:
                parts.append(f"   {number_text(float(values[s])):>{width}}")
        lines.append("".join(parts))
    return lines


def policy_lines(layout: Layout, letters: list[str]) -> list[str]:
    """Return the letters of the states' actions as lines, walls as #, exits as they are marked."""
    return [
        "".join(f"  {'#' if s < 0 else layout.marks[s] or letters[s]}" for s in row).rstrip() for row in layout.cells
    ]


def cell_centers(layout: Layout) -> dict[int, tuple[float, float]]:
    """Return where each state is drawn: column and row, row 0 on top."""
    return {int(s): (float(c), float(r)) for (r, c), s in np.ndenumerate(layout.cells) if s >= 0}


def letters_of(actions: Any, best: list[list[int]]) -> list[str]:
    """Return what stands for the best actions of every state: its first letter, or a star where all tie."""
    return [
        "*" if len(one) == len(actions) and len(one) > 1 else (str(actions[one[0]]) if one else " ") for one in best
    ]
