"""States on a circle and what leads from one to another: arrows bent to the left of their way, loops outside of the circle.

Arrows begin and end at the rims of the nodes, and nodes are as wide as the longest name, so that neither names nor loops are
hidden; a caller's axes take smaller letters where there is no room for full ones.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.report.axes import fit_figure
from novum.report.style import SMALL, ink, letters, paper

__all__ = ["Arrow", "circle_of", "draw_states"]

LETTER, LINE = 0.075, 0.16  # inches of a letter and of a line of a name
ROOM = 0.34  # inches between the name of a node and its rim, both sides together
APART = 1.35  # inches between neighbors on the circle, at least, beyond their nodes
BEYOND = 0.95  # inches outside of the nodes: loops and what is written at them
OPENING = 0.9  # radians between the two ends of a loop, seen from the middle of its node
TURN = 0.45  # radians from one loop of a node to the next
LOOP = 1.6  # how far a loop reaches out, in lengths of its opening
BEND = 0.18  # of an arrow to another node
MORE = 0.16  # by which each further arrow between the same two nodes is bent


class Arrow(NamedTuple):
    """What leads from one state to another, or back to itself."""

    source: int
    target: int
    words: str
    color: Any
    width: float = 1.0
    name: str = ""  # gid of the words


def circle_of(n: int) -> NDArray[np.float64]:
    """Return n places on the unit circle, the first at the right; (n, 2)."""
    angle = 2 * np.pi * np.arange(n) / n
    return np.column_stack([np.cos(angle), np.sin(angle)])


def draw_states(ax: Any, names: Sequence[str], colors: Sequence[Any], arrows: Sequence[Arrow]) -> None:
    """Draw nodes at `circle_of` with their names, and the arrows between them; the axes get equal units and no frame."""
    n, place = len(names), circle_of(len(names))
    node = (ROOM + max(LETTER * max(map(len, name.split("\n"))) for name in names)) / 2  # inches
    radius = max((APART / 2 + node) / np.sin(np.pi / n), APART) if n > 1 else APART / 2
    unit = 1 / radius  # of the axes, in an inch
    reach = np.abs(place).max(axis=0) + unit * (node + BEYOND)
    inches = 2 * reach / unit
    fit_figure(ax, inches[0], inches[1] + 0.3)
    ax.set(xlim=(-reach[0], reach[0]), ylim=(-reach[1], reach[1]), aspect="equal")
    ax.set_axis_off()
    box, rim = ax.get_window_extent(), node * unit
    scale = min(1.0, *(np.array([box.width, box.height]) / ax.figure.dpi / inches))
    between: dict[tuple[int, int], int] = {}
    for one in arrows:
        rank = between[one.source, one.target] = between.get((one.source, one.target), -1) + 1
        if one.source == one.target:
            draw_loop(ax, place[one.source], rim, rank, one, scale)
        else:
            draw_arrow(ax, place[one.source], place[one.target], rim, rank, one, scale)
    size = np.pi * (72 * node * scale) ** 2
    ax.scatter(*place.T, s=size, c=list(colors), edgecolors=ink(ax), linewidths=0.8, zorder=3)
    for (x, y), name, color in zip(place, names, colors):
        look = {"ha": "center", "va": "center", "color": letters(ax, color), "parse_math": False, "zorder": 4}
        ax.text(x, y, name, fontsize=max(9 * scale, 5), **look)


def draw_arrow(ax: Any, begin: NDArray, end: NDArray, rim: float, rank: int, one: Arrow, scale: float) -> None:
    """Draw an arrow from rim to rim, and its words beside its middle."""
    way = (end - begin) / np.hypot(*(end - begin))
    right = np.array([way[1], -way[0]])
    bend = BEND + MORE * rank
    lean = np.arctan(2 * bend)  # between the chord and the curve at its ends
    leave = np.cos(lean) * way + np.sin(lean) * right
    arrive = -np.cos(lean) * way + np.sin(lean) * right
    begin, end = begin + rim * leave, end + rim * arrive
    connect(ax, begin, end, bend, one)
    middle = (begin + end) / 2 + bend / 2 * np.hypot(*(end - begin)) * right
    write(ax, middle + 0.35 * rim * right, right, one, scale)


def draw_loop(ax: Any, at: NDArray, rim: float, rank: int, one: Arrow, scale: float) -> None:
    """Draw an arrow from a node back to itself, on the side away from the middle, and its words beyond it."""
    turn = np.arctan2(at[1], at[0]) + TURN * 2 * ((rank + 1) // 2) * (-1) ** rank
    begin, end = (at + rim * np.array([np.cos(turn + s), np.sin(turn + s)]) for s in (-OPENING / 2, OPENING / 2))
    connect(ax, begin, end, LOOP, one)
    out = np.array([np.cos(turn), np.sin(turn)])
    chord = float(np.hypot(*(end - begin)))
    write(ax, at + (rim + (0.62 * LOOP + 0.1) * chord) * out, out, one, scale)


def connect(ax: Any, begin: NDArray, end: NDArray, bend: float, one: Arrow) -> None:
    """Draw a bent arrow."""
    style = {
        "arrowstyle": "-|>",
        "connectionstyle": f"arc3,rad={bend:.3f}",
        "color": one.color,
        "lw": one.width,
        "shrinkA": 0,
        "shrinkB": 0,
    }
    ax.annotate("", end, begin, arrowprops=style, zorder=2)


def write(ax: Any, at: NDArray, out: NDArray, one: Arrow, scale: float) -> None:
    """Write the words of an arrow at a place, growing in the direction in which there is nothing."""
    across = "left" if out[0] > 0.4 else "right" if out[0] < -0.4 else "center"
    up = "bottom" if out[1] > 0.4 else "top" if out[1] < -0.4 else "center"
    size = SMALL if scale > 0.8 else "xx-small"
    ground = {"facecolor": paper(ax), "edgecolor": "none", "pad": 0.3, "alpha": 0.8}
    ax.text(
        *at, one.words, ha=across, va=up, color=one.color, fontsize=size, gid=one.name or None, bbox=ground, zorder=5
    )
