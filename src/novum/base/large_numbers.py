"""Numbers whose squares overflow are refused by name, before sums of them turn into infinity."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from novum import _core
from novum.exceptions import DataError
from novum.fold.blocks import Block, Source

__all__ = ["MOST_SIZE", "OfSmallRows", "check_size", "largest_of", "too_large"]

MOST_SIZE = 1e140  # numbers whose squares can be added up by the million
LOOK_AT = 256  # rows that are looked at


def check_size(estimator: Any, source: Source, most: float = MOST_SIZE) -> None:
    """Raise where the first rows hold numbers whose squares overflow: sooner than a look at all rows (`verified`) would."""
    if not source.at_hand or source.sparse:
        return
    block = source.first()
    used: Any = None
    for name, values in (("X", block.X), ("y", block.y)):
        if values is None or values.dtype.kind != "f" or values.dtype == np.float32:
            continue
        rows = values[:LOOK_AT]
        plain = rows.dtype == np.float64 and rows.flags.c_contiguous
        if block.weight is None and plain and _core.runtime.tiles.sum_of_squares(rows) < most * most:
            continue  # none of them is larger than all together
        if used is None:
            used = slice(None) if block.weight is None else block.weight > 0
        largest = float(np.max(np.abs(values[used][:LOOK_AT]), initial=0.0))
        if most < largest < np.inf:
            raise too_large(type(estimator).__name__, name, largest)


def too_large(owner: str, name: str, largest: float) -> DataError:
    """Return the error for numbers whose squares overflow."""
    return DataError(
        f"{owner}: {name} holds numbers up to {largest:.3g}, and sums of their squares overflow. Divide the columns by a"
        f" suitable unit, or scale them (sklearn.preprocessing.StandardScaler)."
    )


class OfSmallRows:
    """A function of blocks of new rows, wherever they live, that refuses numbers whose squares overflow."""

    def __init__(self, function: Callable, owner: str) -> None:
        self.function, self.owner = function, owner

    def __call__(self, params: Any, block: Block) -> Any:
        if len(block.X) and (largest := float(abs(block.X).max())) > MOST_SIZE:
            raise too_large(self.owner, "X", largest)
        return self.function(params, block)


def largest_of(X: Any, weight: np.ndarray | None = None) -> float:
    """Return the largest size of a cell in rows that count; gaps are left out."""
    if scipy.sparse.issparse(X):
        return float(np.nanmax(np.abs(X.data), initial=0.0))
    rows = X if weight is None else X[weight > 0]
    return float(np.nanmax(np.abs(rows), initial=0.0))
