"""What is wrong with a drawn figure, judged by the boxes of the renderer.

`faults_of(figure)` lists words on words, words outside of the figure, axes without a name, legends on data, and curves with labels
that no legend shows. Axes whose frame is off, that hold an image or a colorbar, or whose ticks are words name themselves.
"""

import itertools
from typing import Any

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.text import Text

__all__ = ["clashes", "faults_of"]

SLACK = 1.5  # pixels by which boxes of letters may touch
EDGE = 6.0  # pixels that a number beside a tick may reach over the edge of a small figure
COVERED = 0.02  # share of the points of a picture that a legend may lie on
STEPS = 20  # points that stand for a segment of a line


def written(figure: Any) -> Any:
    """Yield everything that is written: what it is, and the text."""
    for ax in figure.axes:
        flat = not hasattr(ax, "get_zlim")
        for axis in [ax.xaxis, ax.yaxis] if flat and ax.axison else []:
            low, high = sorted(axis.get_view_interval())
            for tick in axis.get_major_ticks() + axis.get_minor_ticks():
                if low <= tick.get_loc() <= high:
                    yield "tick", tick.label1
                    yield "tick", tick.label2
            yield "name", axis.label
        yield "title", ax.title
        yield from (("text", text) for text in ax.texts)
        if ax.get_legend() is not None:
            yield from (("legend", text) for text in ax.get_legend().get_texts())
    yield from (("title", text) for text in figure.texts)


def clashes(figure: Any) -> list[tuple[Any, ...]]:
    """Return what is written on something that is written, or outside of the figure."""
    figure.canvas.draw()
    boxes = []
    for kind, text in written(figure):
        box = Text.get_window_extent(text)
        if text.get_visible() and text.get_text().strip() and min(box.width, box.height) > 1:
            boxes.append((kind, text.get_text(), box, text))
    width, height = figure.bbox.width, figure.bbox.height
    found: list[tuple[Any, ...]] = [
        ("outside", kind, words)
        for kind, words, box, _ in boxes
        if min(box.x0, box.y0, width - box.x1, height - box.y1) < -(EDGE if kind == "tick" else 1)
    ]
    for (kind, words, one, text), (other_kind, other_words, other, beside) in itertools.combinations(boxes, 2):
        across = min(one.x1, other.x1) - max(one.x0, other.x0)
        up = min(one.y1, other.y1) - max(one.y0, other.y0)
        if across > SLACK and up > SLACK and touch(corners(text, one), corners(beside, other)):
            found.append(("overlap", kind, words, other_kind, other_words))
    return found


def corners(text: Any, box: Any) -> np.ndarray:
    """Return the corners of a text, turned as it is; (4, 2)."""
    angle = np.radians(text.get_rotation())
    if abs(np.sin(2 * angle)) < 0.02:  # upright or flat: the box itself
        half = np.array([box.width, box.height]) / 2
        angle = 0.0
    else:
        wide, high = abs(np.cos(angle)), abs(np.sin(angle))
        half = np.linalg.solve([[wide, high], [high, wide]], [box.width, box.height]) / 2
    half = half - SLACK / 2
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    middle = np.array([box.x0 + box.x1, box.y0 + box.y1]) / 2
    return middle + (np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half) @ turn.T


def touch(one: np.ndarray, other: np.ndarray) -> bool:
    """Return whether two convex shapes overlap: no side of either has the other one wholly beyond it."""
    for shape, beside in ((one, other), (other, one)):
        for a, b in zip(shape, np.roll(shape, -1, axis=0)):
            out = np.array([b[1] - a[1], a[0] - b[0]])
            if ((beside - a) @ out > 0).all():
                return False
    return True


def points_of(ax: Any) -> np.ndarray:
    """Return points all along the lines and at all markers of axes, in pixels; (n, 2)."""
    parts = [np.empty((0, 2))]
    for line in ax.lines:
        path = line.get_transform().transform(np.asarray(line.get_xydata(), float))
        share = np.linspace(0, 1, STEPS)[:, None, None]
        if len(path) > 1 and line.get_linestyle() != "None":
            path = (path[:-1] + share * (path[1:] - path[:-1])).reshape(-1, 2)
        parts.append(path)
    for one in ax.collections:
        if isinstance(one, PathCollection) and hasattr(ax, "get_zlim") is False:
            parts.append(one.get_offset_transform().transform(np.asarray(one.get_offsets(), float)))
    found = np.concatenate(parts)
    inside = ax.get_window_extent()
    kept = np.isfinite(found).all(axis=1)
    return found[kept & (found >= inside.p0).all(axis=1) & (found <= inside.p1).all(axis=1)]


def covered(ax: Any) -> float:
    """Return the share of the points of axes that lie under their legend."""
    box, points = ax.get_legend().get_window_extent(), points_of(ax)
    if not len(points):
        return 0.0
    return float(((points > box.p0) & (points < box.p1)).all(axis=1).mean())


def is_named(axis: Any) -> bool:
    """Return whether an axis says what it shows: a name, words at its ticks, or nothing at all."""
    words = [tick.get_text() for tick in axis.get_ticklabels() if tick.get_visible() and tick.get_text()]
    plain = [
        word.replace("\N{MINUS SIGN}", "-").replace("$", "").replace("\\mathdefault", "").strip("{}") for word in words
    ]
    return bool(axis.label.get_text()) or not words or not all(is_number(word) for word in plain)


def is_number(word: str) -> bool:
    """Return whether the words at a tick are a number, mathematical ones included."""
    return not any(letter.isalpha() for letter in word.replace("times", "").replace("e", "")) and any(
        map(str.isdigit, word)
    )


def unnamed(ax: Any) -> list[str]:
    """Return the axes of a panel that do not say what they show."""
    if not ax.axison or ax.get_label() == "<colorbar>" or not ax.get_visible():
        return []
    axes = {"x": ax.xaxis, "y": ax.yaxis} | ({"z": ax.zaxis} if hasattr(ax, "zaxis") else {})
    twin = any(other is not ax and other.bbox.bounds == ax.bbox.bounds for other in ax.figure.axes)
    return [name for name, axis in axes.items() if not is_named(axis) and not (twin and name == "x")]


def faults_of(figure: Any) -> list[tuple[Any, ...]]:
    """Return everything that is wrong with a figure; see the module."""
    found = clashes(figure)
    for ax in figure.axes:
        if isinstance_image(ax):
            continue
        found += [("unnamed axis", name) for name in unnamed(ax)]
        labels = set(ax.get_legend_handles_labels()[1])
        shown = [other for other in figure.axes if other.get_legend() is not None]
        if len(labels) > 1 and not shown:
            found.append(("no legend", *sorted(labels)))
        if ax.get_legend() is not None and covered(ax) > COVERED:
            found.append(("legend on data", round(covered(ax), 3)))
    return found


def isinstance_image(ax: Any) -> bool:
    """Return whether axes hold an image of pixels, which has no axes to be named."""
    return bool(ax.images) and not ax.xaxis.label.get_text()
