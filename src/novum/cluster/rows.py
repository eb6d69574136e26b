"""Rows for clusterers that compare all of them: in memory, whatever home they come from."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.fold.blocks import Block
from novum.runtime import arrays

__all__ = ["checked_square", "rows_in_memory"]


class Gathered(NamedTuple):
    X: NDArray
    weight: NDArray | None


def gather(_: Any, block: Block) -> Gathered:
    """Return the rows of a block, as they are."""
    weight = None if block.weight is None else arrays.to_numpy(block.weight)
    return Gathered(arrays.to_numpy(block.X), weight)


def together(a: Gathered, b: Gathered) -> Gathered:
    """Return the rows of two blocks, one after the other."""
    weight = None if a.weight is None or b.weight is None else np.concatenate([a.weight, b.weight])
    return Gathered(np.concatenate([a.X, b.X]), weight)


def rows_in_memory(estimator: Any, X: Any, sample_weight: Any = None, **options: Any) -> tuple[Any, NDArray | None]:
    """Return rows (an array, or CSR) and weights after every check; those of a file are read batch by batch and kept."""
    source = estimator._source(X, None, sample_weight, **options)
    if source.at_hand:
        return source.array(), source.weight
    return source.total(gather, None, together)


def checked_square(matrix: NDArray, owner: str, what: str = "Distance matrix") -> NDArray:
    """Return a matrix; raise unless it is square."""
    if matrix.shape[0] != matrix.shape[1]:
        raise DataError(
            f"{what} should be square, got matrix of shape {matrix.shape}. {owner}(metric='precomputed') takes the distances"
            " between all rows."
        )
    return matrix
