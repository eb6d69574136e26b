"""Drawings of feed-forward networks: layers of units, the weights between them, and the formula of every layer."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from novum.report.axes import new_figure
from novum.report.style import SMALL, ink, paper, series, shade
from novum.runtime.typing import Axes

__all__ = ["draw_network", "layer_formulas"]

RADIUS = 0.16
GAP = 1.6  # between layers, in units of the distance between neighbors of a layer


def layer_formulas(n_layers: int, activation: str, output: str) -> list[str]:
    """Return the formula of every layer above the input."""
    names = {"identity": "", "logistic": "sigmoid"}
    hidden, last = names.get(activation, activation), names.get(output, output)
    formulas = []
    for l in range(1, n_layers + 1):
        name, below = ("y" if l == n_layers else f"h_{l}"), ("x" if l == 1 else f"h_{{{l - 1}}}")
        function = last if l == n_layers else hidden
        inner = f"{below} W_{l} + b_{l}"
        formulas.append(rf"${name} = \mathrm{{{function}}}({inner})$" if function else f"${name} = {inner}$")
    return formulas


def heights(n: int) -> np.ndarray:
    """Return the places of n units of a layer, centered."""
    return np.arange(n)[::-1] - (n - 1) / 2


def size_of(shown: Sequence[int]) -> tuple[float, float]:
    """Return the inches of a figure in which the formulas below the layers can be read."""
    return 0.55 * (2 * GAP * (len(shown) - 1) + 2), 0.55 * (max(shown) + 3.4)


def draw_network(
    units: Sequence[int],
    coefs: Sequence[Any] | None,
    formulas: Sequence[str],
    ax: Axes | None = None,
    most_units: int = 10,
) -> Any:
    """Draw a layered network and return the axes.

    Parameters
    ----------
    units : sequence of int
        Of every layer, input and output included.
    coefs : list of arrays of shape (n_in, n_out), or None
        Width and color of the edges; without them all are alike.
    formulas : list of str
        Of every layer above the input.
    ax : matplotlib Axes, default=None
    most_units : int, default=10
        Units drawn per layer; dots stand for the others.
    """
    from matplotlib.collections import LineCollection
    from matplotlib.patches import Circle

    shown = [min(n, most_units) for n in units]
    if ax is None:
        ax = new_figure(*size_of(shown)).subplots()
    places = [[(layer * GAP * 2, y) for y in heights(n)] for layer, n in enumerate(shown)]
    for layer, (below, above) in enumerate(itertools.pairwise(places)):
        edges = [(a, b) for a in below for b in above]
        weights = np.ones(len(edges)) if coefs is None else np.asarray(coefs[layer])[: len(below), : len(above)].ravel()
        size = np.abs(weights) / (np.abs(weights).max() or 1.0)
        colors = [series(ax, 3) if w < 0 else shade(ax, 0.3) for w in weights]
        ax.add_collection(LineCollection(edges, linewidths=0.2 + 1.8 * size, colors=colors, zorder=1))
    top = max(shown) / 2 + 0.6
    for layer, (n, column) in enumerate(zip(units, places)):
        for place in column:
            ax.add_patch(Circle(place, RADIUS, facecolor=paper(ax), edgecolor=ink(ax), zorder=2))
        x = layer * GAP * 2
        if n > len(column):
            ax.text(x, column[-1][1] - 0.6, r"$\vdots$", ha="center", va="top")
        ax.text(x, top, f"{n} unit{'s' if n > 1 else ''}", ha="center")
        ax.text(x, -top - 0.6, "$x$" if layer == 0 else formulas[layer - 1], ha="center", va="top", fontsize=SMALL)
    ax.set(xlim=(-1, GAP * 2 * (len(units) - 1) + 1), ylim=(-top - 1.6, top + 0.6))
    ax.set_aspect("equal")
    ax.set_axis_off()
    return ax
