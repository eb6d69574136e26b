"""The graph that the assumption of naive Bayes is."""

from collections.abc import Sequence

import numpy as np

from novum.report.axes import drawing_axes
from novum.report.style import ink, paper, shade
from novum.runtime.typing import Axes

__all__ = ["plot_naive_bayes_graph"]


def plot_naive_bayes_graph(feature_names: Sequence[str], target: str = "y", ax: Axes | None = None) -> Axes:
    """Draw the graph of naive Bayes: the class above, an arrow from it to every feature, none between features.

    Parameters
    ----------
    feature_names : sequence of str
    target : str, default="y"
    ax : matplotlib Axes, default=None

    Returns
    -------
    matplotlib Axes
    """
    ax = drawing_axes(ax)
    places = np.linspace(-1, 1, len(feature_names)) if len(feature_names) > 1 else [0.0]
    circle = {"boxstyle": "circle", "facecolor": paper(ax), "edgecolor": ink(ax)}
    for name, x in zip(feature_names, places):
        ax.annotate(
            "",
            xy=(x, 0.1),
            xytext=(0, 0.9),
            arrowprops={"arrowstyle": "->", "color": ink(ax), "shrinkA": 12, "shrinkB": 12},
        )
        ax.text(x, 0, name, ha="center", va="center", bbox=circle)
    ax.text(0, 1, target, ha="center", va="center", bbox={**circle, "facecolor": shade(ax, 0.83)})
    ax.set(xlim=(-1.3, 1.3), ylim=(-0.3, 1.3))
    ax.set_axis_off()
    return ax
