"""Rows for clusterers that compare all of them: in memory, whatever home they come from."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.large_numbers import largest_of, too_large
from novum.exceptions import DataError, NotConverged
from novum.fold.gathering import all_rows
from novum.runtime.warn import warn

__all__ = ["check_reach", "checked_square", "is_symmetric", "rows_in_memory", "warn_of_few_clusters"]

LARGEST = 1e153  # squares of differences of larger numbers overflow
SYMMETRIC = (
    1e-6  # share of the largest entry that rounding, of single precision too, may leave between two halves of a matrix
)
STRIP = 256  # rows that are compared at a time


def rows_in_memory(estimator: Any, X: Any, sample_weight: Any = None, **options: Any) -> tuple[Any, NDArray | None]:
    """Return rows (an array, or CSR) and weights after every check; those of a file are read batch by batch and kept."""
    source = estimator._source(X, None, sample_weight, **options)
    rows, _, weight = all_rows(source, type(estimator).__name__)
    counted = rows if weight is None or sample_weight is None else rows[weight > 0]
    check_reach(counted, type(estimator).__name__)
    return rows, weight


def check_reach(X: Any, owner: str) -> None:
    """Raise where distances between rows would overflow."""
    largest = largest_of(X)
    if largest > LARGEST:
        raise too_large(owner, "X", largest)


def checked_square(matrix: NDArray, owner: str, what: str = "Distance matrix") -> NDArray:
    """Return a matrix; raise unless it is square."""
    if matrix.shape[0] != matrix.shape[1]:
        raise DataError(
            f"{what} should be square, got matrix of shape {matrix.shape}. {owner}(metric='precomputed') takes the distances"
            " between all rows."
        )
    return matrix


def is_symmetric(matrix: NDArray) -> bool:
    """Return whether a square matrix is symmetric but for rounding; a strip at a time, so that no second matrix is made."""
    apart = SYMMETRIC * float(np.abs(matrix).max(initial=0.0))
    return all(
        np.allclose(matrix[start : start + STRIP], matrix[:, start : start + STRIP].T, rtol=0, atol=apart)
        for start in range(0, len(matrix), STRIP)
    )


def warn_of_few_clusters(found: int, n_clusters: int) -> None:
    """Warn where fewer clusters were found than were requested; the words are scikit-learn's."""
    if found < n_clusters:
        warn(
            f"Number of distinct clusters ({found}) found smaller than n_clusters ({n_clusters})."
            " Possibly due to duplicate points in X.",
            NotConverged,
        )
