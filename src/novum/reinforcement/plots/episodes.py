"""Episodes: the route on a grid, or small pictures of every step."""

from typing import Any

import numpy as np

from novum.reinforcement.layout import cell_centers
from novum.reinforcement.plots.grids import draw_cells
from novum.report.axes import new_figure
from novum.report.style import SMALL, series

__all__ = ["draw_frames", "draw_route"]

COLUMNS = 6  # of a page of frames


def draw_route(ax: Any, episode: Any, mdp: Any) -> None:
    """Draw where an episode went: a line over the grid, or the numbers of states over time."""
    if mdp.layout is None:
        ax.plot(range(len(episode.numbers)), episode.numbers, marker=".")
        ax.set_xlabel("step")
        ax.set_ylabel("state")
        return
    draw_cells(ax, mdp.layout)
    place = cell_centers(mdp.layout)
    points = np.array([place[s] for s in episode.numbers])
    ax.plot(points[:, 0], points[:, 1], marker="o", color=series(ax, 0))
    ax.set_title(f"{len(episode)} steps, return {episode.value:.4g}")


def draw_frames(episode: Any, mdp: Any, most: int) -> Any:
    """Return a figure with a small picture per step: the grid with a dot, or the name of the state."""
    shown = episode.numbers[:most]
    columns = min(COLUMNS, len(shown))
    rows = -(-len(shown) // columns)
    figure = new_figure(2.0 * columns, 1.8 * rows)
    axes = np.ravel(figure.subplots(rows, columns, squeeze=False))
    place = None if mdp.layout is None else cell_centers(mdp.layout)
    for k, ax in enumerate(axes):
        if k >= len(shown):
            ax.set_axis_off()
            continue
        if place is None:
            ax.text(0.5, 0.5, str(mdp.states[shown[k]]), ha="center", va="center")
        else:
            draw_cells(ax, mdp.layout)
            x, y = place[shown[k]]
            ax.plot([x], [y], marker="o", color=series(ax, 0), markersize=8)
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_title(f"step {k}" + ("" if k >= len(episode) else f": {episode.actions[k]}"), fontsize=SMALL)
    return figure
