"""Axes to draw on: the caller's own, or those of a new figure of pyplot's, which `plt.show()` and notebooks then show.

With axes given, pyplot is neither imported nor called: a figure made by `matplotlib.figure.Figure` stays the caller's alone.
New figures are in the style of `novum.report.style`.
"""

import textwrap
from math import ceil
from typing import Any

from novum.report.legends import MADE
from novum.report.style import dress, root_of

__all__ = [
    "FRAME",
    "LARGEST",
    "PANEL_SIZE",
    "WIDE",
    "drawing_axes",
    "drawing_panels",
    "equal_units",
    "fit_figure",
    "fit_title",
    "name_places",
    "new_figure",
    "plain_log_ticks",
    "space_dates",
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
ACROSS = 3


def new_figure(width: float, height: float) -> Any:
    """Return a new figure of pyplot's, of so many inches, whose axes are dressed as they come."""
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(width, height), layout="constrained")
    MADE[figure] = {}
    figure.add_axobserver(dress)
    return figure


def drawing_panels(n_panels: int) -> list[Any]:
    """Return the axes of a new figure with so many panels: up to three in a row, four as a square."""
    columns = 2 if n_panels == 4 else min(n_panels, ACROSS)
    rows = ceil(n_panels / columns)
    figure = new_figure(PANEL_SIZE[0] * columns, PANEL_SIZE[1] * rows)
    panels = list(figure.subplots(rows, columns, squeeze=False).ravel())
    for spare in panels[n_panels:]:
        spare.remove()
    return panels[:n_panels]


def equal_units(ax: Any) -> None:
    """Let a unit be as long upwards as across, without a smaller frame where the limits of the axes are theirs alone."""
    shared = any(len(group.get_siblings(ax)) > 1 for group in (ax.get_shared_x_axes(), ax.get_shared_y_axes()))
    ax.set_aspect("equal", adjustable="box" if shared else "datalim")


def fit_figure(ax: Any, width: float, height: float) -> None:
    """Give a figure of novum's with these axes alone so many inches; other figures keep theirs."""
    figure = root_of(ax)
    if figure in MADE and figure.axes == [ax]:
        figure.set_size_inches(width, height)


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


def plain_log_ticks(ax: Any, *names: str) -> None:
    """Let logarithmic axes, "x" or "y", write 1, 2 and 5 of every decade as plain numbers, or powers where decades are many."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    for name in names:
        axis = getattr(ax, f"{name}axis")
        low, high = sorted(axis.get_view_interval())
        if high / low < 1e3 and low >= 1e-3 and high < 1e5:
            axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high / low < 1e2 else (1.0,)))
            axis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axis.set_minor_formatter(NullFormatter())


def space_dates(ax: Any, places: Any) -> None:
    """Let the dates below an axis be few and short enough to be read, where places are dates."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    if getattr(getattr(places, "dtype", None), "kind", "") == "M":
        locator = AutoDateLocator(minticks=3, maxticks=6)
        ax.xaxis.set_major_locator(locator)
        ax.xaxis.set_major_formatter(ConciseDateFormatter(locator))


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
