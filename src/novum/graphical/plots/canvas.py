"""Axes on which boxes and arrows are put; boxes fit their labels, arrows end at the boxes."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from novum.graphical.plots.layout import Point
from novum.report.axes import drawing_axes
from novum.report.style import ink, letters, paper, series, shade

__all__ = ["ARC", "LINES", "LINK", "Canvas", "Style", "box_size"]

FONT = 10.0  # points
LETTER = 0.085  # inches, of a letter at that size
LINE = 0.17  # inches, of a line of text
PLAIN, LINES = "paper", "ink"  # of the axes


class Style(NamedTuple):
    """How an arc is drawn."""

    color: str = LINES
    line: str = "-"
    head: str = "-|>"
    width: float = 1.0


ARC, LINK = Style(), Style(head="-")


def box_size(label: str) -> Point:
    lines = label.split("\n")
    return max(0.5, 1.25 * LETTER * max(map(len, lines)) + 0.3), LINE * len(lines) + 0.32


def smooth(points: Sequence[Point]) -> Any:
    """Return the curve through all points but the last, in whose direction it ends: cubic pieces with Catmull-Rom tangents."""
    from matplotlib.path import Path

    p = np.array(points)
    tangent = np.vstack([p[1] - p[0], (p[2:] - p[:-2]) / 2])
    tangent[-1] = p[-1] - p[-2]
    vertices, codes = [p[0]], [Path.MOVETO]
    for i in range(len(p) - 2):
        vertices += [p[i] + tangent[i] / 3, p[i + 1] - tangent[i + 1] / 3, p[i + 1]]
        codes += [Path.CURVE4] * 3
    return Path(vertices, codes)


class Canvas:
    """Axes on which boxes and arrows are put; a new figure takes the size of the layout."""

    def __init__(
        self,
        ax: Any,
        at: Mapping[Any, Point],
        sizes: Mapping[Any, Point],
        title: str,
        equal: bool = False,
        scale: float | None = None,
    ) -> None:
        self.ax, self.at = drawing_axes(ax), at
        low, high = self._corners(at, sizes)
        extent = [max(h - l, 0.5) + 0.4 for l, h in zip(low, high, strict=True)]
        if ax is None:
            self.ax.figure.set_size_inches(max(extent[0], LETTER * len(title) + 0.5), max(extent[1] + 0.4, 1.5))
        box = self.ax.get_window_extent().transformed(self.ax.figure.dpi_scale_trans.inverted())
        fits = 1.0 if ax is None else min(1.0, box.width / extent[0], box.height / extent[1])
        self.scale = max(0.5, fits) if scale is None else scale  # smaller letters cannot be read
        self.ax.set_xlim(low[0] - 0.2, high[0] + 0.2)
        self.ax.set_ylim(low[1] - 0.2, high[1] + 0.2)
        if equal:
            self.ax.set_aspect("equal")
        self.ax.set_axis_off()
        self.ax.set_title(title, fontsize=max(0.8, self.scale) * (FONT + 1), parse_math=False)
        self.boxes: dict[Any, Any] = {}

    @staticmethod
    def _corners(at: Mapping[Any, Point], sizes: Mapping[Any, Point]) -> tuple[list[float], list[float]]:
        spans = [[(at[n][k] - sizes[n][k] / 2, at[n][k] + sizes[n][k] / 2) for n in at] or [(0, 0)] for k in (0, 1)]
        return [min(a for a, _ in span) for span in spans], [max(b for _, b in span) for span in spans]

    def color(self, name: str) -> Any:
        """Return a color: PLAIN is that of the ground, LINES that of what is written, C0, C1, ... are those of the series."""
        if name in (PLAIN, LINES):
            return (paper if name == PLAIN else ink)(self.ax)
        if name.startswith("0."):
            return shade(self.ax, float(name))
        return series(self.ax, int(name[1:])) if name.startswith("C") else name

    def node(self, node: Any, label: str, fill: str = PLAIN, square: bool = False, edge: str = LINES) -> None:
        shape = "square" if square else "circle" if len(label) < 3 else "ellipse"
        box = {
            "boxstyle": f"{shape},pad=0.35",
            "facecolor": self.color(fill),
            "edgecolor": self.color(edge),
            "linewidth": 1 + (edge != LINES),
        }
        self.boxes[node] = self.ax.text(
            *self.at[node],
            label,
            ha="center",
            va="center",
            size=FONT * self.scale,
            color=letters(self.ax, box["facecolor"]),
            bbox=box,
            zorder=2,
            parse_math=False,
        )

    def dot(self, node: Any, label: str) -> None:
        """Draw a fixed quantity: a dot with its name beside it."""
        box = {"boxstyle": "circle,pad=0.1", "facecolor": ink(self.ax)}
        self.boxes[node] = self.ax.text(
            *self.at[node], " ", ha="center", va="center", size=5 * self.scale, bbox=box, zorder=2
        )
        x, y = self.at[node]
        self.ax.text(x + 0.1, y, label, ha="left", va="center", size=FONT * self.scale, zorder=2, parse_math=False)

    def frame(self, low: Point, high: Point, label: str) -> None:
        """Draw a plate: a rounded frame with its name in the lower right corner."""
        from matplotlib.patches import FancyBboxPatch

        width, height = high[0] - low[0], high[1] - low[1]
        shape = "round,pad=0,rounding_size=0.1"
        self.ax.add_patch(
            FancyBboxPatch(low, width, height, boxstyle=shape, fill=False, edgecolor=shade(self.ax, 0.4), zorder=0)
        )
        at = (high[0] - 0.06, low[1] + 0.04)
        self.ax.text(
            *at, label, ha="right", va="bottom", size=9 * self.scale, color=shade(self.ax, 0.4), parse_math=False
        )

    def arc(self, a: Any, b: Any, style: Style = ARC, via: Sequence[Point] = ()) -> None:
        """Draw an arc; past the points of `via` it is a smooth curve, whose last part is straight."""
        from matplotlib.patches import FancyArrowPatch, PathPatch

        look: dict[str, Any] = {"color": self.color(style.color), "linestyle": style.line, "linewidth": style.width}
        if via:
            curve = smooth([self.at[a], *via, self.at[b]])
            self.ax.add_patch(
                PathPatch(curve, fill=False, zorder=1, capstyle="butt", **look)
            )  # it begins behind the box
        patch = FancyArrowPatch(
            via[-1] if via else self.at[a],
            self.at[b],
            arrowstyle=style.head,
            mutation_scale=12 * self.scale,
            patchA=None if via else self.boxes[a].get_bbox_patch(),
            patchB=self.boxes[b].get_bbox_patch(),
            shrinkA=0,
            shrinkB=0,
            zorder=3,  # after the boxes, whose size is known only once they are drawn
            **look,
        )
        self.ax.add_patch(patch)

    def note(self, x: float, y: float, text: str, color: str = LINES, **options: Any) -> None:
        self.ax.text(
            x,
            y,
            text,
            size=7 * self.scale,
            family="monospace",
            color=self.color(color),
            zorder=4,
            parse_math=False,
            **options,
        )
