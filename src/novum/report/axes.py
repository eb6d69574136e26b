"""Axes to draw on: the caller's own, or those of a new figure of pyplot's, which `plt.show()` and notebooks then show.

With axes given, pyplot is neither imported nor asked: a figure made by `matplotlib.figure.Figure` stays the caller's alone.
"""

from typing import Any

__all__ = ["drawing_axes", "drawing_panels", "new_figure"]

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
