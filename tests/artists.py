"""What a picture shows, as numbers and words: curves, points, bars, bands, shaded grids, contours, arrows and texts of axes."""

from typing import Any, NamedTuple

import numpy as np
from matplotlib.collections import PathCollection, PolyCollection, QuadMesh
from matplotlib.contour import QuadContourSet
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

__all__ = [
    "Mesh",
    "arcs",
    "arrows",
    "bands",
    "bars",
    "canvas",
    "contours",
    "curve",
    "curves",
    "levels",
    "meshes",
    "points",
    "scatters",
    "table_cells",
    "tick_words",
    "words",
]


class Mesh(NamedTuple):
    """The centers of a shaded grid and its values, masked where nothing is shaded."""

    x: np.ndarray
    y: np.ndarray
    value: Any


def canvas(rows: int = 1, columns: int = 1, **options: Any) -> Any:
    """Return axes of a figure that nobody else holds."""
    return Figure().subplots(rows, columns, **options)


def curves(ax: Any) -> dict[str, np.ndarray]:
    """Return the points of every labeled line, (n, 2)."""
    return {line.get_label(): line.get_xydata() for line in ax.lines if not line.get_label().startswith("_")}


def curve(ax: Any, which: int | str = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return x and y of a line, by its place or its label."""
    found = ax.lines[which] if isinstance(which, int) else next(k for k in ax.lines if k.get_label() == which)
    x, y = found.get_data()
    return np.asarray(x, float), np.asarray(y, float)


def scatters(ax: Any) -> list[np.ndarray]:
    """Return the places of every set of points, in the order of drawing."""
    return [np.asarray(c.get_offsets(), float) for c in ax.collections if isinstance(c, PathCollection)]


def points(ax: Any, label: str) -> np.ndarray:
    """Return the places of the points that the legend calls `label`."""
    found = (c for c in ax.collections if isinstance(c, PathCollection) and c.get_label() == label)
    return np.asarray(next(found).get_offsets(), float)


def bars(ax: Any, which: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return the middles and heights of a group of bars."""
    patches = ax.containers[which].patches
    return np.array([p.get_x() + p.get_width() / 2 for p in patches]), np.array([p.get_height() for p in patches])


def bands(ax: Any) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return x, lower and upper border of every filled band."""
    found = []
    for one in ax.collections:
        if isinstance(one, PolyCollection):
            place = one.get_paths()[0].vertices
            x = np.unique(place[:, 0])
            low = np.array([place[place[:, 0] == at, 1].min() for at in x])
            found.append((x, low, np.array([place[place[:, 0] == at, 1].max() for at in x])))
    return found


def meshes(ax: Any) -> list[Mesh]:
    """Return the centers and values of every shaded grid (pcolormesh, imshow)."""
    found = []
    for one in ax.collections:
        if isinstance(one, QuadMesh):
            edge = np.asarray(one.get_coordinates())
            x, y = edge[0, :, 0], edge[:, 0, 1]
            value = np.ma.asarray(one.get_array()).reshape(len(y) - 1, len(x) - 1)
            found.append(Mesh((x[1:] + x[:-1]) / 2, (y[1:] + y[:-1]) / 2, value))
    for image in ax.images:
        value = np.ma.asarray(image.get_array())
        left, right, bottom, top = image.get_extent()
        rows, columns = value.shape[:2]
        x, y = np.linspace(left, right, 2 * columns + 1)[1::2], np.linspace(top, bottom, 2 * rows + 1)[1::2]
        found.append(Mesh(x, y, value))
    return found


def levels(ax: Any) -> list[np.ndarray]:
    """Return the levels of every set of contours."""
    return [np.asarray(c.levels) for c in ax.collections if isinstance(c, QuadContourSet)]


def contours(ax: Any, which: int = 0) -> dict[float, np.ndarray]:
    """Return the points on the lines of a set of contours, by level."""
    found = [c for c in ax.collections if isinstance(c, QuadContourSet)][which]
    return {float(level): path.vertices for level, path in zip(found.levels, found.get_paths())}


def words(ax: Any) -> dict[str, tuple[float, float]]:
    """Return the texts in a picture and where they stand; an arrow's text at its tail."""
    return {t.get_text(): tuple(np.asarray(t.get_position(), float)) for t in ax.texts if t.get_text()}


def arrows(ax: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return tail and head of every annotation that is an arrow."""
    drawn = (t for t in ax.texts if getattr(t, "arrow_patch", None) is not None)
    return [(np.asarray(t.xyann, float), np.asarray(t.xy, float)) for t in drawn]


def arcs(ax: Any, nodes: Any) -> dict[tuple[str, str], Any]:
    """Return the arrows of a drawn graph, by the nodes nearest to their tails and heads."""
    place = {
        t.get_text(): np.asarray(t.get_position(), float) for t in ax.texts if t.get_text() in set(map(str, nodes))
    }

    def nearest(point: Any) -> str:
        return min(place, key=lambda name: float(np.square(place[name] - point).sum()))

    drawn = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    return {tuple(nearest(end) for end in patch._posA_posB): patch for patch in drawn}


def tick_words(ax: Any) -> list[str]:
    """Return what stands below the axis."""
    return [label.get_text() for label in ax.get_xticklabels()]


def table_cells(ax: Any, which: int = 0) -> dict[tuple[int, int], str]:
    """Return the words in the cells of a drawn table."""
    return {place: cell.get_text().get_text() for place, cell in ax.tables[which].get_celld().items()}
