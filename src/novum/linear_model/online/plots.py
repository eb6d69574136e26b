"""Picture of a unit: inputs with their weights, the constant input of the bias, the sum, the threshold, the answer."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.report.axes import drawing_axes
from novum.report.style import SMALL, paper, series, shade

__all__ = ["plot_unit"]

MOST_INPUTS = 12  # that can be distinguished in a picture


def plot_unit(owner: str, weights: NDArray, bias: float, names: list[str], classes: list[Any], ax: Any = None) -> Any:
    """Draw the unit sign(w'x + b); return the axes."""
    if len(weights) > MOST_INPUTS:
        raise DataError(
            f"{owner}.plot: {len(weights)} inputs are too many for a picture of a unit; it shows up to {MOST_INPUTS}."
        )
    ax = drawing_axes(ax)
    labels = ["1", *names]
    numbers = [bias, *weights.tolist()]
    heights = np.linspace(1, 0, len(labels))
    for label, number, height in zip(labels, numbers, heights):
        ax.annotate("", (0.47, 0.5), (0.12, height), arrowprops={"arrowstyle": "->", "color": shade(ax, 0.5)})
        ax.text(
            0.08,
            height,
            label,
            ha="center",
            va="center",
            bbox={"boxstyle": "circle", "fc": paper(ax), "ec": series(ax, 0)},
        )
        middle = (0.12 + 0.3 * 0.35, height + 0.3 * (0.5 - height))
        ax.text(
            *middle,
            f"{number:.3g}",
            ha="center",
            va="center",
            fontsize=SMALL,
            bbox={"fc": paper(ax), "ec": "none", "pad": 1},
        )
    ax.text(
        0.52,
        0.5,
        r"$\Sigma$",
        ha="center",
        va="center",
        fontsize=14,
        bbox={"boxstyle": "circle", "fc": paper(ax), "ec": series(ax, 0)},
    )
    ax.annotate("", (0.7, 0.5), (0.57, 0.5), arrowprops={"arrowstyle": "->", "color": shade(ax, 0.5)})
    ax.plot([0.71, 0.76, 0.76, 0.81], [0.44, 0.44, 0.56, 0.56], color=series(ax, 1))
    ax.annotate("", (0.92, 0.5), (0.82, 0.5), arrowprops={"arrowstyle": "->", "color": shade(ax, 0.5)})
    ax.text(0.93, 0.5, f"{classes[1]}: sum > 0\n{classes[0]}: else", va="center", fontsize=SMALL)
    ax.set(xlim=(0, 1.15), ylim=(-0.1, 1.1))
    ax.set_axis_off()
    return ax
