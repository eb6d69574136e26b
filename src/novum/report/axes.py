"""Axes to draw on: the caller's own, or those of a new figure that no pyplot state knows of."""

from typing import Any

__all__ = ["drawing_axes", "drawing_panels"]

PANEL_SIZE = (4.0, 3.2)  # inches; three panels in a row fit a page


def drawing_panels(n_panels: int) -> list[Any]:
    """Return the axes of a new figure with `n_panels` panels in a row."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(PANEL_SIZE[0] * n_panels, PANEL_SIZE[1]), layout="constrained")
    return list(figure.subplots(1, n_panels, squeeze=False)[0])


def drawing_axes(ax: Any) -> Any:
    """Return `ax`, or the axes of a new figure where it is None."""
    return drawing_panels(1)[0] if ax is None else ax
