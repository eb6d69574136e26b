"""Boxes with words, and arrows between them: pictures of what flows where.

A sketch is a table of boxes, each with its place and words, and of arrows as text: `a > b > c, d > b`. Arrows run from border to
border; one that would run through a third box is bent around it.
"""

from itertools import pairwise
from typing import Any, NamedTuple

from novum.report.axes import fit_figure
from novum.report.style import ink, paper

__all__ = ["HEIGHT", "WIDTH", "Boxes", "Sketch", "arrows_of", "draw_boxes"]

WIDTH, HEIGHT = 1.5, 0.56  # of a box, in steps of the grid
STEP = (0.85, 0.68)  # inches of a step, so that a box holds two lines of fifteen letters
LARGEST, SMALLEST = 10.0, 3.5  # points of the letters
BEND = 0.35  # of an arrow that would run through a box
Boxes = dict[str, tuple[float, float, str]]
Place = tuple[float, float]


class Sketch(NamedTuple):
    """Boxes by name, (column, row, words), and arrows as text."""

    boxes: Boxes
    arrows: str


def arrows_of(text: str) -> list[tuple[str, str]]:
    """Return the arrows that a text such as `a > b > c, d > b` names."""
    paths = [[name.strip() for name in path.split(">")] for path in text.split(",")]
    return [pair for path in paths for pair in pairwise(path)]


def is_blocked(boxes: Boxes, a: str, b: str) -> bool:
    """Return whether the straight arrow between two boxes would run through another."""
    (x0, y0), (x1, y1) = boxes[a][:2], boxes[b][:2]
    for name, (x, y, _) in boxes.items():
        for k in range(1, 20):
            at = x0 + k / 20 * (x1 - x0), y0 + k / 20 * (y1 - y0)
            if name not in (a, b) and abs(at[0] - x) < WIDTH / 2 and abs(at[1] - y) < HEIGHT / 2:
                return True
    return False


def border(place: Place, other: Place) -> Place:
    """Return where the line from one box to another leaves the first."""
    dx, dy = other[0] - place[0], other[1] - place[1]
    share = min(WIDTH / 2 / abs(dx) if dx else float("inf"), HEIGHT / 2 / abs(dy) if dy else float("inf"))
    return place[0] + share * dx, place[1] + share * dy


def draw_boxes(ax: Any, boxes: Boxes, arrows: list[tuple[str, str]], title: str) -> None:
    """Draw the boxes with their words and the arrows between them."""
    from matplotlib.patches import Rectangle

    columns, rows = zip(*(place[:2] for place in boxes.values()))
    left, right, low, high = min(columns) - 1, max(columns) + 1.4, min(rows) - 0.6, max(rows) + 0.6
    fit_figure(ax, STEP[0] * (right - left), STEP[1] * (high - low) + 0.3)
    room = ax.get_window_extent()
    scale = min(room.width / (STEP[0] * (right - left)), room.height / (STEP[1] * (high - low))) / ax.figure.dpi
    size = max(LARGEST * min(scale, 1.0), SMALLEST)
    for column, row, words in boxes.values():
        ax.add_patch(
            Rectangle(
                (column - WIDTH / 2, row - HEIGHT / 2), WIDTH, HEIGHT, facecolor=paper(ax), edgecolor=ink(ax), zorder=2
            )
        )
        ax.text(column, row, words, ha="center", va="center", fontsize=size, zorder=3)
    for a, b in arrows:
        begin, end = boxes[a][:2], boxes[b][:2]
        bend = BEND if is_blocked(boxes, a, b) else 0.0
        style = {
            "arrowstyle": "->",
            "color": ink(ax),
            "shrinkA": 0,
            "shrinkB": 0,
            "connectionstyle": f"arc3,rad={bend}",
        }
        if bend and begin[0] == end[0]:  # around the boxes between, from side to side
            ends = (end[0] + WIDTH / 2, end[1]), (begin[0] + WIDTH / 2, begin[1])
        else:
            ends = border(end, begin), border(begin, end)
        ax.annotate("", *ends, arrowprops=style, zorder=1)
    ax.set(xlim=(left, right), ylim=(low, high), title=title)
    ax.set_axis_off()
