"""Axes to draw on: the caller's own, or those of a new figure of pyplot's, which `plt.show()` and notebooks then show.

With axes given, pyplot is neither imported nor called: a figure made by `matplotlib.figure.Figure` stays the caller's alone.
"""

import textwrap
from math import ceil
from typing import Any

__all__ = [
    "FRAME",
    "LARGEST",
    "PANEL_SIZE",
    "WIDE",
    "drawing_axes",
    "drawing_panels",
    "fit_title",
    "name_places",
    "new_figure",
]

LARGEST, SMALLEST = 10.0, 4.0  # points of letters beside ticks
LINE = 1.35  # heights of a letter that a line of text takes
WIDE = 0.62  # heights of a letter that it is wide, on average
BESIDE = 24.0  # points of the name of an axis and the edges
FEWEST_LETTERS = 12  # of a line of a title
FRAME = 0.75  # share of a panel that is left for the axes
FOOT = 0.4  # share of the height of a panel that turned names may take
STEEP = 90  # degrees by which names below an axis are turned where they are too many
PANEL_SIZE = (4.0, 3.2)  # inches; three panels in a row fit a page


def new_figure(width: float, height: float) -> Any:
    """Return a new figure of pyplot's, of so many inches."""
    from matplotlib import pyplot

    return pyplot.figure(figsize=(width, height), layout="constrained")


def drawing_panels(n_panels: int) -> list[Any]:
    """Return the axes of a new figure with `n_panels` panels in a row."""
    figure = new_figure(PANEL_SIZE[0] * n_panels, PANEL_SIZE[1])
    return list(figure.subplots(1, n_panels, squeeze=False)[0])


def drawing_axes(ax: Any) -> Any:
    """Return `ax`, or the axes of a new figure where it is None."""
    return drawing_panels(1)[0] if ax is None else ax


def name_places(ax: Any, axis: str, places: Any, names: Any) -> None:
    """Write names beside the ticks of an axis, smaller or turned where they would run into each other.

    Parameters
    ----------
    axis : "x" or "y"
    places, names : sequences of numbers and texts of one length
    """
    names = [str(name) for name in names]
    box = ax.get_position()
    figure = ax.get_figure()
    inches = figure.get_size_inches() if hasattr(figure, "get_size_inches") else PANEL_SIZE
    room = 72 * FRAME * (inches[0] * box.width if axis == "x" else inches[1] * box.height) / max(len(names), 1)
    every = max(1, ceil(SMALLEST * LINE / room))  # some names where all of them cannot be read
    places, names = list(places)[::every], names[::every]
    if axis == "y":
        ax.set_yticks(places, names, fontsize=min(LARGEST, max(SMALLEST, room / LINE)))
        return
    longest = max(map(len, names), default=1)
    size = min(LARGEST, room / (WIDE * longest))
    turned = size < 0.7 * LARGEST
    if turned:
        tall = 72 * inches[1] * box.height * FOOT / (WIDE * longest)
        size = min(LARGEST, max(SMALLEST, min(room / LINE, tall)))
    ax.set_xticks(places, names)
    ax.tick_params(axis="x", rotation=STEEP if turned else 0, labelsize=size)


def fit_title(ax: Any) -> None:
    """Break the title above a picture into lines that its panel holds."""
    figure = ax.get_figure()
    if not ax.get_title() or not hasattr(figure, "get_size_inches"):
        return
    columns = max(
        1, len({round(other.get_position().x0, 2) for other in figure.axes if other.get_label() != "<colorbar>"})
    )
    beside = max((WIDE * len(tick.get_text()) * tick.get_fontsize() for tick in ax.get_yticklabels()), default=0.0)
    room = 72 * figure.get_size_inches()[0] / columns - beside - BESIDE
    letters = max(int(room / (WIDE * ax.title.get_fontsize())), FEWEST_LETTERS)
    ax.title.set_text(
        "\n".join(part for line in ax.get_title().split("\n") for part in textwrap.wrap(line, letters) or [""])
    )
