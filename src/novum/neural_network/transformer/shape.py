"""The parameters that all transformers have, and what they say of the network's shape."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import Bool, Choice, Domain, Int, Null, Real
from novum.exceptions import DataError, ParameterError
from novum.neural_network.sequences.examples import SequenceExamples

__all__ = ["TRANSFORMER", "LearnedPositions", "shape_of"]

TRANSFORMER: dict[str, Domain] = {
    "width": Int(1),
    "n_heads": Int(1),
    "n_layers": Int(1),
    "n_hidden": Null() | Int(1),
    "dropout": Real(0, 1, open="high"),
    "activation": Choice("relu", "gelu"),
    "norm_first": Bool(),
    "positions": Choice("sinusoidal", "learned"),
}


def shape_of(estimator: Any, n_positions: int) -> dict[str, Any]:
    """Return the fields of TransformerShape that the parameters of an estimator give."""
    width, n_heads = int(estimator.width), int(estimator.n_heads)
    if width % n_heads:
        raise ParameterError(
            f"{type(estimator).__name__}: width={width} is no multiple of n_heads={n_heads}: every head has an equal share of it."
        )
    return {
        "width": width,
        "n_heads": n_heads,
        "hidden": int(estimator.n_hidden or 4 * width),
        "n_layers": int(estimator.n_layers),
        "dropout": float(estimator.dropout),
        "activation": estimator.activation,
        "norm_first": bool(estimator.norm_first),
        "positions": estimator.positions,
        "n_positions": n_positions,
    }


class LearnedPositions:
    """A learned table of positions has as many rows as the longest sequence of the fit; what is longer is refused."""

    positions: str
    _n_positions: int = 0

    def _examples(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> SequenceExamples:
        if reset:
            self._n_positions = 0
        return super()._examples(X, y, sample_weight, reset)  # type: ignore[misc]

    def _check_lengths(self, lengths: NDArray[np.int64], reset: bool) -> None:
        longest = int(lengths.max(initial=0))
        if reset:
            self._n_positions = max(self._n_positions, longest)
        elif self.positions == "learned" and longest > self._n_positions:
            raise DataError(
                f"{type(self).__name__}: a sequence has {longest} steps, and positions='learned' knows {self._n_positions};"
                " fit with sequences as long, or with positions='sinusoidal'."
            )
