r"""How large gradients are, layer by layer: where they vanish, and which units are saturated.

    |dE/dW_l| / sqrt(number of weights),    mean |delta_l|,    share of units with |h'(a)| < 1/20 of its largest            (1)

A sigmoid multiplies errors by h' <= 1/4 on their way down: after ten layers by 10^-6 or less.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from novum.neural_network.modules import Activate, Dense, Sequential
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.result import Result
from novum.runtime.typing import Axes, Rows

__all__ = ["GradientReport", "gradient_report"]

SATURATED = 0.05
LARGEST_SLOPE = {"sigmoid": 0.25}  # elsewhere 1


@dataclass(repr=False)
class GradientReport(Result):
    """Sizes (1) of every layer, from the input up."""

    layer: list[str]
    weight_gradient: np.ndarray  # root mean square
    error: np.ndarray  # mean |delta|
    saturated: np.ndarray  # share of units
    ratio: float  # of the first layer's gradient to the last's

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw gradient and error of every layer on a logarithmic scale."""
        ax = drawing_axes(ax)
        places = range(1, len(self.layer) + 1)
        ax.semilogy(places, self.weight_gradient, "o-", label="gradient of the weights")
        ax.semilogy(places, self.error, "s--", label="error delta")
        ax.set(xlabel="layer", ylabel="size", xticks=list(places))
        draw_legend(ax)
        return ax


def gradient_report(network: Sequential, X: Rows, target: Any, weight: Any = None) -> GradientReport:
    """Return the sizes (1) of every dense layer for some rows.

    Parameters
    ----------
    network : Sequential
    X : array of shape (n_samples, n_features)
    target : array of shape (n_samples, n_outputs)
    weight : array of shape (n_samples,), default=None
    """
    network.forward(np.asarray(X, float))
    network.backward_loss(np.asarray(target, float), weight)
    gradient, error, saturated, shapes = [], [], [], []
    for place, module in enumerate(network.modules):
        if isinstance(module, Dense):
            gradient.append(float(np.sqrt(np.mean(np.square(module.gradients[0])))))
            error.append(float(np.abs(module.delta).mean()))
            saturated.append(0.0)
            shapes.append(module.weights.shape)
        if isinstance(module, Dense | Activate) and place < len(network.modules) - 1 and module.activation.elementwise:
            slope = np.abs(module.activation.derivative(module.sums))
            saturated[-1] = float(np.mean(slope < SATURATED * LARGEST_SLOPE.get(module.activation.name, 1.0)))
    names = [f"{n} -> {m}" for n, m in shapes]
    ratio = gradient[0] / gradient[-1] if gradient[-1] else np.nan
    return GradientReport(names, np.array(gradient), np.array(error), np.array(saturated), ratio)
