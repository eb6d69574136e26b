"""Legends that cover nothing: beside the axes of novum's own figures, inside the axes of a caller's.

A figure of novum's grows by the room that its legends take, so that its axes keep their size; a second legend on the same axes
takes the place of the first. A caller's figure keeps its size, and the legend stands where it covers least, or where the
caller's `rcParams["legend.loc"]` puts it.
"""

from collections.abc import Iterable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from novum.report.style import SMALL, ink, root_of, series

__all__ = ["class_keys", "draw_legend"]

KEY = 46.0  # points of a key and the room around it
NARROW = 34.0  # the same within a row
LETTER = 0.56  # heights of a letter that it is wide, on average
LETTERS = 8.4  # points of the letters, about
INSIDE = 0.74  # share of the width of a figure that two columns may take above its axes
LINE = 1.75  # heights of a letter that an entry takes
MOST = 24  # entries that a legend holds
MADE: "WeakKeyDictionary[Any, dict[Any, float]]" = WeakKeyDictionary()  # figures of novum's: inches added for legends


def draw_legend(
    ax: Any,
    handles: Sequence[Any] | None = None,
    *,
    labels: Sequence[str] | None = None,
    title: str | None = None,
    above: bool = False,
) -> Any:
    """Draw the legend of what has a label, or of `handles`; return it, or None where nothing has one.

    Parameters
    ----------
    ax : matplotlib Axes
    handles, labels : sequences, default=None
        What the legend names, and how; None takes what is drawn.
    title : str, default=None
    above : bool, default=False
        Above the axes instead of to the right, where a second axis is.
    """
    if handles is None:
        handles, labels = ax.get_legend_handles_labels()
    assert handles is not None
    pairs = list(zip(handles, [handle.get_label() for handle in handles] if labels is None else labels))
    once = {(label, color_key(handle)): (handle, label) for handle, label in reversed(pairs)}
    pairs = list(reversed(once.values()))
    if not pairs or len(pairs) > MOST:
        return None
    shown, words = [handle for handle, _ in pairs], [label for _, label in pairs]
    look = {"title": title, "fontsize": SMALL, "title_fontsize": SMALL}
    figure = root_of(ax)
    if figure not in MADE:
        return ax.legend(shown, words, **look)
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
    if above:
        wide = sum(NARROW + LETTER * LETTERS * max(map(len, words[at::2]), default=0) for at in (0, 1)) / 72
        columns = 2 if wide < INSIDE * figure.get_figwidth() else 1
        place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": columns}
    legend = ax.legend(shown, words, frameon=False, **look, **place)
    make_room(ax, legend, -(-len(words) // place["ncols"]) if above else 0)
    return legend


def class_keys(ax: Any, names: Iterable[Any], marker: str = "o") -> list[Any]:
    """Return keys of a legend for classes that one scatter draws in the colors of the series."""
    from matplotlib.lines import Line2D

    look: dict[str, Any] = {"marker": marker, "linestyle": "none", "markersize": 4.5, "markeredgecolor": ink(ax)}
    look["markeredgewidth"] = 0.3
    return [Line2D([], [], color=series(ax, k), label=str(name), **look) for k, name in enumerate(names)]


def color_key(handle: Any) -> Any:
    """Return what tells a key from another of the same name: its color, where it has one."""
    from matplotlib.colors import to_hex

    for name in ("get_color", "get_facecolor"):
        try:
            return to_hex(getattr(handle, name)())
        except (AttributeError, TypeError, ValueError):  # no such property, or many colors
            continue
    return id(handle)


def make_room(ax: Any, legend: Any, above: int) -> None:
    """Let a figure grow by the room of a legend, to the right or so many rows above: once for each column or row of panels."""
    figure, place = root_of(ax), ax.get_subplotspec()
    texts = legend.get_texts()
    size = texts[0].get_fontsize()
    words = [text.get_text() for text in (*texts, legend.get_title())]
    if above:
        inches, line = LINE * size * above / 72, place and place.rowspan.start
    else:
        inches = (KEY + LETTER * size * max(len(part) for one in words for part in one.split("\n"))) / 72
        line = place and place.colspan.stop
    grown = MADE[figure]
    more = max(inches - grown.get((above > 0, line), 0.0), 0.0)
    grown[above > 0, line] = grown.get((above > 0, line), 0.0) + more
    width, height = figure.get_size_inches()
    figure.set_size_inches(width + (0.0 if above else more), height + (more if above else 0.0))
