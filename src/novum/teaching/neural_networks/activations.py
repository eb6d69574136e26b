"""Pictures of activations and their derivatives."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from novum.activations import Activation
from novum.activations.rectifiers import relu
from novum.activations.sigmoids import sigmoid, tanh
from novum.exceptions import ParameterError
from novum.report.axes import drawing_axes, drawing_panels
from novum.report.legends import draw_legend
from novum.report.style import series, shade
from novum.runtime.checks import vector

__all__ = ["plot_activations"]

POINTS = 801  # odd, so that zero is among them
LINES = {"-": "activation", "--": "derivative"}
FLAT = 0.12  # opacity of the shade
SATURATED = 0.05  # shaded where the derivative is below this part of its largest value


def plot_activations(
    activations: Activation | Sequence[Any] = (sigmoid, tanh, relu),
    *,
    span: tuple[float, float] = (-5.0, 5.0),
    derivative: bool = True,
    together: bool = False,
    ax: Any = None,
) -> Any:
    """Draw activations, their derivatives, and where they saturate.

    Parameters
    ----------
    activations : Activation or list of Activation
        Elementwise ones.
    span : (float, float)
    derivative : bool
        Draw derivatives as dashed lines; in panels, shade where they are below 5 % of their largest value.
    together : bool
        All in one picture, for instance the sigmoid over the step; otherwise a panel for each.
    ax : matplotlib Axes or list of Axes, optional
        One where `together`, else one per activation; a new figure's where None.

    Returns
    -------
    matplotlib Axes, or a list of them

    Examples
    --------
    >>> from novum.teaching import plot_activations
    >>> from novum.activations import sigmoid, step
    >>> len(plot_activations([sigmoid, step], together=True, derivative=False).lines)
    2
    """
    listed = [activations] if isinstance(activations, Activation) else list(activations)
    if not listed or not all(isinstance(a, Activation) and a.elementwise for a in listed):
        raise ParameterError(
            "plot_activations: activations must be elementwise activations, for example [sigmoid, tanh, relu]."
        )
    low, high = vector("plot_activations", "span", span, 2)
    if not low < high:
        raise ParameterError(f"plot_activations(span={span!r}): span must be (low, high) with low < high.")
    x = np.linspace(low, high, POINTS)
    if together:
        shared = drawing_axes(ax)
        for activation in listed:
            _draw(shared, activation, x, derivative)
        draw_legend(shared)
        return shared
    panels = drawing_panels(len(listed)) if ax is None else list(np.ravel(ax))
    if len(panels) != len(listed):
        raise ParameterError(f"plot_activations: {len(listed)} activations need as many axes, got {len(panels)}.")
    for panel, activation in zip(panels, listed):
        _draw(panel, activation, x, derivative)
        if derivative:
            slope = np.abs(activation.derivative(x))
            flat = slope <= SATURATED * max(slope.max(), np.finfo(float).tiny)
            panel.fill_between(
                x, 0, 1, where=flat, transform=panel.get_xaxis_transform(), alpha=FLAT, color=shade(panel, 0.5)
            )
        panel.set_title(activation.name)
    if derivative:
        draw_legend(panels[-1], meanings(panels[-1]))
    return panels


def meanings(ax: Any) -> list[Any]:
    """Return keys of what is the same in every panel."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    lines = [Line2D([], [], color=series(ax, 0), ls=line, label=name) for line, name in LINES.items()]
    return [*lines, Patch(color=shade(ax, 0.5), alpha=FLAT, label="hardly answers")]


def _draw(ax: Any, activation: Activation, x: Any, derivative: bool) -> None:
    line = ax.plot(x, activation(x), label=activation.name)[0]
    if derivative:
        ax.plot(x, activation.derivative(x), "--", color=line.get_color(), label=f"{activation.name}, derivative")
    ax.set(xlabel="x", ylabel="activation")
