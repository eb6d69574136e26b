"""Attention as a picture: which symbols of the input each symbol of the output looked at."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.report.axes import drawing_axes
from novum.report.result import Result

__all__ = ["AttentionMap"]


@dataclass(eq=False, repr=False)
class AttentionMap(Result):
    """Weights of attention of one sequence; every row of a head adds up to one.

    Attributes
    ----------
    source : list
        What is looked at, S symbols.
    target : list
        What looks, T symbols.
    weights : array of shape (layers, heads, T, S)
    """

    source: list[Any]
    target: list[Any]
    weights: NDArray

    def mean(self, layer: int | None = None, head: int | None = None) -> NDArray:
        """Return the weights of one layer and head, (T, S); None: the mean over all."""
        chosen = self.weights
        for axis, (name, number) in enumerate((("layer", layer), ("head", head))):
            n = self.weights.shape[axis]
            if number is not None and not -n <= number < n:
                raise ParameterError(f"AttentionMap: {name}={number!r}, and there are {n}: 0 to {n - 1}.")
            places = slice(None) if number is None else [number % n]
            chosen = chosen[places] if axis == 0 else chosen[:, places]
        return np.asarray(chosen.mean(axis=(0, 1)))

    def _result_columns(self) -> dict[str, Any]:
        mean = self.mean()
        columns: dict[str, Any] = {"symbol": [str(symbol) for symbol in self.target]}
        return columns | {f"{k} {symbol}": mean[:, k].tolist() for k, symbol in enumerate(self.source)}

    def _result_scalars(self) -> dict[str, Any]:
        return {"layers": self.weights.shape[0], "heads": self.weights.shape[1]}

    def plot(self, ax: Any = None, *, layer: int | None = None, head: int | None = None) -> Any:
        """Draw the weights of a layer and head (None: their mean), dark where a symbol looks; return the axes."""
        ax = drawing_axes(ax)
        ax.imshow(self.mean(layer, head), cmap="Greys", vmin=0.0, vmax=1.0, aspect="auto")
        ax.set_xticks(range(len(self.source)), [str(symbol) for symbol in self.source])
        ax.set_yticks(range(len(self.target)), [str(symbol) for symbol in self.target])
        ax.set(xlabel="input", ylabel="output")
        return ax
